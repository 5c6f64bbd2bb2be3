"""English that tells how an agent or a system is running."""

from __future__ import annotations

from memtree.tree.fact_english_times import CONTROL_OBJECTS, CONTROL_VERBS
from memtree.tree.fact_gate_parts import Reason, Rule, any_of
from memtree.tree.fact_words_english import ing, past

# Systems, and how they are at the moment.
_SYSTEMS = (
    r"(?:builds?|linting|testing|parsing|formatting|rendering|packaging|provisioning|tests?|test suite|test run|suite"
    r"|deploy(?:ment)?s?|imports?|exports?|uploads?|downloads?|jobs?|tasks?|services?|server|backend|frontend"
    r"|pipelines?|ci(?: run)?|containers?|process(?:es)?|scripts?|migrations?|requests?|quer(?:y|ies)|commands?"
    r"|tool calls?"
    r"|calls?|cache|index|backups?|sync(?:hroni[sz]ation)?|daemon|connections?|session|logs?|compil(?:ation|er|e)"
    r"|linter|lint|install(?:ation)?|update|workers?|queue|endpoint|api|node|cluster|pods?|token limit"
    r"|context(?: window)?|run|batch(?:es)?|workspace|table|errors?"
    r"|exceptions?|warnings?|checks?|smoke tests?|steps?|stage|phase|tickets?|issues?|prs?|pull requests?"
    r"|merge requests?|branch(?:es)?|commits?|merge|rebase|checkpoint|transaction|loop|scan|crawl(?:er)?|scrape"
    r"|scraper|training run|epoch|rollout|rollback|release build|database|db|model|system|agent"
    r"|assistant|subagent|bot|tool|webhooks?|cron|operation|response|reply|output|transfer|indexing|reindex|re-index"
    r"|rebuild|restore|snapshot|vm|instance|gpu|cpu|disk|memory usage|ram|rate limit|quota|website|site|app|dashboard"
    r"|health ?check|monitoring|alert|patch|package|dependenc(?:y|ies)|plan"
    r"|files?|conversion|rendering|parser|extraction|ingestion|etl|export|retry|retries|timeout|dev server|typecheck"
    r"|type check|coverage|benchmark|report)"
)
_STATUS = (
    r"(?:pass(?:ed|es|ing)|fail(?:ed|s|ing)?|succeeded|finish(?:ed|ing)|complete[ds]?|completing|done|start(?:ed|ing)"
    r"|began|(?:is|are|still) running|running(?= again| now| at| for|$| on (?:staging|ci))|pending|queued"
    r"|in (?:progress|the queue|review|flight)|underway|under way|uploading|uploaded|downloading|downloaded|syncing"
    r"|synced|green|red|yellow|broken|stuck"
    r"|hanging|hung|idle|down|up(?: again| and running| now|$)|back (?:up|online)|online|offline|ready|healthy"
    r"|unhealthy|restarted|restarting|rebooting|rebooted|crashed|crashing|exited|timed out|timing out|returned"
    r"|returning|responded|responding|not respond\w*|unresponsive|refused|rejected|aborted|cancell?ed|interrupted"
    r"|killed|retrying|retried|waiting"
    r"|resumed|paused|stopped|pushed|merged|opened|closed|created|deleted|cleared|flushed|rebuilt|rebuilding|deployed"
    r"|deploying|rolled back|processed|processing|generated|written to|saved|loaded|loading|installed|installing"
    r"|updated|updating|at \d+ ?%|\d+ ?%|took \d+|produced|reported|reports|shows?|showed|threw|raised|hit|reached"
    r"|exceeded|ran (?:out|for|into|successfully|without|fine|clean)"
    r"|at capacity|overloaded|unavailable|rate.limited|throttled|live(?: now| on|$)|hit the|contains? \d+|found \d+"
    r"|detected|requires? confirmation|needs? confirmation|awaiting|blocked|unblocked|assigned|open(?= now|$| still)"
    r"|active(?= now|$)|functioning|working(?= now| again| as expected| correctly| fine|$)|fixed|resolved"
    r"|scheduled for (?:today|tonight|tomorrow)|re-?indexed|compiled|executing|executed|evaluating|analy[sz]ing"
    r"|analy[sz]ed"
    r"|thinking|indexing|indexed|importing|imported|exporting|exported|building|compiling|migrating|migrated|skipped"
    r"|flaky|expired|initialised|initialized|initiali[sz]ing|spinning up|starting up|booting|scanned|scanning"
    r"|triggered|terminated|degraded|lagging|stalled|estimated|expected|due|not (?:found|available|reachable)"
    r"|unreachable|missing|empty|successful|unsuccessful|unchanged|clean|stable|normal|almost|nearly|halfway|warming"
    r"|attached|validated|verified|parsed|fetched|fetching|logged|archived|locked|unlocked|out of (?:memory|disk"
    r"|space)|returns? (?:\d{3}|an? error|null|empty|nothing)|gave|got|emitted|printed|dropped|corrupted)"
)
_HELPERS = (
    r"(?: (?:has|have|had|is|are|am|was|were|be|been|being|just|still|all|both|again|not|now|also|already|successfully"
    r"|currently|only|will|should be|may be|seems?|looks?|to be|a bit|very|recently|almost|did|does|fully|partially"
    r"|automatically|temporarily))*+"
)
_DET = (
    r"(?:the |a |an |all |all the |our |my |this |that |some |both |most |every |no |latest |current "
    r"|\d+ (?:of (?:the )?\d+ |out of \d+ )?)*+"
)
_AGENTS = r"(?:assistant|agent|ai|bot|claude|gpt|chatgpt|copilot|codex|gemini|subagent|sub-agent|coding agent|llm)"
_GERUNDS = any_of(
    "uploading syncing downloading importing exporting deploying building compiling installing retrying processing"
    " fetching indexing migrating"
    " running loading testing debugging connecting restarting rebuilding re-running scanning cloning pulling pushing"
    " merging waiting"
    " reindexing analyzing analysing generating executing rendering training verifying checking updating rolling_back"
    " rolling_out polling reading writing"
)


