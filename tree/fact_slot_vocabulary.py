"""English words for what people are, have and do, as parts of patterns."""

from __future__ import annotations

COUNT = r"(?:\d{1,2}|an?|one|two|three|four|five|six|seven|eight|several|no|another|some)"
MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
FAITH = (
    r"(?:roman |orthodox |practi[cs]ing |devout |evangelical |secular )?(?:christian|catholic|protestant"
    r"|muslim|jewish|buddhist|hindu|sikh|atheist"
    r"|agnostic|mormon|lutheran|baptist|quaker|taoist|methodist|anglican)"
)
DIET = r"(?:strict |lacto-ovo |raw |mostly )?(?:vegan|vegetarian|pescatarian|pescetarian|flexitarian|carnivore)"
EATING = r"(?:keto|halal|kosher|paleo|gluten[- ]free|dairy[- ]free|low[- ]carb|sugar[- ]free)"
SICK = (
    r"(?:type [12] )?(?:diabetes|asthma|epilepsy|migraines?|celiac disease|coeliac disease|hypertension"
    r"|high blood pressure|low blood pressure|adhd"
    r"|autism|arthritis|anaemia|anemia|cancer|ibs|crohn's|insomnia|sleep apnea|depression|anxiety"
    r"|tinnitus|scoliosis|psoriasis|eczema|hay fever"
    r"|dyslexia|gout|lupus|hypothyroidism|ptsd|ocd|endometriosis|a (?:heart|thyroid|kidney|back"
    r"|knee) (?:condition|problem|murmur|disease)"
    r"|chronic [a-z]+|back pain|(?:a )?bad (?:back|knee|knees))"
)
SPOKEN = (
    r"(?:english|german|french|spanish|italian|portuguese|dutch|polish|russian|turkish|arabic|hindi"
    r"|japanese|korean|chinese|mandarin|cantonese"
    r"|swedish|norwegian|danish|finnish|czech|ukrainian|greek|hebrew|vietnamese|thai|hungarian|romanian"
    r"|catalan|swahili|persian|farsi|latin"
    r"|sign language|esperanto|croatian|serbian|bulgarian|tagalog|indonesian|bengali|urdu|welsh|irish"
    r"|tamil|telugu|marathi|punjabi|malay)"
)
PET = (
    r"(?:dogs?|cats?|pupp(?:y|ies)|kittens?|pets?|parrots?|rabbits?|hamsters?|goldfish|horses?"
    r"|tortoises?|turtles?|guinea pigs?|labradors?|poodles?|\w+ retrievers?|retrievers?|german shepherds?|terriers?"
    r"|bulldogs?|beagles?|husk(?:y|ies)|corgis?|dachshunds?|budgies?|ferrets?)"
)
CHILD = r"(?:kids?|child(?:ren)?|sons?|daughters?|bab(?:y|ies)|toddlers?|twins|boys?|girls?)"
SIBLING = r"(?:brothers?|sisters?|siblings?|half-brothers?|half-sisters?)"
CAR = (
    r"(?:cars?|tesla|toyota|bmw|audi|volkswagen|vw|golf|honda|ford|mazda|volvo|subaru|hyundai|kia|fiat"
    r"|porsche|skoda|renault|peugeot|truck|van|suv|model [3sxy])"
)
JOB = (
    r"(?:[\w+#/-]+ ){0,4}(?:engineer|developer|programmer|teacher|nurse|doctor|lawyer|designer|manager"
    r"|scientist|analyst|architect|consultant"
    r"|student|writer|artist|chef|cook|driver|pilot|researcher|professor|accountant|electrician|plumber"
    r"|carpenter|musician|journalist|editor"
    r"|translator|freelancer|contractor|founder|ceo|cto|cfo|sre|devops|dba|sysadmin|administrator"
    r"|librarian|photographer|therapist|psychologist"
    r"|physicist|chemist|biologist|mathematician|economist|banker|trader|farmer|baker|barista|waiter"
    r"|waitress|actor|actress|surgeon|dentist"
    r"|pharmacist|veterinarian|vet|firefighter|soldier|officer|lead|director|intern|apprentice|tutor"
    r"|coach|trainer|salesperson|realtor|mechanic"
    r"|technician|paramedic|midwife|secretary|assistant|entrepreneur|recruiter|tester|producer|composer"
    r"|gardener|postdoc|lecturer|attorney"
    r"|judge|broker|sailor|welder|hairdresser|principal|pensioner|retiree|specialist|strategist"
    r"|copywriter|illustrator|statistician|geologist)"
    r"(?![\w-])"
)
HOBBY = (
    r"(?:the )?(?:piano|guitar|violin|cello|drums|flute|bass|saxophone|trumpet|tennis|football|soccer"
    r"|basketball|volleyball|chess|golf|badminton"
    r"|hockey|cricket|rugby|squash|poker|go|video games|board games|yoga|pilates|karate|judo|aikido"
    r"|martial arts|ballet|hiking|climbing|bouldering"
    r"|running|swimming|cycling|sailing|surfing|skiing|snowboarding|fishing|hunting|gardening|knitting"
    r"|pottery|painting|photography|birdwatching"
    r"|table tennis|ping pong|accordion|harp|clarinet|ukulele)"
)
ARTICLE = r"(?:an? |the |my |our )?"
NO_PLACE = (
    r"(?!an?\b|my\b|our\b|the (?!netherlands|us\b|usa|uk\b|hague|bronx|north|south|east|west|city"
    r"|country|suburbs|philippines|alps|bay)|another\b|\w+ing\b)"
)
EVENT = (
    r"(?:[\w'’-]+ )?(?:wedding|interview|surgery|operation|exam|exams|finals|flight|trip|appointment"
    r"|meeting|conference|launch|release|birthday party"
    r"|anniversary|graduation|presentation|deadline|move|funeral|concert|marathon|vacation|holiday"
    r"|holidays|honeymoon|audition|check-?up|therapy"
    r"|demo|workshop|offsite|reunion|defen[cs]e|internship|sabbatical|due date|visa)"
)

DEMONYM = (
    r"(?:german|french|italian|spanish|dutch|british|english|irish|scottish|welsh|american|canadian"
    r"|mexican|brazilian|argentinian|chinese|japanese"
    r"|korean|vietnamese|thai|indian|pakistani|turkish|greek|polish|czech|russian|ukrainian|swedish"
    r"|norwegian|danish|finnish|austrian|swiss"
    r"|portuguese|belgian|hungarian|romanian|bulgarian|egyptian|nigerian|kenyan|australian|israeli"
    r"|iranian|lebanese|filipino|indonesian)"
)
_COUNTRIES = """
germany|france|italy|spain|portugal|netherlands|belgium|austria|switzerland|poland|sweden|norway|denmark|finland|ireland|greece
turkey|ukraine|russia|hungary|romania|bulgaria|england|scotland|wales|uk|usa|us|america|canada
mexico|brazil|argentina|chile|peru|colombia|china|japan|korea|india|vietnam|thailand|indonesia|malaysia
philippines|australia|egypt|nigeria|kenya|israel|europe|asia|africa|california|texas|bavaria
中国|日本|美国|英国|德国|法国|意大利|西班牙|加拿大|澳大利亚|新西兰|韩国|泰国|俄罗斯
"""
COUNTRIES = frozenset(name for line in _COUNTRIES.split() for name in line.split("|")) | frozenset(
    ("united kingdom", "united states", "south korea", "new zealand", "south africa")
)
