"""English that asks for something: a question, a look-up, a request."""

from __future__ import annotations

from memtree.tree.fact_gate_parts import Reason, Rule, any_of

# Asking.
_DO = any_of(
    "find show tell_me give_me translate summarize summarise explain compare list search look_up look_for look_into"
    " look_at check generate draft recommend suggest"
    " convert calculate compute rewrite rephrase proofread fix describe define help analyze analyse review write"
    " create make_me make_a make_this make_the make_it make_that compose outline"
    " count sort extract identify classify estimate solve evaluate format paraphrase fetch open run send print plan_a"
    " plan_me plan_my book_me book_a get_me design_a design_me"
    " build_me play_me play_some pull_up bring_up refactor implement add read_me read_the read_this simplify shorten"
    " expand improve correct edit clean_up"
    " brainstorm walk_me teach_me remind_me_what remind_me_how remind_me_who pick_a pick_one pick_me name_three"
    " name_five name_a transcribe lookup google confirm_whether confirm_if verify"
    " break_down turn_this turn_these put_together set_up figure_out investigate optimize optimise elaborate"
    " continue_with go_through go_over provide answer_this answer_the reply_to schedule_a"
    " look_up order_me sum_up scan parse render plot draw sketch code test diff double-check crosscheck polish render"
    " turn_the reformat merge prepare update rename delete remove"
)
_WH = r"(?:what|how|why|where|when|who|whom|whose|which|whether|if|how much|how many|more about|about|more on)"
_QUESTION_HEAD = (
    r"(?:what|how|why|where|who|whom|whose|which)(?! (?:matters|counts|helps|works best|i (?:like|love|hate|want|need"
    r"|value)|we (?:need|want|use)|user (?:likes|wants|values))\b)(?:'s|'re|\b)(?! (?:ever|a relief|a day|a week"
    r"|i wish)\b)"
    r"|when (?:is|are|was|were|do|does|did|will|can|should|would)\b"
    r"|(?:is|are|am|was|were|do|does|did|can|could|would|will|should|shall|may|might|has|have|had) (?:i|you|it|there"
    r"|this|that|these|those|we|they|he|she|anyone|anybody|someone|the|my|your|our|a|an|any)\b(?! (?:is|are)\b)"
    r"|(?:any|got any|have any) (?:idea|ideas|chance|suggestions?|tips|advice|recommendations?|thoughts|news|update"
    r"|updates)\b|(?:what|how) about\b|i wonder\b|(?:i am |i was )?(?:just )?(?:wondering|curious)\b"
)
_HELPER_NOUN = (
    r"(?:help|an? (?:explanation|summary|translation|list|comparison|example|overview|answer|recipe|recommendation"
    r"|suggestion|script|draft|definition|review|breakdown|outline|template|quote|rewrite|table|report|poem|story|joke"
    r"|update|plan for|link|hint|description|code snippet|snippet|step-by-step|guide)|suggestions?|recommendations?"
    r"|advice|ideas|tips|information|info|details|examples|instructions|assistance|clarification|feedback|directions"
    r"|some (?:help|advice|ideas|tips|suggestions|information|info|examples|recommendations|pointers)|the (?:summary"
    r"|link|list|address|phone number|definition|translation|weather|forecast|recipe|steps|latest|answer|opening hours"
    r"|results?|status|price))\b"
)
_GOALS_SOUGHT = (
    r"(?! (?:(?:a|an|the|some|another|new|full-time|part-time|bigger|smaller|permanent|better|remote|long-term|my|our"
    r"|his|her) ){0,4}(?:jobs?|flat|house|apartment|home|partner|investors?|co-?founders?|school|work|position"
    r"|internship|roommate|flatmate|husband|wife|career|kindergarten|daycare|nanny|girlfriend|boyfriend|place to live"
    r"|way out|birth|biological|role|employer|therapist|band|tenant|buyer|successor|publisher|sponsor)\b)"
)


