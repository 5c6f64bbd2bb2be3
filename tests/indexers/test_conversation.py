"""Ranking turns: each feature by the smallest conversation that shows it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.indexers import conversation
from memtree.indexers.conversation import Statistics, Turn, TurnRanker
from memtree.indexers.text_queries import analyser
from memtree.indexers.turn_text import ask
from memtree.indexers.weights import TurnWeights
from memtree.indexers.wordllama_model import WordLlamaEmbedder

ANALYSE = analyser().analyze
EMBEDDER = WordLlamaEmbedder()
MAY_8, JUNE_9 = 1_683_550_000, 1_686_300_000
EVEN = Statistics(100, lambda _stem: 5)
SMALL_TALK = (
    ("Ada", "Good morning, how was your week?"),
    ("Bob", "Long, but the rain has stopped at last."),
    ("Ada", "Here the heating broke down again."),
    ("Bob", "Mine too, and the landlord is away."),
    ("Ada", "I will call the company on Monday."),
    ("Bob", "Let me know what they say."),
    ("Ada", "Of course, take care of yourself."),
    ("Bob", "You too, talk soon."),
)


def best(query: str, *turns: Turn, embedder: WordLlamaEmbedder | None = EMBEDDER) -> Turn:
    ranker = TurnRanker(ANALYSE, embedder, TurnWeights())
    totals = [sum(parts.values()) for parts in ranker.rank(query, turns, EVEN)]
    return turns[totals.index(max(totals))]


def first(query: str, count: int, *turns: Turn) -> list[Turn]:
    parts = TurnRanker(ANALYSE, EMBEDDER, TurnWeights()).rank(query, turns, EVEN)
    order = sorted(range(len(turns)), key=lambda row: -sum(parts[row].values()))
    return [turns[row] for row in order[:count]]


def said(order: int, speaker: str, text: str, *, session: str = "s1", time: int | None = None) -> Turn:
    return Turn(session, order, speaker, text, time)


def test_the_turn_with_the_words_wins() -> None:
    turns = (said(0, "Ada", "The garden needs rain."), said(1, "Bob", "My charity race was on Sunday morning."))
    assert best("charity race", *turns) is turns[1]


def test_the_named_speaker_wins_among_equals() -> None:
    turns = (said(0, "Ada", "I painted a sunrise."), said(1, "Bob", "I painted a sunrise."))
    assert best("What did Bob paint?", *turns) is turns[1]
    assert best("What did Ada paint?", *turns) is turns[0]


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("What did Bob paint?", "Bob"),
        ("Which book did Ada recommend to Bob?", "Ada"),
        ("Which book did Bob read after Ada's advice?", "Bob"),
        ("What have Ada and Bob in common?", ""),
        ("Do both Bob and, lately, Ada paint?", ""),
        ("What is Ada's or Bob's favourite book?", ""),
        ("Who likes sunrises?", ""),
        ("Did Bobby paint?", ""),
        ("小明给小红推荐了什么书？", "小明"),
        ("小红养了几只猫？", "小红"),
        ("小明和小红去了哪里？", ""),
        ("小明、小红都喜欢什么？", ""),
    ],
)
def test_a_question_is_about_one_person_or_about_nobody_more_than_another(question: str, subject: str) -> None:
    asked = ask(question, ANALYSE)
    assert asked.subject(asked.named(["Ada", "Bob", "小明", "小红", ""])) == subject


def test_who_recommends_is_found_before_who_is_recommended_to() -> None:
    turns = (said(0, "Bob", "I recommend the book on bees."), said(1, "Ada", "I recommend the book on bees."))
    assert best("Which book did Ada recommend to Bob?", *turns) is turns[1]
    assert best("Which book did Bob recommend to Ada?", *turns) is turns[0]


def test_a_question_about_two_people_finds_what_each_of_them_said() -> None:
    filler = [said(at, "Ada", f"Nothing much happened on day {at}.", session="s0") for at in range(20)]
    turns = (
        *filler,
        said(0, "Ada", "My cat sleeps on the piano all day.", session="s1"),
        said(1, "Bob", "Lovely to hear.", session="s1"),
        said(0, "Bob", "Our two dogs chased the neighbour again.", session="s2"),
        said(1, "Ada", "Oh dear.", session="s2"),
    )
    assert {turns[20], turns[22]} < set(first("What pets do Ada and Bob have?", 3, *turns))


def test_a_list_is_gathered_from_several_sessions() -> None:
    """The kind of thing is asked for; the turns name the things."""
    filler = [said(at, speaker, text, session="s0") for at, (speaker, text) in enumerate(SMALL_TALK)]
    turns = (
        *filler,
        said(0, "Ada", "I took my violin to the park.", session="s1"),
        said(1, "Bob", "I read the paper on the train.", session="s1"),
        said(0, "Ada", "The clarinet was hard at first.", session="s2"),
        said(1, "Bob", "The bread was burnt again.", session="s2"),
        said(0, "Ada", "Yesterday I bought an old piano.", session="s3"),
        said(1, "Bob", "We repaired the fence.", session="s3"),
    )
    found = first("What kind of instruments does Ada play?", 3, *turns)
    assert {turn.session for turn in found} == {"s1", "s2", "s3"}
    assert {turn.speaker for turn in found} == {"Ada"}


@pytest.mark.parametrize(
    "question",
    [
        "What instruments does Ada play?",
        "Which of Ada's books are new?",
        "What are the names of Bob's dogs?",
        "How many tournaments has Bob won?",
        "What kind of music does Ada like?",
        "Where has Ada camped?",
        "In what ways does Bob help?",
        "What do both of them like?",
        "小红会哪些乐器？",
        "小明养了几只猫？",
    ],
)
def test_questions_for_several_things(question: str) -> None:
    assert ask(question, ANALYSE).asks_for_several


@pytest.mark.parametrize(
    "question",
    [
        "When did Ada go to Paris?",
        "What does Ada do on Sundays?",
        "What is Bob's address?",
        "How many years has Bob lived here?",
        "Which class did Ada take?",
        "Why was Bob late?",
        "charity races",
        "小明周末去了哪里？",
        "",
    ],
)
def test_questions_for_one_thing(question: str) -> None:
    assert not ask(question, ANALYSE).asks_for_several


def test_where_several_things_are_asked_the_words_around_count_less_unless_there_is_nothing_else() -> None:
    turns = [said(at, "Ada", f"The garden has {thing}.") for at, thing in enumerate(("roses", "peas", "a pond"))]

    def counted(query: str, embedder: WordLlamaEmbedder | None) -> float:
        return TurnRanker(ANALYSE, embedder, TurnWeights()).rank(query, turns, EVEN)[0]["covered_2"]

    assert counted("Which plants has the garden?", EMBEDDER) < counted("Has the garden plants?", EMBEDDER)
    assert counted("Which plants has the garden?", None) == counted("Has the garden plants?", None)


def test_how_a_question_asks_does_not_count_as_what_it_asks() -> None:
    turns = (
        said(0, "Ada", "The kind people of that kind mentioned some kind of thing."),
        said(0, "Bob", "In the evening we walked home and talked.", session="s2"),
        said(0, "Ada", "I grew tomatoes behind the house.", session="s3"),
    )
    assert best("What kind of vegetables has been mentioned?", *turns) is turns[2]


def test_a_short_reply_is_found_by_what_it_replies_to() -> None:
    filler = [said(at, speaker, text, session="s0") for at, (speaker, text) in enumerate(SMALL_TALK)]
    turns = (
        *filler,
        said(0, "Ada", "Where did you spend your holidays this summer?", session="s1"),
        said(1, "Bob", "In Lisbon.", session="s1"),
        said(0, "Ada", "What are you cooking?", session="s2"),
        said(1, "Bob", "A soup.", session="s2"),
    )
    assert best("Where did Bob spend his holidays?", *turns) is turns[-3]
    assert best("What did Bob cook?", *turns) is turns[-1]


def test_chinese_questions_find_by_meaning_who_said_what() -> None:
    turns = (
        said(0, "小明", "昨天我去医院看了牙。", session="s1"),
        said(1, "小红", "希望你快点好起来。", session="s1"),
        said(0, "小红", "我养了一只橘猫，它很黏人。", session="s2"),
        said(1, "小明", "真可爱。", session="s2"),
        said(0, "小明", "周末我们爬山去了。", session="s3"),
        said(1, "小红", "我在家里画画。", session="s3"),
    )
    assert best("小红养了什么宠物？", *turns) is turns[2]
    assert best("小明周末做了什么？", *turns) is turns[4]
    assert best("小明为什么去医院？", *turns) is turns[0]


def test_an_answer_is_found_by_the_question_before_it() -> None:
    filler = [said(at, "Bob", "Nice weather over here again, is it not?", session="s0") for at in range(4)]
    turns = (
        *filler,
        said(0, "Ada", "What pets do you keep at home?"),
        said(1, "Bob", "Two cats and an old tortoise, they get along well."),
    )
    assert best("Which pets are kept at home?", *turns, embedder=None) in turns[-2:]
    with_meaning = best("Which animals does Bob keep?", *turns)
    assert with_meaning is turns[-1]


def test_the_month_in_the_question_picks_the_session() -> None:
    turns = (
        said(0, "Ada", "We went hiking together.", session="s1", time=MAY_8),
        said(0, "Ada", "We went hiking together.", session="s2", time=JUNE_9),
    )
    assert best("Where did they hike in June 2023?", *turns) is turns[1]
    assert best("Where did they hike in May?", *turns) is turns[0]


def test_windows_never_cross_sessions() -> None:
    turns = (
        said(0, "Ada", "quokka quokka quokka", session="s1"),
        said(0, "Bob", "plain words in another session", session="s2"),
        said(1, "Bob", "plain words in another session", session="s2"),
    )
    parts = TurnRanker(ANALYSE, None, TurnWeights()).rank("quokka", turns, EVEN)
    assert "words_5" in parts[0]
    assert "words_5" not in parts[1]


def test_chinese_turns_are_ranked_by_their_characters() -> None:
    turns = (said(0, "小明", "今天天气很好。"), said(1, "小红", "我在图书馆借了三本书。"))
    assert best("图书馆", *turns, embedder=None) is turns[1]


def test_a_question_says_what_it_asks_for() -> None:
    asked = ask("When did Melanie go camping in June, on the 9th, 2023?", ANALYSE)
    assert (asked.asks_when, asked.months, asked.years) == (True, {6}, {2023})
    assert asked.named({"Melanie", "Mel"}) == ["Melanie"]
    assert asked.date_match(JUNE_9) == pytest.approx(1.0)
    assert asked.date_match(MAY_8) == pytest.approx(0.25)
    assert asked.date_match(None) == 0
    assert asked.date_match(10**18) == 0


@given(
    st.text(max_size=60),
    st.lists(st.tuples(st.sampled_from(["s1", "s2"]), st.text(max_size=5), st.text(max_size=60)), max_size=6),
    st.booleans(),
)
def test_any_text_gives_a_finite_score_for_every_turn(query: str, raw: list[tuple[str, str, str]], with_meaning: bool) -> None:
    turns = [Turn(session, at, speaker, text) for at, (session, speaker, text) in enumerate(sorted(raw))]
    ranker = TurnRanker(ANALYSE, EMBEDDER if with_meaning else None, TurnWeights())
    found = ranker.rank(query, turns, EVEN)
    assert len(found) == len(turns)
    assert all(math.isfinite(value) for parts in found for value in parts.values())


def test_what_is_kept_of_texts_has_its_room_and_changes_no_ranking(monkeypatch: pytest.MonkeyPatch) -> None:
    turns = [said(at, "Ada", f"number {at} and the garden " + "word " * 50) for at in range(40)]
    free = TurnRanker(ANALYSE, EMBEDDER, TurnWeights()).rank("garden number 7", turns, EVEN)
    monkeypatch.setattr(conversation, "_ROOM", 100_000)
    narrow = TurnRanker(ANALYSE, EMBEDDER, TurnWeights())
    for _ in range(2):
        assert narrow.rank("garden number 7", turns, EVEN) == free
        kept = sum(conversation._size(prepared) for prepared in narrow._prepared.values())
        assert kept == narrow._held
        assert 0 < kept <= 100_000
        assert 1 < len(narrow._prepared) < len(turns)


def test_what_is_kept_has_its_room_and_is_met_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search goes through a session in order; so does the next one."""
    prepared: list[str] = []
    real = conversation.prepare

    def counting(speaker: str, text: str, *rest: object) -> conversation.Prepared:
        prepared.append(text)
        return real(speaker, text, *rest)  # type: ignore[arg-type]

    turns = [Turn("s", number, "ann", f"the quokka number {number} sleeps") for number in range(60)]
    ranker = TurnRanker(ANALYSE, EMBEDDER, TurnWeights())
    first = ranker.rank("quokka", turns, EVEN)
    monkeypatch.setattr(conversation, "prepare", counting)
    monkeypatch.setattr(conversation, "_ROOM", ranker._held // 2)
    ranker.rank("quokka", turns, EVEN)
    prepared.clear()
    assert ranker.rank("quokka", turns, EVEN) == first
    assert 0 < len(prepared) <= 40
    assert ranker._held <= conversation._ROOM
