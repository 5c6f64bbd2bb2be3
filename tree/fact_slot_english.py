"""How English says something of oneself, by what it tells: each slot with the words that fill it.

The patterns read statements in the first person (`fact_subjects`). `{ME}` is the speaker with what may stand between them and the
verb, `{AM}` with a form of `to be`, `{MY}` what they call their own. What follows the match is the value. The first match counts.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from memtree.tree.fact_slot_vocabulary import (
    ARTICLE,
    CAR,
    CHILD,
    COUNT,
    DEMONYM,
    DIET,
    EATING,
    EVENT,
    FAITH,
    HOBBY,
    JOB,
    MONTH,
    NO_PLACE,
    PET,
    SIBLING,
    SICK,
    SPOKEN,
)


class Form(NamedTuple):
    """A way to fill a slot. `keyed`: one slot for each thing that is told, `slot.<thing>`, instead of one for all."""

    slot: str
    text: str
    keyed: bool = False

    @property
    def words(self) -> re.Pattern[str]:
        return compiled(self.text)


# All of them together take half a second, which nobody is to wait for who only lists facts; most statements need few.
@cache
def compiled(text: str) -> re.Pattern[str]:
    """The pattern of a form's text, compiled when it is first asked for."""
    return re.compile(text, re.IGNORECASE)


def form(slot: str, words: str, *, keyed: bool = False) -> Form:
    """A form of its pattern's text."""
    return Form(slot, words, keyed)


