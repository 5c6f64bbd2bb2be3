"""English words for the gate of facts: what people do every day, what they do it with, and how verbs bend."""

from __future__ import annotations

from memtree.tree.fact_gate_parts import any_of

MEALS = any_of("breakfast brunch lunch dinner supper meal meals snack snacks dessert")
_DISHES = (
    "coffee coffees espresso latte cappuccino tea beer beers wine water juice smoothie shake milk soda cola coke"
    " drink drinks cocktail"
    " sandwich burger pizza pasta spaghetti noodles ramen pho sushi rice curry soup salad steak chicken beef pork"
    " fish salmon tuna tofu"
    " egg eggs omelette omelet toast bread bagel croissant oatmeal oats porridge cereal granola yoghurt yogurt fruit"
    " apple apples"
    " banana bananas orange oranges berries strawberries blueberries cookie cookies biscuit biscuits cake pie"
    " chocolate candy sweets"
    " ice_cream donut doughnut chips crisps fries popcorn nuts almonds protein protein_powder protein_bar creatine"
    " takeout takeaway"
    " take-out food leftovers bite taco tacos burrito dumplings hot_dog bacon sausage sausages cheese vegetables"
    " veggies broccoli"
    " potato potatoes stew lasagna lasagne risotto kebab falafel hummus avocado pancakes waffles muffin brownie roast"
    " casserole gin"
    " whisky whiskey vodka matcha lemonade hot_chocolate stir-fry quesadilla wrap roll rolls bun sauce grapes melon"
    " honey jam butter"
)
_SHOPPING = (
    "groceries grocery toilet_paper paper_towels detergent shampoo toothpaste batteries stamps flour sugar salt"
    " onions tomatoes bin_bags"
    " dog_food cat_food cat_litter soap lightbulb light_bulb flowers diapers nappies tissues ingredients supplies"
    " stuff things"
)
# What is only named after food is none.
_NO_FOOD = (
    r"(?! (?:shop|company|machine|farm|brand|business|maker|bar|house|truck|allergy|factory|startup|plantation|bank"
    r"|stall)\b)"
)
DISHES = rf"\b(?:{MEALS}|{any_of(_DISHES)})(?:s|es)?\b{_NO_FOOD}"
GROCERIES = rf"\b(?:{MEALS}|{any_of(_DISHES)}|{any_of(_SHOPPING)})\b{_NO_FOOD}"

_FEW = r"(?: [\w'.,%-]+){0,5}?"  # words on the way to an object
_RUN = (
    r"(?= (?:for|\d|a (?:few|couple|quick|mile|lap|10k|5k)|two|three|four|five|six|seven|eight|nine|ten|twelve|around"
    r"|along|on the"
    r"|in the|home|outside|errands|today|tonight|this|tomorrow|yesterday|last|before|after|later|with|again|laps|up"
    r"|through)\b|$)"
)
_HEALTH = (
    r"(?:weight|weigh-in|meals?|food|calories|macros|workouts?|exercises?|sleep|steps|activity|activities|water|mood"
    r"|breakfast|lunch"
    r"|dinner|blood (?:pressure|sugar)|heart rate|glucose|temperature|training|run|walk|ride|swim|miles|km|kg|lbs?"
    r"|kcal|bpm|minutes|period)\b"
)
_SPOTS = any_of(
    "gym supermarket store shop shops post_office bank bakery pharmacy mall park cinema movies library office toilet"
    " bathroom market"
    " pool beach bar pub cafe café coffee_shop restaurant laundromat car_wash gas_station petrol_station atm kitchen"
    " hairdresser barber"
    " sauna drugstore chemist canteen cafeteria theatre theater hardware_store corner_shop dry_cleaner"
)
_GAMES = any_of(
    "game games chess tennis football soccer basketball badminton golf ping_pong table_tennis squash volleyball cards"
    " minecraft guitar"
    " piano drums fortnite zelda valorant poker baseball cricket padel pool playstation xbox switch"
)
_READING = r"\b(?:pages?|chapters?|news|newspaper|paper|book|article|articles|novel|magazine|comics?|blog|posts?)\b"

