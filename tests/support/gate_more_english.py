"""More English sentences for the gate, by label: of other kinds, as people would say them."""

from __future__ import annotations

ENGLISH = {
    "durable": """
User's landlord is called Mr Petrov and lives on the ground floor.
I was raised in a small fishing village near Bergen.
User has type 1 diabetes and wears a sensor on her arm.
I go climbing with Farid on Wednesday evenings.
The user keeps bees on the roof of her office.
We switched from Jenkins to GitHub Actions because the plugins kept breaking.
User's passport runs out in August 2027.
My car is an old Volvo with 300,000 km on it.
User takes the 7:40 train to work and reads on it.
I've got a peanut allergy.
Please never mention my ex-husband.
Use metric units in everything you write for me.
The tests need a running Postgres container, otherwise they are skipped.
Uploads larger than 50 MB are rejected by the proxy.
Sessions are kept in Redis for thirty minutes.
Our builds run on arm64 machines only.
The model we fine-tuned last year is called Heron.
Deploys to production need two approvals.
The import job has to finish before 6 am because the shops open then.
The March outage taught us to alert on queue depth.
User and Lea broke up after nine years.
I passed my driving test this morning!
User gave birth to a girl named Ada yesterday.
I got the job at the observatory today.
My grandfather died last night.
I signed up for evening classes in Greek this week.
Meeting my thesis supervisor tomorrow at ten.
I'm having lunch with Paul and Greta on Friday.
User flies to Seoul on Tuesday for a conference.
The dentist is going to pull two wisdom teeth next Wednesday.
User wants to retire at 55 and live on a boat.
I'd like to learn to bake proper rye bread this year.
User is thinking about giving up alcohol for good.
I want to cut down on sugar.
The user intends to write a family chronicle.
User is trying to sleep eight hours every night.
I can't eat spicy food because of my stomach ulcer.
User has been short of breath since having Covid in spring.
I get migraines when the weather changes.
I'm always exhausted after night shifts.
User is a morning person and does her best work before nine.
I find open-plan offices unbearable.
User thinks remote work is better for families.
I own a cabin in the Black Forest.
The spare tyre is in the cellar of my parents' house.
User's nephew is autistic and loves trains.
My wife works shifts at the airport.
Yusuf from accounting approves all travel.
Remember: the alarm at the shop has to be armed by ten.
From next month on the office is closed on Fridays.
User weighs every ingredient because she bakes for people with coeliac disease.
I drank too much in my twenties and have been sober since 2016.
User tracks her sleep with a ring because of her apnoea.
I have worn hearing aids since I was six.
Our dog must not eat grapes.
I cook for my father every Sunday.
My project Kestrel is a bird-song recogniser.
User is renovating a farmhouse and expects it to take three years.
I walk to work.
User drinks oat milk instead of cow's milk.
User's maiden name is Okonkwo.
I live with my brother and his two parrots.
User is a widow and has four grandchildren.
I work nights as a baker.
User commutes by ferry.
I keep kosher.
My flat has no lift.
The user's company sells hearing protection.
User plays viola in the town orchestra.
My left ear has been ringing for months.
User carries an EpiPen.
Chapters of my thesis live in the folder called drafts.
We ship on the first Monday of the month.
Errors go to Sentry, never to e-mail.
The frontend is written in Svelte.
Backups older than 90 days are deleted.
Kafka was too heavy for us, so we went back to plain queues.
The last release broke printing because of a missing font.
Don't touch the vendored code.
Prefer short sentences when you write for me.
User starts a new job at the harbour on 1 September.
I proposed to Lin yesterday and she said yes.
We had to put our old cat to sleep this morning.
User ran her fastest 10 k ever today.
I'm seeing the cardiologist on Monday.
User has tickets for the opera with Jonas tomorrow evening.
My in-laws are coming to stay next week.
I'd like to move closer to the sea.
User hopes to sell the shop and travel.
I want to get my Spanish to C1.
User is tired of city life.
I get hungry every night around eleven.
In winter I am always cold.
User prefers tea; coffee gives him palpitations.
I can't sleep without earplugs.
User collects fountain pens.
Amira is our contact at the bank.
My neighbour Tim waters the plants when we are away.
User's stepfather taught him to weld.
I take the stairs because lifts frighten me.
The wiki is the only place where prices are agreed.
Secrets live in Vault, never in the repository.
User is moving in with Carla at the end of May.
My hearing test is on Thursday at the ENT clinic.
I wear contact lenses.
User does not eat pork.
The team agreed to freeze the API until autumn.
I finally finished writing my novel last night.
Answer me with code first and explanation after.
User has two jobs and studies in the evening.
""",
    "query_intent": """
Which train goes to Malmö after ten?
User would like to know how to descale a kettle.
The user inquired whether cats can eat rice.
User needs advice on insulating an attic.
Give me a recipe for pumpkin soup.
Could you check my grammar?
Explain photosynthesis like I'm five.
User asked the assistant to shorten a speech.
Is it safe to mix bleach and vinegar
I'm looking for a good thriller to read.
User wants a list of museums in Vienna.
Tell me how far the moon is.
How come my tomatoes split?
User wants help with a cover letter.
Turn this list into a table.
What would be a good name for a bakery?
User is curious about the origin of chess.
Suggest some films like Arrival.
I need to know the boiling point of ethanol.
Find out who directed Stalker.
User asked for the current exchange rate of the krona.
please summarise the minutes
Does anyone know a plumber?
User requests an example of a binary search in Rust.
Can't figure out how to center a div, help?
Where did I leave off?
How far is it from Ghent to Lille
User asks which laptop has the best keyboard.
I'd love some ideas for a birthday cake.
Draw me a floor plan.
User wants the weather forecast for Sunday.
Got any tips for removing stickers?
Make this paragraph sound friendlier.
User is looking up bus times to the airport.
What's wrong with this regex
Is there a faster way to sort this
User sought clarification on the tax form.
User wants to know how long to boil an egg.
Can I take ibuprofen with wine?
Search the web for cheap flights to Oslo.
User asked for a synonym of happy.
Please check this sentence for mistakes.
""",
    "transient_status": """
User is sneezing a lot today.
I'm stuck at the airport, flight delayed.
My earbuds just died.
User is standing in a queue at the bakery.
The sun is shining today.
I'm a bit distracted right now.
User is wearing headphones and cannot hear well at the moment.
I'm between two meetings.
It's foggy this morning.
User is at the hairdresser.
I'm on the bus and the signal is bad.
User is on lunch break until one.
My laptop is overheating again.
I'm freezing.
User is not feeling well today.
The neighbours are drilling right now.
I only have ten minutes right now.
User is eating while typing.
Typing with one hand because I'm holding the baby.
I'm walking home at the moment.
User has a runny nose today.
User is tied up in meetings all day.
I'm waiting for the kettle to boil.
The room is too hot right now.
I'm wide awake.
Running a little late, sorry.
User is chopping onions and can't type.
I'm outside smoking.
My hands are freezing.
It's really windy out there.
User is alone in the office this evening.
My screen just went black.
I feel sick after that burger.
I'm in the elevator.
User is in a noisy room.
I'm on hold with the bank.
My phone is charging in the other room.
I'm cooking, so my replies will be slow.
User is too tired to think right now.
My battery is down to 5 %.
It's hailing here.
User is on a noisy train until six.
""",
    "ephemeral_intent": """
I'm going to fetch a glass of water.
User plans to mow the lawn this afternoon.
I'll reply to that mail later.
User wants to close the terminal.
Remind me in ten minutes to take the pizza out.
I'm gonna hit the gym after work.
User will have ramen for dinner tonight.
Let me just grab my charger.
User is going to watch the match tonight.
I want to take a short nap.
I should go to bed soon.
User intends to upload the file again.
I need to iron a shirt for tomorrow.
User is about to jump in the shower.
I'll get some fresh air.
User wants to log today's lunch.
I'm planning to bake a cake this afternoon.
I have to stop by the post office later.
User wants to delete the draft.
User is going to try the second link now.
I'll order a taxi in a minute.
Just popping out for milk.
I'm going to refill my coffee.
User plans to take a bath tonight.
User wants to start a new chat.
Off to pick up the kids.
I'll make some toast.
User wants to snooze the alarm.
I'm going to lie down for a bit.
User plans to water the plants tonight.
I'll have a look at the second tab in a moment.
Need to buy batteries today.
User will skip lunch today.
I want to rename this file.
I'm about to go for a jog.
User wants to turn off the notifications for an hour.
Thinking of making pancakes later.
I'll go and hang out the washing.
User wants to reopen the last conversation.
Going to have a quick sandwich.
User plans to clean the bathroom this evening.
I want to try the export again.
""",
    "activity_log": """
User ate two bananas this morning.
I vacuumed the living room before lunch.
Cycled to the lake and back today.
User played chess online for an hour last night.
I had porridge with raisins.
User took a cold shower this morning.
I finished my coffee.
Weight this morning: 71.2 kg.
User did a spin class after work yesterday.
Slept like a log.
I watched the news over breakfast.
User baked banana bread on Sunday afternoon.
I went to the supermarket today.
Read forty pages of a thriller last night.
User ironed five shirts today.
I got up at half past six.
User drank a litre and a half of water today.
I scrolled through my phone until midnight.
User paid the electricity bill today.
We ordered Indian food last night.
I practised the piano for thirty minutes today.
User's heart rate averaged 61 last night.
Repotted the basil this morning.
Had two slices of pizza and a cola.
I didn't sleep much last night.
Took the bins out and swept the stairs this morning.
User had sushi for dinner yesterday.
I spent the evening on the couch.
Burned 320 kcal on the rower.
User went to bed at eleven.
I listened to an audiobook on my walk today.
User texted with friends until late last night.
I put gas in the car this morning.
User took her vitamins today.
Had a bath after dinner.
I drank a smoothie and ate some nuts.
User walked 12,300 steps today.
Ran six kilometres along the canal this morning.
User had two espressos before noon.
I fell asleep at ten last night.
User's weight today is 82.3 kg.
Watered the tomatoes and pulled some weeds this evening.
""",
    "operational_log": """
Unit tests are green.
The deployment was rolled back.
Job 4411 has been queued.
The assistant is now reading the logs.
Service health check returned 200.
The agent has finished step two.
Docker image built in 48 seconds.
No tests were run.
Index rebuild at 80 %.
Assistant created a scratch branch for the experiment.
The worker crashed and was restarted.
Two of five shards are synced.
Log output: connection reset by peer.
Waiting for CI to finish.
The migration script finished without errors.
The API is returning 429 at the moment.
The pull request was approved and merged.
Assistant will retry in five minutes.
Compiling took three minutes.
The crawler is paused.
The agent is out of tokens.
Ticket 77 was closed.
The staging database is being restored.
Lint finished with 3 warnings.
The tool returned an empty list.
The cron container restarted twice.
Assistant found three matching files.
Generating embeddings, 40 % done.
Lock acquired, starting sync.
The subagent returned no results.
Rate limit hit, backing off for 60 seconds.
Server is listening again after the crash.
Package install failed with a checksum error.
The test run is still going.
Cache miss on all keys in this run.
The assistant cannot access the file right now.
PR 512 is waiting for review.
Linting passed, tests are still running.
The agent opened the file and found nothing.
Export to CSV failed after 12,000 rows.
Container exited with status 137.
Task 9 of 20 is done.
""",
}
