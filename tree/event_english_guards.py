"""What stands around an English sentence's pattern: what may come before it, and what says that it is no event after all."""

from __future__ import annotations

import re

from memtree.tree.event_english import DAY

# What may stand before the subject of a clause.
FILLER = (
    r"(?:(?:ok(?:ay)?|yes|yeah|yep|no|nope|sure|right|alright|cool|great|good|perfect|thanks|thank you|h+m+|oh|ah|well|so"
    r"|and|but|also|plus|then"
    r"|now|anyway|btw|by the way|fyi|actually|honestly|frankly|basically|personally|generally|in general|usually|normally"
    r"|typically"
    r"|as (?:a rule|always|usual|i said|i told you|i mentioned|mentioned|discussed|agreed|for me)|like i said"
    r"|to be (?:honest|clear|fair)|tbh"
    r"|imo|imho|for (?:the record|me|context|reference|this project|that reason)|just (?:so you know|fyi|to be clear)|so you know"
    r"|(?:please )?(?:remember|note|keep in mind|don't forget|be aware|know)(?: that)?|i think(?: that)?|i believe"
    r"|in the end|after all|on (?:second|further) thoughts?|on reflection"
    r"|after (?:some|much|a lot of|long|a)(?: long| short| lot of| few)* [a-z]+|finally|eventually|instead|therefore"
    r"|hence|thus|however|unfortunately|luckily"
    r"|in my (?:free time|spare time|case|opinion|view|experience)|at work|at home|today|yesterday|this (?:morning|week)"
    r"|tomorrow|tonight"
    rf"|next (?:week|month)|last (?:week|month|night)|(?:from now on|going forward)(?=,? (?:i|we)(?![a-z]))|on {DAY}|hi"
    r"|(?:in|for|on|at) (?:this|our|the|my) (?:repo(?:sitory)?|project|codebase|team|company|job|app|backend|frontend|monorepo)"
    r"|hello|hey|hi there|update|note|i told you|i said"
    r"|because|since|although|though|while|as)(?:[,:;.!]+ ?| (?:that )?)){0,4}"
)
# `for python i prefer…`: only before words that nobody uses of the noun before them.
PHRASE = (
    r"(?:(?:for|in|on|at|during|after|before|regarding|with|as for|when it comes to) (?:(?!i |case|what|which|that|whom"
    r"|how|where|who|if|whether"
    r"|order|we )[a-z0-9'+#./-]+ ){1,5}?(?=(?:i|we) (?:(?:strongly|much|really|generally|have) )?(?:prefer|always|never"
    r"|usually|normally|typically|tend)))?"
)
CLAUSE = re.compile(r"(?:[,;:.]+ ?|[—–] ?| -+ | (?=(?:and|but|so|because|since|then|also|plus|although|though|while|as) ))(?=\S)")

# The first words of every pattern: where none of them stands, none is tried.
OPENS = re.compile(
    r"(?:(?:i|we|let|it)(?:'[a-z]+)?|my|our|the|this|all|everything|deadline|due|final|decision|decided|agreed|going"
    r"|always|never|please|make|you|from|in"
    r"|whenever|use|write|answer|reply|respond|call|speak|every|any ?time|don't|stop|avoid|remember|keep)(?![a-z0-9_])"
)

