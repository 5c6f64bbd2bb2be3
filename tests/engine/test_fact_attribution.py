"""Grounding by whole conversations' worth of sentences: what is said in other words stays, what was said of another falls."""

from __future__ import annotations

import pytest

from memtree.engine.facts.candidate import Candidate, Said
from memtree.engine.facts.grounding import grounded

MOMENT = 1_773_219_600_000  # Wednesday, 11 March 2026

SAID = (
    (
        "I moved to Graz with my sister last spring.",
        (
            "User lives in Graz with their sister.",
            "User moved to Graz with their sister in spring 2025.",
        ),
    ),
    (
        "I've been a nurse for eleven years, mostly on nights.",
        (
            "User works as a nurse.",
            "User has been a nurse for 11 years.",
            "User mostly works night shifts.",
        ),
    ),
    (
        "I can't stand cilantro, it tastes like soap to me.",
        (
            "User dislikes cilantro.",
            "User hates cilantro because it tastes like soap.",
        ),
    ),
    ("We went with SQLite since everything runs on one box.", ("The team chose SQLite because everything runs on one machine.",)),
    ("The staging DB sits on port 6543, don't touch 5432.", ("The staging database listens on port 6543.",)),
    ("Our anniversary is June 12th, we got married in 2018.", ("User got married on 12 June 2018.",)),
    ("My flight to Osaka is next Friday at 7 pm.", ("User's flight to Osaka is on Friday at 19:00.",)),
    (
        "I quit smoking two years ago.",
        (
            "User stopped smoking two years ago.",
            "User no longer smokes.",
            "User does not smoke.",
        ),
    ),
    (
        "I used to work at Bosch but now I'm at Siemens.",
        (
            "User works at Siemens.",
            "User previously worked at Bosch.",
        ),
    ),
    ("Mum turned seventy in January.", ("User's mother turned 70 in January.",)),
    ("I'm a vegetarian, have been since I was twelve.", ("User has been vegetarian since age 12.",)),
    ("I eat meat only at Christmas.", ("User only eats meat at Christmas.",)),
    (
        "I have two kids, Mia and Theo.",
        (
            "User has two children named Mia and Theo.",
            "User's children are called Mia and Theo.",
        ),
    ),
    (
        "Never deploy on a Friday, please.",
        (
            "The agent must never deploy on Fridays.",
            "Do not deploy on Fridays.",
        ),
    ),
    ("My boss Ingrid hates long emails.", ("Ingrid, the user's boss, dislikes long emails.",)),
    ("The cert expired, that's why prod went down in May.", ("Production went down in May because the certificate expired.",)),
    ("I take fifty milligrams of sertraline each morning.", ("User takes 50 mg of sertraline every morning.",)),
    ("I swim before work most days.", ("User regularly swims before work.",)),
    ("I'd love to run a marathon one day.", ("User wants to run a marathon.",)),
    ("My partner is expecting; the baby comes in July.", ("User's partner is pregnant and due in July.",)),
    ("I'm saving up to buy a flat in Valencia.", ("User is saving to buy an apartment in Valencia.",)),
    ("I broke my left wrist skiing in 2023.", ("User broke their left wrist in 2023 while skiing.",)),
    (
        "I don't eat pork or beef.",
        (
            "User does not eat pork.",
            "User doesn't eat beef or pork.",
        ),
    ),
    ("I'm not a morning person.", ("User is not a morning person.",)),
    ("I go climbing twice a week.", ("User climbs 2 times a week.",)),
    ("My rent is nine hundred euros.", ("User's rent is 900 euros.",)),
    ("Our budget is 40k.", ("The budget is 40,000.",)),
    (
        "我去年春天跟我姐搬到了格拉茨。",
        (
            "用户和姐姐住在格拉茨。",
            "用户2025年春天与姐姐搬到格拉茨。",
        ),
    ),
    (
        "我当了十一年护士，基本上夜班。",
        (
            "用户是护士。",
            "用户做护士已有11年。",
        ),
    ),
    ("我受不了香菜，有股肥皂味。", ("用户不喜欢香菜。",)),
    ("医生说吃这药不能吃西柚。", ("用户因服药不能吃西柚。",)),
    ("我们用SQLite，反正都跑在一台机器上。", ("团队选择SQLite，因为都运行在一台机器上。",)),
    ("预发库在6543端口，别动5432。", ("预发数据库端口为6543。",)),
    ("我们2018年6月12号结的婚。", ("用户于2018年6月12日结婚。",)),
    ("下周五晚上七点飞大阪。", ("用户2026年3月20日飞往大阪。",)),
    ("我两年前戒烟了。", ("用户已戒烟两年。",)),
    ("我以前在博世，现在在西门子。", ("用户在西门子工作。",)),
    ("我从十二岁开始吃素。", ("用户自12岁起吃素。",)),
    ("我有俩孩子，叫米娅和西奥。", ("用户有两个孩子，名叫米娅和西奥。",)),
    ("周五千万别上线。", ("周五不允许上线。",)),
    ("证书过期了，所以五月线上挂了。", ("五月线上故障是因为证书过期。",)),
    ("我每天早上吃五十毫克舍曲林。", ("用户每天早上服用50毫克舍曲林。",)),
    ("上班前我一般去游泳。", ("用户通常上班前游泳。",)),
    ("我想有一天跑个马拉松。", ("用户想跑马拉松。",)),
    ("我在攒钱买瓦伦西亚的房子。", ("用户正在存钱购买瓦伦西亚的房子。",)),
    ("我不吃猪肉和牛肉。", ("用户不吃猪肉。",)),
)
NOT_SAID = (
    (
        "I moved to Graz with my sister last spring.",
        (
            "User moved to Graz with their brother.",
            "User lives in Linz with their sister.",
            "User is married and lives in Graz.",
            "User owns a house in Graz.",
            "用户和姐姐住在格拉茨。",
            "User moved to Graz in autumn 2025.",
            "Der Benutzer ist mit seiner Schwester nach Graz gezogen.",
        ),
    ),
    (
        "I've been a nurse for eleven years, mostly on nights.",
        (
            "User has been a nurse for 12 years.",
            "User is a doctor.",
            "User never works nights.",
        ),
    ),
    ("I can't stand cilantro, it tastes like soap to me.", ("User loves cilantro.",)),
    ("My doctor says no grapefruit with these pills.", ("User may eat grapefruit with these pills.",)),
    (
        "The staging DB sits on port 6543, don't touch 5432.",
        (
            "The staging database listens on port 5433.",
            "The production database listens on port 6543.",
        ),
    ),
    ("Our anniversary is June 12th, we got married in 2018.", ("User got married in 2019.",)),
    (
        "My flight to Osaka is next Friday at 7 pm.",
        (
            "User flies to Tokyo next Friday.",
            "User flies to Osaka on 21 March 2026.",
        ),
    ),
    ("I quit smoking two years ago.", ("User smokes.",)),
    ("I used to work at Bosch but now I'm at Siemens.", ("User works at Google.",)),
    ("I eat meat only at Christmas.", ("User is a vegetarian.",)),
    (
        "I have two kids, Mia and Theo.",
        (
            "User has three kids.",
            "User has two kids, Mia and Leo.",
        ),
    ),
    ("Never deploy on a Friday, please.", ("Always deploy on Fridays.",)),
    (
        "My boss Ingrid hates long emails.",
        (
            "User hates Ingrid.",
            "Ingrid loves long emails.",
        ),
    ),
    ("I don't eat pork or beef.", ("User eats pork.",)),
    ("I'm not a morning person.", ("User is a morning person.",)),
    ("My son is allergic to nuts, I'm not.", ("User is allergic to nuts.",)),
    (
        "Ana lives in Graz and Bo lives in Linz.",
        (
            "Ana lives in Linz.",
            "Bo lives in Graz.",
        ),
    ),
    ("My sister is called Mia and my brother Theo.", ("User's brother is called Mia.",)),
    (
        "I like tea but I hate coffee.",
        (
            "User likes coffee.",
            "User hates tea.",
        ),
    ),
    ("Do I have to take the train to Graz?", ("User takes the train to Graz.",)),
    ("What is the best way to move to Portugal?", ("User is moving to Portugal.",)),
    ("I wonder whether I should become a vegan.", ("User is a vegan.",)),
    ("If I got the job at Siemens I would move.", ("User got the job at Siemens.",)),
    ("The billing service uses port 8443 and search uses 9200.", ("The billing service uses port 9200.",)),
    (
        "我去年春天跟我姐搬到了格拉茨。",
        (
            "用户和哥哥住在格拉茨。",
            "用户和姐姐住在林茨。",
            "User moved to Graz with their sister.",
        ),
    ),
    ("我当了十一年护士，基本上夜班。", ("用户做护士已有12年。",)),
    ("我受不了香菜，有股肥皂味。", ("用户喜欢香菜。",)),
    ("医生说吃这药不能吃西柚。", ("用户可以吃西柚。",)),
    ("预发库在6543端口，别动5432。", ("预发数据库端口为5433。",)),
    ("我们2018年6月12号结的婚。", ("用户于2019年6月12日结婚。",)),
    (
        "下周五晚上七点飞大阪。",
        (
            "用户下周五飞东京。",
            "用户2026年3月21日飞大阪。",
        ),
    ),
    ("我两年前戒烟了。", ("用户抽烟。",)),
    (
        "我有俩孩子，叫米娅和西奥。",
        (
            "用户有三个孩子。",
            "用户的孩子叫米娅和里奥。",
        ),
    ),
    ("我不吃猪肉和牛肉。", ("用户吃猪肉。",)),
    ("我儿子对花生过敏，我不过敏。", ("用户对花生过敏。",)),
    ("小王住在青岛，小李住在南京。", ("小王住在南京。",)),
    (
        "我喜欢茶，讨厌咖啡。",
        (
            "用户喜欢咖啡。",
            "用户讨厌茶。",
        ),
    ),
    ("我要不要搬去葡萄牙？", ("用户要搬去葡萄牙。",)),
    ("怎么考西门子的证？", ("用户在西门子工作。",)),
    ("如果我进了西门子就搬家。", ("用户进了西门子。",)),
)
MORE = (
    ("What can I cook for my vegan wife Ana?", ("User's wife Ana is vegan.",)),
    ("Can you remember that I'm allergic to nuts?", ("User is allergic to nuts.",)),
    ("How do I cook without gluten, since I have celiac disease?", ("User has celiac disease.",)),
    ("My wife and I moved to Porto.", ("User moved to Porto.",)),
    ("My wife wants us to move to Porto.", ("User's wife wants to move to Porto.",)),
    ("My dog Rex has arthritis.", ("User has a dog called Rex.", "User's dog Rex has arthritis.")),
    ("Ana got married to Bo in Graz and moved to Linz.", ("Ana moved to Linz.",)),
    ("My car broke down in Graz, and the repair cost 900 euros.", ("The repair of the car in Graz cost 900 euros.",)),
    ("If it rains, I take the car.", ("User takes the car if it rains.",)),
    ("I no longer live in Rome.", ("User previously lived in Rome.", "User used to live in Rome.")),
    ("我妻子和我搬到了南京。", ("用户搬到了南京。",)),
    ("你能记住我对花生过敏吗？", ("用户对花生过敏。",)),
)


