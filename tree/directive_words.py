"""The words of standing rules: what a user tells an agent to do always or never, and how to talk.

Patterns are tried where a clause begins, on text in lower case with `don't` in one spelling. Whether a request is meant for once or
for good is told by words such as `always`, `from now on`, `stop …ing`: a request without them counts only where it is about how the
agent talks, which is seldom meant for one answer.
"""

from __future__ import annotations

import re

_END = r"(?![a-z0-9_'-])"
_VERBS = (
    "use|write|run|rerun|add|include|put|keep(?! (?:going|trying|it|up))|commit|push|force[- ]?push|merge|test|format|ask"
    "|answer|reply|respond|explain|give(?! (?:up|in|it))|create"
    "|check|double-check|prefer|avoid|follow|start|begin|end|name|document|comment|lint|verify|confirm|delete|remove|touch|edit|change"
    "|modify|deploy|install|suggest|assume|guess|send|share|store|save|speak|talk|translate|sign|wrap|import|indent|type|annotate|cite"
    "|quote|summari[sz]e|tell|build|pin|mention|apologi[sz]e|refactor|rename|rewrite|sort|squash|rebase|amend|generate|print|remind"
    "|address|round|convert|prefix|validate|review|let me know|make sure|be sure|try to|show|publish|release|tag|track|upgrade"
    "|downgrade|update|revert|overwrite|hard-?code|ignore|disable|skip|mock|stage|stash|fetch|pull|branch|bump|trust|expose|leak|upload"
    "|post|reformat|reorder|restart|drop|truncate|spell|number|bullet|list|highlight|hedge|flatter|lecture|stick|consult|propose|describe"
    "|state|note down|work (?:on|in|with|from)|look (?:at|up)|read(?! only)|say(?! (?:never|always))|open(?! to)|set(?! to| by)"
    "|do(?! (?:it|so|the same))|return(?! to)|log(?! in)|make(?! sense)"
    "|be (?:very |as |more )?(?:brief|concise|terse|succinct|direct|blunt|honest|polite|formal|informal|casual|friendly|explicit"
    "|careful"
    "|critical|precise)"
)
_ADVERBS = (
    r"(?:(?:ever|again|first|only|explicitly|directly|simply|just|also|automatically|silently|blindly|manually|please|actually"
    r"|accidentally|immediately) )*+"
)
_VERB = rf"{_ADVERBS}(?:{_VERBS}){_END}"
# What stands for something at hand: nobody knows later what it was.
_NOT_AT_HAND = r"(?! (?:it|this(?! (?:repo|project|codebase|workspace))|that|these|those|them|the following|into)(?![a-z0-9_']))"
_ACT = _VERB + _NOT_AT_HAND + "(?=.{3})"
_PLEASE = (
    r"(?:(?:please|pls|kindly|just|can you|could you|would you|will you|you should|you must|you need to|you have to"
    r"|you're to|you can"
    r"|i want you to|i need you to|i expect you to|i'd like you to|make sure (?:to|you|that you)|be sure to"
    r"|remember to|try to|let's"
    r"|i'd like it if you)(?:,)? )*+"
)
_NOW_ON = (
    r"(?:(?:starting )?from (?:now|here|today|this (?:point|moment|day)) (?:on(?:wards?)?|forwards?)"
    r"|(?:starting )?from now onwards?|from today"
    r"|going forward|moving forward|in (?:the )?future|for (?:the future|future (?:reference|sessions|chats|conversations|answers))"
    r"|henceforth|as a (?:general )?rule|at all times|under (?:no|any) circumstances|no matter what)"
)
_STEP = (
    r"(?:commit|push|merge|release|deploy(?:ment)?|change|edit|pr|pull request|answer|reply"
    r"|session|refactoring|migration|task|test run)"
)
_EACH = (
    rf"(?:(?:before|after|on|with|for) (?:every|each|any) (?:single )?{_STEP}"
    r"|(?:whenever|every time|each time|any ?time) (?:i ask|(?:you|we) (?:commit|push|change|edit|write|add|finish"
    r"|create|answer|reply|make"
    r"|modify|touch|deploy|merge|release|refactor|rename|delete|find|see|use|run|open|start|move|explain"
    r"|are (?:unsure|done|not sure)))"
    r"(?![a-z])[^,?]{0,80})"
)
_NAMED = r"(?:answers|replies|responses|explanations|messages to me|summaries)"
_MANNER = (
    r"(?:brief|concise|terse|succinct|short|direct|blunt|formal|informal|casual|polite|friendly|critical|verbose"
    r"|wordy|chatty|long-winded"
    r"|talkative|laconic|enthusiastic|sycophantic|condescending|preachy|apologetic|robotic|to the point)"
)
_TONGUE = (
    r"(?:english|german|french|spanish|italian|portuguese|dutch|polish|russian|turkish|arabic|hindi|japanese|korean"
    r"|chinese|mandarin"
    r"|cantonese|swedish|norwegian|danish|finnish|czech|greek|hungarian|romanian|ukrainian|vietnamese|thai|hebrew|simple words"
    r"|(?:plain|simple|british|american) english|中文|英文)"
)
_FLUFF = (
    r"(?:emojis?|emoticons?|smileys?|exclamation (?:marks?|points?)|flattery|praise|small talk|pleasantries|apologies"
    r"|disclaimers|filler"
    r"|fluff|jargon|buzzwords|preambles?|compliments|em-? ?dashes)"
)
_LAYOUT = r"(?:bullet points?|bullets|bulleted lists|tables|headings|headers|markdown|bold(?: text)?|walls of text|latex)"
_IN_ANSWERS = rf"(?: (?:in|with|from|to) (?:your|all|all your|any|any of your|my) (?:{_NAMED}|messages))"
_TAIL = (
    rf"(?:{_IN_ANSWERS}| with me| to me| when (?:you )?(?:talk|speak|answer|reply|explain)[a-z]*(?: to me)?"
    rf"|,? please|,? thanks|,? ok|,? {_NOW_ON}| again| anymore)*$"
)