# What people do every day, as verbs and what must follow them. `_` stands for a blank.
ROUTINES: tuple[tuple[str, str], ...] = (
    ("fall", r" asleep\b"),
    ("chop peel smoke vape text facetime", r"\b(?! (?:every|brisket for))"),
    ("eat drink sip munch snack cook bake grill fry devour consume brew dine hydrate reheat nibble binge chug", r"\b(?!-)"),
    ("have grab get order make fix prepare heat warm want crave finish enjoy down try share", rf"{_FEW} {DISHES}"),
    ("buy pick_up get fetch", rf"{_FEW} {GROCERIES}"),
    ("skip miss", rf"{_FEW} (?:{MEALS}|gym|workout|training|class|run)\b"),
    ("run", _RUN),
    ("jog swim cycle bike row pedal hike stretch work_out exercise meditate nap doze", r"\b(?! (?:into|across the))"),
    ("walk", r"\b(?! (?:me|us|you|through|away|out|with a|on two|her|him|them|down the aisle)\b)"),
    (
        "train",
        (
            r"(?= (?:for (?:an|one|two|\d)|at the|legs?|chest|back|arms|today|tonight|this|tomorrow|hard|my (?:legs|back))\b"
            r"|$)"
        ),
    ),
    (
        "ride",
        (
            rf"(?= (?:\d|for|the|a|my|home|to work|around|along|through|about|half|an|twenty|thirty)\b){_FEW}(?! (?:horses"
            r"|professionally))"
        ),
    ),
    ("lift", rf"{_FEW} (?:weights?|kg|pounds)\b"),
    (
        "do",
        (
            rf"{_FEW} (?:yoga|pilates|push-?ups?|pull-?ups?|sit-?ups?|squats|planks?|cardio|workout|workouts|laps|exercises?"
            r"|stretches|stretching|laundry|dishes|washing|washing-up|cleaning|ironing|vacuuming|shopping|groceries|chores"
            r"|homework|errands|crossword|reps|sets|hiit|crunches|duolingo|housework|sudoku|gardening)\b"
        ),
    ),
    (
        "go",
        (
            rf" (?:out )?(?:for (?:a|an|some|my){_FEW} (?:runs?|walk|jog|swim|ride|hike|drive|stroll|coffee|drinks?|beer|snack"
            r"|bite|pint|nap|smoke)\b|(?:over |back |down |out )?to (?:the |a |my |bed\b|sleep\b|work\b|lunch\b)(?:local "
            rf"|nearest )?(?:{_SPOTS}\b)?|(?:running|swimming|jogging|shopping|hiking|cycling|climbing|dancing|bowling"
            r"|grocery shopping|clubbing|skating)\b|(?:home|outside|to bed|to sleep|back to (?:bed|sleep|work)|out (?:tonight"
            r"|today|now)|offline|afk|straight to bed)\b)"
        ),
    ),
    ("head", r" (?:to|home|out|off|over|back|for)\b"),
    ("hit stop_by visit drop_by pop_to pop_into run_to", rf"(?: by)? (?:the|a) (?:{_SPOTS}|gym|sack|hay|shower)\b"),
    ("play", rf"{_FEW} {_GAMES}\b"),
    ("sleep", r"\b(?! (?:in (?!late|until|till|today|this|on)|at (?:a|the|my)|rough|on the street))"),
    (
        "rest oversleep shower shave bathe vacuum hoover mop tidy iron mow declutter sunbathe snooze tidy_up",
        r"\b(?! (?:in peace|assured))",
    ),
    ("wake", r"(?: up)?\b"),
    (
        "get_up stay_up lie_down turn_in sleep_in stay_in stay_home eat_out log_off sign_off chill relax unwind",
        r"\b(?! (?:to date|for))",
    ),
    (
        "clean wash sweep dust scrub unload load fold water feed refill refuel charge empty",
        r"\b(?= (?:the|my|some|our|all|out|up|a|two|his|her)\b|$)",
    ),
    ("brush", rf"{_FEW} (?:teeth|hair|dog|cat)\b"),
    ("take put bring", rf"{_FEW} (?:trash|rubbish|bins?|garbage|recycling|dog|laundry|shopping)\b"),
    (
        "take have",
        (
            rf" (?:a|an|my|another|some|the|two|one){_FEW} (?:naps?|shower|bath|break|walk|breather|rest|pill|pills|vitamins?"
            r"|smoke|stroll|painkiller|ibuprofen|aspirin|paracetamol|tylenol|supplements?|nap|sauna|massage|lie-down|jog|swim"
            r"|bus|taxi|cab|train home|metro|subway|cold shower|elevator|cigarette|selfie|dip|day off|five)\b"
        ),
    ),
    ("take", r" (?:vitamins?|magnesium|ibuprofen|aspirin|paracetamol|melatonin|creatine|zinc|omega|iron|tylenol|\d+ ?mg)\b"),
    ("watch binge binge-watch stream scroll", r"\b(?! (?:over|out|my (?:son|daughter|kid|kids|child|weight)|him|her|them)\b)"),
    ("listen", r" to\b"),
    ("see catch", r" (?:a|the|that)(?: [\w'-]+){0,3} (?:film|movie|episode|show|match|game|sunset|bus)\b"),
    ("read skim", rf"{_FEW} {_READING}"),
    (
        "browse surf check answer reply_to clear triage send write",
        (
            rf"{_FEW} (?:e-?mails?|mail|inbox|messages?|web|internet|reddit|twitter|instagram|tiktok|news|texts?|slack|phone"
            r"|feed)\b"
        ),
    ),
    ("call text ring phone", rf"{_FEW} (?:back|later)\b"),
    ("pay", rf"{_FEW} (?:bills?|rent|parking|invoice)\b"),
    (
        "get",
        (
            rf"(?: (?:a|my))?{_FEW} (?:haircut|hair cut|manicure|massage|dressed|gas|petrol|fuel|changed|cash|some (?:air|rest"
            r"|sleep|fresh air)|sleep|fresh air)\b"
        ),
    ),
    ("commute drive", r"(?: (?:to|back|home|from|for|in|into|around)\b|$)"),
    ("weigh", r"(?: (?:myself|in|\d|about|around|himself|herself|themselves)|$)"),
    (
        "log record track note measure enter register",
        (
            rf"(?!{_FEW} (?:podcast|album|song|talk|video|lecture|demo|audiobook|tutorial|film|radio|documentary"
            rf"|ep)\b){_FEW} {_HEALTH}"
        ),
    ),
    ("burn", rf"{_FEW} (?:calories|kcal|cal)\b"),
    ("leave", r" (?:the (?:house|office|gym)|home|work|for work|in a|now|soon|early today|right)\b"),
    (
        "pick_up collect drop_off return post",
        (
            rf"{_FEW} (?:parcel|package|packages|mail|dry cleaning|library books?|letter|prescription|order|delivery|kids"
            r"|children|keys|suit|car)\b"
        ),
    ),
    (
        "finish complete start",
        (
            rf"{_FEW} (?:episode|season|series|workout|level|chapter|lunch|dinner|breakfast|chores|shift|laundry|dishes|movie"
            r"|film|cleaning|puzzle|crossword|set)\b"
        ),
    ),
    ("listen_to skip_breakfast hang_out supplement fast power-nap", r"\b(?! (?:every|each))"),
    ("do", r" (?:\d+|some|a few|a couple of|ten|twenty|thirty)(?: [\w'-]+){1,3}"),
    (
        "spend",
        (
            r" (?:the|an?|all|most|two|three|four|\d+|half)(?: [\w'-]+){0,5} (?:cleaning|watching|gaming|cooking|scrolling"
            r"|reading|shopping|on the (?:couch|sofa|bike|treadmill)|in bed|playing|gardening|ironing|walking|running|napping)\b"
        ),
    ),
)

