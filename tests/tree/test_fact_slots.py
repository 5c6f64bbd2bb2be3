"""Which slot a statement is put into, and of whom; English and Chinese, the user and others, what is so and what is not."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtree.tree.fact_slots import is_single, place_of

OF_THE_USER = """\
identity.name: My name is Tom | I'm Ada | I am Ada Byron | User's name is Tom | The user's name is Tom. | I'm called Tom |
    我叫小明 | 用户的名字是小明
identity.nickname: My nickname is Bo | Call me Bo | 叫我小鱼 | Everyone calls me Bo | 大家都叫我老王 | 我的昵称是小鱼
identity.birthday: My birthday is May 3 | I was born on 3 May 1990 | User was born in 1990 | 我的生日是5月3日 |
    用户出生于1990年
identity.age: I am 34 years old | User is 34 years old | I just turned 40 | 我今年34岁 | 用户34岁
identity.hometown: I'm from Porto | I grew up in Porto | My hometown is Porto | I was born in Porto | 我来自成都 |
    我的老家在成都
environment.home: I moved to Lisbon this month | 我这个月搬到杭州了
environment.home: 我三年前搬到了深圳 | I live in Berlin | User lives in Berlin | I currently live in Berlin. | I moved to Paris |
    I've just moved to Paris | I moved from Berlin to Paris | My home is in Rome | I'm based in Lisbon |
    I relocated to Madrid last month | Lives in Berlin | User has moved to Oslo | I have lived in Berlin since 2019 |
    我住在上海 | 我搬到北京了 | 用户居住在杭州 | 用户现在住在深圳 | 我的家在广州 | 我定居在成都
environment.timezone: My time zone is CET | 我的时区是东八区
work.employer: I work at Acme | I work for Acme | User works at Acme | My employer is Acme |
    I started a new job at Initech | I joined Initech | 我在腾讯工作 | 用户就职于华为 | 我入职了字节跳动
work.role: I work as a nurse | I'm a software engineer | My job is teaching | User is a data scientist | 我是一名老师 |
    我的职业是护士 | 用户是软件工程师
work.mode: I work remotely | I work from home | 我远程办公
education.school: I study at MIT | I graduated from Oxford | 我毕业于北京大学 | 我在清华大学读书
education.field: I studied physics | I have a PhD in biology | 我的专业是物理
family.spouse: My wife is Ana | My husband's name is Tom | I'm married to Ana | 我老婆叫小红 | 我和小红结婚了 |
    User is married to Ana
family.status: I'm single | I am divorced | 我离婚了 | 我还是单身
family.children: I have two kids | I have a daughter | User has three children | My son's name is Max | 我有两个孩子 |
    我有一个女儿 | 我女儿叫朵朵
family.siblings: I have two brothers | 我有一个弟弟
family.pets: I have a dog | My dog is called Rex | We adopted a kitten | User has two cats | 我养了一只猫 |
    我的狗叫旺财
health.diet: I'm vegan | User is vegetarian | I am a strict vegetarian | 我吃素 | 我是素食者 |
    用户是素食主义者
health.allergy: I'm allergic to peanuts | User is allergic to penicillin | I have a nut allergy |
    I'm lactose intolerant | 我对花生过敏 | 用户对海鲜过敏 | 我乳糖不耐受
health.condition: I have asthma | I was diagnosed with type 2 diabetes | I suffer from migraines |
    User has high blood pressure | 我有高血压 | 用户患有糖尿病
health.medication: I take metformin every morning | I take 20 mg of citalopram daily | I'm on blood thinners |
    我每天吃降压药 | 用户每天服用二甲双胍
health.blood_type: My blood type is O negative | 我的血型是A型
skill.language: I speak German and French | User speaks fluent Spanish | I'm fluent in Dutch | 我会说英语 |
    用户会说粤语
skill.native_language: My native language is Czech | 我的母语是粤语
skill.learning: I'm learning Japanese | 我在学日语
belief.religion: I'm Catholic | I am a practicing Muslim | User is Jewish | 我信佛 | 我是基督徒
possession.car: I drive a Tesla | My car is a red Volvo | I bought a new car | 我开特斯拉 | 我买了一辆电动车
contact.channel: The best way to reach me is email | I prefer to be contacted by email | 请用邮件联系我
environment.editor: I use Vim | My editor is Helix | My favourite editor is Neovim | I switched to Zed |
    User uses VS Code | 我用Vim | 我改用Emacs了
environment.os: I use Arch Linux | My operating system is macOS | 我用Ubuntu
environment.shell: I use zsh | My shell is fish shell
coding_style.indentation: I prefer tabs to spaces | User prefers four spaces | I prefer 2-space indentation |
    我喜欢用制表符缩进
communication.length: I prefer short answers | User prefers concise replies | 我更喜欢简洁的回复
stack.language: I prefer Python | User prefers Rust
stack.rust: I use Rust | I write in Rust
preference.cilantro: I love cilantro | I hate cilantro | I don't like cilantro | User likes cilantro |
    I can't stand cilantro