# What holds for good by its own words.
STANDING = (
    rf"{_PLEASE}(?:always|never)(?: ever| again)? {_ACT}",
    (
        rf"{_PLEASE}(?:always|never|don't ever)(?: ever| again)? (?:be {_MANNER}|force[- ]?push|apologi[sz]e|squash|rebase"
        rf"|amend|guess|hedge)$"
    ),
    rf"{_PLEASE}don't ever(?: again)? {_ACT}",
    rf"{_NOW_ON},? {_PLEASE}(?:(?:always|never|don't|only|also) )?{_ACT}",
    rf"under no circumstances (?:should you|may you|must you|are you to|do you) {_ACT}",
    rf"{_EACH},? {_PLEASE}(?:(?:always|never|don't|only|also|first) )*{_ACT}",
    rf"{_PLEASE}(?:(?:don't|only|never|always|no longer) )?{_ACT}[^?]{{1,160}}? (?:{_NOW_ON}|{_EACH})(?:,? please)?$",
    (
        rf"{_PLEASE}(?:don't )(?:{_VERBS}){_END}[^?]{{0,160}}? (?:without (?:asking|my (?:permission|approval|consent|ok"
        rf"|okay)|checking with me|telling me|being asked)|unless i (?:say|ask|tell|explicitly|specifically|request)"
        rf"|unless (?:absolutely|really|strictly|it's))"
    ),
    (
        rf"{_PLEASE}don't (?:use|mention|add|put|include|write){_END}{_NOT_AT_HAND}[^?]{{2,80}}? in (?:(?:any|my|our|your"
        rf"|the) )?(?:commit messages|commits|code|code comments|comments|docs|documentation|prs"
        rf"|pull requests)(?: please)?$"
    ),
    rf"{_PLEASE}keep (?:it|things) (?:(?:as|more|very) )?{_MANNER},? {_NOW_ON}$",
    (
        rf"{_PLEASE}don't (?:push|commit|force-?push|touch|delete|apologi[sz]e|use|write|mention|call me|say|edit"
        rf"|merge){_END}{_NOT_AT_HAND}[^?]{{2,80}}? (?:ever again|ever|again|anymore|any ?more|any longer)$"
    ),
    (
        rf"{_PLEASE}(?:(?:don't|only) )?(?:use|write|prefer|avoid|follow|stick to|spell){_END}(?! (?:the|this|that|it|them"
        rf"|these|those|our|my|your)(?![a-z]))[^?]{{2,80}}? (?:everywhere|throughout|consistently|across the (?:project"
        rf"|codebase|repo)|in all (?:my |our |your )?(?:docs|documents|code|files|projects|repos|comments|commit messages"
        rf"|texts|messages|answers|replies))(?: please)?$"
    ),
    rf"by default,? {_PLEASE}(?:answer|reply|respond|explain|ask|run|commit|push|assume|keep|speak|talk){_END}{_NOT_AT_HAND}",
    (
        rf"{_PLEASE}(?:answer|reply|respond|explain|ask|speak|talk|write to me|commit"
        rf"|work on){_END}{_NOT_AT_HAND}[^?]{{2,80}}? by default$"
    ),
    rf"{_PLEASE}(?:ask|check with|tell|warn|consult) me (?:first )?(?:every time|each time)",
    rf"{_PLEASE}(?:stop|quit) (?:pushing|committing|force-?pushing|merging) [^?]{{0,40}}?(?:to|into|on|without) [^?]{{2,40}}$",
)
# How to talk: these hold for good where the message asks for nothing else.
TALK = (
    (
        rf"{_PLEASE}(?:stop|quit|avoid|no more|enough with the|cut out the|cut the) (?:(?:apologi[sz]ing|hedging"
        rf"|flattering|praising|thanking|lecturing|patroni[sz]ing|moralizing|rambling|sugar-?coating){_END}"
        rf"|saying (?:sorry|xquotex|you're sorry|thank you)|repeating (?:yourself|my question|everything|what i)"
        rf"|calling me |being (?:so |too |overly )*+{_MANNER}|(?:using|adding|putting|including|writing) (?:(?:so many|any"
        rf"|all these|too many|the) )?{_FLUFF}|telling me (?:that )?(?:i'm|how great|what you)"
        rf"|asking (?:me )?(?:for permission|so many questions|whether|if i|if you)|(?:starting|beginning|ending|opening"
        rf"|closing) (?:your|every|each|all) |explaining (?:everything|the obvious|every|basics|what i)"
        rf"|summari[sz]ing (?:everything|what you|your|at the end))"
    ),
    (
        rf"{_PLEASE}(?:stop|quit|avoid|no more|enough with|drop|cut|skip|leave out|no|zero|without|use no|don't use"
        rf"|don't add|don't include) (?:(?:the|any|so many|all|too many|more) )*+{_FLUFF}(?:(?:,|,? or"
        rf"|,? and) {_FLUFF})*{_TAIL}"
    ),
    (
        rf"{_PLEASE}(?:stop using|avoid|no|don't use|don't add|use no|use fewer|use) (?:(?:the|any|so many|all|too many"
        rf"|more) )*+{_LAYOUT}{_IN_ANSWERS}{_TAIL}"
    ),
    (
        rf"{_PLEASE}be (?:(?:more|very|as|less|a bit|a little|much|super|really|so|too"
        rf"|extremely) )*+{_MANNER}(?: as possible)?(?:(?:,| and|, and) (?:(?:more|very|less) )?{_MANNER})?{_TAIL}"
    ),
    rf"{_PLEASE}(?:(?:a bit|a little) )?(?:less|more) (?:verbose|wordy|chatty|formal|concise|casual|brief|direct){_TAIL}",
    rf"{_PLEASE}don't be (?:so |too |overly |that )*+{_MANNER}{_TAIL}",
    (
        rf"{_PLEASE}(?:keep|make|write) (?:(?:your|all|all your|all the|the|my) )?{_NAMED} (?:(?:as|more|very|a bit"
        rf"|much) )*(?:short|shorter|brief|briefer|concise|terse|simple|simpler|to the point|small|crisp|tight|under|below"
        rf"|at most|within|less than|no longer than|to (?:one|two|three|a few|\d+))(?![a-z])(?!.{{0,60}} (?:in|of|for"
        rf"|on) (?:the|our|my|a)(?![a-z]))"
    ),
    rf"{_PLEASE}(?:give|write|send|use) (?:me )?(?:only )?(?:shorter|short|brief|concise|longer|detailed) {_NAMED}{_TAIL}",
    rf"(?:shorter|short|brief|concise) {_NAMED}(?: only)?(?:,? please)(?:,? {_NOW_ON})?$",
    (
        rf"{_PLEASE}(?:only )?(?:answer|reply|respond|speak|talk|communicate|chat)(?: to me| with me| me| back)?(?: only"
        rf"| always)? in {_TONGUE}(?: only| instead)?(?:{_TAIL}|(?=, (?:my|i|because|since|not|and (?:skip"
        rf"|keep))(?![a-z])))"
    ),
    rf"{_PLEASE}(?:only )?speak {_TONGUE}(?: with me| to me)?(?: only)?{_TAIL}",
    (
        rf"{_PLEASE}don't (?:(?:sugar-?coat|flatter me|lecture me|patroni[sz]e me|talk down to me|repeat yourself"
        rf"|repeat my question|praise me|thank me){_END}|apologi[sz]e (?:so much|all the time|for everything|constantly"
        rf"|every time)|say (?:sorry|xquotex) (?:so (?:much|often)|all the time|every time|constantly)|(?:always"
        rf"|constantly) (?:say|apologi[sz]e|repeat|ask|end|start|use|thank|add)|(?:start|begin|end|open|close) (?:your"
        rf"|every|each|all|any) (?:{_NAMED}|answer|reply|response|message)|explain (?:the obvious|basics|everything))"
    ),
    rf"please don't apologi[sz]e{_TAIL}",
)
# What may stand before a directive in its clause.
LEAD = re.compile(
    r"(?:(?:ok(?:ay)?|yes|yeah|yep|no|nope|sure|right|alright|great|good|thanks|thank you|hey|hi|hello|oh|well|so|and"
    r"|but|also|plus|then"
    r"|btw|by the way|fyi|note(?: that)?|remember(?: that)?|reminder|important|one (?:more )?(?:thing|rule)|rule"
    r"|actually|again|as i said|i said"
    r"|i told you|like i said|in general|generally|for (?:this project|the record)|in this (?:repo|project"
    rf"|codebase)|{_NOW_ON})(?:[,:;.!]+ ?| - | ))*+"
)
CLAUSE = re.compile(
    r"[,;:!]+ ?| [-–—]+ |\. ?| (?=(?:and|but|so|then) (?:please |always |never |don't |from now |stop "
    r"|in (?:the )?future|keep |answer ))"
)
# What stands before an `and` that leads to another rule: a request, and nothing that is told.
REQUEST = re.compile(rf"{_PLEASE}(?:always |never |don't |only |also )*(?:{_VERBS}|stop|quit){_END}|{_NOW_ON}")
FOR_GOOD = re.compile(_NOW_ON)
FOR_GOOD_ZH = re.compile("以后|今后|往后|从现在|从今")
# What is not for good, or not the user's own rule.
ONCE = re.compile(
    r"(?<![a-z])(?:here|(?<!from )now|now(?! on)|yet|until|till|today|tonight|tomorrow|this(?! (?:repo|project"
    r"|codebase|workspace|point|moment|day)(?![a-z]))"
    r"|for the (?:moment|time being)|at the moment|just (?:this )?once|temporar[a-z]+|line \d+|lines \d+"
    r"|the next [a-z]+|last (?:time|chance)"
    r"|for now|right away|the (?:current|above|below|attached) [a-z]+)(?![a-z])(?! on)"
)
ONCE_BEFORE = re.compile(
    r"(?:for now|for the (?:moment|time being)|today|tonight|this (?:time|once)|until|till|just (?:this )?once)(?![a-z])"
)
ANOTHERS = re.compile(
    r"(?<![a-z])(?:translate|rewrite|rephrase|paraphrase|proofread|reword|draft|compose|lyrics|caption|pretend"
    r"|role-?play|imagine|suppose"
    r"|assume|system prompt|says?|said|saying|told|tells|wrote|sentence|for example|for instance|example|e\.g|act as"
    r"|titled|called|named"
    r"|string|slogan|quote|poem|whether|wish|maybe|perhaps|should i|had i|may|might|error|warning|output|prints?|why"
    r"|how|what|because"
    r"|they|he|she|people|it says|function|test that|rule that)(?![a-z])"
)
POLITE = re.compile(
    r"(?:(?:hey|hi|ok|so|and|also|please),? )*(?:can|could|would|will) you (?!.{0,200}(?<![a-z])(?:how|why|what"
    r"|whether|which|who)(?![a-z]))"
)
POLITE_ENDS = re.compile(rf"(?<![a-z])(?:{_NOW_ON}|always|never|stop)(?![a-z])")
# What asks for an answer or a text: then how it should be is said of that one.
ASKS_FOR = re.compile(
    r"(?:(?:please|pls|ok|okay|now|so|and|then|hey|hi|can you|could you|would you|i want you to|i need you to|i need"
    r"|help me(?: to)?|let's)"
    r"[,:]? )*(?:write(?! to me)|draft|compose|summari[sz]e|explain|translate|describe|list|give me|tell me|show me"
    r"|create|generate|make me"
    r"|compare|review|outline|rewrite|rephrase|analy[sz]e|suggest|recommend|what|how|why|which|who|where|when(?! you)"
    r"|is|are|does|do(?!n't)|did"
    r"|fix|implement|add|refactor|find|look at|check|help|update|build|a |an )(?![a-z'])|.*\?$"
)

