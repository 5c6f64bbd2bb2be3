"""Sentences with what they make of a user's profile: a facet and a key, `-` where they are no rule for good."""

from __future__ import annotations

ENGLISH = """
directives run_tests                 | Always run the tests before you commit.
anti_preferences push_main           | Never push to main.
anti_preferences push_main           | Please never push directly to main!
communication language               | From now on answer in German.
communication emoji                  | Please don't use emojis.
anti_preferences touch_vendor_folder | Don't ever touch the vendor folder.
communication length                 | Keep answers short from now on
communication apologies              | stop apologising
communication length                 | please be brief
communication spelling               | Use British spelling everywhere
communication spelling               | please use british english in all docs from now on
directives run_linter                | ok, from now on please always run the linter first
directives ask_before_deleting       | Always ask before deleting files.
directives ask_before_pushing        | you should always ask me before pushing
directives sign_commits              | Always sign your commits.
directives types                     | Always use type hints.
directives quotes                    | Going forward, use single quotes.
directives write_tests               | always write tests for new code
directives write_commit_messages     | From now on, write commit messages in the imperative.
directives read_whole_file           | No, always read the whole file before you change it.
directives package_manager           | From now on use pnpm instead of npm.
directives update_changelog          | In the future, please update the changelog as well.
directives run_check                 | Before every commit, run make check.
directives run_formatter             | Run the formatter after every change.
directives uppercase_keywords        | Whenever you write SQL, use uppercase keywords.
directives run_tests                 | Every time you change a file, run the tests.
directives conventional_commits      | Use conventional commits from now on.
communication explain_trade_offs     | I want you to always explain the trade-offs.
directives check_existing_helpers    | Make sure you always check for existing helpers.
directives run_tests                 | Can you always run the tests before you commit?
communication language               | Could you answer in French from now on?
directives work_branch               | Always work on a branch.
anti_preferences commit_asking       | Don't commit without asking me.
anti_preferences delete_files        | don't delete files unless I say so
anti_preferences force_push          | Never force push.
anti_preferences force_push_shared_branch | Under no circumstances should you force-push to a shared branch.
anti_preferences push_main           | Don't push to main ever again.
anti_preferences any_typescript      | Never use `any` in TypeScript.
anti_preferences orm                 | Don't ever use an ORM.
anti_preferences comments            | Never add comments that repeat the code.
anti_preferences hardcode_credentials | never hardcode credentials
anti_preferences edit_generated_files | Never edit generated files by hand.
anti_preferences skip_tests          | In future don't skip tests.
anti_preferences mock_database       | Never mock the database.
communication length                 | Be concise.
communication length                 | be more concise please
communication tone                   | Don't be so formal.
communication length                 | don't be so verbose
communication length                 | Please keep your answers under five lines.
communication language               | Please reply in Spanish.
communication language               | Always respond in English, even if I write in Polish.
communication language               | Speak German with me please
communication emoji                  | no emojis please
communication emoji                  | Stop using emojis in your answers
communication apologies              | Please stop apologizing for everything.
communication apologies              | stop saying sorry
communication flattery               | Stop telling me I'm right.
communication format                 | Don't use bullet points in your answers.
communication format                 | No markdown in your replies, please.
communication explanations           | Always explain things step by step.
communication questions              | Stop asking me for permission
communication flattery               | cut the flattery
communication jargon                 | Please avoid jargon
communication tone                   | always be polite
communication length                 | Shorter answers, please.
communication language               | please answer in english, my german is bad
communication emoji                  | could you please stop using emojis?
communication language               | always reply in the language I write in
communication length                 | Keep replies to two sentences.
communication emoji                  | don't use emojis or exclamation marks
anti_preferences mention_claude_commit | Don't mention Claude in commit messages.
anti_preferences emoji_commit_messages | No, don't use emoji in commit messages
anti_preferences create_new_files | Don't create new files unless absolutely necessary
directives add_changelog_entry       | make sure to always add a changelog entry
anti_preferences push_main           | The build broke again, never push to main without running the tests
- | Show a spinner every time you load data
- | Update the counter every time you click
- | Run the tests whenever you're ready
- | keep responses short in the chatbot we are building
- | Use bullet points for the feature list.
- | Make it more concise.
- | Avoid emojis in the page title.
- | Can you be brief?
- | could you stop the server?
- | That really helps me to go on and never give up.
- | don't forget to close the file in this function
- | please run the tests
- | never mind
- | Never mind the warnings.
- | always fails with a timeout
- | it never works
- | don't touch line 5
- | use the new API here
- | Always happy to help.
- | Always the same error.
- | Never seen this before.
- | Never had this problem with npm.
- | I never push to main.
- | It always runs the tests before the build.
- | The script should always run the tests first.
- | Why do you never run the tests?
- | Should I always run the tests?
- | Do you always answer in English?
- | Please write the tests.
- | Don't commit yet.
- | Don't push until I have reviewed it.
- | Keep the function short.
- | Keep it short.
- | Keep the answer field short in the form.
- | Don't use the cache in this function.
- | Stop the server.
- | stop running the tests
- | Please stop the container before every run of the script fails again
- | Be careful with the migration.
- | Answer my question.
- | Answer the email in German.
- | Translate this to German.
- | Write the README in German.
- | Use port 8080 by default.
- | Make the sidebar hidden by default.
- | Set it to false by default.
- | By default, the server listens on 8080.
- | Rename foo to bar everywhere.
- | Use the new client everywhere.
- | Add type hints everywhere.
- | Log the request every time.
- | Retry every time the request fails.
- | Every time I run the tests, it fails.
- | Whenever I push, the build breaks.
- | From now on the build is slow.
- | From now on it will use the cache.
- | In the future we might use Kafka.
- | In future, this will be removed.
- | He said never push to main.
- | The docs say: always run the tests first.
- | Write a poster that says: always wash your hands.
- | My boss told me to always run the tests.
- | If I say go, never look back
- | Maybe always run the tests?
- | Can you explain how it will behave from now on?
- | Never do that again.
- | Don't use it anymore.
- | Don't run it again.
- | Use tabs in this file from now on.
- | For now, always use the mock.
- | Make the emojis bigger.
- | Remove the emojis from the README.
- | Add an emoji picker.
- | The answers are short.
- | Short answer: no.
- | Be right back.
- | Be brief here.
- | What is a monad? Please be brief.
- | Summarize the article. Keep your answers short.
- | Write a cover letter in Word. Be formal.
- | Explain closures to me. No jargon please.
- | always
- | Never!
- | Never again.
- | Stop.
- | Stop it.
- | No more tests for today
- | no more errors
- | Don't answer that.
- | don't worry, never change
- | "Never push to main."
"""