preference.香菜: 我喜欢香菜 | 我讨厌香菜 | 我不喜欢香菜 | 用户喜欢香菜
hobby.chess: I play chess | User plays chess
event.wedding: My wedding is on June 12
event.interview: I have an interview on Monday
event.手术: 我下周三做手术
project.billing.database: The billing service uses PostgreSQL | Billing's database is MySQL |
    The database of the billing service is MySQL
project.billing.port: The billing service runs on port 8080 | The port of billing is 8080
project.production.log_level: Debug log level must be WARN in production | The log level in production must be WARN
project.atlas.branch: Atlas deploys from the release branch | The default branch of Atlas is trunk
project.staging.database: The staging database is Postgres 16
project.ledger.database: We decided to use Postgres for the ledger because of row locks. | We use Postgres for the ledger |
    User decided to use Postgres for the ledger
health.eating: I'm on a low-carb diet | I keep kosher | I'm gluten-free
environment.address: My address is 5 Main Street | I live at 5 Main Street | 我的地址是中山路5号
environment.dwelling: I live in a small flat | I live near the harbour | I rent an apartment in Mitte | 我住在郊区 |
    我家住在学校附近
environment.home.temporary: I'm living in Berlin this month | 我暂时住在北京 | I moved to Lisbon for now | 我这个月住在杭州
family.partner: I have a girlfriend
health.avoids.gluten: I can't eat gluten | I don't eat gluten | User avoids eating gluten
project.sessions.source_of_truth: Redis is the source of truth for sessions
project.payments.port: The payments service must use port 5433
project.billing.uses.redis: The billing service uses Redis
event.dentist_appointment: I have a dentist appointment on Friday | My dentist appointment is on Friday
identity.nationality: I'm German | I'm half-Italian | My nationality is Czech
project.main.branch: The default branch is develop
project.结算.port: 结算服务的端口是8080 | 结算服务监听8080端口
project.结算.database: 结算服务使用PostgreSQL | 结算系统的数据库是MySQL | 结算服务的数据库换成了 MySQL 8 |
    更正一下，结算服务改用MySQL