_BETWEEN = (
    r"(?:'m|'d|'ve|'ll|am|was|have|had|would|will|do|did|don't|dont|didn't|doesn't|does|haven't|hadn't"
    r"|wasn't|won't|wouldn't|can't|cannot|can"
    r"|could|couldn't|not|no|longer|never|always|usually|mostly|normally|currently|still|now|also|just"
    r"|only|really|actually|recently|already"
    r"|officially|finally|permanently|often|rarely|sometimes|definitely|absolutely|like|love|want|wanted"
    r"|need|wish|hope|hoping|plan|planning"
    r"|decided|used|going|about|to|be|been|being|thinking|of|considering|might|may|should|must|ever|once"
    r"|previously|formerly|originally|first"
    r"|since|all|so|gonna|intend|dream|dreaming|trying|try|start|started|stopped|quit|mainly|primarily"
    r"|generally|typically|strictly|very"
    r"|both|even|as|long|soon)"
)
ME = rf"\bI(?:[ ]?{_BETWEEN}\b){{0,7}} "
AM = rf"\bI(?:[ ]?{_BETWEEN}\b){{0,6}}[ ]?(?:'m|am|was|be|been|being|m) (?:{_BETWEEN} ){{0,3}}"
MY = (
    r"\b(?:my|our) (?:(?:current|new|own|main|primary|preferred|default|present|full|real|first|legal"
    r"|usual|daily|regular|personal|home|old) ){0,2}"
)
THE_LAND = r"(?!netherlands|us\b|usa|uk\b|united|hague|bronx|philippines|czech|dominican|maldives|bahamas|congo|gambia)"
_NO_NAME = (
    r"(?!(?:not|now|so|very|also|still|just|sorry|happy|fine|here|back|ok|okay|sure|done|ready|busy"
    r"|tired|in|on|at|a|an|the|from)\b)"
)
_TABLE = (
    form(
        "identity.nickname",
        r"\b(?:you can |you may |please )?call me (?!when|if|at|back|on|later|tomorrow|after|before)|"
        rf"{MY}nick ?name(?: is|'s)|(?:my )?(?:friends|people|everyone|everybody|colleagues|family) calls? me"
        rf"|{ME}go by (?!bus|train|car|bike|foot|plane)",
    ),
    form("identity.surname", rf"{MY}(?:last|family|maiden) name(?: is|'s)|{MY}surname(?: is|'s)"),
    form(
        "identity.name",
        rf"{MY}name(?: is|'s| was)(?: now)?|{AM}(?:called|named)|{ME}changed my (?:first )?name to",
    ),
    form("identity.pronouns", rf"{MY}pronouns are|{ME}use (?=(?:she/|he/|they/))"),
    form(
        "identity.birthday",
        rf"{MY}(?:birthday|birthdate|birth date|date of birth|dob)(?: is|'s)?(?: on)?|{AM}born (?:on"
        rf"|in) (?=(?:the )?\d|{MONTH}\b)",
    ),
    form(
        "identity.age",
        rf"{MY}age is|{AM}(?=\d{{1,3}}(?: years? old| y/?o\b| yrs?\b|[.!]?\Z| and\b|,))"
        rf"|{ME}(?:just )?turned (?=\d{{1,3}}\b)",
    ),
    form(
        "identity.hometown",
        rf"{MY}(?:home ?town|birthplace|place of birth)(?: is|'s)|{AM}(?:originally )?(?:from"
        rf"|born (?:and raised )?in|raised in|a native of)|{ME}(?:originally )?come from|{ME}gr[eo]w up (?:in"
        rf"|near)",
    ),
    form(
        "identity.nationality",
        rf"{AM}(?:an? )?(?=(?:half[- ])?{DEMONYM}\W*\Z)|"
        rf"{MY}(?:nationality|citizenship|passport) is|{AM}an? (?:dual )?citizen of"
        rf"|{ME}hold an? (?=\w+ passport)|{ME}have (?=\w+ citizenship)",
    ),
    form("identity.height", rf"{AM}(?=\d[\d.,' ]*(?:cm|m|ft|feet)?(?: \d+)? tall)|{MY}height is"),
    form("identity.weight", rf"{ME}weigh|{MY}weight is"),
    form("identity.handedness", rf"{AM}(?=(?:left|right)[- ]handed|ambidextrous)"),
    form("health.blood_type", rf"{MY}blood (?:type|group) is|{ME}have (?=blood (?:type|group))"),
    form(
        "environment.timezone",
        rf"{MY}time ?zone(?: is|'s)|{AM}(?:in|on) (?:the )?(?=(?:utc|gmt|cet|cest|pst|est"
        rf"|[a-z]+ time ?zone)\b)",
    ),
    form(
        "environment.household",
        rf"{ME}(?:live|lived|living) (?:alone|by myself|with(?! no))|{ME}share (?:an? |my )?(?:flat|apartment"
        rf"|house) with",
    ),
    form(
        "environment.address",
        rf"{MY}(?:home )?address(?: is|'s)|{ME}(?:live|reside) (?:at|on) (?=.{{0,30}}(?:\d|street|road|avenue"
        rf"|lane|square|boulevard)\b)",
    ),
    form(
        "environment.dwelling",
        rf"{ME}(?:live|lived|living) (?:in (?:an?|the|my|our) {THE_LAND}|on |near |close to |outside |next to )"
        rf"|{AM}(?:living|based|located) (?:near|outside|in an?|in the {THE_LAND}) "
        rf"|{ME}(?:have|rent|own|buy|bought) an? (?:\w+ )?(?:flat|apartment|house|home|condo|studio)(?![\w-])"
        rf"|{MY}(?:house|apartment|flat|place)(?: is|'s| has)(?! in )",
    ),
    form(
        "environment.home",
        rf"{ME}(?:live|lived|living|reside|resided|residing)(?: and work)? (?:back )?(?:in|at)"
        rf"|{AM}(?:based|living|residing|located|settled|settling) (?:in|at|out of)|{ME}(?:settle"
        rf"|settled) (?:down )?in|{ME}(?:move|moved|moving|relocate|relocated|relocating) (?:here |back "
        rf"|over )?(?:from .{{1,40}}? )?(?:to|into) {NO_PLACE}|{ME}(?:move|moved|moving) (?:away from|out of)"
        rf"|{MY}(?:home|house|apartment|flat|place|residence|city|city of residence|country of residence"
        rf"|location)(?: is|'s| was)(?: now)?(?: in| at)?|{ME}call (?=.{{1,30}} home\b)",
    ),
    form(
        "work.mode",
        rf"{ME}(?:work|worked|working) (?=from home|remotely|hybrid|on-?site|in (?:the|an) office|part[- ]time"
        rf"|full[- ]time|freelance|night shifts|nights|shifts)|{AM}(?=self-employed|unemployed|retired"
        rf"|fully remote|between jobs|on parental leave|on sabbatical)|{ME}(?=retired\b)",
    ),
    form(
        "work.employer",
        rf"{ME}(?:work|worked|working)(?: as {ARTICLE}.{{1,40}}?)? (?:at|for)(?! (?:night|home|nights"
        rf"|a living|myself|least|hours|\d))|{AM}(?:employed|hired) (?:at|by|with)|{MY}(?:employer|company"
        rf"|workplace|firm)(?: is|'s)(?: called| now)?|{ME}(?:join|joined|joining) (?=(?-i:[A-Z]))|{ME}(?:start"
        rf"|started|starting|got|have|had|took|accepted) {ARTICLE}(?:new |great )?(?:job|position|role|work"
        rf"|offer)(?: offer)? (?:at|with|from)|{ME}started (?:working )?at"
        rf"|{AM}(?:an?|the) {JOB} (?:at|for|with) (?=(?-i:[A-Z]))",
    ),
    form(
        "work.field",
        rf"{ME}(?:work|worked|working) in (?!the\b|a\b|an\b|my\b|\d)|{ME}(?:work|worked"
        rf"|working) in (?:the )?(?=\w+ (?:industry|sector|department|team|business))",
    ),
    form(
        "work.team",
        rf"{AM}(?:on|in|part of) the (?=[\w ]{{1,30}} team\b)|{ME}(?:lead|manage|moved to|joined) (?:the"
        rf"|a) (?=[\w ]{{1,30}}team\b)|{MY}team is",
    ),
    form(
        "work.role",
        rf"{ME}(?:work|worked|working) as|{MY}(?:role|job|job title|position|profession|occupation|title"
        rf"|career)(?: is|'s| was)(?: that of)?|{AM}(?:promoted|appointed) (?:to|as)|{ME}got promoted to"
        rf"|{ME}(?:become|became) {ARTICLE}(?={JOB})|{AM}(?:an?|the) (?={JOB})|{AM}(?={JOB}\W*\Z)",
    ),
    form(
        "belief.religion",
        rf"{AM}(?:an? )?(?={FAITH}\b)|{MY}(?:religion|faith)(?: is|'s)|{ME}convert(?:ed)? to"
        rf"|{ME}(?:practi[cs]e) (?=islam|christianity|judaism|buddhism|hinduism|sikhism)",
    ),
    form(
        "health.diet",
        rf"{AM}(?:an? )?(?={DIET}\b)|{ME}(?:went|go|became|become|turned) (?:an? )?(?={DIET}\b)|{AM}on an? (?={DIET} diet)"
        rf"|{ME}follow an? (?={DIET} diet)",
    ),
    form(
        "health.eating",
        rf"{AM}on an? (?=[\w -]{{1,30}} diet)|{ME}follow an? (?=[\w -]{{1,30}} diet)|{MY}diet(?: is|'s)"
        rf"|{ME}(?:keep|eat|am|went|go) (?:only )?(?={EATING}\b)|{AM}(?={EATING}\b)",
    ),
    form(
        "health.allergy",
        rf"{AM}(?:\w+ )?(?:allergic|intolerant) to|{AM}(?=\w+[- ]intolerant)"
        rf"|{ME}have (?:an? )?(?:\w+ )?(?=allerg(?:y|ies)\b)|{ME}have (?:an? )?(?=[\w ]{{1,24}}(?:allergy"
        rf"|allergies|intolerance)\b)|{MY}allerg(?:y|ies)(?: is| are| include)|{ME}can(?:'t|not) tolerate",
    ),
    form(
        "health.condition",
        rf"{ME}(?:have|had|got|live with|suffer from) (?:been )?(?=(?:(?:mild|severe|a mild"
        rf"|a severe) )?{SICK}\b)|{ME}suffer from|{AM}diagnosed with"
        rf"|{AM}(?:an? )?(?=(?:type [12] )?(?:diabetic|asthmatic|epileptic|colou?r[- ]?blind|deaf|blind"
        rf"|dyslexic|autistic|pregnant|hard of hearing|infertile|anaemic|anemic)\b)",
    ),
    form(
        "health.medication",
        rf"{ME}take (?=.{{1,40}}(?:\bmg\b|\d ?mg\b|pills?|tablets?|medication|for my\b|insulin"
        rf"|every (?:morning|evening|night|day)|daily|twice a day))|{ME}take (?=(?:insulin|metformin|ibuprofen"
        rf"|aspirin|antidepressants|statins|blood thinners|vitamin \w+|lisinopril|warfarin|omeprazole))"
        rf"|{AM}on (?=(?:medication|antidepressants|insulin|blood thinners|statins|metformin|beta blockers"
        rf"|the pill|\w+ \d+ ?mg))|{AM}prescribed|{MY}(?:medication|medicine|prescription)(?: is| for)",
    ),
    form(
        "skill.native_language",
        rf"{MY}(?:native|first|mother) (?:language|tongue)(?: is|'s)|{AM}an? native (?=\w+ speaker)"
        rf"|\bmy mother tongue(?: is|'s)",
    ),
    form(
        "skill.learning",
        rf"{AM}(?:learning|studying|taking lessons in) (?=(?:{SPOKEN}|{HOBBY})\b)|{ME}(?:learn"
        rf"|started learning|started to learn) (?=(?:{SPOKEN}|{HOBBY})\b)",
    ),
    form(
        "skill.language",
        rf"{ME}(?:can )?(?:speak|spoke|understand) (?=(?:\w+ ){{0,2}}(?:{SPOKEN})\b)|{AM}(?:fluent|bilingual"
        rf"|conversational) in",
    ),
    form(
        "family.status",
        rf"{AM}(?:happily )?(?=(?:single|divorced|widowed|separated|a widower|a widow|a bachelor)\b)"
        rf"|{AM}(?=(?:married|engaged)\W*\Z)|{ME}got (?=(?:married|divorced|engaged)\b(?! to))"
        rf"|{MY}marital status is",
    ),
    form(
        "family.spouse",
        rf"{MY}(?:wife|husband|spouse|partner|girlfriend|boyfriend|fiancée|fiancé|fiancee"
        rf"|fiance)(?:'s name)?(?: is|'s)(?: called| named)?(?= (?-i:[A-Z]))|{AM}(?:married|engaged) to"
        rf"|{ME}(?:got )?(?:marry|married|engaged) (?:to )?(?=(?-i:[A-Z]))|{AM}dating",
    ),
    form("family.partner", rf"{ME}have an? (?=(?:\w+ )?(?:wife|husband|girlfriend|boyfriend|partner)\b)"),
    form(
        "family.children",
        rf"{ME}have {COUNT} (?=(?:\w+ )?{CHILD}\b)|{ME}have (?=(?:kids|children)\b)|{MY}(?:\w+ )?(?:son"
        rf"|daughter|child|baby|kid)(?:'s name)?(?: is|'s)(?: called| named)?(?= (?-i:[A-Z]))"
        rf"|{AM}(?:an? )?(?:single |new |proud )?(?=(?:father|mother|dad|mom|mum|parent) (?:of|to)\b)"
        rf"|{MY}(?:kids|children)(?: are|'s names are)(?: called| named)?|{AM}(?:pregnant|expecting)",
    ),
    form(
        "family.siblings",
        rf"{ME}have {COUNT} (?=(?:\w+ )?{SIBLING}\b)|{MY}(?:\w+ )?(?:brother|sister)(?:'s name)?(?: is"
        rf"|'s)(?: called| named)?(?= (?-i:[A-Z]))|{AM}an (?=only child)|{ME}have (?=(?:siblings)\b)",
    ),
    form(
        "family.parents",
        rf"{MY}(?:mother|father|mom|mum|dad)(?:'s name)?(?: is|'s)(?: called| named)?(?= (?-i:[A-Z]))"
        rf"|{MY}parents(?:' names)? are",
    ),
    form(
        "family.pets",
        rf"{ME}(?:have|had|own|keep|adopted|got|bought|rescued) {COUNT} (?=(?:[\w-]+ ){{0,2}}{PET}\b)"
        rf"|{ME}have (?=(?:pets|cats|dogs)\b)|{MY}(?:\w+ )?(?:dog|cat|pet|puppy|kitten|parrot|rabbit|hamster"
        rf"|horse)(?:'s name)?(?: is|'s)(?: called| named)?(?= (?-i:[A-Z]))|{AM}an? (?=(?:dog|cat) (?:owner"
        rf"|person|lover))",
    ),
    form(
        "possession.car",
        rf"{ME}(?:drive|drove|own|have|had|bought|lease|got) {ARTICLE}(?=(?:[\w-]+ ){{0,3}}{CAR}\b)"
        rf"|{MY}car(?: is|'s)",
    ),
    form(
        "possession.phone",
        rf"{MY}(?:phone|smartphone|mobile)(?: is|'s)(?! number| \+?[\d(])|{ME}(?:use|have|own) an? (?=(?:iphone|pixel"
        rf"|galaxy|fairphone|android phone))",
    ),
    form(
        "possession.computer",
        rf"{MY}(?:laptop|computer|machine|workstation|desktop)(?: is|'s)|{ME}(?:use|have|own|work on"
        rf"|bought) an? (?=(?:[\w-]+ )?(?:macbook|thinkpad|framework laptop|laptop|chromebook|desktop))",
    ),
    form(
        "education.school",
        rf"{ME}(?:study|studied|studying) at|{MY}(?:school|university|college|alma mater)(?: is|'s| was)"
        rf"|{ME}(?:attend|attended)(?=.{{1,40}}(?:school|university|college|academy|institute)|\s(?-i:[A-Z]))"
        rf"|{ME}(?:graduate|graduated|graduating) (?:from|at)|{ME}go to (?=.{{1,30}}(?:school|university"
        rf"|college)\b)",
    ),
    form(
        "education.field",
        rf"{ME}(?:study|studied|studying|majored in|major in) (?=\w)|{MY}major(?: is|'s| was)|{ME}(?:have|hold"
        rf"|did|got|finished|completed) (?:an? |my )?(?=(?:\w+'?s? )?(?:degree|phd|ph\.d\.?|doctorate"
        rf"|master'?s?|bachelor'?s?|mba|diploma)\b)",
    ),
    form(
        "skill.experience",
        rf"{ME}have (?=(?:over |about |more than |at least )?\d{{1,2}}\+? years? of\b)|{ME}have (?=(?:over "
        rf"|about )?\w+ years of experience)",
    ),
    form(
        "contact.channel",
        rf"{ME}prefer to be (?:contacted|reached) (?:by|via|on|through)|(?:the )?best way to reach me is(?: by"
        rf"| via| on)?|\b(?:contact|reach|text|ping|message|email) me (?:by|via|on|only by|only via)"
        rf"|{MY}preferred (?:contact|channel|way of contact)(?: method)?(?: is|'s)|{ME}don't (?:answer|take"
        rf"|pick up) (?=(?:phone )?calls?\b|the phone)",
    ),
    form("contact.email", rf"{MY}e-?mail(?: address)?(?: is|'s)"),
    form(
        "contact.phone",
        rf"{MY}(?:phone|mobile|cell|telephone) number(?: is|'s)|{MY}(?:phone|mobile|cell)(?: is|'s)(?= \+?[\d(])",
    ),
    form(
        "contact.account",
        rf"{MY}(?:github|gitlab|twitter|x|mastodon|linkedin|instagram|discord|slack|telegram) (?:handle"
        rf"|username|account|name|user)?(?: is|'s)?",
    ),
)
_NAMED = form("identity.name", rf"\bI(?:'m| am) {_NO_NAME}(?=(?-i:[A-Z][a-zà-ÿ]+(?: [A-Z][a-zà-ÿ]+)?)\W*\Z)")
_KEYED = (
    form(
        "hobby",
        rf"{ME}(?:play|played|playing|practi[cs]e|do|did|go|collect|collecting) (?=(?:{HOBBY})\b)"
        rf"|{ME}collect\b",
        keyed=True,
    ),
    form(
        "hobby",
        rf"{MY}(?:favou?rite )?hobb(?:y|ies)(?: is| are| include|'s)|\bin my (?:free"
        rf"|spare) time,? I(?: like to| love to| enjoy)?",
        keyed=True,
    ),
    form(
        "health.avoids",
        r"\bI (?:(?:also|still|just|really|usually|mostly) )?(?:don't|do not|dont|never|cannot|can't"
        r"|no longer|rarely|avoid|stopped) ?(?:eat(?:ing)?|drink(?:ing)?)\b",
        keyed=True,
    ),
    form("event", rf"\b(?:my|our|the|I have|I have an?|I got an?) (?:\w+ ){{0,2}}?(?={EVENT}\b)", keyed=True),
    form(
        "goal",
        rf"{MY}(?:\w+ )?(?:goal|aim|ambition|dream|resolution|objective)(?: for [\w ]{{1,20}}?)?(?: is"
        rf"|'s)(?: to)?",
        keyed=True,
    ),
    form("preference.favorite", r"\b(?:my|our) (?:(?:all-time|absolute|new) )?favou?rite ", keyed=True),
)
FORMS: tuple[Form, ...] = (*_TABLE, _NAMED, *_KEYED)
# What is liked or not stands under one slot, so that the opposite meets it.
TASTE = re.compile(
    rf"{ME}(?:like|love|enjoy|adore|hate|dislike|detest|loathe|prefer)(?:d|s)? (?:to )?"
    rf"|{AM}(?:an? )?(?:huge |big )?fan of|{ME}can(?:'t|not) stand"
    rf"|\bI(?:'m| am) (?:really |not )?(?:into|fond of)|\bI (?:really |absolutely |just |still |also "
    rf"|do not |don't |no longer )*(?:like|love|enjoy|adore|hate|dislike|detest|loathe)\b",
    re.IGNORECASE,
)
USES = re.compile(
    rf"{ME}(?:use|used|using|switch(?:ed|ing)? (?:from .{{1,30}}? )?(?:over )?to"
    rf"|moved (?:from .{{1,30}}? )?to|code (?:in|with)|write (?:code )?(?:in|with)|edit with"
    rf"|program in|develop (?:in|on|with)|run|type on|browse with)(?![\w'])|{MY}(?:main "
    rf"|favou?rite )?(?=(?:editor|ide|os|operating system|shell|terminal|browser|keyboard"
    rf"|language|framework|database|package manager|linter|programming language)\b)",
    re.IGNORECASE,
)
WANTS = re.compile(
    r"\bI(?:(?: also| really| still| just| now)* want to|(?:'d| would) (?:like|love) to|(?: really"
    r"| still)* (?:hope|wish|intend|plan|aim) to|(?:'m| am) (?:planning|hoping|training|saving"
    r"|working) (?:to|for|on|towards?)|(?:'m| am) going to)\b",
    re.IGNORECASE,
)
