"""What people write in English when they decide, promise, prefer or tell of themselves.

Patterns are tried where a clause begins, on text in lower case with straight quotes and short forms (`i'll`, `don't`,
`let's`); what stands in quotation marks or backticks is one made-up word there. A pattern names who speaks: what others want, what
is asked for, and what might be is no event. After what matched, some words of content must follow.
"""

from __future__ import annotations

_ADV = (
    r"(?:(?:now|just|all|already|also|finally|simply|still|really|very much|strongly|generally|usually|always|personally"
    r"|absolutely"
    r"|definitely|certainly|mostly|mainly|currently|do|much|quite|particularly|especially|only|actually|honestly|kind of|sort of"
    r"|together|then|first|instead|both|so|truly|totally|normally|typically|by default) )*"
)
_END = r"(?![a-z0-9_'])"
DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTH = r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
TIME = (
    rf"(?:(?:{DAY}|{_MONTH}|tomorrow|tonight|today|noon|midnight|eod|eow|(?:the )?end of|next (?:week|month|year|quarter"
    rf"|sprint|{DAY})"
    rf"|this (?:week|month|evening|afternoon|year|weekend|{DAY})|q[1-4]|the \d{{1,2}}(?:st|nd|rd|th)"
    rf"|\d{{1,2}}(?::\d\d)? ?[ap]\.?m"
    r"|\d{4}-\d\d-\d\d|\d{1,2}[/.]\d{1,2}|\d{1,2}:\d\d|in (?:a|an|two|three|\d+) (?:hour|day|week|month)s?|(?:jan|feb|mar"
    r"|apr|jun|jul|aug"
    r"|sept?|oct|nov|dec) \d{1,2})(?![a-z0-9_'])|\d{1,2}(?:st|nd|rd|th)? (?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep"
    r"|oct|nov|dec))"
)
_IT = r"(?! ?(?:it|this|that|these|those|them|your|the following)(?![a-z0-9_']))"
_ADOPT = (
    rf"(?:use{_IT}(?! to(?![a-z]))|be using{_IT}|keep using{_IT}|go with{_IT}|go for{_IT}(?! an? )|stick (?:with|to){_IT}"
    r"|stay (?:with|on)"
    rf"|settle on|opt for|adopt{_IT}|standardi[sz]e on|switch (?:over )?to|migrate (?:[a-z0-9]+ ){{0,3}}to|deprecate)"
)

DECISION = (
    rf"let's {_ADV}{_ADOPT}",
    (
        rf"(?:i|we)(?: all)? (?:have )?{_ADV}(?:decided|agreed|settled|opted)(?: (?:to|on|that|for|against|upon|not to|we|i)"
        rf"|:){_END}"
    ),
    rf"(?:i|we) have {_ADV}(?:chosen|picked|gone with|switched to|dropped)(?: to)?{_END}",
    (
        rf"(?:i|we) {_ADV}(?:choose|chose|pick|picked|settled on|opted for|went with|standardi[sz]ed on|switched (?:over )?to"
        r"|migrated to"
        rf"|ended up (?:using|choosing|going with)){_END}{_IT}(?! (?:up|you|him|her|my|on|[a-z]+ly)(?![a-z]))"
    ),
    rf"(?:the|our|my) (?:final )?(?:decision|verdict|choice|agreement) (?:is|was) (?:made )?(?:to|that){_END}",
    r"(?:final )?(?:decision|decided|agreed):",
    r"it(?:'s| is| has been| was) (?:now )?(?:decided|settled|agreed)(?: that|:|,)",
    rf"(?:i'm|we're) {_ADV}going with{_END}{_IT}(?! (?:my|him|her|you|the flow))",
    rf"(?:i'll|we'll|(?:i'm|we're) (?:going to|gonna)|let me) {_ADV}{_ADOPT}(?![a-z0-9_'])(?! you(?![a-z]))",
    rf"(?:i'm|we're) (?:not )?{_ADV}(?:dropping|switching to|migrating to|adopting|sticking with|ditching|deprecating){_END}{_IT}",
    rf"(?:we|i) won't (?:be )?(?:use|using|support|supporting|adopt|adopting|ship|shipping){_END}{_IT}",
    rf"we're not (?:going to|gonna) (?:use|support|adopt|ship|go with){_END}{_IT}",
)
# At the very beginning only: in the middle of a sentence it says how something else was done.
DECISION_FIRST = (
    rf"(?:just |finally )?decided (?:to|on|against|that){_END}",
    rf"going with{_END}{_IT}",
)

