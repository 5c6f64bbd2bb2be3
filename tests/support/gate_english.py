"""English sentences for the gate, by label."""

from __future__ import annotations

ENGLISH = {
    "durable": """
My name is Priya and I am a structural engineer.
User is allergic to shellfish.
I've been vegetarian since 2014.
The user's sister Lena lives in Rotterdam.
I work at a small foundry in Sheffield.
Works remotely from Tartu most of the year.
I run 5 km every morning before work.
Never drinks coffee after noon because it keeps her awake.
I can't stand cilantro.
We have two cats, Miso and Tofu.
User owns a 1974 Peugeot bicycle.
I speak Portuguese, Catalan and a bit of Arabic.
My daughter was born on 4 May 2019.
I'm getting married to Jonas in September.
User is saving for a house in Devon.
I want to run a marathon before I turn forty.
Wants to become a licensed pilot one day.
The staging API listens on port 8081.
We decided to drop MongoDB because the joins were killing us.
Our main branch is called trunk.
Always run the linter before you commit.
From now on answer me in Dutch.
Remember that the gate code for the bike shed changes every January.
Please never push to the release branch without a review.
I have surgery on my left knee on 12 March.
Dinner with Ana tomorrow at eight.
I'm meeting my brother for lunch on Thursday.
The grant proposal is due on Friday.
User has a job interview at Siemens next Tuesday.
I moved to Ghent last month.
I finished my PhD yesterday.
User ran their first marathon this morning.
Set a new personal best of 1:38 in the half marathon on Sunday.
My father had a stroke in 2020 and now walks with a cane.
My knee has hurt ever since the accident.
I have been tired all the time since the operation.
I'm always hungry after swimming, so I keep bars in the car.
The doctor told me to eat no grapefruit while I take this medicine.
The outage on Monday was caused by an expired certificate.
Builds kept failing because the cache volume was full; we now clean it nightly.
Redis is the source of truth for session state.
The log level in production must be WARN.
The nightly import job runs at 02:30 UTC.
The smoke tests are written with Playwright and live in the e2e folder.
User recorded a podcast about sleep last year.
Was a premature baby and weighed 1.9 kg at birth.
I lost 20 kg after the illness in 2018.
Omar is the on-call lead for payments.
My boss Greta hates long meetings.
Mia, my flatmate, works night shifts.
User should eat gluten-free from today because of celiac disease.
Will exercise more from now on.
I usually weigh myself on Sunday mornings.
Logs every meal in a paper notebook.
I take 5 mg of bisoprolol every evening.
I'm afraid of flying.
I believe that meetings should have an agenda.
I grew up in Tromsø and moved south at eighteen.
User prefers dark mode in every editor.
I'd rather get bad news by phone than by mail.
Our team uses trunk-based development.
My wife is pregnant; the baby is due in June.
User is considering emigrating to New Zealand.
I'm planning to start a nonprofit for refugees.
I'm training a new colleague called Sven this quarter.
I'm working on a novel about the Hanseatic League.
User has been learning the cello for three years.
We keep customer data in Frankfurt for legal reasons.
Passwords must never be written to the log.
The retry limit is 5 for all outbound calls.
I'm worried that my hearing is getting worse.
User worries about the mole on his back growing.
We're flying to Lisbon on 3 October with the kids.
I have an appointment with Dr. Novak next Monday.
My mother is visiting from Sunday until Wednesday.
User signed the lease for the flat on Elm Street today.
I quit smoking two years ago.
I've stopped eating meat.
I no longer live in Berlin.
My laptop is a ThinkPad X1 with 32 GB of memory.
The house key is with our neighbour Ingrid.
My favourite tea is lapsang souchong.
I sleep badly whenever there is a full moon.
User is colour-blind.
I'm left-handed.
I have ADHD and need short lists.
The client requires every invoice to carry a purchase order number.
Deploys are only allowed on Tuesdays.
Feature flags are kept in LaunchDarkly.
Postgres 15 is the database for billing.
User got promoted to head of research this week.
My grandmother died on Christmas Eve.
I broke my wrist skiing yesterday.
I'm a night owl.
User is the youngest of five siblings.
I teach chemistry at a secondary school.
Tom and I are getting divorced.
Bought a house in Leith last week.
I adopted a greyhound from the shelter today.
My visa expires on 30 November.
The launch of version 2 is planned for 15 April.
Keep in mind that I only have vegan friends coming on Saturdays.
Note that Karim can't work on Fridays.
I eat dinner at six sharp because of my reflux.
I use voice input because of my tendinitis.
My hands shake in the afternoon when I skip the medication.
User hates being called before nine.
I don't like surprises.
Goes to church every Sunday.
It rains nearly every day where I live.
The user is retired.
I have a standing desk at home.
""",
    "query_intent": """
What is the capital of Peru?
How do I undo the last commit?
Can you translate this paragraph into Italian?
Could you explain how TLS works?
User wants to know how vaccines are made.
User asked how to peel a mango.
The user is asking for a list of cheap hotels in Porto.
Please find me a recipe for lentil soup.
Show me the logs of the last deploy.
Tell me a joke.
Find flights to Athens for next weekend.
Summarize the attached report.
Write a poem about autumn.
User is looking for a good sushi place nearby.
User requested a comparison of three laptops.
Why does my build fail
how many calories are in an avocado
What's the weather like in Oslo today?
Is it going to rain tomorrow?
Do you know a good dentist in Graz?
I'd like to know the difference between TCP and UDP.
I want to know what time it is in Tokyo.
I was wondering whether sharks sleep.
Wondering which framework is the fastest.
Help me write a cover letter.
I need help with my tax form.
User needs help debugging a regular expression.
Look up the opening hours of the library.
Search for papers on sleep and memory.
Give me three names for a cat.
Check whether port 8080 is in use.
Translate this email to French.
Compare the two contracts and list the differences.
User wonders if bread can be frozen.
Asked about the price of a train ticket to Lyon.
Wants an explanation of quantum tunnelling.
User inquired about the return policy.
Would you mind proofreading this?
Any idea how long rice keeps in the fridge?
Which of these two is better?
User wants the assistant to fix the typo in the readme.
Can I freeze cooked pasta?
Should I use tabs or spaces here?
Recommend a book about the Romans.
Generate a unit test for this function.
convert 12 miles to kilometres
Please draft a reply to this message.
User would like a summary of the article.
Where can I buy stamps?
User is trying to find out when the museum opens.
Explain the difference between a list and a tuple.
Fix this bug.
I want you to rewrite this paragraph.
Let me know which one is cheaper.
My sink is leaking, what should I do?
User asked the assistant to remind them what a monad is.
who won the world cup in 1998
does aspirin thin the blood
""",
    "transient_status": """
I'm hungry.
User is tired right now.
Is in a meeting now.
I am on the train.
I'm working out at the moment.
The weather in Oslo is rainy today.
It's freezing outside.
User is using voice input.
I'm busy this afternoon.
My laptop is at 20 %.
My phone battery is almost dead.
User is currently driving.
I'm waiting for the bus.
Sitting in a café right now.
I have a headache today.
User feels sleepy.
I'm a bit stressed today.
I am in the middle of something.
Currently at the airport.
I'm in bed already.
I'm on my lunch break.
The wifi here is slow right now.
User is in a hurry.
User is resting now.
It is snowing in Bergen at the moment.
I'm still at the office.
I'm out for a walk.
My coffee is getting cold.
I'm stuck in traffic.
User is away from the keyboard.
I'm in a good mood today.
User seems annoyed right now.
I'm thirsty.
The user is on a call.
Feeling great this morning!
I can't talk right now.
I'm about to leave the house.
I'm back at my desk.
It's loud in here.
User is presently cooking.
I'm home now.
I'm bored.
I'm running late.
My hands are full at the moment.
It's 31 degrees here today.
I'm on my phone, so excuse the typos.
Working from a café today.
User is free this evening.
User is not at home at the moment.
There's a thunderstorm outside.
I have no signal in this tunnel.
My internet is down right now.
I'm exhausted after that meeting.
Taking a shower right now.
User is listening to music at the moment.
""",
    "ephemeral_intent": """
I want to restart the task.
User wants to restore the previous session.
I'll grab a coffee.
I'm going to eat pasta tonight.
User plans to cook a curry this evening.
I need to buy milk on the way home.
Going for a run this evening.
User wants to set up a reminder.
Set an alarm for 7 tomorrow morning.
User wants to create a temporary alert.
I want to log my weight.
User wants to open the settings file.
I'll run the tests now.
I'm going to take a nap.
Will have a snack in a bit.
User intends to work out later today.
I'm thinking about ordering pizza tonight.
Might watch a film tonight.
I should drink some water.
I'm off to bed.
Let me finish this email first.
User wants to pin this memory.
User wants to delete that note.
I'm going to take a shower.
I'll be right back.
User plans to continue this tomorrow.
I'm going to stretch my legs for five minutes.
I need to charge my phone.
User is about to go to the gym.
I'll call you back in ten minutes.
I'm going to do the laundry this afternoon.
Planning to wash the car later.
I'd like to order sushi for lunch.
Gonna skip breakfast today.
User wants to start a timer for twenty minutes.
I want to resume the workflow.
Let's continue with the next step.
I will commit this now.
I'm going to restart the server.
I think I'll stay in tonight.
User is going to pick up a parcel this afternoon.
I have to take out the trash tonight.
User wants to add protein powder to today's breakfast.
I'm about to make dinner.
I plan to supplement with magnesium tonight.
I need to vacuum before the evening.
I'll try the other file next.
User wants to record today's workout.
I'm heading to the supermarket.
I'm going to walk the dog now.
User would like to take a short break.
I'll reboot my laptop after this.
Will go to the cinema tonight.
User wants to close this tab.
""",
    "activity_log": """
I ate a burger for lunch.
User had oatmeal for breakfast today.
User weighed 79.7 kg today.
I ran 5 km this morning.
Slept badly last night.
User slept seven hours.
I drank two coffees.
Watched an episode of a crime show last night.
User recorded a weight of 64 kg.
Logged a 30 minute workout.
I had lunch with a fork because the spoons were dirty.
Went to the gym after work today.
I walked 9,000 steps today.
User cooked pasta yesterday evening.
Bought milk and eggs this morning.
I took a nap this afternoon.
I just finished my dinner.
User did yoga for twenty minutes today.
I woke up at six today.
Stayed up until 2 am last night.
I took the dog out this morning.
User swam 40 laps yesterday.
I cleaned the kitchen today.
Did the laundry this morning.
I read a few pages before bed last night.
My blood pressure was 128 over 82 this morning.
User's resting heart rate was 58 bpm today.
User burned 450 kcal on the bike today.
I played video games until midnight yesterday.
I skipped breakfast today.
Ordered a pizza last night.
User consumed 1,800 calories yesterday.
I answered all my mail this morning.
I mowed the lawn today.
User listened to a podcast on the way to work today.
I made an omelette for breakfast.
User went for a walk after dinner.
I got my hair cut today.
I had a beer last night.
User drank 2 litres of water today.
Did 30 push-ups before breakfast.
Took vitamin D this morning.
I went shopping this afternoon.
User woke up three times last night.
I had a shower and got dressed.
Lifted weights for an hour yesterday.
I finished the second season last night.
User meditated for ten minutes this morning.
My step count today is 11,204.
I've just had two slices of toast.
Rode the exercise bike for half an hour today.
User logged breakfast: yoghurt and berries.
""",
    "operational_log": """
All tests passed.
The build failed.
Import task finished.
The upload is at 60 %.
Service returned error 503.
The smoke test passed.
Debug log output shows a null pointer.
The temporary workspace is under /tmp/ws-12.
This was a planning-only turn.
The model is at capacity.
Assistant will look at the file next.
The deploy finished at 14:02.
Deployment to staging is in progress.
Ticket 4821 is in progress.
ETA for the fix is tomorrow.
The assistant is waiting for confirmation.
The server restarted successfully.
Job 77 is queued.
The migration is running.
The pipeline is green again.
CI is red on the feature branch.
3 of 120 tests failed.
The assistant created a temporary table.
Compilation succeeded with two warnings.
The agent has read twelve files so far.
The process exited with code 1.
The request timed out.
Download complete.
The container is still starting.
Syncing 340 files.
The cache was cleared.
The linter reported no problems.
The assistant ran the query and got 12 rows.
The system requires confirmation today.
The assistant's ETA is tomorrow.
The debug session is still open.
Connection to the database was refused.
The import is retrying for the third time.
Step 3 of 5 completed.
The assistant will continue after the restart.
The branch was pushed.
The script is currently processing batch 14.
Tracking event error was logged.
The index rebuild took 41 seconds.
The command produced no output.
The tool call failed with a timeout.
Pull request 93 was merged this morning.
The backup is being uploaded.
Build number 1182 is done.
The daemon is not responding.
The assistant updated the file and saved it.
Everything is functioning correctly now.
The token limit was reached.
Session resumed from checkpoint.
""",
}