_IRREGULAR = {
    "fall": ("fell", "fallen"),
    "ride": ("rode", "ridden"),
    "sit": ("sat", "sat"),
    "cut": ("cut", "cut"),
    "let": ("let", "let"),
    "eat": ("ate", "eaten"),
    "drink": ("drank", "drunk"),
    "run": ("ran", "run"),
    "swim": ("swam", "swum"),
    "sleep": ("slept", "slept"),
    "oversleep": ("overslept", "overslept"),
    "wake": ("woke", "woken"),
    "get": ("got", "gotten"),
    "go": ("went", "gone"),
    "take": ("took", "taken"),
    "make": ("made", "made"),
    "have": ("had", "had"),
    "do": ("did", "done"),
    "buy": ("bought", "bought"),
    "read": ("read", "read"),
    "see": ("saw", "seen"),
    "drive": ("drove", "driven"),
    "sweep": ("swept", "swept"),
    "feed": ("fed", "fed"),
    "lie": ("lay", "lain"),
    "send": ("sent", "sent"),
    "pay": ("paid", "paid"),
    "put": ("put", "put"),
    "bring": ("brought", "brought"),
    "catch": ("caught", "caught"),
    "leave": ("left", "left"),
    "hit": ("hit", "hit"),
    "ring": ("rang", "rung"),
    "hang": ("hung", "hung"),
    "spend": ("spent", "spent"),
    "write": ("wrote", "written"),
    "set": ("set", "set"),
    "shut": ("shut", "shut"),
    "rerun": ("reran", "rerun"),
    "mow": ("mowed", "mown"),
    "find": ("found", "found"),
    "begin": ("began", "begun"),
    "build": ("built", "built"),
    "rebuild": ("rebuilt", "rebuilt"),
    "re-run": ("re-ran", "re-run"),
    "reset": ("reset", "reset"),
}
_DOUBLES = (
    "jog nap grab mop sip skip log set get run swim put cut pin unpin step chug stop pop drop shop hit plan chat"
    " rerun scrub shut sit chug"
)
_DOUBLED = frozenset(_DOUBLES.split())
_STATIC = ("ee", "oe", "ye")