RULES: tuple[Rule, ...] = (
    Rule(Reason.QUERY, 9, rf"^(?:{_QUESTION_HEAD})"),
    Rule(
        Reason.QUERY,
        6,
        (
            r"^(?:(?:please|kindly|can you|could you|would you|will you|pls|plz|now|then|also|and|you should|help me(?: to)?"
            r"|i (?:want|need|would like|would love) you to|i want|go ahead and|try to|just|quickly|feel free to"
            rf"|be so kind as to) )*+(?:{_DO}|debug(?! (?:log|logs|level|mode|build|builds|output|session|port"
            r"|symbols)))\b(?! (?:is|are|was|me every))"
        ),
    ),
    Rule(Reason.QUERY, 9, r"^(?:(?:please|and|so) ){0,6}(?:can|could|would|will) (?:you|someone|anyone)\b"),
    Rule(
        Reason.QUERY,
        4,
        (
            r"^(?:does|did) (?!not\b|(?:the|some|a|my|all|yoga|pilates|laundry|push-?ups|cardio|\d+|shift|voluntary|freelance"
            r"|ballet|karate|judo|nothing|well|badly)\b)[a-z]+ [a-z]+"
        ),
    ),
    Rule(
        Reason.QUERY,
        8,
        (
            r"^i (?:am |was |have )?(?:also )?(?:ask(?:s|ed|ing)?(?! (?:(?:a|an|my|his|her|their|our|the|its) (?!question"
            r"|couple|few|assistant|agent|ai|bot|model|quick|series|lot)|[a-z]+ to (?!be\b)(?:marry|move|help|join|come|sign"
            r"|lend|take)))|inquir(?:es?|ed|ing)|enquir(?:es?|ed|ing)|wonder(?:s|ed|ing)?|quer(?:ies|ied)|requests?|requested"
            r"|requesting|curious|google[ds]?|googling|searched|searching|looked up|looking up|look up|wanting to know"
            r"|interested in knowing|trying to (?:find out|understand|figure out|learn (?:how|what|why|about)|know"
            r"|remember (?:what|the)|decide (?:which|what|whether))|unsure (?:how|what|whether|if|which)|not sure (?:how|what"
            r"|whether|if|which|why)|confused about|checking (?:whether|if)|seeking|sought|after (?:a|an"
            r"|some))\b(?! (?:for a (?:raise|promotion|divorce|transfer|leave|day off)|(?:my|his|her|the) (?:boss|doctor"
            r"|girlfriend|boyfriend|wife|husband|landlord|father|mother|neighbou?r|teacher|parents|partner)|[a-z]+ to marry"
            r"|out\b|that (?:all|every|no|the team))\b)"
        ),
    ),
    Rule(
        Reason.QUERY,
        8,
        (
            r"^i (?:want|need|would like|would love|wish|like|hope|am trying|am hoping|am looking|have)(?:s|ed)? to (?:know"
            r"|find out|understand|learn (?:how|what|why|when|where|whether|about|more)|see (?:how|what|whether|if|the|some"
            r"|all|my|a list|examples)|hear (?:about|more|your|what)|ask|check|look up|look at|inquire|get (?:a|an|some|the"
            r"|more) (?:list|summary|idea|overview|info|information|translation|recommendation|explanation|answer|quote)"
            r"|be told|be shown|figure out|compare|search|find (?!a (?:job|partner|home|new|flat|house|wife|husband|career"
            r"|better)|new|work|my (?:birth|biological)|love|peace|out more time|time|happiness|meaning|another job|balance)"
            r"|translate|summari[sz]e|browse|confirm (?:if|whether)|verify|review|query|view|identify|determine|calculate"
            r"|convert|debug|fix|proofread|rewrite)\b"
        ),
    ),
    Rule(
        Reason.QUERY,
        8,
        (
            r"^i (?:am )?(?:want|need|would like|would love|request|require|look|ask|search|hope|seek|could use)(?:s|ed"
            rf"|ing)? (?:for )?{_HELPER_NOUN}(?! of my own)"
        ),
    ),
    Rule(
        Reason.QUERY,
        7,
        rf"^i (?:am )?(?:looking|look|searching|search|seeking|shopping around|hunting)(?:s)? (?:for|into){_GOALS_SOUGHT}",
    ),
    Rule(
        Reason.QUERY,
        8,
        (
            r"^i (?:want|need|would like|ask|asked|expect|tell|told|request|requested|get|got|instruct|instructed|have)(?:s"
            r"|ed)? (?:you|the (?:assistant|agent|ai|bot|model)|me|assistant|claude|chatgpt|someone) (?:to|for|about|if"
            r"|whether|how|what)\b(?! (?:always|never|stop|avoid|call me|remember|use|answer in|reply in|not|be))"
        ),
    ),
    Rule(
        Reason.QUERY,
        7,
        (
            r"^(?:let me know|tell me|remind me (?:what|how|who|where|when|why)|do you know|i do not (?:know|understand"
            r"|get) (?:how|what|why|where|which|if|whether|when)|no idea (?:how|what|why)|i have (?:a|one|another|two"
            r"|some) questions?|question|quick question|looking for|need (?:help|a hand|advice|suggestions|a recipe)"
            r"|asking (?:for|about|whether|if|how))\b(?! (?:immediately )?(?:when|whenever|before|if) (?:you|a|the|any))"
        ),
    ),
)
ASKS = rf"(?:{_QUESTION_HEAD}|{_DO}\b|(?:please|pls) )"
# How a request may begin that is meant for good.
STANDING = r"(?:(?:can|could|would|will) you|please|always|never|from now on|remember|i want you|do not)\b"
