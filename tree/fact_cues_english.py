"""Signs in English that what is said lasts, with what each outweighs."""

from __future__ import annotations

from memtree.tree.fact_gate_parts import Cue, any_of

_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days"
_NUMBER = (
    r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|several|many|a few|a couple of|the last \w+"
    r"|the past \w+)"
)
_MONTHS = r"(?:january|february|march|april|june|july|august|september|october|november|december)"
_SYSTEM_NOUN = (
    r"(?:builds?|backups?|imports?|exports?|jobs?|runs?|syncs?|deploys?|tests?|reports?|scans?|tasks?|standups?"
    r"|meetings?|releases?)"
)
KIN = any_of(
    "mother mom mum mama father dad papa parents parent brother sister brothers sisters son daughter sons daughters"
    " kids children wife husband partner"
    " spouse girlfriend boyfriend fiance fiancé fiancée fiancee grandmother grandma grandfather grandpa grandparents"
    " granddaughter grandson aunt uncle cousin cousins"
    " niece nephew in-laws mother-in-law father-in-law family friend friends best_friend boss manager colleague"
    " coworker co-worker mentor godmother"
    " godfather stepmother stepfather stepson ex roommate flatmate neighbour neighbor landlord therapist supervisor"
    " client team family's folks twins team"
)
_HEALTH = any_of(
    "allergy allergies allergic intolerant intolerance celiac coeliac diabetes diabetic asthma asthmatic epilepsy"
    " migraines arthritis pregnant pregnancy chemo"
    " chemotherapy cancer tumour tumor leukemia adhd autism autistic dyslexia dyslexic depression insomnia apnea"
    " apnoea tinnitus tendinitis rsi carpal hypertension"
    " cholesterol thyroid reflux gerd crohn's colitis ibs eczema psoriasis hepatitis hiv stroke pacemaker prosthesis"
    " wheelchair dementia alzheimer's parkinson's"
    " bipolar ptsd anemia anaemia anemic gout kidney_stones osteoporosis concussion miscarriage premature chronic"
    " chronically prescribed prescription diagnosis"
    " diagnosed surgery operation specialist oncologist cardiologist physiotherapy rehab rehabilitation transplant"
    " insulin antidepressants medication"
    " blood_thinners medically colour-blind color-blind deaf blind disabled disability epipen lupus fibromyalgia"
    " endometriosis menopause scoliosis hernia"
    " sciatica ulcer vertigo glaucoma cataract hearing_aid blood_type vaccinated mri biopsy ct_scan x-ray burnout"
    " sober alcoholic addiction"
)
_EVENTS = any_of(
    "wedding funeral birthday anniversary graduation interview interviews exam exams surgery appointment appointments"
    " deadline deadlines visa trip vacation holiday"
    " honeymoon conference hearing trial court checkup check-up baptism christening bar_mitzvah engagement divorce"
    " lease mortgage contract inauguration"
    " housewarming reunion parental_leave maternity_leave sabbatical internship thesis dissertation defence keynote"
    " summit concert flight"
    " residency scholarship tournament competition final race triathlon audition recital premiere retreat pilgrimage"
    " due_date"
    " baby_shower tax_return passport citizenship naturalisation biopsy scan chemo ultrasound ceremony memorial"
    " election offsite workshop"
)
_MILESTONES = (
    r"(?:\b(?:first[- ](?:ever|time|marathon|half|triathlon|10k|5k|book|child|baby|steps?|word|job|day at|day of|home"
    r"|house|car|goal|novel|paper|date|client|customer|sale|pull-up|race|win|unassisted|solo)"
    r"|for the first time|personal (?:best|record)|(?:fastest|longest|best|highest|biggest|hardest|heaviest"
    r"|furthest)\b.{0,30}\b(?:ever|yet|of my life|in years)|put (?:our|my|the|her|his) .{0,20}(?:to sleep|down)"
    r"|new (?:pb|pr|record)|world record|my record|half[- ]marathon|marathon|ironman|ultramarathon|phd|ph\.d|doctorate"
    r"|bachelor|master'?s|mba|diploma|degree|certificate|certified|certification|licen[cs]e|medal|trophy|championship"
    r"|award"
    r"|graduat\w+|promoted|promotion|hired|fired|laid off|resigned|quit|retired|retirement|married|marry|marries"
    r"|engaged|proposed to|propose to|divorced|gave birth|was born|were born|newborn"
    r"|(?<!just )(?<!battery )(?<!phone )died(?! (?:on me|again|and restarted|with)\b)|passed away|stillborn"
    r"|diagnos\w+|adopt(?:ed|ing) (?!a (?:new )?(?:policy|approach))"
    r"|moved? (?:to|into|in with|out|from|back|house)|moving (?:to|into|in with|out|from|back|house)|relocat\w+"
    r"|emigrat\w+|immigrat\w+|enrol\w+|accepted (?:into|at|to|the|a|an|by|for)|admitted to|joined|founded|co-founded"
    r"|inherited|published|signed|bought (?:a|an|our|my|the)(?: [\w-]+){0,3} (?:house|home|flat|apartment|car|boat"
    r"|land|farm|condo|cabin|van|motorbike|motorcycle|company|piano|bike|e-bike|bicycle)"
    r"|sold (?:my|our|the|his|her)|broke (?:my|her|his|the|up)|fractured|tore|sprained|lost (?:my|his|her|our) (?:job"
    r"|mother|father|wallet|passport|baby|husband|wife|dog|cat|mum|mom|dad|brother|sister|grand\w+|sight|hearing"
    r"|sense)|won (?:the|a|first|second|third|gold|silver|bronze|an)"
    r"|passed (?:my|the|her|his) (?:\w+ ){0,3}(?:exam|test|bar|licen[cs]e|defen[cs]e|driving test|boards)|failed (?:my"
    r"|the|her|his) (?:\w+ ){0,2}(?:exam|driving test|bar)|naturali[sz]ed|baptised|baptized|citizenship|finish(?:ed"
    r"|ing) (?:my|the|her|his) (?:\w+ ){0,2}(?:phd|thesis|degree|training|chemo|residency|novel|book|treatment|studies"
    r"|dissertation|apprenticeship|bootcamp)"
    r"|got (?:the|a|my|his|her|an|into|in to) (?:\w+ ){0,3}(?:job|offer|place|position|promotion|role|grant"
    r"|scholarship|visa|permit|keys|divorce|degree|licen[cs]e|results|diagnosis|puppy|dog|cat|kitten|tattoo)"
    r"|got accepted|got hired|got in|lost \d+ ?(?:kg|kilos|pounds|lbs)|gave up|given up|stopped (?:eating|drinking"
    r"|smoking|using|taking|working|playing|going)|switched (?:to|from|jobs|careers)|started (?:a new|my|working"
    r"|learning|taking|therapy|school|university|college|at|as|my own|dating|chemo|hrt)|sleep study"
    r"|weight[- ]loss surgery|weighed [\d.]+ ?\w* at birth|at birth|birth weight|album|memoir)\b)"
)
_DIETS = (
    r"\b(?:vegan|vegetarian|pescatarian|gluten[- ]free|dairy[- ]free|sugar[- ]free|lactose|keto|halal|kosher"
    r"|low[- ](?:carb|salt|sodium|fat|sugar)|plant[- ]based|intermittent fasting|ramadan|lent|paleo|fodmap|diet"
    r"|nut[- ]free|alcohol[- ]free|decaf only|teetotal|no (?:sugar|meat|alcohol|dairy|gluten|pork|caffeine))\b"
)

