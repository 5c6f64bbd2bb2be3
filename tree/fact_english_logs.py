"""English that logs something routine as done."""

from __future__ import annotations

from memtree.tree.fact_english_times import AGO, BASE, ING, LATELY, PAST
from memtree.tree.fact_gate_parts import Reason, Rule

RULES: tuple[Rule, ...] = (
    Rule(Reason.ACTIVITY, 3, rf"^(?:i )?(?:have |had )?(?:been )?{PAST}.*?{AGO}"),
    Rule(Reason.ACTIVITY, 2, rf"^(?:i )?(?:have |had )?{PAST}"),
    Rule(
        Reason.ACTIVITY,
        3,
        (
            r"^i (?:did not|could not|barely|hardly|did|have not|managed to|forgot to|ended up|was able to|tried to) (?:go "
            rf"|really )?(?:{BASE}|{PAST}|{ING}).*?{AGO}"
        ),
    ),
    Rule(Reason.ACTIVITY, 2, rf"^i (?:did not|could not|barely|hardly) (?:{BASE}|{PAST})"),
    Rule(
        Reason.ACTIVITY,
        4,
        (
            r"^(?!.*\b(?:podcast|album|song|talk|video|lecture|demo|audiobook|interview|tutorial|incident|film|radio"
            r"|concert)\b)(?:i )?(?:have )?(?:recorded|logged|tracked|weighed|measured|registered|noted)(?: (?:a|an|my|today's"
            r"|in|the|of|about|around|weight|body))*+ (?:[\w-]+ ){0,3}?(?:\d[\d.,/]* ?(?:kg|kilos?|lbs?|pounds|bpm|kcal"
            r"|calories|km|steps|minutes|min|hours|stone|mmhg|ml|%)?|weight|meals?|breakfast|lunch|dinner|workouts?"
            r"|blood pressure|heart rate|sleep)\b"
        ),
    ),
    Rule(
        Reason.ACTIVITY,
        3,
        (
            r"^(?:my |today's |this morning's )(?:[\w-]+ ){0,2}?(?:weight|blood pressure|heart rate|step count|steps"
            r"|temperature|pulse|glucose|blood sugar|bmi|sleep score|calorie intake|calories|hrv|screen time|breakfast|lunch"
            r"|dinner|workout|run|sleep)(?: [\w'-]+){0,3}? (?:is|was|were|came|read|reached|hit|consisted|took|lasted"
            r"|at)\b(?=.*(?:\d|today|last night|this morning|yesterday))"
        ),
    ),
    Rule(
        Reason.ACTIVITY,
        3,
        (
            r"^(?:breakfast|lunch|dinner|supper|snack|workout|sleep|weight|steps|mood|water)(?: today| this morning"
            r"| last night| yesterday)? ?(?::|was\b|-)"
        ),
    ),
    Rule(
        Reason.ACTIVITY,
        1,
        (
            rf"^(?:i )?(?:have |had )?(?:[a-z-]{{2,}}ed|ate|drank|ran|rode|swam|slept|went|took|made|did|got|bought|saw|drove"
            r"|spent|read|put|sent|paid|met|won|wrote|built|cut|dug|sat|stood|spoke|hung|threw|brought|caught|fed|found|gave"
            r"|had|kept|left|let|lit|lost|swept|taught|told|thought|woke|wore|sewed|knit|hit|set|shut|split|dealt|was (?:at|in"
            rf"|on|out))\b.*?{LATELY}"
        ),
    ),
)