_NO_PROMISE = (
    r"(?:not|never|always|see|need|have|want|like|love|hate|prefer|bet|guess|assume|suppose|think|say|admit|try|probably"
    r"|maybe|likely"
    r"|possibly|perhaps|let|wait|know|get(?! back)|ask you|tell you|explain|show you|give you|paste|forget|regret|die"
    r"|miss|end up|feel|appreciate"
    r"|trust|believe|remember|hear|hope|consider|leave (?:it|that|this|you)|take (?:it|that|this|your|care|over from"
    r"|an? (?:look|break))"
    r"|go (?:ahead|crazy|mad|nuts|insane|check|look|see)|come back|keep (?:you|ya|that|it|this|in mind|trying)"
    r"|check (?:it|that|this|them) out"
    r"|be(?! (?:at |in (?!touch|trouble|charge)|out|away|off |on (?:vacation|holiday|leave|call|a)|travel|joining"
    r"|attending|presenting"
    r"|visiting|flying|moving|releasing|shipping|finishing|working|speaking))|do (?:my best|whatever|anything|nothing)"
    r"|provide you|copy|attach|upload|continue|skip|pass|use|stop (?:here|now|you)|bed|sleep|lunch|dinner|the|a|an|to )"
)
# What is said of the next minute, or to cheer somebody up; with a day it is a promise all the same.
_WEAK = (
    r"(?:keep|stay|start|begin|look|reach|give|make|find|check|share|enjoy|learn|do|go|take|chat|help|read|watch|send you"
    r"|keep you|remain|work (?:hard|on)"
    r"|live|become|show|describe|put|post|run|rerun|play|be back|talk|ask|tell|focus|manage|achieve|grow|win|figure|come"
    r"|turn|leave|spend|hold|follow|explore)"
)
_WILL = (
    r"(?:i'll|we'll|(?:i'm|we're) (?:going to|gonna)) (?:(?:definitely|certainly|surely|also|then|now|personally|first"
    r"|still|all|just|absolutely) )*+"
    rf"(?!{_NO_PROMISE}{_END})(?:(?!{_WEAK}{_END})(?![a-z]+ (?:this|that|these|those|it|them|your){_END})"
    rf"|(?=[^?]{{1,120}}? {TIME}))"
)

COMMITMENT = (
    rf"{_WILL}[a-z]+{_END}",
    rf"(?:the|our|my) plan is to{_END}",
    rf"i promise (?:to|that|i|you|we){_END}",
    r"i(?:'m)? (?:have )?(?:commit|committed|committing) to (?:[a-z]+ing|the (?:deadline|date))(?![a-z])",
    rf"(?:i|we) (?:need to|have to|must|got to|have got to)(?= [^?]{{1,120}}? (?:by|before|until) (?:the )?{TIME})",
    rf"(?:i|we) (?:need|have) to finish{_END}{_IT}",
    rf"(?:i|we) {_ADV}(?:plan|intend|aim) (?:to|on){_END}",
    rf"(?:i'm|we're) {_ADV}(?:planning|intending|aiming) (?:to|on|a|an|our|my){_END}",
    (
        r"(?:i'm|we're) (?:also )?(?:meeting|flying|travell?ing|moving|leaving|presenting|launching|shipping|releasing"
        r"|visiting|starting|attending"
        r"|speaking|interviewing|having (?:a|an|our|my)|deploying|publishing|submitting"
        rf"|going(?! to (?:bed|sleep)))(?=[^?]{{1,80}}? {TIME})"
    ),
    (
        r"(?:i|we) have (?:got )?(?:a|an|my|our|the) (?:[a-z0-9'-]+ ){0,4}?(?:meeting|appointment|interview|call|flight"
        r"|exam|deadline"
        r"|demo|party|wedding"
        r"|trip|presentation|talk|review|class|lecture|date|train|standup|checkup|reservation|session"
        rf"|surgery)(?=[^?]{{0,80}}? {TIME})"
    ),
    (
        r"(?:the|our|my)(?: [a-z0-9'./-]+){0,5}? (?:deadline|due date|cutoff|release date|launch date"
        r"|code freeze)(?: for [^,?]{1,60}?)?"
        rf" (?:is|was moved to|has been moved to|moved to|got moved to)(?= [^?]{{0,40}}{TIME})"
    ),
    rf"(?:deadline|due date)(?: is|:)(?= ?[^?]{{0,40}}{TIME})",
    (
        rf"(?:the|our|my|this|all)(?: [a-z0-9'./-]+){{1,8}}? (?:is|are) (?:scheduled|due|set|planned"
        rf"|booked)(?![^?]{{0,80}}(?:every|each|daily|nightly|fail))(?= [^?]{{0,40}}{TIME})"
    ),
    (
        r"(?:the|our|my|this|all|everything)(?: [a-z0-9'./-]+){0,8}? (?:must|has to|have to|needs? to|will) be (?:done"
        r"|finished|ready|submitted"
        r"|delivered|completed?|shipped|live|merged|released|deployed|sent|fixed|out)(?= (?:by|before|on|until"
        rf"|for) (?:the )?{TIME})"
    ),
)

