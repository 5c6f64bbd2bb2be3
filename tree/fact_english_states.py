"""English that tells a state of the moment."""

from __future__ import annotations

from memtree.tree.fact_english_times import ING, ING_WORDS, MOMENT, NOW
from memtree.tree.fact_gate_parts import Reason, Rule, any_of
from memtree.tree.fact_words_english import DISHES

# States of the moment.
_STATES = any_of(
    "hungry thirsty tired sleepy exhausted busy bored stressed free available away offline online late running_late"
    " starving drowsy awake"
    " annoyed swamped hangry peckish cold hot freezing sweaty wet full tipsy drunk hungover dizzy sore nauseous"
    " grumpy cranky distracted"
    " unavailable ready back stuck afk jet-lagged jetlagged sunburnt wiped_out worn_out knackered beat drained groggy"
    " restless overwhelmed wired"
    " frustrated unfocused lazy pooped zonked famished dehydrated almost_there almost_done nearly_done done"
    " under_the_weather up out"
    " fed_up rushed occupied tied_up sweating shivering shattered half_asleep"
)
_MOODS = any_of(
    "happy sad angry upset nervous anxious excited fine good great better worse okay ok bad sick ill unwell lonely"
    " down calm relaxed focused"
    " productive motivated energetic confused irritated mad cheerful worried alone outside inside here terrible awful lousy"
    " fantastic amazing wonderful low off weird alert energized refreshed grateful blue quiet quite_good not_well"
    " content feverish cosy cozy"
)
_LASTING_STATE = (
    r"(?! (?:of|about|with(?! work)|by (?:long|crowds|noise)|in general|person|people|when|whenever|if|on (?:mondays"
    r"|fridays|weekends)|in (?:winter|summer|spring|autumn)|that|than|at (?:maths|math)|for (?:two|three|\d+|several"
    r"|many) (?:weeks|months|years))\b)"
)
_PLACES = any_of(
    "room car noisy_room dark_room basement attic train bus plane subway metro tram ferry taxi cab car uber elevator"
    " lift airport station train_station bus_stop gym office supermarket store cafe café"
    " coffee_shop restaurant bar pub kitchen bed bathroom toilet shower bath tub couch sofa meeting call phone"
    " lecture queue line traffic"
    " tunnel waiting_room park cinema desk platform break hurry rush middle library lobby garden balcony zoom_call"
    " video_call standup way road highway"
    " lunch lunch_break coffee_break mood parking_lot car_park dentist's hairdresser motorway lounge gate checkout"
    " mall pool beach hallway stairs treadmill"
    " workout a_class backseat passenger_seat laundromat webinar theater theatre a_rush pharmacy"
)
_DOING = (
    r"(?:waiting|sitting|standing|lying|heading|typing|queue?ing|resting|chilling|relaxing|hanging out|sweating"
    r"|starving|crying|laughing|boarding|dictating|speaking through|using (?:the )?(?:voice|speech|dictation|my phone"
    r"|a phone|mobile|the mic)"
    r"|getting (?:ready|dressed|hungry|tired|sleepy|coffee|cold|bored|off the)|talking (?:on|to)|on hold|about to"
    r"|working (?:out|late|from (?:a|the|my)|from home (?:today|this)|through lunch|overtime tonight)|running (?:late"
    r"|behind|low|out of (?:time|battery|coffee))|having (?:a|an|trouble)"
    r"|taking (?:a|the)|travell?ing to work|on my|staring|just (?:chilling|relaxing)|feeling|dealing with|in between"
    r"|charging|packing|driving|riding|walking|commuting|browsing|shopping|cleaning|freezing|struggling to (?:focus"
    r"|concentrate|stay awake)|procrastinating|multitasking|losing (?:signal|connection)|leaving (?:now|the)|landing"
    r"|stuck|busy|doing (?:ok|okay|fine|well|great)(?=$| today| now))\b"
)
_WEATHER = any_of(
    "raining rainy snowing snowy cold hot sunny freezing windy cloudy foggy humid warm chilly pouring storming stormy"
    " drizzling hailing"
    " overcast muggy nice_out gorgeous boiling dark icy mild wet scorching grey gray sweltering thundering degrees"
    " slippery clear pleasant"
)
_DEVICE = any_of(
    "laptop phone battery tablet wifi wi-fi internet connection mic microphone headphones headset computer screen"
    " camera watch router keyboard mouse"
    " signal network airpods earbuds vpn bluetooth fan speaker speakers car printer monitor browser macbook ipad"
    " iphone webcam"
)
_DEVICE_STATE = (
    r"(?:at \d+ ?(?:%|percent)|\d+ ?(?:%|percent)|low|dead|black|blank|died|dying|almost (?:dead|empty)|nearly (?:dead"
    r"|empty)|charging|overheating|hot|slow|down|spotty|unstable|bad|muted|frozen|lagging|laggy|updating"
    r"|out of (?:battery|charge)|flat|empty|acting up"
    r"|patchy|weak|off|on|disconnected|not (?:working|charging|connecting)|about to (?:die|shut)|running (?:low|out"
    r"|hot|slow)|crashing|offline|dropping|cutting out|stuck|restarting|rebooting|playing up|loud|full|glitching"
    r"|flickering|buffering|connected|unplugged|plugged in)"
)
_ACHE = (
    r"(?:headache|stomach ?ache|tummy ache|toothache|backache|migraine|cramp|cramps|hiccups|sore throat|runny nose"
    r"|stuffy nose|fever|cold|cough|hangover|hunger|no (?:signal|internet|wifi|reception|time|energy|appetite|battery)"
    r"|full hands|my hands full|a lot on my plate|meetings? (?:all|until|till|at)|a (?:break|call|meeting))"
)