CUES: tuple[Cue, ...] = (
    # What is meant for good.
    Cue(
        "for good",
        8,
        (
            r"\b(?:from (?:now|today|this day|here|next (?:week|month)|this (?:week|month)|tomorrow) (?:on|onwards?|forward)"
            r"|from today\b|going forward|in (?:the )?future\b(?=,| (?:please|always|use|never|do|write|answer)|$)|henceforth"
            r"|from here on|starting (?:today|now|this week|next week|tomorrow),|for (?:all|every) (?:future|new|later)"
            r"|(?<!one )(?:whenever|every time|any time|each time) (?:you|i|we|a|an|the|someone|he|she|it)\b|as a rule"
            r"|for good\b|permanently|until further notice|in all (?:future|your|our|my|new)|by default(?! config))"
        ),
    ),
    Cue(
        "remember",
        8,
        (
            r"^(?:(?:please|also|and|just|ok|important|hey|can you|could you|i want you to|you should|you must|always|so"
            r"|i need you to) ){0,6}(?:remember|do not forget|never forget|keep in mind|bear in mind|note|make a note"
            r"|for the record|fyi|for your information|save to memory|memori[sz]e|take note|store|keep track of the fact"
            r"|fun fact|important)\b(?! to (?:buy|get|call|pick|take|bring|check|charge|wash|send|eat|drink|water"
            r"|grab)\b)(?:[ ,:]*(?:this|that|down|also)){0,6}(?:,|:| )"
        ),
    ),
    Cue(
        "rule",
        8,
        (
            r"^(?:(?:please|and|also|but|you (?:should|must|can)|i want you to|make sure (?:to|you|that you)|be sure to"
            r"|remember to|in this (?:repo|project|codebase)|here) ){0,6}(?:always|never|only ever|under no circumstances"
            r"|do not ever|at all times|without exception)\b"
        ),
    ),
    Cue(
        "rule",
        8,
        (
            r"^(?:please )?(?:call me|address me as|refer to me as|do not call me|use (?:british|american|metric|formal"
            r"|informal|tabs|spaces|single|double|conventional|type hints|they/them)|no (?:emojis?|tabs)|speak \w+ (?:to"
            r"|with) me|keep (?:your |the |all )?(?:answers|replies|responses|commits|functions|messages|explanations"
            r"|summaries)|(?:answer|reply|respond|talk) (?:to me )?in (?!a (?:minute|moment)))\b"
        ),
    ),
    Cue(
        "rule",
        8,
        (
            r"\b(?:always|never)\b.*\b(?:answer|reply|respond|ask me|commit|push|merge|use|run|write|format|deploy"
            r"|mention)\b(?=.*\b(?:before|after|in|with|without|when|to|for|the|a|any)\b)(?!.*\b(?:today|yesterday)\b)"
        ),
    ),
    # A rule, or how something is set up.
    Cue(
        "rule",
        5,
        (
            r"\b(?:must|must not|shall not|may not|is (?:forbidden|prohibited|banned|mandatory|required|compulsory"
            r"|off[- ]limits)|are (?:forbidden|prohibited|banned|mandatory|required|compulsory)|(?:is|are) (?:not|only|never"
            r"|always) (?:allowed|permitted|to be|done|used)|not allowed|no one|nobody|policy|policies|guideline|convention"
            r"|conventions|(?:is|are) supposed to|at least \w+ (?:approval|review|reviewer)s?|only (?:ever )?(?:on|after|if"
            r"|when|via|through|from|by)|requires? (?:that|two|a review|approval|sign-off|every|all|each|any)|needs? (?:two"
            r"|at least|a review|approval from|sign-off)|no \w+ (?:on fridays|without))\b(?<!i must)"
        ),
    ),
    Cue(
        "setup",
        5,
        (
            r"\b(?:(?:is|are|gets?) (?:then )?(?:retried|re-run|rejected|archived|deleted|rotated|purged|logged|sent|written"
            r"|pushed|parked|moved|kept|copied|mirrored|routed|cached|signed|checked|reviewed|stored|billed|paid|tagged"
            r"|released|restarted|truncated|validated) (?:\w+ times|automatically|after|to|into|in|by|when|if|with|before|on"
            r"|at|every|from|as|only|through|via)|(?:older|newer|larger|smaller|bigger|longer|shorter|higher) than"
            r"|source of truth|port \d+|listens? on|configured|configuration|is set to|are set to|defaults? (?:to|is|serving"
            r"|size|value)|is (?:written|implemented|built|hosted|stored|kept|located|based|managed|maintained|owned|deployed"
            r"|backed|encrypted|versioned|called|named) (?:in|on|with|at|by|as|using|to|from|under|via)|are (?:written"
            r"|implemented|built|hosted|stored|kept|located|managed|maintained|owned|deployed|backed|encrypted|versioned"
            r"|called|named|run) (?:in|on|with|at|by|as|using|to|from|under|via)|lives? (?:in|on|at|under)|architecture"
            r"|cron ?jobs?|is scheduled (?:daily|every|for every)|(?<!i )(?<!user )runs? (?:on (?!monday|tuesday|wednesday"
            r"|thursday|friday|saturday|sunday|schedule|time|ci now)|at \d|as a|in (?!progress|parallel now)|behind|under"
            r"|every|nightly|daily|weekly|inside)|convention|schema|deprecated|(?:time|retry|rate|memory|size|upload"
            r"|request) ?-?limit (?:is|of|for)|timeout is (?:\d|set)|uses? (?!up\b|voice)[\w-]+ (?:for|as|to|because|instead"
            r"|with)|main branch|written in|based on|stored in|backed by|expires? (?:after|on|in)|rotat\w+ every|retention"
            r"|log level|kept for \d+|for \d+ (?:days|months|years)|(?:is|are) (?:our|the|my) (?:primary|main|default|only"
            r"|production))\b"
        ),
    ),
    Cue(
        "decision",
        5,
        (
            r"\b(?:we|i|team|they|user)(?: have| all| has)? (?:decided|agreed|settled on|chose|opted|standardi[sz]ed"
            r"|committed to|adopted|migrated|deprecated|ruled out)\b|\b(?:we|i|team) (?:will|are going to|am going to"
            r"|plan to) (?:use|switch (?:over )?to|migrate|adopt|drop|support|standardi[sz]e|deprecate|move (?:off|away"
            r"|to))(?! the (?:other|next|second))\b|\blet us (?:use|go with|adopt|stick|standardi[sz]e|drop|keep|switch|never"
            r"|always|call it|name)\b|\b(?:the )?decision\b|\binstead of\b"
        ),
    ),
    Cue(
        "incident",
        5,
        (
            r"\b(?:root cause|caused by|was caused|were caused|postmortem|post-mortem|lesson|lessons|turned out (?:to be|that)"
            r"|(?:failed|failing|fails|crash(?:ed|es|ing)|broke|breaks|went down|was down|outage|incident|slow|lost|leaked"
            r"|stopped)\b.*\b(?:because|due to|since|after (?:someone|we|the|a|an)|when (?:the|we|a|someone)|as (?:the|a|we))"
            r"|exposed that|revealed|the reason (?:is|was|for)|incident)\b"
        ),
    ),
    # A habit.
    Cue(
        "habit",
        5,
        (
            r"\b(?:every (?!thing|one\b|body|where)(?:single |other |second |third |\d+ |few )?\w+|each (?:day|morning|evening"
            rf"|night|week|month|year|{_DAYS[:-1]}|spring|summer|autumn|winter|time|quarter|sprint|release)|(?:daily|nightly"
            rf"|weekly|monthly|yearly|annually|hourly|biweekly|quarterly)(?! (?:{_SYSTEM_NOUN}|standup)\b)|usually|typically"
            r"|normally|generally|habitually|regularly|routinely|rarely|seldom|hardly ever|tends? to|used to|(?:once|twice"
            r"|three times|four times|five times|\d+ times|several times|\d+x|\d+ days|\w+ nights) (?:a|per|each) (?:day|week"
            rf"|month|year)|on {_DAYS}|(?:on )?(?:weekends|weekdays|mornings|evenings|school nights)|most (?:days|mornings"
            r"|evenings|nights|weekends|weeks|of the)|(?:in|during) (?:the )?(?:winter|summer|spring|autumn|mornings|evenings)"
            rf"|at night\b(?! now)|all my life|habit|habits|ritual|hobby|hobbies|passion|{_DAYS}|before bed every|whenever"
            r"|as long as i can remember)\b"
        ),
    ),
    Cue(
        "habit",
        4,
        (
            r"\b(?:always|never|often|mostly|mainly|exclusively|religiously|constantly|frequently|sometimes|occasionally"
            r"|almost never|almost always|addicted|prone to|struggles? with)\b"
        ),
    ),
    Cue(
        "no more",
        5,
        (
            r"\b(?:no longer|any ?more|not (?:eat|drink|smoke|use|work|live|want)\w* \w*\s?anymore|ever again|gave up|given up"
            r"|giving up|quit|cut(?:ting)? (?:out|down|back)|stay(?:ing)? (?:off|away from)|avoid(?:s|ing)?|abstain\w*"
            r"|refus\w+ to|for life|lifelong)\b"
        ),
    ),
    Cue(
        "since",
        5,
        (
            r"\b(?:ever since|since (?:(?:19|20)\d\d|childhood|birth|i was|he was|she was|college|university|school"
            rf"|last (?:year|summer|winter|spring|autumn|fall|month|{_MONTHS})|{_MONTHS}|the (?:accident|operation|surgery"
            r"|divorce|birth|pandemic|move|war|diagnosis|fall|crash|death|injury|wedding|baby|merger|migration|stroke|age)"
            r"|my (?:teens|twenties|thirties|childhood|accident|operation|divorce|surgery|father|mother|youth|student)"
            r"|becoming|moving|having|getting|losing|turning|starting|then|age|\w+ (?:died|was born|left))|for (?:over "
            rf"|almost |nearly |about |more than |the (?:last|past) )?{_NUMBER} (?:years?|months?|weeks?|decades?)|for (?:years"
            rf"|months|weeks|decades|ages)|(?:over|in) the (?:last|past) (?:{_NUMBER} )?(?:years?|months?)|(?:weeks|months"
            r"|years) now)\b"
        ),
    ),
    # Body and health.
    Cue("health", 5, rf"\b{_HEALTH}\b"),
    Cue(
        "health",
        4,
        (
            r"\b(?:doctor|dr\.|gp|physician|dentist|nutritionist|dietitian|pharmacist|physio|psychiatrist|hospital"
            r"|clinic)(?:'s)? (?:says?|said|told|recommended|ordered|advised|wants|forbade|forbids|banned|prescribed|diagnosed"
            r"|warned|orders|advice|appointment|suggested|put me|thinks|visit|found)\b|\b(?:hurts?|pain|ache|aches|numb|cough"
            r"|rash|dizzy|fatigue|tired)\b.*\b(?:since|for (?:weeks|months|years|\w+ (?:weeks|months|years))|keeps"
            r"|getting worse|lately|for a while now)\b|\b(?:worried|concerned|worries|afraid|scared|anxious) (?:about|that"
            r"|of)\b(?! (?:being late|missing the (?:bus|train)|rain))"
        ),
    ),
    Cue("diet", 3, _DIETS),
    Cue(
        "diet",
        5,
        (
            r"\b(?:be|is|am|are|been|go|went|going|become|became|turned|becoming|as a|eats?|eat only|eating only|follow\w*"
            rf"|on a|keeps?|stay|cooks?) (?:(?:only|strictly|a|fully|mostly|the) )*{_DIETS[2:]}(?! (?:burger|lunch|dinner"
            r"|breakfast|pizza|sandwich|meal|curry|restaurant|place|wrap|chili|cake|food tonight))"
        ),
    ),
    # Marks in a life.
    Cue("milestone", 5, _MILESTONES),
    Cue(
        "event", 4, rf"\b(?:my|our|the|a|an|her|his|their|[\w]+'s|for|to)(?: [\w'-]+){{0,3}} {_EVENTS}\b(?! (?:mode|now|right now))"
    ),
    Cue(
        "date",
        5,
        (
            r"\b(?:in|on|by|until|till|from|since|before|after|due|for|of|early|late|mid|next|last"
            rf"|this coming) (?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)? (?:of )?)?(?:{_MONTHS}|may \d|(?:19|20)\d\d|(?:jan|feb|mar"
            rf"|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.? ?\d)|\b\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:{_MONTHS}|may)\b"
            rf"|\b(?:{_MONTHS}|may) \d{{1,2}}\b|\b(?:19|20)\d\d-\d\d-\d\d\b|\bin (?:19|20)\d\d\b|\b(?:next|this|last) (?:year"
            r"|spring|summer|autumn|fall|winter|semester|quarter)\b|\bnext month\b|\b(?:christmas|easter|thanksgiving|ramadan"
            r"|new year)\b"
        ),
    ),
    Cue(
        "due",
        5,
        (
            r"\b(?:due (?:on|by|tomorrow|next|this|in|friday|monday|tuesday|wednesday|thursday|saturday|sunday|today)|deadline"
            r"|(?:by|before|until) (?:next |this |the end of |end of )?(?:monday|tuesday|wednesday|thursday|friday|saturday"
            r"|sunday|eod|the (?:week|month|year|quarter|sprint)|week|month|year|quarter)|must be (?:submitted|handed in|paid"
            r"|filed|renewed|ready|done|finished)|to be submitted|expires?|renew\w*|submit\w* (?:my|the|our|a))\b"
        ),
    ),
    # People.
    Cue(
        "person",
        5,
        (
            r"\b(?:with|for|to|from|visit(?:ing)?|see(?:ing)?|meet(?:ing)?|call(?:ing)?|join(?:ing)?|host(?:ing)?"
            r"|date with) (?:(?:my|his|her|our|their|an?|the|user's|old|best|older|younger|little|big|whole|new"
            rf"|close) )+{KIN}\b(?! (?:chat|call|standup|sync) now)"
        ),
    ),
    Cue("setup", 5, r"\b(?:retries|backs off|times out) (?:up to |after |every )?(?:\d+|twice|two|three|four|five|ten)\b"),
    Cue("person", 5, rf"\b(?:with|visit(?:ing)?|meet(?:ing)?) (?:{KIN})\b(?<!with colleagues)(?<!with coworkers)"),
    Cue(
        "person",
        5,
        (
            r"\b(?:breakfast|brunch|lunch|dinner|supper|coffee|drinks|tea|appointment|date|meeting|call|tennis|chess|golf"
            r"|squash|badminton|beer|beers|a beer|a drink|a walk|walk|run|swim|dined|ate|party|session|cinema|movie|film"
            r"|picnic|barbecue|trip|hike|shopping|gym) (?:\w+ )?with (?!(?:a|an|the|my|some|no|extra|lots|plenty|water|milk"
            r"|rice|cheese|bread|sauce|it|them|this|that|those|these|friends|people|colleagues|coworkers|everyone|us|me|him"
            r"|her|two|three|one|and|butter|sugar|lemon|honey|chips|fries|salad|chicken|fish|eggs?|oat|soy|almond|both|more"
            r"|less|fresh|extra|beans|tomato\w*|garlic|noodles|vegetables|fruit|berries|yogh?urt|protein|headphones|music"
            r"|weights|nuts|jam|avocado|bacon|only|just|full|high|low|good|great|red|white|hot|cold|something|nothing|all"
            r"|syrup|cream|pasta|meat|tofu|olive|cinnamon|new|friends')\b)[a-zà-ÿ'-]{2,}"
        ),
    ),
    Cue(
        "person",
        4,
        (
            rf"\b(?:my|his|her|our|user's) (?:[\w-]+ )?{KIN}(?:'s)? (?!(?:is|are) (?:asleep|sleeping|crying|here|calling|home"
            r"|out|driving|cooking|late|at the door))[\w']+"
        ),
    ),
    Cue(
        "person",
        5,
        (
            r"\b(?:meet(?:ing)?|see(?:ing)?|visit(?:ing)?|propos\w+ to|date|dating|marry\w*|pick(?:ing)? up|call(?:ing)?"
            r"|interview(?:ing)?|train(?:ing)?|mentor\w*|onboard\w*) (?:a |the |my )?(?:new |junior )?(?:employee|colleague"
            r"|hire|intern|mentee|apprentice|client|investor|lawyer|landlord|notary|teacher|surgeon|cardiologist|accountant"
            r"|customer|recruiter|dr|doctor|dentist)\b"
        ),
    ),
    # What somebody wants for long.
    Cue(
        "goal",
        4,
        (
            r"\b(?:one day|some ?day|eventually|long[- ]term|long run|goal|goals|dream|dreams|ambition|resolution|career"
            r"|to (?:a1|a2|b1|b2|c1|c2|fluency)|become|becoming|learn(?:s|ing)?(?! (?:how|what|why|about))|study|studies"
            r"|studying|degree|saving (?:for|up)|save (?:for|up)|in (?:a few|two|three|five|ten|\d+) years|by the end of"
            r"|before (?:i|she|he|they|we) turns?|before turning|start (?:a|an|my|our) (?:own )?(?:business|company|family"
            r"|startup|nonprofit|career|blog|band|podcast|restaurant|bakery|charity|foundation)|open (?:a|an"
            r"|my)(?: own)? (?:[\w-]+ )?(?:shop|bakery|restaurant|café|cafe|studio|practice|school|gallery|clinic|hotel|store)"
            r"|lose (?:weight|\d+)|gain (?:weight|muscle)|get (?:fit|in shape|healthier|married|pregnant|a dog|a cat"
            r"|better at)|lifestyle|more (?:often|regularly|seriously|consistently|sustainably|mindfully)|(?:exercise|sleep"
            r"|read|walk|move|cook|save|travel|write|drink|eat|run|swim|train|practi[cs]e) (?:much |a lot |far )?(?:more|less"
            r"|better|healthier|earlier|fewer|healthily)(?! (?:coffee|pizza|cake)\b)(?!.*\b(?:tonight|today|now)\b)|quit"
            r"|stop (?:smoking|drinking|eating|biting|using)|reduce|cut (?:down|back|out)|gap year|for a living|novel"
            r"|nonprofit|volunteer\w*|emigrate|climate|across (?:the|europe|america|africa|asia))\b"
        ),
    ),
    Cue(
        "goal",
        9,
        (
            r"\b(?:(?:has|have) (?:always|long) (?:wanted|wished|dreamed|dreamt|hoped)|(?:has|have) been (?:trying|wanting"
            r"|hoping|wondering) .*\bfor (?:\w+ )?(?:years|months)|for years)\b"
        ),
    ),
    # Taste and conviction.
    Cue(
        "taste",
        4,
        (
            r"\b(?:prefers?|preferred|preference|favou?rite|likes?(?! (?:a (?:log|baby|rock|zombie|king"
            r"|million))\b)(?<!feel like)(?<!ould like)(?<!look like)(?<!(?:eel|ook|und|eem)s like)(?<!thing like)|loves"
            r"|i love|loved|hates?|dislikes?|enjoys?(?! (?:my|the|a|this)\b)|ca?n ?not stand|detest\w*|fond of|fan of"
            r"|afraid of|scared of|fear of|phobia|allergic|hooked on|passionate|believes?|values?|values|rather than|picky"
            r"|can not (?:eat|drink|tolerate|digest|stand)|does not (?:eat|drink|like|use)|do not (?:eat|drink|like|use|smoke"
            r"|want any))\b"
        ),
    ),
    Cue(
        "because",
        2,
        (
            r"\b(?:because|due to|so that|which is why|that is why|owing to|for (?:religious|medical|health|ethical|legal"
            r"|environmental) reasons|on account of|after (?:being|getting) diagnosed)\b"
        ),
    ),
    Cue(
        "lasting",
        4,
        (
            r"\b(?:(?:religious|medical|health|ethical|legal|environmental|security|compliance|privacy) reasons|for (?:my"
            r"|the) (?:back|knee|heart|liver|blood pressure|cholesterol|weight)|lives? (?:in|with|alone|near|on)|works? (?:as"
            r"|at|for|in|from|on (?!it))|owns?|grew up|native|raised|nationality|citizen|born|retired|self-employed"
            r"|freelance\w*|lactating|breastfeeding|night shift|night shifts|shift work|night owl|early bird|part[- ]time"
            r"|full[- ]time|temporary (?:job|contract|position|residence|visa|worker)|recovering from|in remission|in recovery"
            r"|on (?:parental|maternity|sabbatical|sick) leave|at birth|speaks?|fluent|identif\w+ as|pronouns)\b"
        ),
    ),
)