# -- Chinese
_PLEASE_ZH = r"(?:请|麻烦|拜托|希望)?(?:你们?|您)?(?:请|麻烦)?(?:记住|注意|要记得|记得)?[,:]?"
_FROM_ZH = (
    r"(?:以后|今后|往后|从现在(?:起|开始)|从今(?:以后|往后|天起|天开始)|从此(?:以后)?)"
    r"(?!的|不用(?:管|担心|理|怕|急|谢|客气"
    r"|问|写|跑|做|加|改|测|解释|每次|再)|再说|可能|应该|会|我|再(?:看|议|考虑|加|改|做))"
)
_STEP_ZH = r"(?:提交|推送|合并|发布|部署|上线|修改|改动|改完|删除|重构|回答|回复|写完|改代码|写代码|动手|push|commit|merge)"
_DO_ZH = (
    r"(?:用(?!户|法|途|例|处|到|完|不)|使用|回答|回复|说|写|讲|跑|运行|执行|提交|推送|推到|直接|改(?!天|日)"
    r"|修改|删除?|动|碰|加(?!油)|添加"
    r"|问|询问|确认|检查|测试|解释|给(?!力)|把|在|先|保持|简短|简洁|遵循|遵守|采用|格式化|生成|创建|新建|合并|发布"
    r"|部署|翻译|输出|总结|道歉|重复|提醒|告诉"
    r"|避免|按照?|以(?!为|后)|跟我|和我|对我|附上?|带上?|标注|注明|忽略|省略|跳过|开(?=新?分支)|建(?=分支)|尽量"
    r"|少|多|力?求|统一|强制|force|push|commit|merge|rebase"
    r"|补|写上|留|引入|安装|升级|硬编码|擅自|随便|自作主张|未经|每次|代码|注释|提交信息|变量名?|文档|函数名?|测试|日志"
    r"|分支|回答|回复)"
)
_NOT_ZH = r"(?:不要|不用|别|不许|不准|不得|不能|不可以?|禁止|勿|切勿|严禁|绝不|不应该?|不)"
_THIS_ZH = r"(?!\s*(?:这|那|它|他|她|了|啥|什么|怎么|谁))"
_ACT_ZH = rf"(?:{_NOT_ZH})?(?:再)?(?:{_DO_ZH}){_THIS_ZH}"
_HOW_ZH = r"(?:简洁|简短|简明|精简|精炼|直接|直白|口语化?|正式|随意|轻松|礼貌|友好|客气|啰嗦|干练|通俗)"
_FLUFF_ZH = (
    r"(?:表情(?:符号|包)?|emojis?|颜文字|感叹号|叹号|敬语|客套话?|废话|套话|官话|空话"
    r"|xquotex|对不起|抱歉|道歉|破折号|奉承话?|夸我|恭维)"
)
_LAYOUT_ZH = r"(?:列表|表格|markdown|标题|加粗|要点|长篇大论|分点)"
_TONGUE_ZH = (
    r"(?:中文|汉语|普通话|英文|英语|日语|日文|德语|德文|法语|法文|韩语|西班牙语|俄语|粤语|简体中文|繁体中文|english|german)"
)
_TAIL_ZH = r"\s*(?:我)?(?:就好|就行|即可|就可以)?(?:了|吧|哦|啊|呀|嘛|谢谢|,?谢谢)*$"
STANDING_ZH = (
    (
        rf"{_PLEASE_ZH}{_FROM_ZH}[,]?(?:请|你|您|也|都|就|一律|只|必须|务必|记得|要|一定|全部|统一|默认"
        rf"|总是|永远|尽量|先|在?[^,?我他她]{{0,8}}?(?:时(?!间)|里|中(?!文|国)|前(?!端)|后(?!端)),?)*+{_ACT_ZH}"
    ),
    (
        rf"(?:请|麻烦|你(?:要|必须|得|应该)|记得|记住|务必)[,:]?(?:你)?(?:总是|始终|永远|一律|每次都|任何时候都"
        rf"|一直)(?:要|得|必须|先)*+{_ACT_ZH}"
    ),
    (
        rf"(?:总是|始终|一律)(?:要|得|必须|先)*(?:{_NOT_ZH})?(?:再)?(?:用(?!户|法|途|例|处|到|完|不)"
        rf"|使用|先|在[^,?]{{1,12}}(?:前|后)|跑|写(?!错)|回答|回复){_THIS_ZH}(?!.*(?:报错|失败|出错"
        rf"|问题|不对|错误))"
    ),
    (
        rf"{_PLEASE_ZH}(?:永远|千万|绝对|一律|任何时候都|任何情况下都?|无论如何都?)(?:也)?(?:不要|别|不许|不准"
        rf"|不得|不能|不可以?|禁止)(?:再)?(?:{_DO_ZH}){_THIS_ZH}(?=\s*..)"
    ),
    (
        rf"{_PLEASE_ZH}(?:代码|注释|提交信息|提交说明|文档|变量名|函数名)(?:里面?|中)?(?:都|一律)?(?:不要|别"
        rf"|禁止|不许|不准)(?:再)?(?:使用|用|加|写|出现|带){_THIS_ZH}[^,?]+$"
    ),
    (
        rf"{_PLEASE_ZH}(?:在)?每次\s*{_STEP_ZH}[^,?我]{{0,12}}?(?:前|后|时|的时候|之前|之后|完"
        rf"|代码)?,?(?:你)?(?:请|都要|都得|都必须|都先|都请|必须|务必|要先|一定要|记得|先)(?!会)\s*[^,?会]"
    ),
    (
        rf"(?:请|麻烦)?(?:你)?(?:务必|一定要|必须)?在\s*(?:每次)?{_STEP_ZH}[^,?我]{{0,8}}?(?:之前"
        rf"|前|之后)(?:都|总是|一律|一定)(?:要|先|得|请)*+{_ACT_ZH}"
    ),
    (
        rf"{_PLEASE_ZH}(?:没有?|未)(?:经过?)?我的?(?:同意|允许|许可|批准|确认)(?:之前|前|就)?,?(?:不要"
        rf"|别|不许|不准|不得|不能|禁止){_DO_ZH}"
    ),
    (
        rf"{_PLEASE_ZH}(?:不要|别|不许|不准|禁止)(?:再|擅自|私自|自作主张)(?:直接)?(?:推送?|提交|合并|push"
        rf"|commit)(?:代码)?(?:到|进)\s*\S"
    ),
    (
        rf"{_PLEASE_ZH}(?:不要|别|不许|不准|禁止)(?:再|擅自|私自)(?:去)?(?:动|碰|改动?|修改"
        rf"|删除?){_THIS_ZH}[^,?]{{1,20}}(?:目录|文件夹|分支|配置)"
    ),
    rf"{_PLEASE_ZH}默认(?:情况下)?(?:请|都|就)?(?:用|使用)?{_TONGUE_ZH}?(?:来)?(?:回答|回复|交流|沟通|和我说|跟我说)",
)
TALK_ZH = (
    (
        rf"{_PLEASE_ZH}(?!(?:别|不要|不用)(?:说|讲)?(?:道歉|抱歉|对不起))(?:别|不要|少|不用|停止"
        rf"|禁止)(?:再|总是?|老是?|一直|每次都|动不动就?)?(?:用|使用|发|加|带|说|讲|放|写)?(?:任何|那么多|这么多"
        rf"|太多|一堆|这些|些)?{_FLUFF_ZH}{_TAIL_ZH}"
    ),
    (
        rf"{_PLEASE_ZH}(?:别|不要)(?:再|总是?|老是?|一直|每次都)(?:重复(?:我的|问题|自己)|道歉|认错|夸我|叫我"
        rf"|反问|说教|解释(?:基础|显而易见)|在(?:开头|结尾|最后|回答)|总结|问我(?:要不要|是否|需不需要)"
        rf"|用{_TONGUE_ZH})"
    ),
    (
        rf"{_PLEASE_ZH}(?:别|不要)(?:再)?(?:那么|这么|太|过于|如此|(?!客气))(?:啰嗦|正式|客气|官方|冗长"
        rf"|说教|废话|死板|拘谨|严肃){_TAIL_ZH}"
    ),
    (
        rf"(?=请|麻烦|拜托|希望|你|您|所有|回答|回复|说话|讲话|解释|语气|措辞"
        rf"|保持){_PLEASE_ZH}(?:你的?)?(?:所有)?(?:回答|回复|说话|讲话|解释|语气|措辞)?(?:时"
        rf"|的时候)?(?:请|要|都|得|可以|尽量|能)*+(?:保持|更|再|稍微|尽量|尽可能|说得?|讲得?"
        rf"|写得?)*+{_HOW_ZH}(?:明了|扼要)?(?:(?:一|有)?[点些]儿?|为主)?{_TAIL_ZH}"
    ),
    (
        rf"{_PLEASE_ZH}(?:都|只|就|统一|全程|尽量)?(?:用|使用){_TONGUE_ZH}(?:来)?(?:回答|回复|交流"
        rf"|沟通|对话|聊天?|和我(?:说|聊|交流|沟通|对话)|跟我(?:说|聊|交流|沟通|对话)){_TAIL_ZH}"
    ),
    rf"{_PLEASE_ZH}(?:都|只|就)?(?:说|讲){_TONGUE_ZH}{_TAIL_ZH}",
    (
        r"(?:在)?(?:回答|回复|解释)(?:我的?|问题)*(?:时|的时候|里|中|里面)[,]?(?:请|都|要|尽量|也|先|只|必须"
        r"|总是)*(?:不要|别|不用|少|多|用(?!户)|使用|保持|给出|附上?|先|简)(?!这)[^,?]+$"
    ),
    rf"{_PLEASE_ZH}(?:回答|回复)(?:里|中|时)?(?:请)?(?:不要|别|少)(?:再)?(?:用|使用|带|加){_LAYOUT_ZH}{_TAIL_ZH}",
    rf"{_PLEASE_ZH}(?:把)?(?:回答|回复)(?:请|都)?(?:控制|保持|限制)在[^,?]{{1,10}}(?:以?内|之内|以下){_TAIL_ZH}",
)
LEAD_ZH = re.compile(
    r"(?:(?:好的?|好吧|嗯+|行|对了?|那么?|然后|所以|但是?|不过|而且|另外|还有|同时|总之|顺便|哦|啊|谢谢|你好|ok"
    r"|okay|再强调一遍|重申一下|注意|记住|规则|要求)[,:。!\s]+)*+"
)
CLAUSE_ZH = re.compile(r"[,;:。!]+\s*|\s+")
ONCE_ZH = re.compile(
    r"这里|这次|这个|这些|本次|(?<!从)现在|暂时|目前|先别|此处|当前|这段|这一|这份|这封|这篇|这句"
    r"|第[\d一二三四五六七八九十]+行|今天(?!起|开始)|明天|今晚|刚才"
)
ONCE_BEFORE_ZH = re.compile(r"这次|今天(?!起|开始)|目前|暂时|现在|先")
ANOTHERS_ZH = re.compile(
    r"(?:他|她|它|老板|同事|朋友|老师|客户|经理|领导|有人|别人|文档|书上|网上|规定|手册)[^,]{0,6}(?:说|讲|写"
    r"|认为|告诉|表示|要求|建议)|据说|听说|写道|说[,:]"
    r"|翻译|改写|润色|造句|例句|例如|比如|歌词|台词|文案|提示词|扮演|假装|如果我|要是我|为什么|怎么|什么|是否|是不是|报错|提示|系统"
)
ASKS_FOR_ZH = re.compile(
    r"(?:(?:请|麻烦|帮我|你|能不能|可以|给我|替我)+)?(?:帮我|写(?!得)|起草|总结|概括|解释(?!时|的时候|要|请)"
    r"|翻译|介绍|列出|生成|比较|分析|推荐|给我|告诉我|润色|改写|什么|怎么|如何|为什么|说说|讲讲"
    r"|描述|实现|修复|添加|重构|看看|检查)|.*(?:吗|呢|\?)$|.*(?:是什么|怎么|如何|为什么)"
)

# Where none of these stands no directive is looked for.
MAY = re.compile(
    r"always|never|don't|from |forward|future|henceforth|rule|circumstances|every|each|whenever|any ?time|any |stop"
    r"|quit|avoid|no |more|less"
    r"|brief|concise|short|be |keep|make|answer|repl|respon|speak|talk|communicat|chat|default|consistently"
    r"|throughout|at all times|across"
    r"|cut |enough|drop |skip |leave out|zero |without |ever|in all|explanation|summar"
)
MAY_ZH = re.compile(
    r"以后|今后|往后|从|接下来|总是|始终|永远|一律|每次|千万|绝对|任何|无论|默认|不要|别|少|停止|禁止|不许|不准|不用|请"
    r"|简|直|口语|正式|随意|轻松|礼貌|友好|客气|啰嗦"
    r"|干练|通俗|详细|用|说|讲|回答|回复|解释|同意|允许|许可|批准|之?前都?"
)
