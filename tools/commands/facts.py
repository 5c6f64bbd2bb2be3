"""facts: what lasts of what was told, each a file: listed, added, taken back, explained."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from memtree.tools.commands.common import json_option, notes, opens_workspace, progress, say, say_lines, screen
from memtree.tools.commands.facts_learning import diagnose, learn, quarantine
from memtree.tools.render import Look, Span, fields
from memtree.tree.errors import UserError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from memtree.engine.facts.managing import Added
    from memtree.engine.history import LogItem
    from memtree.engine.workspace import Workspace

_STATES = ("active", "superseded", "retracted", "all")
_SHOWN = 50  # facts that are listed without --limit
_OFFERED = 30  # ids that a shell is told


class NoFact(UserError):
    """A text that is not kept as a fact."""


@click.group()
def facts() -> None:
    """Show and change what lasts of what was told: one file each, facts/HH/ID.md under the content root.

    They are learned when a conversation ends. Edit or delete a file like any other: words of yours are never changed.
    """


def _ids(_: click.Context, __: click.Parameter, typed: str) -> list[CompletionItem]:
    """Ids that begin as typed, with their texts. A shell that waits is told nothing rather than an error."""
    from click.shell_completion import CompletionItem

    from memtree.tools.commands.common import open_workspace

    try:
        with open_workspace(None) as workspace:
            from memtree.engine.facts.managing import list_facts

            found = [one.fact for one in list_facts(workspace, state="all") if one.fact.id.startswith(typed.lower())]
    except Exception:  # noqa: BLE001 - see above
        return []
    return [CompletionItem(fact.id[:12], help=" ".join(fact.text.split())[:60]) for fact in found[:_OFFERED]]


@facts.command("list")
@click.argument("words", nargs=-1, metavar="[WORD...]")
@click.option("--state", type=click.Choice(_STATES), default="active", show_default=True, help="How they stand.")
@click.option("--kind", type=click.Choice(("insight", "pinned")), help="Learned, or written by hand.")
@click.option("--category", default="", metavar="NAME", help="Only of this category.")
@click.option("--tag", default="", help="Only with this tag.")
@click.option("--subject", default="", metavar="WHO", help="Only about this person or thing.")
@click.option("--slot", default="", help="Only under this slot or below it, such as environment.home.")
@click.option("--as-of", default="", metavar="DATE", help="What was so at that date: 2026, 2026-03, 2026-03-09.")
@click.option("-n", "--limit", type=click.IntRange(min=1), default=_SHOWN, show_default=True, help="At most so many.")
@json_option
@opens_workspace
def facts_list(
    workspace: Workspace,
    words: tuple[str, ...],
    state: str,
    kind: str | None,
    category: str,
    tag: str,
    subject: str,
    slot: str,
    as_of: str,
    limit: int,
    as_json: bool,
) -> None:
    """List facts, those told last first; with WORDS those that hold them.

    Example: memtree facts list --slot environment --as-of 2026-02
    """
    from memtree.engine.facts.managing import list_facts
    from memtree.tools.facts_view import fact_json, fact_line

    remarks = [*workspace.capture_quietly(), *workspace.said()]
    found = list_facts(
        workspace,
        state=state,
        kind=kind or "",
        category=category,
        tag=tag,
        subject=subject,
        slot=slot,
        as_of=as_of,
        query=" ".join(words),
    )
    now = _now(workspace)
    if as_json:
        screen().json({"facts": [fact_json(one, now) for one in found[:limit]], "total": len(found), "notes": remarks})
        return
    names = _names(workspace)
    say_lines(fact_line(one, names[one.fact.id], now) for one in found[:limit])
    if not found:
        say("There are no such facts." if names else "There are no facts yet: they are learned when a conversation ends.")
    elif len(found) > limit:
        say(f"{limit:,} of {len(found):,}; --limit shows more", Look.FAINT)
    notes(remarks)


@facts.command("show")
@click.argument("fact", metavar="ID", shell_complete=_ids)
@json_option
@opens_workspace
def facts_show(workspace: Workspace, fact: str, as_json: bool) -> None:
    """Show a fact whole: its times, what it rests on, and what took its place. The beginning of an ID is enough.

    Example: memtree facts show 3f1c2b4a
    """
    from memtree.engine.facts.managing import show_fact
    from memtree.tools.facts_view import fact_json, fact_rows

    remarks = [*workspace.capture_quietly(), *workspace.said()]
    found = show_fact(workspace, fact)
    told = fact_json(found, _now(workspace))
    if as_json:
        screen().json({**told, "notes": remarks})
        return
    say(str(told["told"]))
    say_lines(fields(fact_rows(found, _now(workspace))))
    notes(remarks)


@facts.command("add")
@click.argument("text", nargs=-1, required=True)
@click.option("--pin", is_flag=True, help="Keep it as it is, whatever is learned.")
@click.option("--category", default="", metavar="NAME", help="What it is about, such as environment.")
@click.option("--tag", "tags", multiple=True, help="A word to find it by (at most three).")
@click.option("--subject", default="", metavar="WHO", help="Whom it is about; you, where nobody is named.")
@click.option("--slot", default="", help="What it says of them, such as environment.home.")
@click.option("--since", default="", metavar="DATE", help="From when on it is so: 2026, 2026-03, 2026-03-09.")
@click.option("--until", default="", metavar="DATE", help="From when on it is so no more.")
@json_option
@opens_workspace
def facts_add(
    workspace: Workspace,
    text: tuple[str, ...],
    pin: bool,
    category: str,
    tags: tuple[str, ...],
    subject: str,
    slot: str,
    since: str,
    until: str,
    as_json: bool,
) -> None:
    """Keep a fact. Without --pin it goes the way of all others: it must last, and takes the place of what it contradicts.

    Example: memtree facts add --pin "Releases are cut from the branch stable" --tag releases
    """
    from memtree.engine.facts.managing import add_fact

    said = " ".join(text)
    if not pin:
        _refuse_passing(workspace, said)
    added = add_fact(
        workspace,
        said,
        pin=pin,
        category=category,
        tags=tags,
        subject=subject,
        slot=slot,
        valid_at=since,
        invalid_at=until,
        source="memtree facts add",
    )
    remarks = [*_taken_out(workspace, said), *added.notes, *(workspace.refresh_index() if added.commit.changed else ())]
    _tell_added(workspace, added, list(dict.fromkeys(remarks)), as_json=as_json)


def _refuse_passing(workspace: Workspace, text: str) -> None:
    """Raise NoFact for what does not last, with the reason."""
    from memtree.tree.fact_gate import judge
    from memtree.tree.fact_likeness import retraction

    safe = workspace.redactor.text(text)
    verdict = judge(retraction(safe) or safe)
    if text.strip() and not verdict.keep:
        why = _PASSING.get(verdict.reason, verdict.reason)
        raise NoFact(f"not kept, {why} ({verdict.reason})", hint="memtree facts add --pin TEXT keeps it all the same")


_PASSING = {
    "query_intent": "it asks for something",
    "transient_status": "it is so for the moment only",
    "ephemeral_intent": "it is meant for once, and soon",
    "activity_log": "it tells what is done with",
    "operational_log": "it tells how a program runs just now",
}


def _taken_out(workspace: Workspace, text: str) -> Sequence[str]:
    return () if workspace.redactor.text(text) == text else ("a secret was taken out of the text",)


def _tell_added(workspace: Workspace, added: Added, remarks: Sequence[str], *, as_json: bool) -> None:
    from memtree.tools.facts_view import decision_json, fact_json, fact_line

    now = _now(workspace)
    decision = added.decision
    if as_json:
        screen().json(
            {
                "fact": fact_json(added.fact, now) if added.fact is not None else None,
                "decision": decision_json(decision) if decision is not None else None,
                "commit": added.commit.after if added.commit.changed else None,
                "notes": remarks,
            }
        )
        return
    outcome = decision.outcome.value if decision is not None else "pinned"
    outcome = "nothing" if outcome == "noop" and added.fact is None else outcome
    because = f" ({decision.reason})" if decision is not None and decision.reason else ""
    names = _names(workspace)
    target = f" {names.get(decision.target, decision.target[:8])}" if decision is not None and decision.target else ""
    say(f"{_HAPPENED[outcome].format(target)}{because}." if added.fact is not None or decision is not None else "Nothing was kept.")
    if added.fact is not None:
        say_lines([fact_line(added.fact, names[added.fact.fact.id], now)])
    notes(remarks)


_HAPPENED = {
    "pinned": "Pinned",
    "add": "Added",
    "update": "Known, and says more now",
    "supersede": "Added in the place of{}",
    "retract": "Taken back:{}",
    "noop": "Known already",
    "nothing": "Nothing changed",
}


@facts.command("retract")
@click.argument("fact", metavar="ID", shell_complete=_ids)
@click.option("--reason", default="", metavar="TEXT", help="Why; it is kept in the file.")
@json_option
@opens_workspace
def facts_retract(workspace: Workspace, fact: str, reason: str, as_json: bool) -> None:
    """Take a fact back because it is wrong. Nothing learned before tells it again.

    Example: memtree facts retract 3f1c2b4a --reason "that was a joke"
    """
    from memtree.engine.facts.managing import retract_fact
    from memtree.tools.facts_view import fact_json, fact_line

    done = retract_fact(workspace, fact, reason)
    remarks = [*_taken_out(workspace, reason), *done.notes, *(workspace.refresh_index() if done.commit.changed else ())]
    now = _now(workspace)
    if as_json:
        commit = done.commit.after if done.commit.changed else None
        screen().json({"fact": fact_json(done.fact, now), "commit": commit, "notes": remarks})
        return
    say("Taken back." if done.commit.changed else "Nothing changed.")
    say_lines([fact_line(done.fact, _names(workspace)[done.fact.fact.id], now)])
    notes(remarks)


@facts.command("history")
@click.argument("fact", metavar="ID", shell_complete=_ids)
@json_option
@opens_workspace
def facts_history(workspace: Workspace, fact: str, as_json: bool) -> None:
    """Show what a fact took the place of and what took its own, oldest first, with the commits that touched each.

    Example: memtree facts history 3f1c2b4a
    """
    from memtree.engine.facts.telling import fact_history
    from memtree.tools.facts_view import fact_json, fact_line
    from memtree.tools.render_views import short, when

    chain = fact_history(workspace, fact)
    now = _now(workspace)
    if as_json:
        facts = [
            {**fact_json(one.found, now), "asked": one.asked, "commits": [_commit_json(item) for item in one.commits]}
            for one in chain
        ]
        screen().json({"facts": facts, "notes": workspace.said()})
        return
    names = _names(workspace)
    for one in chain:
        say_lines([fact_line(one.found, names[one.found.fact.id], now)])
        for item in one.commits:
            told = f"    {short(item.commit.id)}  {when(item.commit.time)}  {item.writer}: {item.commit.subject}"
            say(told, Look.FAINT)
    notes(workspace.said())


def _commit_json(item: LogItem) -> dict[str, object]:
    return {"commit": item.commit.id, "time": item.commit.time, "writer": item.writer, "subject": item.commit.subject}


@facts.command("why")
@click.argument("fact", metavar="ID", shell_complete=_ids)
@json_option
@opens_workspace
def facts_why(workspace: Workspace, fact: str, as_json: bool) -> None:
    """Quote the turns that a fact rests on, and tell whether they still say what they said.

    Example: memtree facts why 3f1c2b4a
    """
    from memtree.engine.facts.telling import why
    from memtree.tools.facts_view import fact_json, fact_line, quoted_json, quoted_lines

    found, quoted = why(workspace, fact)
    now, redact = _now(workspace), workspace.redactor.text
    if as_json:
        told = fact_json(found, now)
        screen().json({"fact": told, "sources": [quoted_json(one, redact) for one in quoted], "notes": workspace.said()})
        return
    say_lines([fact_line(found, _names(workspace)[found.fact.id], now), *quoted_lines(quoted, redact)])
    if not quoted:
        say("You wrote it down." if found.fact.pinned or found.edited else "It names no turn that it rests on.")
    notes(workspace.said())


@facts.command("recall")
@click.argument("query", nargs=-1, required=True)
@click.option("--as-of", default="", metavar="DATE", help="What was so at that date: 2026, 2026-03, 2026-03-09.")
@click.option("--all", "every", is_flag=True, help="Below them also those that do not hold, marked.")
@click.option("-n", "--limit", type=click.IntRange(1, 50), default=10, show_default=True, help="At most so many.")
@json_option
@opens_workspace
def facts_recall(workspace: Workspace, query: tuple[str, ...], as_of: str, every: bool, limit: int, as_json: bool) -> None:
    """Find facts that answer QUERY: those that hold, or that did at a date.

    Example: memtree facts recall where do I live --as-of 2026-02-15
    """
    from memtree.engine.facts.recalling import moment_of
    from memtree.engine.memory_tree.as_json import hit_json
    from memtree.engine.retrieval.memories import recall_memories
    from memtree.tree.kinds import Kind

    asked = " ".join(query)
    then = moment_of(as_of, int(time.time())) if as_of.strip() else None
    remarks = workspace.capture_quietly()
    with progress("indexing"):
        found = recall_memories(workspace, asked, limit=limit, kinds=(Kind.FACT,), as_of=then, past=every)
    remarks += found.notes
    if as_json:
        screen().json({"query": asked, "as_of": as_of, "hits": [hit_json(hit) for hit in found.hits], "notes": remarks})
        return
    names = _names(workspace)
    for hit in found.hits:
        mark = f"  ({hit.fact.mark})" if hit.fact is not None and hit.fact.mark else ""
        name = names.get(hit.fact.id, "") if hit.fact is not None else ""
        say_lines([(Span(f"{name}  ", Look.FAINT), Span(" ".join(hit.text.split())), Span(mark, Look.WARNING))])
    if not found.hits:
        say(f"No fact answers that{f' as of {as_of}' if as_of else ''}.")
    notes(remarks)


def _names(workspace: Workspace) -> dict[str, str]:
    """How each fact may be called."""
    from memtree.engine.facts.managing import list_facts
    from memtree.tools.facts_view import short_ids

    return short_ids(one.fact.id for one in list_facts(workspace, state="all"))


def _now(workspace: Workspace) -> int:
    """The present in epoch milliseconds."""
    return int(workspace.options.clock() * 1000)


for command in (quarantine, diagnose, learn):
    facts.add_command(command)
