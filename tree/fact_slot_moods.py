"""Whether what is said of a slot is so now: the words for what was, is wished, planned or denied."""

from __future__ import annotations

import re

PAST = re.compile(
    r"\b(?:used to|formerly|previously|in the past|ex-|long ago|back then|no more)\b|\b(?:lived|resided"
    r"|worked|was|were|had|owned|drove|spoke|played|studied)\b",
    re.IGNORECASE,
)
LASTS = re.compile(
    r"(?:'ve|\bhave)\b[^.]{0,60}\b(?:since|for)\b|\b(?:was|were) (?:born|diagnosed|promoted|appointed"
    r"|hired|prescribed|raised)\b",
    re.IGNORECASE,
)
WAS_PERIOD = re.compile(
    r"\b(?:as a (?:child|kid|teenager|student|boy|girl)|when I was|\d+ years ago I|until (?:19|20)\d\d"
    r"|back in (?:19|20)\d\d)\b",
    re.IGNORECASE,
)
WISH = re.compile(
    r"\b(?:would|'d|want(?:ed)?|wish|hope|hoping|dream(?:s|ed|t|ing)?|pretend(?:s|ed|ing)?|imagined|jok(?:ed|ing)|if|were|might|may|could|considering"
    r"|thinking|maybe|perhaps|someday|imagine|suppose"
    r"|supposing|unless|try|trying|should|looking to|would rather|whether)\b|'d ",
    re.IGNORECASE,
)
PLAN = re.compile(
    r"\b(?:will|gonna|going to|plan(?:ning|s)? (?:to|on)|about to|intend(?:ing)? to|decided to|moving"
    r"|relocating|starting|soon)\b|'ll\b",
    re.IGNORECASE,
)
NOT = re.compile(
    r"\b(?:not|no|never|don't|dont|do not|didn't|doesn't|haven't|hadn't|wasn't|won't|wouldn't|can't"
    r"|cannot|couldn't|away|out|stopped|quit)\b",
    re.IGNORECASE,
)
ANY_MORE = re.compile(r"\b(?:any ?more|any longer)\b", re.IGNORECASE)

HAN_PAST = re.compile(r"曾经|曾|以前|过去(?!的)|从前|小时候|原来|本来|之前|过(?:一段|几年|\w年)")
HAN_BEEN = re.compile(r"(?:住|工作|上班|待|呆|养|学)过")
HAN_WISH = re.compile(r"想|梦见|梦到|假装|开玩笑|希望|如果|要是|假如|考虑|梦想|也许|可能|或许|万一|应该")
HAN_PLAN = re.compile(r"打算|准备|计划|将|要去|要搬|会搬|下个?月|明年|下周|即将")
HAN_NOT = re.compile(r"不|没|从不|戒")
TEMPORARY = re.compile(
    r"\b(?:this (?:week|weekend|month|summer|winter|semester)|for (?:now|the (?:week|weekend|month|summer|winter|time being)"
    r"|an? (?:few|couple of) |(?:\d{1,2}|two|three|four) (?:days|weeks|months))|temporarily|for a while)\b",
    re.IGNORECASE,
)
HAN_TEMPORARY = re.compile(r"暂时|临时|这周|这个月|这几天|暂住")
CHANGE = re.compile(r"\b(?:moved|relocated|joined|switched|changed|became|started)\b|搬|换|入职|加入|跳槽", re.IGNORECASE)
THIS_TIME = re.compile(r"this |这周|这个月|这几天", re.IGNORECASE)