_NO_TASTE = (
    r"(?! ?(?:that|it(?! when| if)|this|these|those|them|your|yours|you|him|her|both|neither|either|how|where|what|why"
    r"|who|the (?:idea|way|look|sound"
    r"|new|first|second|third|last|latter|former|approach|suggestions?|plan|results?|output|direction|changes?|name|other"
    r"|above|current"
    r"|previous|one|design)|not to|option|number \d|one|a lot|to (?:say|ask|bother|admit|break|think|believe|see|be (?:that"
    r"|honest|rude)|interrupt)|(?:[b-d]|\d(?! (?!this|does|looks|seems|works|sounds|makes|reads)[a-z]{3,}s(?![a-z])))\b)"
    r"(?![a-z0-9_']))"
)
_HABIT = (
    r"(?:always|never|usually|normally|typically|generally|mostly|often|mainly|almost always|almost never|rarely"
    r"|hardly ever|tend to|tend not to)"
    r" (?:only )?(?!(?:said|had|was|were|got|thought|knew|did|do that|saw|heard|meant|understood|understand|been|seen"
    r"|felt|found|went|came|forgot|forget"
    r"|get|see|end up|wonder|feel|find|think|have (?:to|this|that|an?|the|problems?|issues|trouble)|run into|hit|mess"
    r"|lose|fail|struggle"
    r"|(?!need)[a-z]+(?<!fe)(?<!se)(?<!be)ed|can|could|would|will|should|am|know|remember|hear|mean|expect|notice|say"
    r"|receive|want to|make mistakes|told|gave"
    r"|took|made|ran|wrote|put|met|won|lost|done|agree|disagree|sure|been|in|on|at|a|an|the|so|too|so much)(?![a-z0-9_']))"
)
_VERBS = (
    r"(?:use|write|run|add|include|put|keep|commit|push|merge|test|format|ask|answer|reply|respond|explain|show|give"
    r"|create|make|check|prefer|avoid"
    r"|follow|do|start|end|call|name|document|comment|log|return|read|lint|verify|confirm|delete|remove|touch|edit|change"
    r"|modify|deploy|install"
    r"|suggest|assume|guess|send|share|store|save|speak|talk|translate|sign|set|wrap|import|export|indent|type|annotate"
    r"|cite|link|quote"
    r"|summari[sz]e|be|tell|let|work|open|close|build|pin|mention|apologi[sz]e|refactor|rename|rewrite|sort|squash|rebase"
    r"|amend|force"
    r"|generate|post|print|order|book|buy|schedule|remind|address|leave|say|treat|present|round|convert|prefix|validate|review)"
)
_NOT_THIS = (
    r"(?! ?(?:this|that|the|it|them|any of|anything|here|yet|now|too|to|those|these|another|me|my|your|a|an|more"
    r"|so)(?![a-z0-9_']))"
)