# Before the words that matter, these make them another's, a wish, or a piece of text.
REPORTED = re.compile(
    r"(?<!i )(?<!we )(?<!i've )(?<!we've )(?<!i have )(?<!have i )(?<![a-z])(?:said|says|saying|told|tells|asked|asks"
    r"|wrote|writes|claims?|claimed|mentioned"
    r"|thinks?|thought|believes?|according to|quote|replied|answered|announced|insists?|she"
    r"|he)(?![a-z])(?<!i think)(?<!we think)(?<!i thought)(?<!second thought)(?<!further thought)"
)
REPORTED_AFTER = re.compile(
    r"[,\"] ?(?:he|she|they|it|[a-z]+) (?:said|says|wrote|told|replied|announced)(?![a-z])|(?<![a-z])(?:said|says"
    r"|wrote) (?:the|my|he|she|they)(?![a-z])"
)
MATERIAL = re.compile(
    r"(?<![a-z])(?:translate|rewrite|rephrase|paraphrase|proofread|reword|write|draft|reply|respond with|saying|send"
    r"|compose|sentence|grammar|example"
    r"|e\.g|for instance|prompt|caption|string|pretend|act as|imagine|assume|suppose|supposing|role-?play|lyrics|print"
    r"|prints|output|outputs|echo|log|logs"
    r"|error|message|user story|as an? (?:user|customer|admin|visitor|player|guest|member))(?![a-z])"
)
CONDITION = re.compile(
    r"(?<![a-z])(?:if|unless|whether|wish|would|could|might|maybe|perhaps|had i|should i|in case|assuming|what if"
    r"|hypothetically|or)(?![a-z])"
)
WISH = re.compile(r"(?<![a-z])(?:whether|wish|might|maybe|perhaps|had i|should i|assuming|what if|hypothetically)(?![a-z])")
LATER_CONDITION = re.compile(r"(?<!even )(?<![a-z])(?:if|unless|or not|depending on|either)(?![a-z])")
ASKS_FIRST = re.compile(
    r"(?:(?:ok|so|and|but|hey|hi|well|hmm|please|also|wait),? )*(?:what|how|why|who|which|do|does|did|can|could|should"
    r"|would|will|is|are|am|was|were|have you|has|shall"
    r"|may i|any|tell me|explain|don't you|isn't|aren't|won't|didn't)(?![a-z])"
)
ASKS = re.compile(
    r"(?:and |so |but |please |then )?(?:what|how|why|who|which|where|when|do|does|did|can|could|should|would|will|is|are"
    r"|am|was|have|has|shall|may|any"
    r"|and you)(?![a-z])"
)
TAG_QUESTION = re.compile(
    r"(?:and |so )?(?:(?:is|would|does|do|will|are|did|was|can|should)(?:n't)? (?:that|this|it|you (?:agree|think)|i"
    r"|we)(?![a-z])|what do you (?:think|say)|don't you"
    r"|won't|aren't|isn't|wouldn't|how does that|how about that|any (?:objections|thoughts|concerns)|can we|should we|shall we)"
)
_EMPTY = (
    "a an the try use using it its it's this that these those them they to of in on at for with do does be is are was "
    "so too very much "
    "more now then here there you your me my i we us our all both one ones same as well also just and or but by from if not "
    "no yes really get thing things stuff way lot bit again already anyway right away first once soon later today ok okay "
    "please better some any something anything nothing that's there's instead will would been done doing myself ourselves "
    "what which who how when where why like such than about up out back over only ever him her he she "
)
# Words that say nothing alone.
EMPTY = frozenset(_EMPTY.split())
LEADING = re.compile(
    r"(?:(?:ok(?:ay)?|yes|yeah|yep|no|nope|sure|right|alright|cool|great|good|perfect|thanks|thank you|h+m+|oh|ah|well|so"
    r"|and|but|also|plus|then|anyway|btw"
    r"|by the way|fyi|actually|scratch that|please note that|note that|hi|hello|hey)(?:[,:;.!—–-]+\s*|\s+))+",
    re.IGNORECASE,
)
# A name begins with a capital; `call me back` does not.
CALL_ME = re.compile(r"(?i:(?:please |just |you can |and )*(?:call me|address me as|refer to me as)) [A-Z][\w'-]{0,30}(?![\w'-])")
BEGINS = re.compile(
    r"(?:i|i'm|im|i'll|i'd|i've|ive|we|we'll|we're|we've|let's|lets|my|our|the|from|always|never|please|don't|dont|going"
    r"|in|for|whenever|call|stop"
    r"|avoid|this|all|today|yesterday|tomorrow|remember|keep|on|when|after|since|because|as|at)(?![a-z0-9_])"
)
# A request that was added to a statement.
REQUEST = re.compile(
    r"(?:and |so |but )?(?:please|pls|can you|could you|remind me|help me|give me|show me"
    r"|let me know|tell me|find me|recommend|suggest)(?![a-z])"
)
HANDS_OVER = re.compile(
    r"(?:(?:please|pls|hi|hey|ok|now),? |(?:can|could|would) you (?:please )?|i want you to |help me (?:to )?"
    r"|i need you to )*(?:translate|rewrite|rephrase"
    r"|paraphrase|proofread|reword|polish|edit|correct|fix the (?:grammar|wording|spelling)|check the (?:grammar"
    r"|spelling)|improve the (?:grammar|wording|text)"
    r"|summari[sz]e|classify|analy[sz]e|label|respond to|reply to|write a reply to|continue)(?![a-z])"
    r"[^?]{0,120}(?:(?<![a-z])(?:this|these|following|below|text|sentences?|paragraph|e-?mail|message|letter|essay"
    r"|to [a-z]+|review|story)(?![a-z])|:$)"
)
ANNOUNCES = re.compile(
    r"(?<![a-z])(?:e-?mail|message|letter|transcript|conversation|text|sentence|story|prompt|essay|post|tweet"
    r"|review)s?(?: [a-z]+){0,4}:$"
    r"|^(?:he|she|they|[a-z]+) (?:said|says|wrote|replied|asked|told me)[^.]{0,40}:$"
)
# A rule for all time is none when it speaks of here and now.
HERE_AND_NOW = re.compile(
    r"(?<![a-z])(?:here|(?<!from )now|yet|this (?:time|file|function|one|test|class|case|commit|pr|branch)|for this|at the moment"
    r"|until|for the moment)(?![a-z])"
)
TROUBLE = re.compile(
    r"(?<![a-z])(?:error|errors|fail(?:s|ed|ing|ure)?|crash(?:es|ed|ing)?|exception|traceback|doesn't (?:work|run)"
    r"|not working|broken|stuck|bugs?)(?![a-z])"
)
