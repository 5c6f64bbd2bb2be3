"""Common words: English words that begin sentences and headings with a capital letter and are no names.

A run of capitalised words in which each is one of these names nobody ("Next Steps", "Good Morning"). Written by hand: the words
that stood before names, or were taken for names, in conversations, notes and manuals.
"""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """The words of a table."""
    return frozenset(text.split())


# They are cut from the beginning of a run wherever it stands, and end a run before them.
_FUNCTION = """
a about above accordingly across actually additionally after afterwards again against ah aha ahh all almost along already
alright also alternatively although altogether always am amazingly amid among an and any anybody anyone anything anytime
anyway apart apparently are aren around as aside assuming at aw away awesome aww back based basically be because been before
beforehand behind being below beneath beside besides best better between beyond big both but by bye can certainly clearly
congrats congratulations consequently considering cool could damn dear definitely despite did does doing don done down due
during each eight either else elsewhere especially even eventually ever every everybody everyone everything exactly except
excluding few finally first five for forever formerly fortunately four from further geez generally given gladly gonna good
gosh got gotta great greetings guess had haha half happily hardly has have having he hello hence her here hereby hers herself
hey heya hi him himself his hiya hm hmm honestly hooray hope hopefully how however hurray i ideally if importantly in
incidentally including indeed initially inside instead interestingly into ironically is isn it its itself just kinda last
lastly lately later least less let like likely literally lol lost lot luckily many maybe me meantime meanwhile might mine
more moreover most mostly much must my myself nah naturally near nearly neither never nevertheless next nice nine no nobody
none nonetheless nope nor normally not nothing notice now nowadays nowhere obviously of off often oh ok okay old omg on once
one ones only onto ooh oooh or originally other others otherwise ought our ours ourselves out outside over own part per
perhaps personally phew please plus possibly presumably previously probably providing quite rather really recently regarding
roughly sadly same seriously seven several shall she sheesh should similarly simply since six so some somebody someday
somehow someone something sometimes somewhat somewhere soon sorry speaking still straight strangely such suddenly sup super
sure surely surprisingly tbh ten than thank thankfully thanks that the their theirs them themselves then there thereby
therefore these they thing things third this those though three through throughout thru thus till to today together tomorrow
tonight too totally towards true truly twice two ugh under unfortunately unless unlike until up upon us usually various
versus very via vs was wasn wassup way we well were what whatever when whenever where whereas whereby wherever whether whew
which whichever while who whoa whoever whom whose why will with within without won wonderful woohoo would wouldn wow wowza
yay yeah yeahh yep yes yesterday yet yikes yippee yo you your yours yourself yourselves yup
"""

_VERBS = """
accept add added adding agree agreed allow answer apply appreciate arrange ask asked assume attach avoid backup become
believe bet book bought bring brought build built buy call called calling came cancel cannot care catch change changed
changes check checked checking choose clean clear click clone close come coming commit compare complete configure confirm
connect consider contact continue convert copy create created creating cut decide decided define delete deleted deploy
describe did disable discuss discussed display do download draw drop edit email emailed emailing enable end enjoy ensure
enter exit expect explain export extract fail failed feel fetch figure file fill filter find finish fix fixed fixes fixing
follow following force forget format found gave generate get getting give glad go goes going gone got grab grew guess happen
happened happy hate hear heard help hide hold host imagine implement import improve include including increase init insert
inspect install invite invited join joined keep kill knew know launch lead learn learned leave left list listen live load
lock log look looked looking looks love loved lunch made mail mails make makes making manage mark mean meet meeting mention
merge message messages met miss missing monitor mount move moved need needs note open order output pass paste pay perform
pick plan play prefer prepare press print process promise prove provide publish pull push put query ran reach read reading
receive recommend reduce refactor refresh release remember remind remove rename render replace reply request require rerun
reset resolve restart restore return revert review run running said save saw say says scan schedule search see seeing seems
seen select send sent serve set share show shows sign skip sounds speak specify spent split spoke start started starting stay
stop store submit suppose switch sync take takes taking talk talked tell test texted texting think thought told took touch
track translate tried try trying turn type understand update updated upgrade upload use used uses using verify view visit
visited visiting wait want wanted wants watch watched watching went wish wonder work worked working works worry write writing
wrote
"""