PREFERENCE = (
    rf"i don't (?:ever )?want any{_END}{_NO_TASTE}",
    rf"i (?:have )?never (?:really )?(?:liked|enjoyed){_END}{_NO_TASTE}",
    rf"i {_ADV}(?:prefer|enjoy|dislike|hate|detest|despise|can't stand|favou?r|love|like|adore){_END}{_NO_TASTE}",
    rf"i {_ADV}(?:don't|never) {_ADV}(?:like|love|enjoy|care for){_END}{_NO_TASTE}",
    rf"i {_ADV}don't {_ADV}(?:use|eat|drink|watch){_END}{_NO_TASTE}",
    rf"i {_HABIT}[a-z]+{_END}",
    rf"(?:i'll|i'd) (?:always|never) (?:again )?(?:use|write|buy|work|eat|go|touch|want|choose|prefer|trust){_END}{_IT}",
    rf"i have always (?:preferred|liked|loved|hated|used|disliked){_END}{_IT}",
    (
        r"my (?:[a-z-]+ ){0,3}?(?:favou?rite|preference|preferred|go-to|pet peeve)(?: [a-z0-9'+#./-]+){0,5}? (?:is|are"
        r"|has always been|remains)"
        r"(?! (?:not|broken|gone|missing|wrong)(?![a-z]))"
    ),
    r"my (?:favou?rite|preferred|go-to)(?: [a-z0-9'+#./-]+){1,4}:",
    (
        r"i'm (?:not )?(?:really )?(?:(?:more )?(?:used|accustomed) to(?! (?:be|have)(?![a-z]))|partial to|keen on|fond of"
        r"|picky about|strict about|opinionated about"
        rf"|not into|a (?:big |huge |great )?fan of|not (?:a|really a|much of a)(?: big| huge)? fan of|against){_END}{_NO_TASTE}"
    ),
    rf"i'd (?:really |much |strongly )?(?:prefer|rather)(?! to see| you (?:wait|stop|first)){_END}{_NO_TASTE}",
    (
        r"(?:you (?:should|must|need to|have to)|make sure (?:you |to |that you )?|i want you to|please) (?:always|never"
        rf"|always remember to) {_VERBS}{_END}"
    ),
    (
        r"(?:from now on|going forward|from here on(?: out)?),? (?!i(?:'ll|'m| |$)|we(?:'ll|'re| |$)|it(?:'ll"
        r"| will))(?:please |you (?:should |must )?)?"
        rf"(?:always |never |don't |only |just )?{_VERBS}{_END}"
    ),
    rf"in (?:the )?future,? (?:please|always|never|don't|use|make sure|avoid|ask|write|answer|keep){_END}",
    rf"(?:whenever|every time|any ?time) you [^,?]{{3,80}}, (?:please |always |never |don't )*{_VERBS}{_END}",
    rf"(?:please )?don't (?:ever|ever again) {_VERBS}{_END}",
)
PREFERENCE_FIRST = (
    (
        r"(?:please )?keep (?:your |the |all )?(?:answers?|responses?|replies|explanations?|comments?|commits?|summaries"
        r"|functions|tests)"
        r"(?= (?:very |as )?(?:short|brief|concise|small|simple|terse|under|in (?!mind)|to (?:a|one|two|\d))(?![a-z]))"
    ),
    rf"(?:please )?{_VERBS}{_END}(?=[^?]{{1,120}} (?:from now on|going forward|in (?:the )?future)$)",
    rf"(?:please )?(?:always|never)(?: ever)? {_VERBS}{_END}(?! mind(?![a-z]))",
    (
        r"(?:please )?don't (?:use|add|write|include|put|create|commit|push|generate|suggest|mention|apologi[sz]e|call me"
        rf"|call it|send){_END}{_NOT_THIS}"
    ),
    (
        r"(?:please )?(?:stop|avoid) (?:using|adding|writing|putting|including|apologi[sz]ing|suggesting|calling me|creating"
        rf"|generating){_END}{_NOT_THIS}"
    ),
)

