"""English that several rules of the gate share: when something is done, that it is meant to be, and what is done every day."""

from __future__ import annotations

import re
from collections.abc import Callable

from memtree.tree.fact_gate_parts import any_of
from memtree.tree.fact_words_english import ROUTINES, base, ing, ing_forms, past, past_forms

# When: the next hours, the hours just gone, this moment.
SOON = (
    r"\b(?:tonight|this (?:evening|afternoon|morning)|later|in a (?:bit|minute|moment|sec|second|while|few|couple of)"
    r"|in (?:\d+|five|ten|two|twenty|thirty|an|half an)"
    r" (?:min|mins|minutes?|hours?|seconds?)|now|right (?:now|away)|straight away|asap|immediately|today|on (?:the"
    r"|my) way (?:home|to|back)|on the way|real quick|quickly|"
    r"for (?:\d+|a few|five|ten|twenty|thirty|a couple of) (?:min|mins|minutes)|for a (?:bit|while|moment|minute|sec)"
    r"|(?:before|after|at) (?:bed|lunch|dinner|breakfast|work|this|that"
    r"|noon|midnight|the (?:meeting|call|gym|evening)|class|school)|by noon|tomorrow|first thing|once this"
    r"|when i get home|this weekend|at \d{1,2}(?::\d\d)? ?(?:am|pm)?|next$|first$|soon)\b"
)
VERY_SOON = (
    r"\b(?:tonight|this (?:evening|afternoon)|later(?: today| on)?|in a (?:bit|minute|moment|sec|second|while)"
    r"|in (?:\d+|five|ten|two|twenty|thirty|an|half an)"
    r" (?:min|mins|minutes?|hours?|seconds?)|now|right (?:now|away)|straight away|asap|immediately|on (?:the"
    r"|my) way (?:home|to|back)|real quick|for (?:\d+|a few|five|ten|twenty|thirty) (?:min|mins|minutes)"
    r"|for a (?:bit|moment|minute|sec)|(?:before|after) (?:bed|lunch|dinner|breakfast|work|this|the meeting|the call"
    r"|class)|when i get home|at noon|at midnight|for (?:lunch|dinner|breakfast) today)\b"
)
AGO = (
    r"\b(?:today|yesterday|last night|this (?:morning|afternoon|evening)|tonight|earlier(?: today)?|just now|on (?:the"
    r"|my) way (?:home|to work|back)|(?:before|after|at|during|for) (?:bed|lunch|dinner|breakfast|work|class|school"
    r"|noon|the meeting)|until (?:\d|midnight|late|dawn)|an hour ago|\d+ (?:minutes|hours) ago|so far|the (?:other day"
    r"|day before yesterday)|last (?:evening|weekend))\b"
)
LATELY = (
    r"\b(?:today|yesterday|last night|this (?:morning|afternoon|evening)|tonight|earlier|just now|before (?:breakfast"
    r"|lunch|dinner|bed|work)|after (?:breakfast|lunch|dinner|work)|(?:an hour|\d+ (?:minutes|hours)) ago)\b"
)
MOMENT = (
    r"\b(?:right now|at the moment|at this (?:moment|minute|very moment|hour)|as we speak|just now"
    r"|this (?:very )?(?:second|minute|moment|instant)|for the moment|right this \w+)\b"
)
NOW = rf"(?:{MOMENT}|\b(?:now|currently|presently|today|tonight|this (?:morning|afternoon|evening)|still)\b)"

# What somebody wants, needs or is about to do; the base form follows.
TO = r"(?:to |on |about |of )?"
WISH = (
    r"(?:i )?(?:am )?(?:want(?:s|ed|ing)?(?: me| us)? to|would (?:like|love|rather|prefer) to|need(?:s|ing)? to"
    r"|ha(?:ve|s) to|have got to|must|should|ought to|better|had better|plan(?:s|ned|ning)? (?:to|on)|intend(?:s|ed"
    r"|ing)? (?:to|on)"
    r"|aim(?:s|ing)? to|hop(?:e|es|ing) to|think(?:s|ing)? (?:about|of|i will|i might|i should)|consider(?:s|ing)?"
    r"|feel(?:s|ing)? like|might|may|could(?! not)|can|try(?:ing)? to|meant? to|decided to|ready to|look(?:s|ing) to"
    r"|wish(?:es)? to|supposed to"
    r"|remember to|fancy|up for|in the mood (?:for|to)|tempted to|craving)"
)
ABOUT_TO = (
    r"(?:i )?(?:am )?(?:will(?! not)|shall|going to(?= [a-z])|about to|let me|let us|off to|set to|gonna|preparing to"
    r"|getting ready to|fixing to|on (?:my|the) way to|stepping (?:out|away) to|popping out to|running out to"
    r"|heading (?:out|off|over|down)? ?to|going(?= (?:for|to)\b))"
)
AIM = rf"^(?:{WISH}|{ABOUT_TO}) {TO}(?:go (?:and )?|quickly |be )?"


def _routines(bend: object) -> str:
    assert callable(bend)
    return "(?:" + "|".join(rf"\b{bend(verbs)}{after}" for verbs, after in ROUTINES) + ")"


def _first_words(bend: Callable[[str], list[str]]) -> frozenset[str]:
    """The words with which routines begin; a text without any of them has none."""
    return frozenset(re.split(r"\W|_", form)[0] for verbs, _ in ROUTINES for form in bend(verbs))


BASE, PAST, ING = _routines(base), _routines(past), _routines(ing)
BASE_WORDS, PAST_WORDS, ING_WORDS = _first_words(str.split), _first_words(past_forms), _first_words(ing_forms)


# What is done to an agent's session, to files and machines.
CONTROL_VERBS = (
    "restart resume restore continue retry rerun re-run reboot reload refresh reset open close start stop pause run"
    " commit push merge"
    " rebase build compile save rename delete remove pin unpin upload download install update check test debug"
    " look_at switch_to log"
    " record set set_up create add schedule send abort cancel clear undo redo copy paste move re-open reopen finish"
    " kick_off trigger kill shut_down turn_off"
    " turn_on end load rebuild re-index reindex archive mark rollback roll_back wrap_up pick_up get_back_to"
    " go_back_to unmute mute launch make put view"
)
CONTROL_OBJECTS = any_of(
    "task tasks session sessions conversation chat thread workflow working_condition tab tabs window windows file"
    " files folder note notes"
    " memory memories insight fact reminder reminders alarm timer alert alerts notification notifications monitor"
    " monitoring countdown server service laptop"
    " computer pc phone page app browser terminal test tests script command container daemon build handoff hand-off"
    " cache log logs"
    " commit branch pr pull_request changes queue job process document settings ticket draft ide editor pipeline"
    " linter dev_server suite"
    " install update updates download upload import export image screenshot router modem wifi vpn migration deploy"
    " query item calendar_entry stopwatch"
    " todo to-do checklist spreadsheet playlist"
)