def base(verbs: str) -> str:
    """The verbs as they stand after `to`, as an alternation."""
    return any_of(verbs)


def past(verbs: str) -> str:
    """The verbs in the past and as they stand after `have`."""
    return any_of(" ".join(past_forms(verbs)))


def ing(verbs: str) -> str:
    """The verbs as they stand after `am`."""
    return any_of(" ".join(ing_forms(verbs)))


def past_forms(verbs: str) -> list[str]:
    """The forms that `past` is made of."""
    return [form for verb in verbs.split() for form in _bent(verb, _past_forms)]


def ing_forms(verbs: str) -> list[str]:
    """The forms that `ing` is made of."""
    return [form for verb in verbs.split() for form in _bent(verb, _ing_forms)]


def _bent(verb: str, bend: object) -> list[str]:
    head, _, rest = verb.partition("_")
    assert callable(bend)
    return [f"{form}_{rest}" if rest else form for form in bend(head)]


def _past_forms(verb: str) -> tuple[str, ...]:
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb in _DOUBLED:
        return (f"{verb}{verb[-1]}ed",)
    if verb.endswith("e"):
        return (f"{verb}d",)
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return (f"{verb[:-1]}ied",)
    return (f"{verb}ed",)


def _ing_forms(verb: str) -> tuple[str, ...]:
    if verb == "lie":
        return ("lying",)
    if verb in _DOUBLED:
        return (f"{verb}{verb[-1]}ing",)
    if verb.endswith("e") and not verb.endswith(_STATIC):
        return (f"{verb[:-1]}ing",)
    return (f"{verb}ing",)
