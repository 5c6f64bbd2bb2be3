"""English that intends something of the next hours."""

from __future__ import annotations

from memtree.tree.fact_english_times import (
    ABOUT_TO,
    AIM,
    BASE,
    BASE_WORDS,
    CONTROL_OBJECTS,
    CONTROL_VERBS,
    ING,
    ING_WORDS,
    SOON,
    TO,
    VERY_SOON,
    WISH,
)
from memtree.tree.fact_gate_parts import Reason, Rule
from memtree.tree.fact_words_english import DISHES, MEALS, base

_CONTROLLED = (
    rf"(?: [\w'./-]+){{0,5}}? {CONTROL_OBJECTS}\b(?! (?:company|business|startup|career|practice|every|for (?:refugees"
    r"|children)))"
)
_OBJECTLESS = (
    r"(?:restart|resume|continue|retry|reboot|commit|log off|log out|rerun|proceed|move on|carry on|pick up where"
    r"|start over|wrap up|call it a (?:day|night)|be right back|be back|get (?:back|started|going))"
)
_HEALTH_LOG = (
    r"(?:log|record|track|note(?: down)?|enter|register|write down|add|track)(?: [\w'%.-]+){0,4} (?:weights?|meals?"
    r"|workouts?|sleep|activity|breakfast|lunch|dinner|snack|steps|calories|blood pressure|mood|water intake|weigh-in"
    r"|training|run)\b"
)
_ALERT = (
    r"(?:set|set up|create|add|schedule|make|get|put|start|have|configure)(?: [\w'-]+){0,5} (?:reminders?|alarms?"
    r"|timers?|alerts?|notifications?|monitoring|monitors?|countdown|stopwatch)\b"
)
_ROUTINE = BASE_WORDS | ING_WORDS

