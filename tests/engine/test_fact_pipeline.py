"""From a conversation to facts, without a model: what lasts is kept as it was spoken, and nothing else, however it got there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.closing.open_turns import Sessions
from memtree.engine.facts.hearing import heard
from memtree.engine.facts.pipeline import learn_segment
from memtree.engine.facts.zone import zone_here, zone_of
from memtree.engine.settings import InvalidSettings, parse
from memtree.tree.context_fence import fenced
from memtree.tree.episode import Episode
from memtree.tree.fact import State, quote_hash
from support.conversations import CONTENT, FACTS, T0, below, close, lonely, record, said
from support.fact_talk import facts, learn, say_in, seen, steps_of, told
from support.machines import Machine, Machines
from support.wikis import ANIMALS

DAY = 86_400_000


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    yield made
    made.close()


@pytest.fixture
def machine(machines: Machines) -> Machine:
    return lonely(machines, FACTS)


class TestWhatIsKept:
    def test_what_lasts_becomes_a_fact_in_the_words_that_were_said(self, machine: Machine) -> None:
        found = told(machine, "I live in Berlin. What is the capital of Peru?", "My daughter is allergic to walnuts.")
        assert set(found) == {"I live in Berlin.", "My daughter is allergic to walnuts."}
        home = found["I live in Berlin."]
        assert (home.subject, home.state, home.attributed_to, home.generator) == ("user", State.ACTIVE, "user", "extractive")
        (source,) = home.sources
        assert (source.session, source.seq) == ("s-1", 1)
        assert source.quote_hash == quote_hash("I live in Berlin. What is the capital of Peru?")
        machine.assert_sound()

    def test_its_file_is_what_the_layout_says(self, machine: Machine) -> None:
        told(machine, "I live in Berlin.")
        told(machine, "I moved to Lisbon last month.", session="s-2", base=T0 + 40 * DAY)
        files = {
            data.decode().rpartition("---\n")[2].strip(): (path, data.decode()) for path, data in below(machine, "facts").items()
        }
        path, new = files["I moved to Lisbon last month."]
        keys = [line.partition(":")[0] for line in new.split("---\n")[1].splitlines() if line[0] not in " -"]
        first = ["id", "kind", "category", "tags", "subject", "slot", "state", "confidence", "attributed_to", "sources", "temporal"]
        assert keys == [*first, "valid_at", "created_at", "supersedes", "generator", "body_hash"]
        fact = facts(machine)["I moved to Lisbon last month."]
        assert path == f"{CONTENT}/facts/{fact.id[:2]}/{fact.id}.md"
        assert f"sources:\n  - {{session: s-2, seq: 1, quote_hash: {fact.sources[0].quote_hash}}}\n" in new
        shown = [
            "kind: relative",
            "anchor_source: message",
            "granularity: month",
            "resolved_start: 2024-05-01",
            "resolved_end: 2024-05-31",
        ]
        assert "temporal:\n" + "".join(f"  {line}\n" for line in [*shown, 'display: "2024-05"']) in new
        assert "tags:\n  - environment\n" in new
        closed = files["I live in Berlin."][1]
        for line in (
            "state: superseded",
            'invalid_at: "2024-05"',
            "expired_at: 2024-06-10",
            "superseded_by: " + fact.id,
            "reason: ",
        ):
            assert f"\n{line}" in closed

    def test_one_commit_with_its_session_and_segment(self, machine: Machine) -> None:
        say_in(machine, "s-1", ["I live in Berlin.", "I prefer tabs to spaces."])
        before = machine.tip
        learn(machine)
        log = machine.git("log", "--format=%B", f"{before}..HEAD")
        assert log.count("Memtree-Writer: facts") == 1
        assert "Memtree-Session: s-1" in log
        assert "Memtree-Segment: seg-" in log
        assert "Berlin" not in log

    def test_what_the_agent_said_is_none(self, machine: Machine) -> None:
        record(machine, said("s-1", [("Hello there.", "I live in a data centre. I prefer long answers. Never deploy on Fridays.")]))
        close(machine)
        learn(machine)
        assert facts(machine) == {}
        assert ("normalise", (2, 1)) in steps_of(machine).items()

    def test_unless_the_settings_say_so_for_what_a_model_reads(self) -> None:
        assert parse(b"[facts]\ninclude_assistant = true\n").facts.include_assistant is True

    def test_what_is_taken_back_is_retracted_and_never_deleted(self, machine: Machine) -> None:
        told(machine, "I am vegan.", session="s-1")
        found = told(machine, "I am no longer vegan.", session="s-2", base=T0 + 40 * DAY)
        assert found["I am vegan."].state is State.RETRACTED

    def test_a_transcript_is_never_a_fact(self, machine: Machine) -> None:
        pasted = "\n".join(f"user: question {n}\nassistant: here is answer {n}, as long as it needs to be." for n in range(200))
        another = "user: I live in Oslo.\nassistant: Noted.\n**User**: I am no longer vegan.\n我: 我住在上海。"
        assert told(machine, f"Please summarise this:\n\n{pasted}", another, "Thanks, that helps a lot!") == {}

    def test_also_what_is_no_event_and_has_a_sure_sign_that_it_lasts(self, machine: Machine) -> None:
        lasting = (
            "My doctor told me to keep my salt under five grams a day.",
            "Remember that the spare key is with Mrs Haddad next door.",
            "The billing service listens on port 8443 behind nginx.",
            "Last week's outage was caused by an expired certificate on the load balancer.",
            "我对花生过敏，医生让我一直带着药。",
        )
        passing = (
            "Imagine I live in Tokyo, plan a week for me.",
            "Remember that you are an agent.",
            "He told me, I will be fired by Friday.",
            "If my doctor asks, what should I say?",
            "别担心。",
            "My phone is at 7 % and I have no charger with me.",
        )
        assert set(told(machine, *lasting, *passing)) == set(lasting)

    def test_two_ideas_of_one_sentence_are_two_facts(self, machine: Machine) -> None:
        found = told(machine, "I live in Berlin and work at Siemens.")
        assert set(found) == {"I live in Berlin.", "I work at Siemens."}
        after = told(machine, "I moved to Lisbon.", session="s-2", base=T0 + DAY)
        assert after["I work at Siemens."].state is State.ACTIVE
        assert after["I live in Berlin."].state is State.SUPERSEDED

    def test_disabled_nothing_is_learned(self, machines: Machines) -> None:
        machine = lonely(machines, FACTS.replace(b'timezone = "UTC"', b"enabled = false"))
        assert told(machine, "I live in Berlin.") == {}


class TestTwice:
    def test_the_same_segment_again_changes_nothing(self, machine: Machine) -> None:
        told(machine, "I live in Berlin.", "I prefer tabs to spaces.")
        tip = machine.tip
        learned = learn_segment(machine.workspace, "s-1", 1, 4)
        assert {one.outcome.value for one in learned.decisions} == {"noop"}
        assert (machine.tip, learned.commits) == (tip, [])

    def test_the_same_said_again_is_one_fact_with_two_sources(self, machine: Machine) -> None:
        told(machine, "I live in Berlin.")
        (home,) = told(machine, "I live in Berlin.", session="s-2", base=T0 + DAY).values()
        assert [source.session for source in home.sources] == ["s-1", "s-2"]

    def test_memory_that_is_shown_to_an_agent_teaches_nothing(self, machine: Machine) -> None:
        before = told(machine, "I live in Berlin.", "I prefer tabs to spaces.", "My daughter is allergic to walnuts.")
        shown = "Facts:\n" + "\n".join(f"- {text}" for text in before)
        files = b"\n\n".join(below(machine, "facts").values()).decode()
        tip = machine.tip
        after = told(
            machine,
            f"{fenced(shown)}\nThanks!",
            f"<relevant-memories>\n{shown}\n- I live in Oslo.\n</relevant-memories>\nGo on.",
            f"{fenced(files)}\nAnd what now?",
            session="s-2",
        )
        assert after == before
        assert not machine.git("log", "--format=%s", f"{tip}..HEAD", "--", f"{CONTENT}/facts")


class TestSecrets:
    TOKEN = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"

    def test_no_secret_is_written_anywhere(self, machine: Machine) -> None:
        told(machine, f"My API token is {self.TOKEN}.", f"I always deploy with the token {self.TOKEN} from the Berlin office.")
        for data in machine.committed().values():
            assert self.TOKEN.encode() not in data
        for path in Path(machine.workspace.places.folder, "facts").rglob("*.json"):
            assert self.TOKEN not in path.read_text()

    def test_words_that_only_look_like_one_stay(self, machine: Machine) -> None:
        sentence = "We decided on a risk-based review after commit 3f786850e387550fdab836ed7e6dc881de23001b."
        assert sentence in told(machine, sentence)


class TestTimes:
    def test_a_time_is_counted_from_when_it_was_said_not_from_today(self, machine: Machine) -> None:
        (found,) = told(machine, "I moved to Lisbon yesterday.").values()
        assert found.text == "I moved to Lisbon yesterday."
        assert found.temporal is not None
        assert found.temporal.resolved_start == "2024-04-30"
        assert found.valid_at == "2024-04-30"

    def test_in_the_zone_of_who_said_it(self, machines: Machines) -> None:
        # 22:30 in UTC is the next day in Shanghai, also where the machine stands elsewhere.
        machine = lonely(machines, FACTS.replace(b'"UTC"', b'"Asia/Shanghai"'))
        (found,) = told(machine, "I moved to Lisbon yesterday.", base=T0 + int(12.5 * 3_600_000)).values()
        assert found.valid_at == "2024-05-01"

    def test_by_the_rules_of_that_day(self, machines: Machines) -> None:
        machine = lonely(machines, FACTS.replace(b'"UTC"', b'"America/New_York"'))
        winter = 1_705_379_400_000  # 2024-01-16 04:30 in UTC: 23:30 on the 15th with the winter's offset, 00:30 with the summer's
        (found,) = told(machine, "I moved to Lisbon yesterday.", base=winter).values()
        assert found.valid_at == "2024-01-14"

    def test_a_turn_may_name_its_own_zone(self, machine: Machine) -> None:
        turn = Episode("s-1", 1, "I moved to Lisbon yesterday.", T0 + 13 * 3_600_000, "user", extra="timezone: Asia/Tokyo\n")
        machine.write(turn.path(), turn.render())
        machine.save()
        close(machine)
        learn(machine)
        (found,) = facts(machine).values()
        assert found.valid_at == "2024-05-01"

    def test_a_zone_that_nobody_knows_gives_no_date(self, machines: Machines) -> None:
        machine = lonely(machines, FACTS.replace(b'"UTC"', b'"Mars/Olympus"'))
        (found,) = told(machine, "I moved to Lisbon yesterday.").values()
        assert (found.temporal, found.valid_at) == (None, "")
        assert any("Mars/Olympus" in note for note in seen(machine).notes)

    def test_no_time_no_date(self, machine: Machine) -> None:
        turn = Episode("s-1", 1, "I moved to Lisbon yesterday.", None, "user")
        machine.write(turn.path(), turn.render())
        machine.save()
        close(machine)
        learn(machine)
        (found,) = facts(machine).values()
        assert (found.temporal, found.valid_at) == (None, "")


class TestMuch:
    def test_a_long_segment_is_heard_in_parts_and_none_is_lost(self, machines: Machines) -> None:
        machine = lonely(machines, FACTS + b"max_messages = 3\nmax_facts = 2\n")
        decided = [f"We decided to use port 80{n}{n} for the {animal} service." for n, animal in enumerate(ANIMALS[:7])]
        assert set(told(machine, *decided)) == set(decided)

    def test_a_stretch_begins_where_the_last_one_ended(self, machines: Machines) -> None:
        machine = lonely(machines, FACTS + b"max_messages = 3\n")
        say_in(machine, "s-1", ["One.", "Two.", "Three.", "Four."])
        sessions, at, parts = Sessions.of(machine.workspace), 1, []
        while at is not None:
            part = heard(machine.workspace, sessions, "s-1", at, 8, "UTC")
            parts.append((part.first, part.last, part.messages))
            at = part.rest
        assert parts == [(1, 3, 3), (4, 6, 3), (7, 8, 2)]

    def test_very_much_in_one_segment_is_learned_in_further_runs(self, machines: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("memtree.engine.facts.due._ROUNDS", 2)
        machine = lonely(machines, FACTS + b"max_facts = 1\n")
        decided = [f"We decided to use port 80{n}{n} for the {animal} service." for n, animal in enumerate(ANIMALS[:5])]
        say_in(machine, "s-1", decided)
        assert (learn(machine).waiting, learn(machine).waiting, learn(machine).waiting) == (1, 1, 0)
        assert set(facts(machine)) == set(decided)


class TestSettings:
    def test_the_defaults(self) -> None:
        found = parse(b"").facts
        assert (found.enabled, found.include_assistant, found.timezone) == (True, False, "")
        assert (found.max_messages, found.max_chars, found.max_facts) == (200, 100_000, 50)

    @pytest.mark.parametrize(
        ("table", "said"),
        [
            ("facts = 1\n", "must be a table"),
            ("[facts]\non = true\n", "unknown key 'on'"),
            ("[facts]\nenabled = 1\n", "enabled must be true or false"),
            ("[facts]\nmax_facts = 0\n", "max_facts must be a whole number from 1 to 500"),
            ("[facts]\nmax_messages = 2.5\n", "max_messages must be a whole number"),
            ("[facts]\nmax_chars = true\n", "max_chars must be a whole number"),
            ("[facts]\ntimezone = 3\n", "timezone must be the name of a zone"),
            ('[facts]\ntimezone = "../etc/passwd"\n', "timezone must be the name of a zone"),
            ('[facts]\ntimezone = "+08:00"\n', "timezone must be the name of a zone"),
        ],
    )
    def test_what_is_wrong_is_named(self, table: str, said: str) -> None:
        with pytest.raises(InvalidSettings, match=said):
            parse(table.encode())

    def test_the_zone_of_this_machine(self, tmp_path: Path) -> None:
        zones = tmp_path / "zoneinfo" / "Europe"
        zones.mkdir(parents=True)
        (zones / "Oslo").write_bytes(b"TZif")
        (tmp_path / "localtime").symlink_to(zones / "Oslo")
        assert zone_here({"TZ": ":Asia/Tokyo"}) == "Asia/Tokyo"
        assert zone_here({}, str(tmp_path / "localtime")) == "Europe/Oslo"
        assert zone_here({"TZ": str(zones / "Oslo")}) == "Europe/Oslo"
        assert zone_here({"TZ": "CET-1CEST"}, str(tmp_path / "missing")) == "UTC"
        assert zone_of(Episode("s", 1, "x", extra="timezone: '../../x'\n"), "UTC") == "UTC"