_ONGOING = r"\b(?:right now|at the moment|just now|at this moment|as we speak|for the moment|this very minute|currently)\b"
RULES: tuple[Rule, ...] = (
    Rule(
        Reason.TRANSIENT,
        2,
        (
            r"^i am (?:not )?[a-z]+ing\b.*\b(?:can not|could not|hard to|unable to|slow to) (?:type|talk|hear|answer|reply"
            r"|speak|focus|write|read)\b"
        ),
    ),
    Rule(
        Reason.TRANSIENT,
        1,
        (
            r"^(?!.*\b(?:live|lives|living|work|works|working as|studying|writing|learning|training|dating|engaged|single"
            r"|enrolled|employed|unemployed|reading for)\b).*\b(?:right now|at the moment|just now|at this moment|as we speak"
            r"|for the moment|this very minute)\b"
        ),
    ),
    Rule(
        Reason.TRANSIENT,
        1,
        (
            r"^(?:the|my|our|this|it|there|outside|a|some)\b(?: [\w'-]+){0,4}? (?:is|are|was|were|feels?|looks?|smells?"
            r"|sounds?|keeps?|just|has|have)\b.*\b(?:today|tonight|this (?:morning|afternoon|evening)|again|already)$"
        ),
    ),
    Rule(
        Reason.TRANSIENT,
        2,
        (
            r"^i (?:am |have )(?:between|in between|in the middle of|halfway through|on my way|about to|only|wide awake"
            r"|wide-awake|all (?:alone|ears|set)|at (?:the|my) (?:\w+ ){0,2}(?:'s|place|desk|door|hairdresser|barber|doctor"
            r"|dentist|vet|garage|bank|shop|store|table|window|bar))(?:\b|$)"
        ),
    ),
    Rule(
        Reason.TRANSIENT,
        3,
        (
            r"^(?:the )?(?:room|office|house|flat|apartment|kitchen|place|café|cafe|train|bus|library|street|air|water|sun"
            r"|moon|sky|rain|snow|wind|road|traffic|heating|lights?|power|neighbou?rs?|music|line|call|sound|audio|video"
            r"|meeting|kettle|oven|people|kids|children|someone|somebody|everyone)\b(?: [\w'-]+){0,4}? (?:is|are|was|were|has"
            r"|feels?|keeps?|just)\b(?=.*(?:\b(?:too|so|very|really|again|now|today|tonight|already|outside|here|shining"
            r"|coming|stopped|loud|noisy|cold|hot|freezing|stuffy|crowded|full|delayed|drilling|shouting|singing|ringing"
            r"|waiting|out|off|gone|starting|boiling|packed|slippery|late)\b))(?!.*\b(?:every|for (?:customers|guests)|when"
            r"|by the|in (?:winter|summer))\b)"
        ),
    ),
    Rule(
        Reason.TRANSIENT,
        2,
        (
            r"^i (?:am |was )?(?:typing|writing|talking|holding|carrying|cooking|eating|holding|speaking|dictating|replying"
            r"|texting)\b(?=.*\b(?:with one hand|while|holding|because|from my phone|on my phone|one-handed|in the dark)\b)"
        ),
    ),
    Rule(
        Reason.TRANSIENT,
        2,
        (
            r"^(?:typing|writing this|talking|holding|carrying|speaking|dictating|replying|texting|feeling|wearing|stuck"
            r"|running|standing|lying|hiding|waiting|watching|charging|freezing|sweating|melting|dying)\b(?! (?:my own"
            r"|a (?:company|business|shop|novel|book)) )"
        ),
    ),
    Rule(
        Reason.TRANSIENT,
        3,
        rf"^(?:i )?(?:am |was )?{ING}(?! (?:is|are|was|helps|makes|keeps|calms|relaxes)\b).*?{NOW}",
        ING_WORDS,
    ),
    Rule(Reason.TRANSIENT, 2, rf"^(?:i am |am )(?:not )?{ING}", ING_WORDS),
    Rule(
        Reason.TRANSIENT,
        3,
        (
            r"^(?:i )?(?:am |feel(?:s|ing)? |am feeling |seems? |looks? |sounds? |felt |got |getting |am getting "
            rf"|appears? )(?:to be |not |so |too |all |like |a |pretty |rather |in |more )*+{_STATES}\b{_LASTING_STATE}"
        ),
    ),
    Rule(
        Reason.TRANSIENT,
        3,
        (
            r"^(?:i )?(?:am |feel(?:s|ing)? |am feeling |seems? |looks? |sounds? |felt |am having |appears? )(?:to be |not "
            rf"|so |too |all |a |in |rather |more )*+(?:[\w'-]+ ){{0,2}}?(?:{_MOODS}|{_STATES}|mood|spirits|day|slump"
            rf"|pain)\b.*?(?:{NOW}|\bafter (?:that|this|the|lunch|dinner|breakfast|a long)\b)"
        ),
    ),
    Rule(
        Reason.TRANSIENT,
        3,
        (
            r"^(?:i )?(?:am |was )?(?:not |still |back |already |stuck |sitting |standing |waiting |out |over |alone "
            r"|half )*+(?:in|at|on|inside|outside|near|by|aboard|under) (?:a |an |the |my |some |our |another "
            rf"|back-to-back )*+(?:[\w-]+ )?{_PLACES}\b(?! (?:of my (?:life|career)|committee|industry|business|team|board))"
        ),
    ),
    Rule(
        Reason.TRANSIENT,
        3,
        (
            r"^i (?:am |was )?(?:not )?(?:at )?(?:back|away|out|off|here|there|home|outside|inside|upstairs|downstairs|around"
            r"|abroad)(?=$| (?:[a-z]+ing|now|right now|at the moment|today|tonight|this|for (?:a|lunch|now|the)|from (?:my"
            r"|the) (?:desk|keyboard|computer)|and|at my|already|again|alone|until (?:\d|noon|tonight))\b)"
        ),
    ),
    Rule(Reason.TRANSIENT, 3, rf"^(?:i am )?{_DOING}(?! (?:for (?:my|a) (?:exam|degree|licen[cs]e|marathon)|list))"),
    Rule(Reason.TRANSIENT, 2, rf"^i (?:am|feel|have|can ?not|could not|do not|need|keep|look) .*?{MOMENT}"),
    Rule(
        Reason.TRANSIENT,
        3,
        (
            r"^i (?:have|have got|got|am having|am fighting|am nursing)(?: (?:a|an|the|my|some|bad|terrible|slight|mild"
            rf"|splitting|such|bit|of|little|horrible))*+ {_ACHE}\b(?=$|.*?{NOW}| from| in (?:this|the|here)\b| here)"
        ),
    ),
    Rule(
        Reason.TRANSIENT,
        3,
        (
            r"^i (?:can ?not|could not|do not) (?:talk|speak|type|focus|concentrate|hear|chat|see the screen|answer|feel like"
            r"|feel well|have (?:much )?(?:time|energy)|keep my eyes open|sleep)\b(?=$|.*?\b(?:now|right now|at the moment"
            r"|today|tonight|here)\b)"
        ),
    ),
    Rule(
        Reason.TRANSIENT,
        3,
        (
            r"^(?:it|the weather|weather|today|outside|the sky|temperature|the temperature|the sun|it's)(?: (?:here|outside|in"
            rf"|at|[\w'-]+)){{0,4}}? (?:is|was|feels|looks|has been|will be|shining)(?: [\w'°-]+){{0,4}}? ?(?:{_WEATHER}"
            r"|\d+ ?°?(?:c|f|degrees))(?=\W|$)(?!.*\b(?:for (?:me|us|users)|to (?:me|read|use))\b)"
        ),
    ),
    Rule(
        Reason.TRANSIENT,
        3,
        (
            r"^(?:there is|we have|we are having|a)(?: [\w'-]+){0,3}? (?:thunderstorm|storm|fog|rain|snow|snowstorm|heat ?wave"
            r"|blizzard|drizzle|wind|shower|traffic|traffic jam|queue|noise)\b(?!.*\bevery\b)"
        ),
    ),
    Rule(
        Reason.TRANSIENT,
        3,
        (
            r"^(?:it is |it's )?(?:loud|noisy|crowded|quiet|stuffy|too (?:hot|cold|loud|dark)|late|monday|friday"
            r"|almost (?:midnight|noon))(?: (?:in|out|around|over|up)){0,6} ?(?:here|there|already|outside|now)?$"
        ),
    ),
    Rule(
        Reason.TRANSIENT,
        3,
        (
            rf"^(?:(?:my|the|our|this|a|home|office) )*(?:[\w'-]+ )?{_DEVICE}(?:'s)?(?: battery| signal| connection| screen"
            r"| here| at home| level| charge)*+ (?:is |has |just |keeps |was |are |at |feels |got |went "
            rf"|seems )*+(?:[\w'-]+ ){{0,2}}?{_DEVICE_STATE}(?=\W|$)"
        ),
    ),
    Rule(
        Reason.TRANSIENT,
        3,
        (
            rf"^(?:my|the) (?:{DISHES}|screen|hands?|eyes?|head|feet|legs?|back|stomach|throat|nose|arms?|body|brain|coffee"
            rf"|train|bus|flight|taxi|uber|cab|kids?|baby|cat|dog|neighbou?rs?|food)\b(?: [\w'-]+){{0,2}}? (?:is|are|hurts?"
            rf"|aches?|feels?)\b(?=.*?(?:{NOW}|\b(?:getting|full|asleep|sleeping|late|delayed|crying|barking|arriving|cold"
            r"|ready|screaming|napping|freezing|numb|wet|dirty|shaking|sweaty|sticky|cold|tired|boiling|burning|growling"
            r"|rumbling)\b))"
        ),
    ),
    Rule(
        Reason.TRANSIENT,
        2,
        (
            r"^(?:the )?(?:dog|cat|baby|kids|neighbou?rs?|children) (?:is|are) (?:asleep|sleeping|crying|barking|playing"
            r"|making|being|napping)\b"
        ),
    ),
    Rule(
        Reason.TRANSIENT,
        3,
        r"^(?:excuse|sorry for|pardon|ignore) (?:the|my|any|all)? ?(?:typos|noise|delay|background|mess|interruption)",
    ),
    Rule(
        Reason.TRANSIENT,
        1,
        (
            r"^i (?:am|feel|have|can ?not|could not|do not|keep|look|need|was)\b.*?\b(?:right now|at the moment|today|tonight"
            r"|this (?:morning|afternoon|evening)|until (?:noon|midnight|\d{1,2}(?::\d\d)?(?: ?[ap]m)?|one|two|three|four|five"
            r"|six|seven|eight|nine|ten)|for the next (?:\w+ ){0,2}(?:minutes|hours?)|for another (?:\w+ )?(?:minutes|hours?))\b"
        ),
    ),
    Rule(
        Reason.TRANSIENT,
        3,
        (
            r"^(?:half asleep|barely awake|dead tired|low on (?:sleep|energy|battery|coffee)|short on time|no (?:signal"
            r"|reception|wifi|internet|battery|time)|in (?:a|the) (?:meeting|hurry|rush|car|middle)|on (?:a|the) (?:call|train"
            r"|bus|phone|go|road|move|plane)|out of (?:breath|battery|coffee|the office)|bit (?:tired|sleepy|busy|stressed)"
            rf"|at the (?:airport|gym|office|doctor's|supermarket)|{_STATES})\b{_LASTING_STATE}"
        ),
    ),
    Rule(
        Reason.TRANSIENT,
        3,
        (
            r"^i (?:seem|appear|look|sound) (?:to be )?(?:in a (?:hurry|rush|bad mood|good mood|panic)|(?:a (?:bit|little) )?"
            r"(?:tired"
            r"|busy|stressed|distracted|upset|bored|lost|confused|rushed|cold|sleepy|tense|annoyed))\b(?!.*\b(?:always|often|usually)\b)"
        ),
    ),
    Rule(
        Reason.TRANSIENT,
        2,
        r"^i (?:can ?not|could not) (?:find|locate|hear|see|reach|open) (?:my|the|his|her|their|any) (?:\w+ )?\w+$",
    ),
    Rule(
        Reason.TRANSIENT,
        3,
        r"^(?:i am |we are )?(?:nearly|almost|halfway) (?:done|finished|through|there)\b(?: with (?:my|the|this)\b.*)?$",
    ),
    Rule(
        Reason.TRANSIENT,
        2,
        r"^(?:my|the|her|his|their) (?:\w+ )?(?:hands?|fingers?|feet|eyes?|head|brain|legs?|voice|arms?) (?:is|are) too \w+ to \w+",
    ),
    Rule(
        Reason.TRANSIENT,
        2,
        (
            r"^i have (?:the|a|an) (?:\w+ )?(?:flu|cold|fever|cough|headache|stomach ache|sore throat|hangover|cramp)\b"
            r"(?=.*\bthis (?:week|morning)\b|$)"
        ),
    ),
    Rule(
        Reason.TRANSIENT,
        2,
        (
            r"^(?:breakfast|lunch|dinner|supper|the (?:cake|bread|pizza|roast|casserole)) is"
            r" (?:in the oven|on the (?:stove|table|way)|ready)\b"
        ),
    ),
    Rule(
        Reason.TRANSIENT,
        2,
        r"^i have (?:my|the|his|her) (?:headphones|earbuds|earplugs|camera|mic|coat|glasses) (?:on|off|in|muted)\b",
    ),
    Rule(Reason.TRANSIENT, 2, r"^i have (?:got )?(?:\w+ ){0,2}(?:tabs|windows|terminals|documents) (?:of \w+ )?open\b"),
    Rule(
        Reason.TRANSIENT,
        5,
        (
            r"^(?:my|the|her|his|our) (?:flight|train|bus|ferry|plane|taxi|cab) (?:is|has|just)(?: just| now)?"
            r" (?:boarding|leaving|left|arriving|arrived|here)\b"
        ),
    ),
    Rule(
        Reason.TRANSIENT,
        5,
        (
            r"^i have (?:a|an|the|my) (?:\w+ )?(?:meeting|call|deadline|class|standup|interview)"
            r" in (?:\w+ )?(?:minutes|half an hour)\b"
        ),
    ),
    # What somebody is at just now passes, whoever is with them.
    Rule(
        Reason.TRANSIENT,
        6,
        (
            r"^i am\b(?!.*\b(?:live|living|work(?:ing)? (?:as|for|at|on)|stud(?:y|ying)|learning|training|writing a|reading for"
            r"|dating|engaged|enrolled|employed|unemployed|pregnant|married|single|on (?:\w+ ){0,2}(?:leave|medication"
            r"|antibiotics|diet|pills)|saving|building|renovating|renting|recovering from (?:surgery|an? \w+)|allerg\w+"
            r"|diagnosed|care of|caring|ill|sick|hospital|therap\w*|chemo\w*|clinic|dialysis|treat\w*)\b)"
            r".*\b(?:right now|at the moment|just now|at this (?:very )?moment|as we speak|this very minute)\b"
        ),
    ),
    Rule(
        Reason.TRANSIENT,
        7,
        (
            r"^i (?:am|have)\b.*\b(?:so|and|but) (?:i )?(?:can ?not|can't|could not|will not) (?:talk|chat|type|speak|answer"
            r"|reply|write|focus)(?: (?:now|right now|much|yet|properly|well))?$"
        ),
    ),
    Rule(
        Reason.TRANSIENT,
        7,
        r"^i am\b.*\b(?:will (?:reply|answer|write back|call back|get back) later|replies (?:will be|are) slow)\b",
    ),
    Rule(
        Reason.TRANSIENT,
        6,
        (
            r"^i am (?:so |very |really |a bit |a little |totally )?(?:soaked|wet|tired|exhausted|sleepy|hungry|thirsty|cold"
            r"|hot|freezing|late|running late|stuck|grumpy|cranky|sweaty|drained|groggy)\b[^,;]* (?:because|since|as) (?:of )?"
            r"(?!.*\b(?:diabet\w*|celiac|coeliac|an[a]?emi\w*|ill\w*|condition|depress\w*|medication|pills|chemo\w*|surgery"
            r"|operation|syndrome|disorder|disease|years?|newborn|twins|always|every|shift\w*|insomnia|apn[o]?ea|thyroid"
            r"|pregnan\w*|allerg\w*)\b)"
        ),
    ),
    Rule(
        Reason.TRANSIENT,
        2,
        r"^(?:my|the) (?:meeting|call|class|lesson) (?:got|was|is) (?:moved|cancelled|canceled|over)\b.*\b(?:so|now)\b",
    ),
    Rule(
        Reason.TRANSIENT,
        2,
        r"^i am (?:in|at|over in) [\w' ]{2,30} (?:for|just) (?:the )?(?:day|hour|afternoon|morning|evening)$",
    ),
)