CHINESE = """
communication language | 以后都用中文回答。
directives *           | 请总是先跑测试。
communication emoji    | 不要再用表情符号。
anti_preferences *     | 永远不要直接推送到主分支。
communication length   | 请简洁一点。
communication language | 从现在起请用英文回复我。
communication language | 用中文回答
communication language | 请用中文和我交流
communication language | 请说中文
communication language | 以后用英语跟我说
communication length   | 回答简短一些
communication length   | 别那么啰嗦
communication length   | 以后回答尽量简短
communication length   | 请把回答控制在五行以内
communication length   | 麻烦你说得简短一点
communication tone     | 说话直接一点吧
communication tone     | 请保持礼貌
communication tone     | 不要太客气
communication emoji    | 请不要使用表情
communication emoji    | 别再发emoji了
communication emoji    | 以后别用表情符号了
communication apologies | 不要再道歉了
communication apologies | 别老是说对不起
communication apologies | 别总是道歉
communication format   | 回答里不要用列表
communication format   | 回答时不要用表格
communication explanations | 回答时请附上例子
communication flattery | 不要再夸我了
communication jargon   | 少说废话
directives *           | 以后提交信息用英文写
directives *           | 以后请先写测试再写代码
directives *           | 从现在开始,每次提交前都要跑一遍 lint
directives *           | 每次提交前请先跑测试
directives *           | 每次修改代码后都要更新文档
directives *           | 请始终使用类型注解
directives *           | 请一律用四个空格缩进
directives *           | 总是在提交前运行格式化工具
directives *           | 今后代码注释都用英文写
directives *           | 以后写代码时请遵循 PEP8
directives *           | 请记住:以后每次都先问我
directives *           | 从今以后都用 pnpm 安装依赖
directives *           | 以后改数据库之前先问我
anti_preferences *     | 以后不要直接改 main 分支
anti_preferences *     | 以后别动 vendor 目录
anti_preferences *     | 永远不要提交密钥
anti_preferences *     | 千万不要删除生产数据库
anti_preferences *     | 任何时候都不要强制推送
anti_preferences *     | 没有我的同意不要提交代码
anti_preferences *     | 未经我允许,不要推送
anti_preferences *     | 不要擅自修改 config 目录
anti_preferences *     | 今后不许使用 any 类型
anti_preferences *     | 绝对不要碰 vendor 文件夹
anti_preferences *     | 从今天起不要用 jQuery
anti_preferences *     | 不要再推送到主分支
anti_preferences *     | 代码里不要用全局变量
directives *           | 以后记得先跑测试
communication language | 默认用中文回答
- | 请运行测试
- | 别管它
- | 请运行一下测试
- | 以后再说
- | 以后再加缓存
- | 以后可能要用 Kafka
- | 以后会支持多语言
- | 以后的版本会使用新接口
- | 以后用户可以登录
- | 以后我会用 Rust
- | 以后要是有问题我再问你
- | 总是报错
- | 它总是失败
- | 每次运行都失败
- | 每次提交都会触发构建
- | 每次提交后都会报错
- | 系统总是先跑测试
- | 从现在起系统将使用新接口
- | 永远不会成功
- | 永远不要放弃
- | 不要再报错了
- | 别再试了
- | 别再改了
- | 不要再运行了
- | 不要动这个文件
- | 不要动第五行
- | 先不要提交
- | 现在不要推送
- | 今天不要发布
- | 默认使用 8080 端口
- | 默认值是 3
- | 请把默认语言设为中文
- | 代码简洁一点
- | 这个函数写得简洁一点
- | 把这封信写得正式一点
- | 用英文写一封邮件
- | 用中文写README
- | 回答我的问题
- | 请回答下面的问题
- | 直接运行就行
- | 直接删掉吧
- | 简单解释一下闭包
- | 请解释一下这段代码
- | 请添加表情选择器
- | 把README里的表情删掉
- | 他说以后都用中文回答
- | 文档里说永远不要直接推送到主分支
- | 帮我翻译:永远不要放弃
- | 以后都用中文回答吗?
- | 你为什么总是先跑测试?
- | 如果我说停,永远不要继续
- | 这次请用中文回答
- | 这次请简洁一点
- | 什么是闭包?请简洁一点。
- | 帮我写一篇作文。请用英文。
- | 总结一下这篇文章。简短一点。
- | 麻烦你说得详细一点
- | 详细一点
- | 不要道歉
- | 以后不用管了
- | 不要用这个库
- | 每次登录都要输入密码
- | 接下来都用英文
- | 千万别删
- | 别担心
- | 不要紧
- | 不客气
- | 别客气
- | 不用了
- | 抱歉
- | 没必要道歉
- | 我总是忘记跑测试
- | 我以后会先跑测试
- | 之后请你部署一下
- | 请在周五前完成
- | 下次再用这个方案
- | 任何时候都可以联系我
- | 一直报错
- | 从现在开始计时
"""


def labelled(block: str) -> list[tuple[str, str, str]]:
    """The facet, the key (`*`: any) and the sentence of each line; facet and key are '' for no rule."""
    found: list[tuple[str, str, str]] = []
    for line in block.strip().splitlines():
        label, _, sentence = line.partition(" | ")
        facet, _, key = label.strip().partition(" ")
        found.append(("", "", sentence.strip()) if facet == "-" else (facet, key.strip(), sentence.strip()))
    return found