project.订单.port: 订单服务现在用 9090 端口 | 更正一下，订单服务现在用 9090 端口，不是 8080。
work.employer: I'm a backend engineer at Northwind Logistics
contact.phone: My phone is +44 113 496 0000 | My phone number is 0113 496 0000
skill.language: I speak Tamil, English and a little German
identity.name: 我叫豆豆
family.pets: 我养了一只猫，叫豆豆
family.spouse: 我老婆叫李芳，是小学老师
"""


def _told() -> list[tuple[str, str]]:
    """Each statement with its slot; a line that begins with a space goes on with the slot before."""
    found, slot = [], ""
    for line in OF_THE_USER.splitlines():
        if not line.startswith(" "):
            slot, _, line = line.partition(":")
        found += [(text.strip(), slot) for text in line.split(" |") if text.strip()]
    return found


OF_OTHERS = [
    ("Ana lives in Rome", "ana", "environment.home"),
    ("My wife works at Acme", "wife", "work.employer"),
    ("My wife Ana is vegan", "wife", "health.diet"),
    ("User's wife is allergic to cats", "wife", "health.allergy"),
    ("The user's brother lives in Oslo", "brother", "environment.home"),
    ("My brother lives in Rome", "brother", "environment.home"),
    ("I have a brother who lives in Rome", "brother", "environment.home"),
    ("My friend Tom plays chess", "tom", "hobby.chess"),
    ("My mother's birthday is May 3", "mother", "identity.birthday"),
    ("My son is 5 years old", "son", "identity.age"),
    ("Tom works at a bank", "tom", "work.employer"),
    ("She lives in Porto", "she", "environment.home"),
    ("My boss hates emojis", "boss", "communication.emoji"),
    ("我妈妈住在上海", "mother", "environment.home"),
    ("我爸住在绍兴", "father", "environment.home"),
    ("我有一个弟弟，在北京工作", "brother", "work.employer"),
    ("用户的妻子对花生过敏", "wife", "health.allergy"),
    ("我老公在华为工作", "husband", "work.employer"),
    ("我儿子今年5岁", "son", "identity.age"),
    ("小明喜欢围棋", "小明", "preference.围棋"),
    ("他住在北京", "he", "environment.home"),
    ("我哥哥是医生", "brother", "work.role"),
]
NOT_SO = [
    ("I used to live in Oslo", "environment.home.past"),
    ("I lived in Oslo as a student", "environment.home.past"),
    ("When I was a child I lived in Oslo", "environment.home.past"),
    ("I moved out of Berlin", "environment.home.not"),
    ("If I lived in Rome I'd be happy", "environment.home.wish"),
    ("I'd like to live in Madrid", "environment.home.wish"),
    ("I want to live in Madrid", "environment.home.wish"),
    ("I would love to move to Kyoto", "environment.home.wish"),
    ("I might move to Paris", "environment.home.wish"),
    ("I'm going to move to Paris in May", "environment.home.plan"),
    ("I will move to Paris next year", "environment.home.plan"),
    ("I don't live in Berlin", "environment.home.not"),
    ("I no longer live in Berlin", "environment.home.not"),
    ("I used to work at Acme", "work.employer.past"),
    ("I worked at Acme", "work.employer.past"),
    ("I'm not vegan", "health.diet.not"),
    ("I had a dog as a child", "family.pets.past"),
    ("我以前住在南京", "environment.home.past"),
    ("我曾在腾讯工作", "work.employer.past"),
    ("我想住在大理", "environment.home.wish"),
    ("如果我住在巴黎就好了", "environment.home.wish"),
    ("我打算搬到成都", "environment.home.plan"),
    ("我不住在上海", "environment.home.not"),
    ("我在上海住过三年", "environment.home.past"),
]
SINGLE = [
    "identity.name",
    "environment.home",
    "work.employer",
    "environment.editor",
    "identity.birthday",
    "project.billing.port",
    "health.diet",
]
SEVERAL = [
    *(
        "health.allergy",
        "family.pets",
        "education.school",
        "possession.car",
        "project.billing.uses.redis",
        "family.children",
        "hobby.chess",
        "skill.language",
        "event.wedding",
        "preference.cilantro",
    ),
    *(
        "environment.home.past",
        "environment.home.wish",
        "environment.home.not",
        "project.billing.port.not",
        "said.0123abcd",
        "",
        "stack.rust",
    ),
]


@pytest.mark.parametrize(("text", "slot"), _told())
def test_what_a_user_says_has_the_slot_of_its_topic(text: str, slot: str) -> None:
    assert place_of(text) == ("user", slot, slot.partition(".")[0])


@pytest.mark.parametrize(("text", "subject", "slot"), OF_OTHERS)
def test_what_is_said_of_others_is_theirs(text: str, subject: str, slot: str) -> None:
    assert place_of(text)[:2] == (subject, slot)


@pytest.mark.parametrize(("text", "slot"), NOT_SO)
def test_what_was_or_is_wished_takes_no_present_slot(text: str, slot: str) -> None:
    assert place_of(text)[:2] == ("user", slot)
    assert not is_single(slot)


def test_there_are_enough_statements() -> None:
    assert len(_told()) + len(OF_OTHERS) + len(NOT_SO) >= 150


def test_what_holds_one_value_at_a_time() -> None:
    assert [slot for slot in SINGLE if not is_single(slot)] == []
    assert [slot for slot in SEVERAL if is_single(slot)] == []


def test_an_unknown_statement_has_the_slot_of_its_words() -> None:
    place = place_of("The old mill has a blue door")
    assert place.slot.startswith("said.")
    assert place_of("the old mill has a blue door.") == place
    assert place_of("The old mill has no blue door") != place
    assert place.category == "other"


def test_statements_of_one_thing_share_a_slot() -> None:
    def same_slot(one: str, two: str) -> bool:
        return place_of(one)[:2] == place_of(two)[:2]

    assert same_slot("I live in Berlin", "用户搬到巴黎了")
    assert not same_slot("I live in Berlin", "My brother lives in Berlin")
    assert not same_slot("I live in Berlin", "I used to live in Rome")
    assert not same_slot("I live in Berlin", "I was born in Berlin")
    assert not same_slot("The billing service runs on port 1", "The mail service runs on port 1")


WORDS = "I user my wife Ana lives live in moved to Berlin not never used if 我 用户 住在 搬到 想 以前 妈妈 的 port is . , - 5"


@settings(max_examples=400)
@given(st.text(max_size=80) | st.lists(st.sampled_from(WORDS.split(" ")), max_size=12).map(" ".join))
def test_every_text_has_a_place(text: str) -> None:
    place = place_of(text)
    assert place.subject
    assert place.slot
    assert place.category
    assert place_of(text) == place
    assert "\n" not in place.slot + place.subject


@pytest.mark.parametrize(
    "unit", ["I live ", "my wife ", "I was going to ", "我住", "the a of ", "User's ", "no longer ", "if ", "A", "I'm a "]
)
def test_a_text_of_any_size_takes_no_time(unit: str) -> None:
    began = time.monotonic()
    place_of(unit * (1_000_000 // len(unit)))
    assert time.monotonic() - began < 20


def test_patterns_are_compiled_for_those_who_place_a_statement() -> None:
    code = (
        "from memtree.tree.fact_slots import place_of\nfrom memtree.tree.fact_slot_english import compiled\n"
        "before = compiled.cache_info().currsize\nplace_of('My name is Ada')\nprint(before, compiled.cache_info().currsize)"
    )
    before, after = map(
        int, subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout.split()
    )
    assert before == 0
    assert 0 < after < 10