RULES: tuple[Rule, ...] = (
    Rule(
        Reason.OPERATIONAL,
        4,
        (
            r"^(?!i\b|my\b).{0,80}\b\d+ ?(?:%|percent)(?: (?:done|complete|completed|left|remaining|finished|loaded|of)"
            r"|$)(?!.*\b(?:revenue|income|equity|salary|always|must)\b)"
        ),
    ),
    Rule(
        Reason.OPERATIONAL,
        4,
        (
            r"^(?:[\w-]+ ){1,4}(?:acquired|released|established|received|detected|granted|initiali[sz]ed|loaded|hit|found"
            r"|reached|lost|refused|exceeded|exhausted)(?:,? (?:now )?(?:starting|backing|retrying|continuing|waiting"
            r"|proceeding|aborting|falling|resuming|exiting|skipping|trying)\b|$)"
        ),
    ),
    Rule(
        Reason.OPERATIONAL,
        4,
        (
            r"^(?!i\b)(?:the |a |our )?(?:[\w./-]+ ){1,4}?(?:is|are|was) (?:still |now |back )?(?:listening|running|working|up"
            r"|online|live|responding|healthy|reachable|going|alive|recovering|draining|warming up|coming up|retrying|hanging"
            r"|looping|idle|busy)(?: (?:again|now|after|since the|for now)\b|$)(?!.*\b(?:every|port)\b)"
        ),
    ),
    Rule(
        Reason.OPERATIONAL,
        4,
        (
            r"^(?:cache (?:miss|hit)|dry run|checksum|segfault|panic|deadlock|lock|heartbeat|garbage collection|out of memory"
            r"|oom)\b|.*\bin this (?:run|session|build|turn)$"
        ),
    ),
    Rule(
        Reason.OPERATIONAL,
        2,
        (
            r"^(?:the |a |our |my )?(?:[\w./-]+ ){0,4}?(?:is|are) (?:still |now |currently )?being (?:\w+ed|re\w+t|built"
            r"|rebuilt|run|sent|written|read|set up)\b"
        ),
    ),
    Rule(
        Reason.OPERATIONAL,
        3,
        (
            r"^(?!i\b|my (?:son|daughter|wife|husband)).*\b(?:in|took|takes|after|for|of|within) (?:\d+(?:\.\d+)?|two|three"
            r"|four|five|ten|a few|several|about \d+) ?(?:ms|s|sec|secs|seconds?|m|min|mins|minutes?)\b(?!.*\b(?:every|always"
            r"|must|from the|away|walk|late)\b)"
        ),
    ),
    Rule(
        Reason.OPERATIONAL,
        4,
        (
            r"^(?:none|no|zero|two|three|four|five|all|both|half|most|some|\d+)(?: (?:of|out of"
            r"|/) ?(?:the )?(?:\w+))? (?:[\w-]+ ){0,2}?(?:shards?|tests?|nodes?|workers?|files?|jobs?|tasks?|rows?|records?"
            r"|replicas?|checks?|steps?|pods?|containers?|builds?|commits?|pages?|items?|documents?|chunks?|messages?|events?"
            r"|requests?|batches|errors?|migrations?|services?|branches|modules?|packages?|images?|tokens?"
            r"|lines?)\b(?: [\w-]+){0,3}? (?:is|are|was|were|has|have|got|remain|left|failed|passed|to go|done|pending|run"
            r"|written|synced|processed|completed|found|matched|changed|skipped|loaded)\b"
        ),
    ),
    Rule(
        Reason.OPERATIONAL,
        4,
        (
            r"^(?:log|logs|console|terminal|debug|trace|stderr|stdout|error|command|script|tool|test)(?: output| log| message"
            r"| result)? ?(?:says?|said|:|reads?|prints?|shows?)"
        ),
    ),
    Rule(
        Reason.OPERATIONAL,
        2,
        (
            r"^(?:the |a |our )?(?:docker |container |npm |python |rust |cargo |frontend |backend |staging |test |dev |demo "
            r"|ci |unit |integration |e2e )+(?:[\w-]+ ){0,2}?(?:image|images|build|package|crate|tests?|suite|server"
            r"|environment|database|cluster|run|binary|bundle)\b.*\b(?:built|compiled|finished|up|down|broken|green|red|done"
            r"|ready|failed|passed|restored|reset|refreshed|rebuilt|updated|released|online|offline"
            r"|reachable)\b(?!.*\b(?:every|by|must|on (?:mondays|fridays|weekends))\b)"
        ),
    ),
    Rule(
        Reason.OPERATIONAL,
        4,
        (
            r".*\b(?:(?:temporary|temp|scratch) (?:workspace|table|monitoring|branch|directory|folder|file|database"
            r"|environment|worktree)|planning[- ]only|planning(?:-only)? turn|tracking[- ]event error|service error"
            r"|at capacity|functioning (?:correctly|normally)|exit(?:ed)? (?:with )?(?:code|status)|stack ?trace|traceback)\b"
        ),
    ),
    Rule(
        Reason.OPERATIONAL,
        6,
        (
            rf"^{_DET}{_AGENTS} (?:will|is (?:now |currently |still )?\w+ing|is about|has|had|was|did|can not|could not"
            r"|plans? to|wants to|started|finished|read|ran|ca\w+ed|\w+ed)\b(?! (?:always|never|allowed|required|named"
            r"|called)\b)(?!.*\b(?:always|never|every time|from now on)\b)"
        ),
    ),
    Rule(
        Reason.OPERATIONAL,
        6,
        (
            r"^(?:the |my |our )?(?:ticket|issue|pr|mr|pull request|merge request|card|story|bug|task|job|build"
            r"|run)s? #?(?:no\.? ?)?[\w]*-?\d+\b(?!.*\b(?:because|caused by|root cause|lesson)\b) (?:is|was|has|are|moved|got"
            r"|still|now|set|went|marked|waiting|remains?|stays?|needs|assigned|back|closed|opened|merged|failed|passed"
            r"|finished|completed|blocked|stuck|in)\b"
        ),
    ),
    Rule(
        Reason.OPERATIONAL,
        4,
        (
            rf"^{_DET}{_AGENTS}(?:'s)?\b(?! (?:name|memory file|instructions|tone|must|should|may not|always|never|is called"
            r"|is named|shall))"
        ),
    ),
    Rule(
        Reason.OPERATIONAL,
        4,
        (
            rf"^{_DET}(?:[\w./#-]+ ){{0,3}}?(?:debug(?:ging)? )?{_SYSTEMS}(?: (?!(?:must|should|needs? to|may|can|because|that"
            r"|which|uses?|listens?|belongs?|lives?|depends?|stores?"
            rf"|supports?)\b)[\w./#%:,-]+){{0,6}}?{_HELPERS} {_STATUS}(?![\w-])"
        ),
    ),
    Rule(
        Reason.OPERATIONAL,
        4,
        (
            rf"^{_GERUNDS}(?: (?:the|all|on|for (?:confirmation|approval|user|ci|the|a response|input)|\d[\d,.]*|files?|tests?"
            r"|now|in progress|to|from|into|changes|batch|it|data|dependencies|remaining|more)\b|$|\.\.)"
        ),
    ),
    Rule(
        Reason.OPERATIONAL,
        4,
        (
            rf"^i (?:am |was )?(?:(?:currently|still) )*{ing(CONTROL_VERBS + ' deploy import export wait_for_the')} (?:the "
            r"|all |a |some |my |this )*(?:[\w./-]+ )?(?:tests?|builds?|suite|deploy(?:ment)?|script|server|migration|pipeline"
            r"|command|query|container|import|upload|download|job|task|branch|commit|pr)\b(?! (?:company|business"
            r"|for a living))"
        ),
    ),
    Rule(
        Reason.OPERATIONAL,
        3,
        (
            rf"^(?:i )?(?:have |had |just )*{past(CONTROL_VERBS + ' deploy rerun')} (?:the |all |a |an |some |my |this "
            rf"|both )*(?:[\w./#-]+ ){{0,3}}?(?:{CONTROL_OBJECTS}|build|suite|deployment|migration|app|changes|version|hotfix"
            r"|cache|dependencies|packages?)\b"
        ),
    ),
    Rule(
        Reason.OPERATIONAL,
        4,
        (
            r"^(?:step|phase|stage|part|task|job|batch|ticket|issue|pr|mr|build|run|epoch|attempt|chunk)s? (?:number |no\.? ?"
            rf"|#)?\d+\b(?: [\w/'-]+){{0,5}}?{_HELPERS} {_STATUS}"
        ),
    ),
    Rule(
        Reason.OPERATIONAL,
        4,
        (
            r"^(?:no|zero|0|\d+) (?:[\w-]+ )?(?:errors?|warnings?|failures?|issues?|problems?|tests?|files?|rows?|records?"
            r"|results?)\b"
        ),
    ),
    Rule(
        Reason.OPERATIONAL,
        4,
        (
            r"^(?:eta|status|progress|error|warning|info|debug|exit code|output|result|traceback|exception|todo|current step"
            r"|next step)\b(?: [\w-]+){0,4}? ?(?::|is\b|for\b|=|\d)"
        ),
    ),
    Rule(
        Reason.OPERATIONAL,
        4,
        (
            r"^(?:everything|all|things|all systems|all services|all checks)(?: [\w-]+){0,2}? (?:is|are|looks?|works?|working"
            r"|seems?|running|went|operational|green|good|passed|ran)\b"
        ),
    ),
    Rule(
        Reason.OPERATIONAL,
        4,
        (
            r"^(?:(?:there (?:is|are|was|were)|got|getting|received|saw|found|hit|i (?:got|see|am getting|hit|received"
            r"|found))) (?:a|an|the|\d+|some|several|no|this|another)? ?(?:[\w-]+ ){0,3}?(?:error|errors|exception|timeout"
            r"|timeouts|warning|warnings|failures?|stack trace|conflicts?|50\d|40\d|null pointer|segfault|merge conflicts?)\b"
        ),
    ),
    Rule(
        Reason.OPERATIONAL,
        4,
        (
            r"^(?:done|completed|finished|success|failed|deployed|merged|fixed|compiled|uploaded|installed|restarted|ready"
            r"|working on it|in progress|on it|processing)$"
        ),
    ),
    Rule(
        Reason.OPERATIONAL,
        4,
        (
            r"^(?:download|upload|import|export|build|installation|deployment|sync|migration|setup|backup|update|compilation"
            r"|indexing)s? (?:complete|finished|done|failed|successful|in progress|pending|started|running|cancelled|paused)\b"
        ),
    ),
)
