"""Sentences as people write them to an assistant, each with the kind of event it tells, `-` for none.

The near misses are as many as the others: questions, requests, conditions, the words of others, past habits, quotations, code, and
words that only look like a pattern.
"""

from __future__ import annotations

from collections.abc import Iterator

ENGLISH = """
decision   | Let's go with Postgres.
decision   | ok lets go with the monorepo layout
decision   | We'll use tantivy for search.
decision   | We’ll use tantivy for search.
decision   | I've decided to drop Python 3.9 support.
decision   | We decided on a two-week release cycle.
decision   | we agreed that the API stays at v1 until summer
decision   | The decision is to keep SQLite for now.
decision   | Going with option B from the RFC.
decision   | Great, so we're going with Hetzner instead of AWS.
decision   | I'll use Svelte for the admin page.
decision   | I choose the MIT license for this repo.
decision   | We chose Rust over Go because of memory usage.
decision   | After a long discussion we settled on GraphQL.
decision   | let's stick with pytest
decision   | We are going to switch to pnpm next sprint.
decision   | Let's use feature flags for the rollout.
decision   | I think we'll go with Stripe for payments.
decision   | We won't use Redis in the first version.
decision   | we've decided against microservices
decision   | Decision: all dates are stored as UTC.
decision   | The final decision was to postpone the launch.
decision   | Yesterday, we agreed to freeze the schema.
decision   | From now on I'll use ruff instead of flake8.
decision   | Let's go with `uv`, can you update the README?
decision   | I picked the blue logo in the end.
decision   | We've chosen Kotlin for the Android app.
decision   | I’ve decided: no ORM in this project.
decision   | We ended up choosing Terraform.
decision   | I'm going with the 13 inch model.
commitment | I'll send the invoice by Friday.
commitment | I will finish the slides tomorrow.
commitment | We need to finish the migration by the end of March.
commitment | I promise to review the PR tonight.
commitment | I plan to run a marathon in October.
commitment | We're planning to launch on May 3rd.
commitment | The deadline is next Wednesday.
commitment | Our deadline for the grant application is 2027-02-14.
commitment | The demo is scheduled for Thursday at 3pm.
commitment | I have a dentist appointment on Tuesday at 10am.
commitment | We have a meeting with the investors tomorrow.
commitment | I'm flying to Tokyo next Monday.
commitment | I'm going to rewrite the parser this weekend.
commitment | We will ship version 2 in March.
commitment | ill write the tests tomorrow
commitment | I have to submit my thesis by June 30.
commitment | The report must be done by Friday.
commitment | We intend to open source the library.
commitment | I'll call the bank and ask about the mortgage.
commitment | I'm meeting Anna at 5pm.
commitment | btw, I'll be in Paris next week
commitment | The tax return is due on April 15.
commitment | I will migrate the old notes myself, you only need to check them.
commitment | I must renew my passport before July.
commitment | I'll get back to Maria on Monday about the contract.
preference | I prefer tabs over spaces.
preference | i prefer short answers
preference | I really like functional programming.
preference | I love dark mode in every app.
preference | I hate meetings before 10am.
preference | I don't like emojis in commit messages.
preference | i dont like long explanations
preference | I always write tests first.
preference | I never work on Sundays.
preference | My favorite editor is Helix.
preference | My favourite colour is green.
preference | I usually deploy on Tuesdays.
preference | I tend to avoid inheritance.
preference | I'm used to vim keybindings.
preference | im used to the metric system
preference | I'd rather use plain SQL than an ORM.
preference | I would prefer British spelling.
preference | Honestly, I can't stand pop-up dialogs.
preference | For Python code I prefer black with a line length of 100.
preference | When I travel, I prefer window seats.
preference | I'm not a fan of YAML.
preference | I'm a big fan of Terry Pratchett.
preference | From now on, answer in German.
preference | Please always run the linter before committing.
preference | Never push to main directly.
preference | Always use type hints.
preference | Please don't use emojis in code.
preference | Don't add comments to obvious code.
preference | In the future, please ask before deleting files.
preference | I don't like it when you rename my variables.
preference | I personally dislike semicolons in TypeScript.
preference | I like my coffee black.
preference | I prefer tabs, can you reformat the file?
preference | Actually, I changed my mind: I prefer 4 spaces instead of tabs, the team wants black formatting.
preference | On second thought, I prefer 2 spaces.
preference | Whenever you write SQL, use uppercase keywords.
preference | you should always explain the trade-offs
preference | I only drink decaf, and I love oat milk.
preference | I'll never use Java again.
preference | Stop apologizing for everything.
preference | I don't use Windows at all.
preference | My go-to language is Go.
fact       | I'm based in Berlin.
fact       | I live in Zürich with my wife and two kids.
fact       | I work at a small biotech startup.
fact       | i work for Siemens as a data engineer
fact       | My name is Priya.
fact       | my name's Tom and I am from Ireland
fact       | I'm a backend engineer.
fact       | im a nurse, so I work night shifts
fact       | My role is tech lead of the payments team.
fact       | I've been using Emacs for 15 years.
fact       | I'm from Brazil.
fact       | My timezone is UTC+2.
fact       | my time zone is Europe/Madrid
fact       | We use Postgres 15 on Kubernetes.
fact       | Our backend is written in Elixir.
fact       | I'm allergic to peanuts.
fact       | My birthday is March 4th.
fact       | I have two daughters, Mia and Lena.
fact       | My wife's name is Carla.
fact       | I speak Spanish and a bit of Dutch.
fact       | I live in Oslo, what's the weather like tomorrow?
fact       | Call me Sam.
fact       | I use NixOS on my laptop.
fact       | I'm vegetarian.
fact       | I have 12 years of experience with C++.
fact       | Remember that the staging server lives in Frankfurt.
fact       | Our team uses Linear for tickets.
fact       | I'm currently learning Rust.
fact       | I'm 34 years old.
fact       | I'm on macOS 15.
-          | Do you think I will make it by Friday?
-          | If I decided to use Rust, what would change?
-          | I would like you to fix the login page.
-          | I'd like a summary of this file.
-          | I will see.
-          | We'll see how it goes.
-          | im aware of that
-          | I'm about to leave.
-          | This is a well used path.
-          | we will use to be
-          | She prefers tabs.
-          | My boss said I will get a raise.
-          | He told me, I will be fired by Friday.
-          | Do I like tabs?
-          | Should we go with Postgres or MySQL?
-          | What if we decided to drop Windows?
-          | Can you tell me what I like about this design?
-          | I used to like Java.
-          | We haven't decided yet.
-          | I haven't decided on a database.
-          | I'm not sure if I will use Redis.
-          | Maybe I'll use Redis.
-          | I might use Redis.
-          | I like it!
-          | I like that idea.
-          | I love this.
-          | I like your approach.
-          | I prefer the second one.
-          | I prefer 2.
-          | I prefer 2, it looks better.
-          | I prefer 3 this time.
-          | I hate to ask, but can you redo it?
-          | Which editor do I prefer?
-          | The function I like most is `map`.
-          | "I prefer tabs" is what the style guide says.
-          | “I will do it tomorrow,” he said.
-          | The button label should be 'I agree to use cookies'.
-          | `i will use x`
-          | Print "we decided to use Rust" to the console.
-          | Translate to French: I live in Berlin.
-          | Write an email saying I will be late on Friday.
-          | Imagine I live in Tokyo, plan a week for me.
-          | Let's pretend I'm a pirate.
-          | I always get this error when I run the tests.
-          | I never said that.
-          | I usually forget the syntax.
-          | I always thought it was a bug.
-          | I'm a bit confused.
-          | I'm a little lost here.
-          | I am an hour away from finishing.
-          | I've been trying to fix this for hours.
-          | I've been getting timeouts since yesterday.
-          | I'm from now on blocked by this.
-          | I'll let you know.
-          | I'll be back.
-          | I'll paste the log below.
-          | I will need the credentials.
-          | I'll try that.
-          | I'll do it.
-          | I will give you three examples.
-          | I guess it works.
-          | Never mind.
-          | Always a pleasure.
-          | Let's see.
-          | Let's not go with Postgres.
-          | Let's use this for now.
-          | Let's go for a walk.
-          | We agreed, thanks.
-          | The decision is yours.
-          | The deadline is unclear.
-          | Is the meeting scheduled for Friday?
-          | When is the deadline?
-          | You will use Postgres.
-          | They decided to use Kafka.
-          | The user says I prefer dark mode.
-          | As a user I want to filter the list.
-          | Why do I always have to repeat myself?
-          | How do I use Docker on a Mac?
-          | we use it everywhere
-          | I use this function and get a TypeError.
-          | I use webpack and the build fails with an error.
-          | My code is broken.
-          | My email is not working.
-          | My laptop is too slow.
-          | I have a question about generics.
-          | I have two files here.
-          | I work on it right now.
-          | I own it.
-          | Can you help me with the tests I will write?
-          | Please fix the bug by tomorrow.
-          | Don't change that file.
-          | Don't use the cache here.
-          | Don't worry about it.
-          | Call me back later.
-          | Remember to buy milk.
-          | Do you remember that I live in Rome?
-          | We'll use Postgres, right?
-          | Let's go with Postgres, what do you think?
-          | The test says "I will fail".
-          | git commit -m "i prefer tabs"
-          | I wish I lived in Spain.
-          | Had I decided earlier, we would be done.
-          | I said no.
-          | He thinks I am a robot.
-          | I want to know what we decided.
-          | Tell me when I will get it.
-          | Unless I decide otherwise, keep it.
-          | I don't know what I prefer.
-          | I don't think I will use it.
-          | I am not going to argue about that.
-          | Someone like me always needs help.
-          | the way I always did it
-          | things I hate about Java
-          | I committed my changes to main.
-          | I commit to main every day.
-          | ill in bed with the flu
-          | id like to see the diff
-          | The lets and consts I never understood.
-          | My password is [secret: password].
-          | I live at [personal: address].
-          | [secret: github-token]
-          | I'm in a meeting.
-          | It would be nice if I could use tabs.
-          | for i in range(10): i will be printed
-          | If it breaks, I'll fix it on Monday.
-          | Thanks, I like how you did that.
-          | I love you.
-          | I chose poorly.
-          | It uses a well-known port, as we use to say.
-          | I will kill this process.
-          | The job is scheduled for 3am every day and fails.
-          | I always want to cry when I see this.
-          | I have two children nodes in the tree.
-          | I'm a user of your API and I get 403.
-          | I'll use your suggestion.
-          | I decided to try it.
-          | I prefer not to say.
-          | NameError: my name is not defined
-          | Our tests are failing.
-          | I'd rather not.
-          | The function should always return a string.
-          | You and I will never agree.
commitment | I'll finish this by Friday.
commitment | I have a flight to Lisbon on Dec 12 at 7am, remind me to pack.
preference | please use british english in all docs from now on
fact       | In this repo we use conventional commits.
fact       | I was born in 1990.
fact       | My girlfriend is vegan and I'm lactose intolerant, what can we cook tonight?
decision   | Actually scratch that, let's use a simple JSON file instead of SQLite.
decision   | We're dropping IE support.
decision   | decided to use sqlite
decision   | We're not gonna support Windows.
commitment | I've got a call with Acme at 2pm tomorrow.
commitment | I will be traveling from Dec 20 to Jan 3.
preference | Keep your answers short.
preference | I don't want any emojis in your replies.
preference | I never liked Perl.
fact       | We've been running on Fly.io since 2022.
fact       | My team owns the billing service.
fact       | Please address me as Dr. Lee.
fact       | I have ADHD.
-          | I think we should use Kafka.
-          | I'd love to visit Japan someday.
-          | I've never used Haskell.
-          | I always forget to commit.
-          | I agree to the terms.
-          | I'm working on the parser.
-          | Remember that you are an AI.
-          | I don't want any of this.
-          | Keep it short.
"""

