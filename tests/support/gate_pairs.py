"""Sentences that a gate of facts easily gets wrong, on both sides: LASTS, and PASSES with the reason for which each drops."""

from __future__ import annotations

# What another memory's guard drops although it lasts, in our words and in its own.
_LASTS = """
User should eat gluten-free from today because of celiac disease
I must eat gluten-free from now on, the tests showed celiac disease
User will exercise more from now on
User had weight-loss surgery in 2021
I had a gastric bypass in 2019
User had never had dinner before 8pm since childhood
I have never eaten breakfast since I was a child
User recorded a podcast about sleep
Recorded a radio play about insomnia
Debug log level must be WARN in production
The debug log must stay off in production
Debugging session exposed that Redis is the source of truth
Debugging the outage showed that the ledger is the source of truth
用户想吃素
我想以后吃全素
用户准备训练一个大模型
我打算训练一个语音识别模型
用户想锻炼英语口语
我想锻炼一下表达能力
用户想喝酒但医生禁止饮酒
医生不让我喝酒
用户正在休息一年间隔年
我正在休息，给自己放一年假
用户记录体重使用小米秤
我记录血压用的是欧姆龙的血压计
Omar is working out now
Dinner with Ana tomorrow
dinner with bob tomorrow night
Having dinner with my parents tomorrow
Lunch with a friend from university tomorrow
User has a visa interview tomorrow
I have surgery tomorrow morning
The grant application is due tomorrow
The proposal requires confirmation today
The visa requires confirmation today
I'm training a new employee this month
The cron job is configured to run daily
The smoke test is implemented with a headless browser
User recorded an album
User logged an incident with the landlord about the heating
I completed a sleep study last week
Finished her PhD in June
User slept in Kyoto and then in a hotel in Nara in 2022
I lost 15 kg after the illness
My birth weight was 2.1 kg
User wants to create a startup
User wants to set up a nonprofit
User is debugging a memory leak in the billing service for the customer launch in May
I usually sleep seven hours
The default serving size is 40 g
I changed my fitness focus to mobility
User took a trip to Norway last week
I'm calling my uncle in Canada next month
"""
# What slips through that guard although nobody needs it tomorrow, and what it rightly drops.
_PASSES = """
transient_status | User is hungry
transient_status | I am so thirsty
transient_status | Is in a meeting now
transient_status | In a meeting right now
transient_status | The weather in Oslo is rainy today
transient_status | It's pretty cold in Malmö today
activity_log | User ran 5 km this morning
activity_log | I jogged three miles this morning
ephemeral_intent | User wants to set up a reminder
ephemeral_intent | I want to set an alarm
query_intent | What is the capital of Peru?
query_intent | how tall is the eiffel tower
activity_log | I had lunch with a fork
activity_log | Had breakfast with a big spoon
transient_status | 我现在正在健身
transient_status | 我正在跑步机上跑步
activity_log | 用户今天体重79.7kg
activity_log | 今天体重61.2公斤
operational_log | 冒烟测试已通过
operational_log | 单元测试全部通过
query_intent | 帮我查下部署日志
query_intent | 帮忙看看服务器日志
ephemeral_intent | User wants to restart the task
ephemeral_intent | User wants to restore the task with default configuration
ephemeral_intent | User wants to log a weight for a long-term goal
ephemeral_intent | User plans to supplement magnesium tonight with water
transient_status | User is currently working out
activity_log | User recorded a weight of 80.1 kg with a smart scale
activity_log | User slept 6 hours
activity_log | Slept badly
operational_log | The debug log error shows a null pointer
operational_log | Import task finished
operational_log | Assistant ETA is tomorrow
operational_log | The system requires confirmation today
operational_log | The temporary workspace path is /tmp/ws-3
"""
LASTS = tuple(_LASTS.strip().splitlines())
PASSES = {text: reason for reason, text in (line.split(" | ") for line in _PASSES.strip().splitlines())}