_NOT_SO = (
    r"(?! (?:not|broken|down|slow|so|too|very|really|being|still|getting|gone|missing|wrong|dead|full|now|already|fine|ok"
    r"|okay|good|great|bad"
    r"|running (?:out|slow|low)|acting|stuck|frozen|crashing|angry|mad|sick|away|here|there|on fire|what|how|why|where"
    r"|that|also|just|like|asking"
    r"|telling|invalid|expired|empty|undefined|null|none|unknown|blank|different|important|private|failing|hidden|shown"
    r"|displayed|returned)(?![a-z0-9_']))"
)
_ATTRIBUTE = (
    r"(?:(?:full|first|last|middle|current|native|main|primary|home|work|github|job|official|daily|legal) )*(?:name|role"
    r"|job|title|position|profession"
    r"|occupation|age|birthday|birth date|date of birth|anniversary|address|hometown|home ?town|city|country|nationality"
    r"|timezone|time zone|locale"
    r"|mother tongue|language|e-?mail(?: address)?|phone(?: number)?|handle|username|nickname|pronouns|company|employer"
    r"|team|manager|boss|os"
    r"|operating system|editor|ide|shell|terminal|browser|keyboard(?: layout)?|stack|tech stack|laptop|machine|setup"
    r"|major|degree|hobby"
    r"|hobbies|diet|blood type|shoe size|budget|(?:work|working|office) hours|domain|website|blog|background|department"
    r"|field|specialty|account id)"
)
_PERSON = (
    r"(?:wife|husband|partner|girlfriend|boyfriend|son|daughter|kids?|dog|cat|mother|mom|mum|father|dad|"
    r"|brother|sister|boss|manager|baby)"
)
_NO_KIND = (
    r"(?! (?:bit|little|lot|few|couple|minute|hour|day|week|month|year|second|moment|mess|wreck|complete|total|idiot"
    r"|moron|fool|failure|step"
    r"|single|level|version|point|loss|big fan|fan|huge fan|great fan|victim|bad person|good boy|hurry|rush|loser|user"
    r"|customer|genius"
    r"|ghost|burden|big boy"
    r"|hundred|thousand|million|\d+%?|long way|ways)(?![a-z0-9_']))"
)