_NOUNS = """
access account accounts acknowledgements action actions active activity address admin agenda alternative answer api app
appendix application approach architecture area art article articles artist attendees background base basic basics beach
beauty being benefits big birthday blocked blockers blog bonus book books bottom boundary bug bugs business busy camp
category changelog chapter chat cheers choice city class client code college columns command commands comment comments common
community company concert conclusion config configuration cons considerations contents context cost costs country course
credits critical current daily dance data database date dates day days deadline debug decision decisions default definition
deliverables dependencies description design detail details dev developer development diff difference director disabled doc
docs document documentation dog draft early education enabled engine engineer english environment error errors evening event
events everyday example examples experience export failure false faq favorite feature features feedback file files final
findings folder food friend friends full function further future game general getting goal goals greetings group guide health
high highlights history holiday home hour house hugs idea ideas image images important inactive index info information input
insights install installation instructions interview introduction invitation issue issues item items job journey key kids
kisses knowledge language large layout lessons level library licence license life light limitations line lines link links
list little local long love low main major man manager map market math medium meeting meetings memory menu merge metrics
minor minutes misc model models module money month monthly morning motivation movie music name names network new news night
none notes null number numbers object objective objectives office online open option optional options overview owner owners
page pages parameters parent part participants parts party pending people performance permissions person phase photo place
plans platform point points policy possible post potential pre prerequisites president priority problem problems product
professor program progress project projects proposal pros public purpose quality question questions quick quickstart quote
readme recap recipe recommendation recommendations reference references regards related release report reports repository
requirement requirements research resources response rest result results right risk risks roadmap role room rule rules safe
sample saturday scene schedule school science scope script second section security senior series server service session
setting settings setup severity shop short side simple single site size small software solution song source special staff
stakeholders standard state statement stats status step steps story strategy structure student studio style subject success
suggestion suggestions summary support system table takeaways task tasks teacher team technical terms testing tests text
thoughts time timeline times tip tips title todo todos tool tools top topic topics total training travel trip troubleshooting
true tutorial unit updates usage user users value values version video videos viewpoint war warning water weather web website
week weekend weekly welcome wish wishes woman word words world year years
"""

# Words with the endings of verbs that begin names.
_NAMES_LIKE_VERBS = word_set("""
ahmed alfred allied beijing bering billings boeing browning burning chongqing deming ding eldred ethelred fielding fleming
flying golding harding hastings irving jared jennings keating king kipling ling manfred manning mildred ming mohamed mohammed
muhammed nanjing ping rolling rowling siegfried spring sterling sting stirling string unfred united viking vikings wilfred
winifred wolfgang young
""")

# Function words that a name can begin with where no sentence does: "the Great Gatsby", "Under Armour".
_LEADING = """
above after all before behind best better between beyond big dear few first five four good great hope inside into last lost
next nine no old on once one other out outside over same second seven six such super ten third three true two under up
various will
"""

FUNCTION_WORDS = word_set(_FUNCTION)
LEADING_WORDS = word_set(_LEADING)
OPENING_WORDS = FUNCTION_WORDS | word_set(_VERBS)
COMMON_WORDS = OPENING_WORDS | word_set(_NOUNS)

MONTHS = word_set("""
apr april aug august dec december feb february jan january jul july jun june mar march may nov november oct october sep sept
september
""")
WEEKDAYS = word_set("""
fri friday mon monday sat saturday sun sunday thu thur thurs thursday tue tues tuesday wed wednesday
""")
HOLIDAYS = word_set("""
christmas easter halloween hanukkah ramadan thanksgiving xmas
""")

# Capitals that say nothing: answers, marks in code and notes, units, roles, words shouted.
EMPTY_CAPITALS = word_set("""
ADD AKA ALL AM AND ANY ARE ASAP ATM BAD BE BIG BRB BTW BUT BY CAN CC CEO CET CFO COO CTO DEBUG DIY DM DO DOB DONE EG EOD EOF
EOL EOM ERROR EST ETA ETC FALSE FAQ FIXME FOR FROM FTW FYI GET GMT GO GOOD GOT GREAT HACK HAD HAHA HAS HAVE HE HELP HER HEY
HI HIS HOW HR ID IDK IE IF II III IMHO IMO IN INC INFO IRL IS IT ITS IV IX JUST KB LET LGTM LIKE LLC LOL LOVE LTD MAY MAYBE
MB ME MORE MOST MR MRS MS MUST MY NB NEED NEVER NEW NEXT NICE NIT NO NOPE NOT NOTE NOW NULL OF OFF OH OK OKAY OLD OMG ON ONE
ONLY OOO OR OTOH OUR OUT PDF PDT PLEASE PM PR PRO PS PST PTO QA RE README ROFL RSVP RTFM SAME SAW SAY SEE SHE SO SOME SOON
SORRY STOP SUCH SUPER TBA TBD TBH THAT THE THEM THEN THERE THEY THIS TIL TLDR TO TODO TOO TOTAL TRUE TRY TV TWO UP US USE UTC
VERY VI VII VIII VS WARN WAS WAY WE WELL WFH WHAT WHEN WHO WHY WILL WIP WITH WOW WTF XI XII XX XXX YAY YEAH YES YET YOU YOUR
""")

# Words before a name that are no part of it.
HONORIFICS = word_set("""
aunt auntie cousin dr frau grandma grandpa herr madam miss mme mr mrs ms mx prof professor sir uncle
""")


# Endings that belong to no sentence: "Dr. Watson", "St. Petersburg".
SHORTENED = HONORIFICS | word_set("""
capt col ft gen gov hon lt mt rep rev sen sgt st
""")
ROMAN = word_set("""
II III IV IX V VI VII VIII X XI XII XIII XIV XV XVI
""")


def opens_sentences(word: str) -> bool:
    """Whether a word, case folded, stands before a name at a sentence's start rather than belonging to it."""
    if word in OPENING_WORDS:
        return True
    return len(word) > 4 and word.endswith(("ing", "ed")) and word not in _NAMES_LIKE_VERBS