RULES: tuple[Rule, ...] = (
    Rule(Reason.EPHEMERAL, 4, rf"{AIM}{_ALERT}"),
    Rule(Reason.EPHEMERAL, 4, rf"^(?:please )?{_ALERT}"),
    Rule(
        Reason.EPHEMERAL,
        4,
        (
            r"^(?:please |can you |could you |i (?:want|need|would like|asked)(?:s|ed)? (?:you |to be |a "
            r"|the assistant )?(?:to )?)?remind(?:ed|er)?(?: me| user)? (?:to|at|in|about|for|tomorrow|tonight|later|that|of)\b"
        ),
    ),
    Rule(Reason.EPHEMERAL, 5, rf"{AIM}{_HEALTH_LOG}"),
    Rule(Reason.EPHEMERAL, 4, rf"{AIM}{base(CONTROL_VERBS)}{_CONTROLLED}"),
    Rule(
        Reason.EPHEMERAL,
        6,
        (
            rf"{AIM}(?:restart|restore|resume|continue|reopen|re-open|reload|retry|rerun|re-run)(?: [\w'./-]+){{0,4}}? (?:task"
            r"|session|conversation|chat|thread|workflow|condition|tests?|job|build|editor|ide|server|app|browser|laptop"
            r"|computer|terminal|process|script|command|query|router|phone)\b(?!.*\b(?:every|whenever|always|each)\b)"
        ),
    ),
    Rule(Reason.EPHEMERAL, 4, rf"{AIM}{_OBJECTLESS}\b"),
    Rule(Reason.EPHEMERAL, 3, rf"{AIM}(?:{BASE}|{ING}).*?{SOON}", _ROUTINE),
    Rule(Reason.EPHEMERAL, 2, rf"^{ABOUT_TO} {TO}(?:{BASE}|{ING})", _ROUTINE),
    Rule(Reason.EPHEMERAL, 2, rf"{AIM}(?:{BASE}|{ING})", _ROUTINE),
    Rule(Reason.EPHEMERAL, 2, rf"{AIM}(?:a|an|some|another|the)?(?: [\w'-]+){{0,3}} ?{DISHES}"),
    Rule(
        Reason.EPHEMERAL,
        2,
        (
            rf"^(?:i )?(?:am )?{ING}.*?\b(?:tonight|later|tomorrow|this (?:evening|afternoon|weekend)|soon|in a (?:bit|minute"
            r"|while)|in \d+ min\w*)\b"
        ),
        ING_WORDS,
    ),
    Rule(Reason.EPHEMERAL, 1, rf"^(?:{WISH}|{ABOUT_TO}) .*?{VERY_SOON}"),
    Rule(
        Reason.EPHEMERAL,
        3,
        (
            r"^(?:tonight |today |tomorrow |later )?(?:i )?(?:am )?(?:having|want|fancy|craving|in the mood for"
            rf"|feel like)(?:s)? (?:[\w'-]+ ){{0,4}}?(?:{DISHES}|{MEALS}).*?\b(?:tonight|later|today|tomorrow|for (?:lunch"
            r"|dinner|breakfast))\b"
        ),
    ),
    Rule(
        Reason.EPHEMERAL,
        2,
        (
            r"^let us (?:continue|start|begin|move|try|see|check|take|do|get|look|finish|wrap|stop|pause|go(?! with)|test|run"
            r"|fix|grab|eat|order|talk|have|resume|proceed|pick|discuss|leave|call it|keep going|focus|put|save|come back|skip"
            r"|wait|first|restart|work on|jump)\b"
        ),
    ),
    Rule(
        Reason.EPHEMERAL,
        2,
        (
            r"^(?:let me|i will|i am going to|i am about to|i need to|i have to) (?:just |first |quickly )?(?:finish|check"
            r"|think|see|try|take a look|look|get back|do (?:it|that|this)|be (?:right )?back|call (?:you|them|him|her)"
            r"|send (?:it|you|this|that)|come back|wait|go now|step (?:out|away)|leave|go\b(?=$| now| in)|grab|fetch"
            r"|change clothes|get (?:going|ready|up|dressed)|answer the door|take this call|sit down|charge"
            r"|use the (?:bathroom|toilet)|hop|jump)\b(?! (?:my (?:thesis|phd|degree|dissertation|studies|book|novel|training"
            r"|residency)|university|college|school|berlin|my job|him|her)\b)"
        ),
    ),
    Rule(
        Reason.EPHEMERAL,
        3,
        (
            r"^i am (?:off|heading|going|on my way|headed|popping|nipping) (?:out |over |back |down )?(?:to|home"
            r"|out)\b(?! (?:university|college|war|school in|be\b|study|live|[a-z]+ (?:in|next) ))"
        ),
    ),
    Rule(
        Reason.EPHEMERAL,
        2,
        (
            r"^(?:i am |i will )?(?:popping|pop|nipping|nip|dashing|dash|running|run|stepping|step|going|go|heading|head"
            r"|ducking|duck) (?:out|over|down|up|off|round)(?: quickly)?(?: (?:for|to|on|and)\b|$)(?! to (?:university"
            r"|college))"
        ),
    ),
    Rule(
        Reason.EPHEMERAL,
        2,
        (
            r"^i (?:will|am going to|need to|have to|should|must|want to|would like to|had better|am about to) (?:just "
            r"|quickly )?(?:get (?:some|another|up|dressed|ready|back|going|off|out)|grab|fetch|refill|top up|charge|plug in"
            r"|iron|fold|tidy|hang (?:up|out) the|put (?:on|away|the)|turn (?:on|off|down|up)|sit|lie|stand|stretch"
            r"|change (?:my (?:shirt|clothes|shoes)|the (?:sheets|bulb|batteries))|warm|heat|boil|order|reply|respond|answer"
            r"|text|call (?:back|a (?:taxi|cab)|you|the)|book a (?:taxi|cab|table)|check (?:my|the)|look at|try (?:the|that"
            r"|this|it|again)|give (?:it|that) a (?:try|go)|read (?:it|this|that|through)|think about (?:it|this|that)"
            r"|sleep on it|skip (?:it|this|lunch|dinner|breakfast|the)|finish (?:this|my (?:coffee|lunch|tea|breakfast|dinner"
            r"|beer)|up|off)|wrap up|log (?:off|out|in)|sign (?:off|out|in)|stop here|take (?:it|that|this|the (?:bus|train"
            r"|metro|tram|call))|open (?:the|it|a)|close (?:the|it|this)|switch to (?:the|my|another) (?:laptop|phone|tab"
            r"|window|desktop|headphones))\b(?! (?:my own|married|divorced|a (?:job|dog|cat|degree|visa|mortgage|house|flat)"
            r"|job|house))"
        ),
    ),
    Rule(
        Reason.EPHEMERAL,
        3,
        (
            r"^(?:brb|gtg|ttyl|be right back|back in (?:a|\d+|five|ten)|off to|heading (?:out|home|to|off|over)|going to bed"
            r"|see you (?:later|tomorrow|soon)|talk (?:later|soon)|signing off)\b"
        ),
    ),
)