FACT = (
    rf"my (?:team|company|employer|startup) (?:owns|uses|builds|makes|runs|maintains|sells|develops){_END}{_IT}",
    rf"my {_PERSON} (?=(?:is|are) \d)",
    r"i have (?=(?:severe |mild )?(?:adhd|autism|dyslexia|celiac|asthma|diabetes|tinnitus|epilepsy|migraines)(?![a-z]))",
    r"i'm training for(?= (?:a|an|the|my)(?![a-z]))",
    (
        r"i'm (?:currently |now |still |also |actually |originally )*(?:based|located|living|employed|stationed|studying"
        r"|working (?:remotely )?"
        rf"(?:at|for|as|from)){_END}(?! (?:the same|now|here|there))"
    ),
    rf"(?:i'm|we're) (?:currently |now |still )*(?:working on|building|writing|developing|creating) (?:a|an|my|our){_END}",
    (
        r"i (?:currently |now |also |still )*(?:live|reside|work(?: remotely| part-time| full-time| mostly| mainly"
        r"| primarily)?) (?:in|at|for|as|near"
        rf"|from|with|on the){_END}"
        r"(?! (?:it|this|that|you|them|here|there|fear)(?![a-z]))"
    ),
    (
        r"i (?:currently |now |also |still |mostly )*(?:study|teach|lead|maintain|co-?founded|grew up in|was born (?:in|on)"
        r"|come from|graduated (?:from|in)|majored in"
        rf"|speak(?! (?:to|with|of|about|for|up))|own an?|work on|manage(?! to)){_END}{_IT}(?! (?:the following|same)(?![a-z]))"
    ),
    (
        rf"i (?:currently |now |also |mostly |mainly |still |only )*(?:use|run|drive|play|program in|code in|write){_END}"
        r"(?! (?:it|this|that|the|them|to|these|those|here|there|code|tests?|a (?:script|test|command|query|function|loop|for"
        r"|regex)|into|out|around|\w+ to)(?![a-z]))"
    ),
    r"i (?:moved|relocated) to(?! (?:the|a|an|it|this|next)(?![a-z]))(?![a-z])",
    r"my name(?:'s| is)(?![a-z])" + _NOT_SO,
    rf"my {_ATTRIBUTE} (?:is|are)(?![a-z]){_NOT_SO}",
    rf"my (?:[a-z]+ )?{_PERSON}(?:'s name is| is (?:called|named|a|an|allergic|from|\d+)| works| lives)(?![a-z])",
    rf"i'm (?:also |still |actually |currently |just |only )*(?:a|an){_END}{_NO_KIND}",
    rf"i'm the (?:[a-z]+ )?(?:cto|ceo|founder|lead|maintainer|author|owner|manager|head|product|tech|only|sole){_END}",
    r"i'm (?=\d{1,3}(?: years old|(?= and)|$|[.,!]))",
    r"i'm from(?! (?:now|the (?:same|future|support))(?![a-z]))(?![a-z])",
    (
        r"i'm (?:currently |also |a )*(?:fluent in|learning|allergic to|new to|on (?=windows|mac|linux|ubuntu|debian|arch"
        r"|fedora|nixos)"
        r"|in (?=(?:the )?(?:utc|gmt|cet|cest|est|edt|pst|pdt|ist|jst|bst|[a-z]+ time ?zone))|(?=vegan|vegetarian|lactose"
        r"|gluten|diabetic|colou?r-?blind"
        rf"|dyslexic|left-handed|married|divorced|retired|self-employed|freelanc|pregnant)){_IT}"
    ),
    (
        r"(?:i|we) have been (?!trying|struggling|stuck|getting|having|looking|debugging|thinking|wondering|waiting|seeing|told"
        r"|asked|reading|fighting|meaning)"
        r"[a-z]+(?! (?:on )?(?:it|this|that)(?![a-z]))(?=[^?]{1,80}? (?:for [^?]{0,20}(?:years?|months|decades?)"
        r"|since (?:\d{4}|i |childhood|college|university|school)|all my life))"
    ),
    r"i have (?:over |about |around |almost |more than )?(?:\d+\+?|ten|five|twenty|many) years",
    rf"i have worked (?:at|for|with|in|as){_END}{_IT}",
    (
        r"i have (?:a|an|one|two|three|four|five|\d+) (?=(?:[a-z-]+ ){0,2}?(?:kids?|child|children|sons?|daughters?|dogs?"
        r"|cats?|brothers?|sisters?|siblings?"
        r"|wife|husband|girlfriend|boyfriend|phd|degree|master's|allergy|macbook|thinkpad|disability|garden"
        r"|nut allergy)(?! (?:files?|nodes?|elements?|rows?|tables?|columns?|class(?:es)?|process(?:es)?)(?![a-z]))(?![a-z.]))"
    ),
    (
        r"we (?:currently |mostly |still |now |all |only |mainly |always |no longer )*(?:use|run on|deploy|host|build with"
        r"|ship (?:on|every|to)|release (?:on|every)|follow"
        rf"|store|target|support|write (?:in|everything)|test with){_END}{_IT}(?! (?:to|the (?:same|following))(?![a-z]))"
    ),
    (
        rf"our (?:[a-z0-9-]+ ){{1,4}}?(?:uses?|runs? on|(?:is|are) (?:written|built|hosted|deployed|based|implemented|called"
        r"|named)(?: (?:in|on|with|using))?|lives? (?:in|at)"
        rf"|targets?|consists? of){_END}{_IT}"
    ),
    (
        r"our (?:tech |main |production |current )*(?:stack|team|company|product|database|db|ci|frontend|backend|repo"
        rf"|monorepo|cloud|prod|production|staging) (?:is|are){_END}{_NOT_SO}"
    ),
)
# Where someone asks outright that it be kept.
REMEMBER = (r"(?:please )?(?:remember|keep in mind|don't forget)(?: that|:)(?! (?:time|when|you|it|one|anything)(?![a-z]))",)