CHINESE = """
decision   | 我们决定用 tantivy 做搜索。
decision   | 我决定放弃 Python 3.9。
decision   | 那就用 Postgres 吧。
decision   | 好的，那我们就用方案B吧
decision   | 还是用 SQLite 吧。
decision   | 我们最终选择了 Vue 而不是 React。
decision   | 我们商量好了，下个版本不支持 Windows 7。
decision   | 最终决定是保留旧接口。
decision   | 我们约定所有时间都存 UTC。
decision   | 我已经决定换工作了。
decision   | 我们不用 Redis 了。
decision   | 我们改用 pnpm。
decision   | 经过讨论，我们决定推迟上线。
decision   | 我们将采用微服务架构。
decision   | 我选择 MIT 许可证。
decision   | 后端我们统一用Go写。
decision   | 我们达成一致：主分支只接受合并请求。
decision   | 我决定了，下个月搬到杭州。
decision   | 结论是：先不上缓存。
decision   | 我们决定采用蓝绿部署，你能更新一下文档吗？
commitment | 我会在周五前提交报告。
commitment | 我明天会把合同发给客户。
commitment | 我们计划下个月发布 2.0。
commitment | 我打算明年考研。
commitment | 我保证今晚写完测试。
commitment | 截止日期是下周三。
commitment | 我明天下午三点要去看牙医。
commitment | 我们必须在月底前完成迁移。
commitment | 评审会定在周四上午十点。
commitment | 我下周要去上海出差。
commitment | 周五之前我要交论文初稿。
commitment | 我答应帮小李搬家。
commitment | 我会尽快修复我负责的模块。
commitment | 我们预计三月上线新版本。
commitment | 项目的ddl是12月20号。
commitment | 我周三有一个面试。
commitment | 我准备下个月去日本旅游。
commitment | 我们争取本周内修好这个漏洞。
commitment | 我会按时完成翻译初稿的校对。
commitment | 我后天要参加家长会。
preference | 我喜欢用 Vim。
preference | 我不喜欢猫。
preference | 我不喜欢提交信息里有表情符号。
preference | 我更喜欢简短的回答。
preference | 我讨厌早上开会。
preference | 我偏好函数式编程。
preference | 我习惯用四个空格缩进。
preference | 我从不在周末加班。
preference | 我一般周二部署。
preference | 我总是先写测试。
preference | 我最喜欢的编辑器是 Helix。
preference | 我的习惯是先写文档再写代码。
preference | 以后都用中文回复我。
preference | 以后请不要用表情符号。
preference | 请务必在提交前运行测试。
preference | 不要使用 any 类型。
preference | 别再用感叹号了。
preference | 我爱喝黑咖啡。
preference | 我不吃香菜。
preference | 我通常用 rebase 而不是 merge。
preference | 写 Python 的时候我喜欢用类型注解。
preference | 说实话，我受不了弹窗广告。
preference | 我宁愿手写 SQL 也不用 ORM。
preference | 我比较喜欢深色主题，你能改一下吗？
preference | 我平时只用命令行。
preference | 每次提交前请先跑一遍 lint。
preference | 从现在起请用英文写注释。
preference | 我倾向于把逻辑放在后端。
preference | 其实我不太喜欢 Java。
preference | 我每天都喝两杯茶。
fact       | 我住在北京。
fact       | 我在上海工作。
fact       | 我叫李雷。
fact       | 我是一名后端工程师。
fact       | 我是程序员。
fact       | 我来自四川成都。
fact       | 我的时区是东八区。
fact       | 我的生日是3月4日。
fact       | 我对花生过敏。
fact       | 我昨天搬到杭州了
fact       | 我上个月搬去了成都
fact       | 我有两个女儿。
fact       | 我今年34岁。
fact       | 我会说西班牙语和一点德语。
fact       | 我用 Vim 十年了。
fact       | 我们项目用的是 Go 和 Postgres。
fact       | 我们公司使用飞书办公。
fact       | 我毕业于浙江大学。
fact       | 我的职业是护士。
fact       | 我在一家创业公司上班，平时很忙。
fact       | 叫我小王就行。
fact       | 我是做嵌入式开发的。
fact       | 我有五年的前端经验。
fact       | 请记住：测试服务器在法兰克福。
fact       | 我的母语是粤语。
fact       | 我目前在清华读博。
fact       | 我是素食者。
fact       | 我住在深圳，明天天气怎么样？
fact       | 我从事医疗软件开发。
fact       | 我的编辑器是 VS Code。
fact       | 我家养了一只猫。
fact       | 我老家在湖南。
-          | 你喜欢猫吗？
-          | 你喜欢猫
-          | 我喜欢吗
-          | 我决定了吗？
-          | 我们决定了吗
-          | 她喜欢深色模式。
-          | 他说我会迟到。
-          | 老板说我们决定用 Java。
-          | 如果我决定用 Rust 会怎样？
-          | 如果我们用 Redis 会更快。
-          | 我可能会用 Redis。
-          | 也许我会去。
-          | 我还没决定。
-          | 我们还没决定用哪个数据库。
-          | 我决定不了。
-          | 决定权在你。
-          | 我有选择困难症
-          | 我会的。
-          | 我会 Python。
-          | 我会不会太晚了？
-          | 我会觉得很奇怪。
-          | 我想知道我们决定了什么。
-          | 帮我写一封信，说我周五会迟到。
-          | 翻译成英文：我住在北京。
-          | 用“我喜欢”造句。
-          | “我喜欢猫”是什么意思？
-          | 他问我喜欢什么。
-          | 我喜欢这个。
-          | 我喜欢你的方案。
-          | 我喜欢的那个功能坏了。
-          | 我爱你。
-          | 我爱好广泛
-          | 我总是忘记语法。
-          | 我总是遇到这个错误。
-          | 我一般都会报错。
-          | 我在想怎么写。
-          | 我在调试一个问题。
-          | 我在看你发的代码。
-          | 我是说这里有问题。
-          | 我是不是写错了？
-          | 我是想问一下缓存的问题。
-          | 我用的时候报错。
-          | 我们用的时候经常失败。
-          | 我叫你改一下。
-          | 叫我来干嘛
-          | 我住哪里？
-          | 我有一个问题。
-          | 我有两个文件。
-          | 请在周五前完成。
-          | 请帮我修复登录页面。
-          | 我想让你修复登录页面。
-          | 我希望你能解释一下。
-          | 不要改这个文件。
-          | 别担心。
-          | 先不要用这个缓存。
-          | 不要在这里用缓存。
-          | 用户选择了蓝色主题。
-          | 我们要不要用 Postgres？
-          | 我们用 Postgres 好不好？
-          | 就用 Postgres，对吧？
-          | 我们用 Postgres 吧，你觉得呢？
-          | 要是我住在海边就好了。
-          | 假如我是程序员
-          | 我以为我们决定用 Go。
-          | 我差点决定放弃。
-          | 截止日期是什么时候？
-          | 会议定在几点？
-          | 我准备好了。
-          | 我的计划书在哪里？
-          | 我打算怎么办？
-          | 我们的选择题做完了。
-          | 我不确定我喜欢哪个。
-          | 我不知道我会不会去。
-          | 我曾经喜欢过 Java。
-          | 我妈喜欢花。
-          | 给我用中文写个脚本
-          | 我的代码有问题。
-          | 我的电脑坏了。
-          | 我的邮箱是[personal: email]
-          | 我的密码是[secret: password]。
-          | `我决定用它`
-          | 让我决定吧。
-          | 你来决定。
-          | 你帮我选择一个名字。
-          | 我看不懂这段代码。
-          | 我不用改吗？
-          | 我不看好
-          | 我要一份总结。
-          | 我要疯了。
-          | 我该怎么选择？
-          | 大家好
-          | 用户喜欢简洁的界面。
-          | 比如我喜欢猫，模型应该回答什么？
-          | 据说我们会搬办公室。
-          | 我先看看。
-          | 我试试。
-          | 我就是想问问。
-          | 我不太确定。
-          | 我一直在等你的回复。
-          | 每次都报错。
-          | 我会说明一下。
-          | 我选择第二个。
-          | 我选择了但是没反应。
-          | 我们使用说明在哪
-          | 还是用原来的吧。
-          | 请一直等待。
-          | 请都改掉
-          | 每次提交都报错
-          | 我平时很忙。
-          | 大家都喜欢猫。
-          | 小明决定用Go。
-          | 我会员到期了
-          | 记住密码的功能坏了
commitment | 我今晚把代码推上去。
commitment | 我下个月要搬家到深圳，帮我列一个清单
preference | 以后提交信息用英文写，别写中文。
fact       | 我是搞算法的，平时主要用 Python，前端不太懂
fact       | 我用的是 M1 的 Mac，装不上这个包怎么办
fact       | 我已经写了三年 Go 了。
fact       | 以后叫我阿明吧
decision   | 最后决定用 M3 Max
decision   | 我不喜欢单独跑服务，那就决定用 tantivy。
decision   | 我们选了 Cloudflare
commitment | 我下周二到周四出差
commitment | 我晚上八点有个会
preference | 永远不要 force push
fact       | 我是色盲，图表别用红绿
fact       | 我现在在字节跳动做后端
fact       | 我人在东京
-          | 我在准备半程马拉松。
-          | 我会尽量早点
-          | 以后请假怎么办
-          | 我明天要是有空就去
-          | 我是用户
-          | 我计划书写完了
-          | 我将代码放在这里
"""

MIXED = """
decision   | 我们决定 go with Postgres.
decision   | OK，we'll use tantivy 做全文搜索。
commitment | 我会在 Friday 之前完成这个 PR，deadline 是 12月20日
commitment | I'll finish 这个模块 by Friday.
preference | I prefer 简体中文 replies.
preference | 我 prefer tabs 而不是 spaces。
preference | 我喜欢 dark mode。
preference | Please always reply in 中文.
fact       | I'm a 后端工程师 at 阿里巴巴.
fact       | 我在 Google 工作。
fact       | My name is 李雷.
-          | Do you 喜欢 dark mode？
-          | 她说 I prefer tabs.
-          | What does 我决定 mean?
-          | 翻译：I will use Postgres.
-          | 帮我把它搬到服务器
-          | 我想搬到上海
-          | 我搬到三楼了
-          | 如果 I decided to go, 会怎样
"""


def labelled(block: str) -> Iterator[tuple[str, str]]:
    """Each sentence with its kind, '' for none."""
    for line in block.strip().splitlines():
        kind, sentence = (part.strip() for part in line.split("|", 1))
        yield sentence, "" if kind == "-" else kind