def passes(said: str, statement: str) -> str:
    """'' for one that passes, else why it falls."""
    turns = (Said("s", 1, "user", "Thanks for the help with the report.", "a" * 16, MOMENT, "Europe/Berlin"),)
    turns = (*turns, Said("s", 2, "user", said, "b" * 16, MOMENT, "Europe/Berlin"))
    passed = grounded([Candidate(statement, seqs=(2,))], turns)
    return "" if passed.kept else passed.fallen[0].reason


@pytest.mark.parametrize(("said", "statements"), SAID + MORE)
def test_what_is_said_in_other_words_stays(said: str, statements: tuple[str, ...]) -> None:
    assert {one: passes(said, one) for one in statements} == dict.fromkeys(statements, "")


@pytest.mark.parametrize(("said", "statements"), NOT_SAID)
def test_what_was_not_said_or_said_of_another_falls(said: str, statements: tuple[str, ...]) -> None:
    assert [one for one in statements if not passes(said, one)] == []


@pytest.mark.parametrize(
    ("said", "statement", "reason"),
    [
        ("My son is allergic to nuts, I'm not.", "User is allergic to nuts.", "said_of_another"),
        ("Ana lives in Graz and Bo lives in Linz.", "Ana lives in Linz.", "said_of_another"),
        ("What is the best way to move to Portugal?", "User is moving to Portugal.", "only_asked"),
        ("我要不要搬去葡萄牙？", "用户要搬去葡萄牙。", "only_asked"),
        ("I moved to Graz with my sister.", "User moved to Graz with their brother.", "name_not_said"),
        ("I have two kids.", "User has three kids.", "number_not_said"),
    ],
)
def test_the_reason_names_what_is_wrong(said: str, statement: str, reason: str) -> None:
    assert passes(said, statement) == reason
