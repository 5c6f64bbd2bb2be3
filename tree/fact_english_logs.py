"""English that logs something routine as done."""

from __future__ import annotations

from memtree.tree.fact_english_times import AGO, BASE, BASE_WORDS, ING, ING_WORDS, LATELY, PAST, PAST_WORDS
from memtree.tree.fact_gate_parts import Reason, Rule

RULES: tuple[Rule, ...] = (
    Rule(Reason.ACTIVITY, 3, rf"^(?:i )?(?:have |had )?(?:been )?{PAST}.*?{AGO}", PAST_WORDS),
    Rule(Reason.ACTIVITY, 2, rf"^(?:i )?(?:have |had )?{PAST}", PAST_WORDS),
    Rule(
        Reason.ACTIVITY,
        3,
        (
            r"^i (?:did not|could not|barely|hardly|did|have not|managed to|forgot to|ended up|was able to|tried to) (?:go "
            rf"|really )?(?:{BASE}|{PAST}|{ING}).*?{AGO}"
        ),
        BASE_WORDS | PAST_WORDS | ING_WORDS,
    ),
    Rule(Reason.ACTIVITY, 2, rf"^i (?:did not|could not|barely|hardly) (?:{BASE}|{PAST})", BASE_WORDS | PAST_WORDS),
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
        2,
        (
            r"^(?:repotted|hoovered|napped|dozed|snacked|munched|cooked|baked|ate|drank|slept|jogged|cycled|biked|walked|swam"
            r"|rowed|lifted|stretched|meditated|showered|shaved|vacuumed|mopped|dusted|tidied|ironed|mowed|weeded|raked"
            r"|watched|binged|scrolled|browsed|skimmed|practi[cs]ed|watered|fed|brushed|washed|cleaned|folded|sorted|commuted"
            r"|drove|skipped|woke|overslept|ordered|grilled|fried|boiled|knitted|painted my nails|trimmed)\b"
        ),
    ),
    Rule(
        Reason.ACTIVITY,
        2,
        (
            r"^i (?:practi[cs]ed|repotted|hoovered|dusted|weeded|raked|knitted|sorted|tidied|trimmed|ironed|polished|defrosted"
            r"|topped up|wiped|changed the (?:sheets|bed|oil|litter|bulb)|did (?:a|the|some|my|two|three)|had (?:a|my) (?:bath"
            r"|shower|shave|nap|lie-in|massage|manicure|haircut|smoothie|class|lesson|workout|spin class|swim|run|walk)"
            r"|ordered (?:\w+ ){0,3}?(?:food|in|takeaway|takeout)|cooked|baked|grilled|tried (?:a|the) (?:new )?(?:recipe"
            r"|restaurant|café|cafe|place))\b"
        ),
    ),
    Rule(
        Reason.ACTIVITY,
        3,
        (
            r"^my (?:average |resting |max |lowest )?(?:heart rate|pulse|weight|blood pressure|sleep|hrv|pace|temperature"
            r"|blood sugar|glucose|oxygen)(?: [\w-]+){0,3}? (?:averaged|dropped|rose|went|peaked|hit|was|is|came|stood|climbed"
            r"|fell|measured)\b(?=.*\b(?:last night|today|this morning|yesterday|this (?:afternoon|evening))\b)"
        ),
    ),
    Rule(
        Reason.ACTIVITY,
        6,
        (
            r"^i (?:texted|chatted|messaged|facetimed|gamed|hung out|video-?chatted)\b.*\b(?:today|last night|yesterday"
            r"|this (?:morning|afternoon|evening)|late)\b(?!.*\b(?:about (?:the|our|my) (?:wedding|divorce|move)|since"
            r"|every)\b)"
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
