"""Importing mail: what a message says survives its encodings, and no message can stop an import or make it slow."""

from __future__ import annotations

import time
from base64 import b64encode
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest

from memtree.engine.importing.importer import import_sources
from memtree.engine.importing.mail import read_mail
from memtree.engine.importing.report import NothingToImport, SourceReport, Unfit
from memtree.engine.workspace import Workspace
from memtree.tree.document import Document
from support.machines import Machine, options


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    workspace, _ = Workspace.init(str(tmp_path / "memory"), options=options())
    with workspace:
        yield Machine(workspace)


def bring(machine: Machine, *places: Path) -> SourceReport:
    (report,) = import_sources(machine.workspace, [str(place) for place in places]).sources
    return report


def mails(machine: Machine) -> dict[str, Document]:
    found = [Document.parse(data) for path, data in machine.notes().items() if "/raw/" in path]
    assert [document.front_matter().problem for document in found] == [""] * len(found)
    return {document.front_matter().text("source_id"): document for document in found}


def plain(number: int, body: str = "Body.", **headers: str) -> bytes:
    lines = {"From": "Ada <ada@example.com>", "Subject": f"Mail {number}", "Message-ID": f"<{number}@x>"} | headers
    return "".join(f"{name}: {value}\n" for name, value in lines.items() if value).encode() + f"\n{body}\n".encode()


def mbox(*messages: bytes, start: bytes = b"From ada@example.com Mon Mar  9 10:00:00 2026\n") -> bytes:
    return b"".join(start + message + b"\n" for message in messages)


def test_a_chinese_mail_with_encoded_headers(machine: Machine, tmp_path: Path) -> None:
    def word(text: str, charset: str) -> str:
        return f"=?{charset}?B?{b64encode(text.encode(charset)).decode()}?="

    body = b64encode("下周二在图书馆开会。\r\n请带上笔记。".encode("gb2312")).decode()
    (tmp_path / "一.eml").write_bytes(
        (
            f"From: {word('王, 小明', 'gb2312')} <wang@example.cn>\r\n"
            f"To: {word('李华', 'utf-8')} <li@example.cn>,\r\n plain@example.cn\r\n"
            f"Subject: {word('图书馆', 'gb2312')}\r\n {word('会议', 'gb2312')} =?utf-8?Q?=E9=80=9A?=\r\n"
            "Date: Tue, 10 Mar 2026 09:30:00 +0800\r\nMessage-ID: <abc@example.cn>\r\n"
            'MIME-Version: 1.0\r\nContent-Type: text/plain; charset="gb2312"\r\nContent-Transfer-Encoding: base64\r\n\r\n'
            f"{body}\r\n"
        ).encode()
    )
    assert bring(machine, tmp_path / "一.eml").imported == 1
    mail = mails(machine)["<abc@example.cn>"]
    front = mail.front_matter()
    assert front.title == "图书馆会议通"
    assert front.text("from") == "王, 小明 <wang@example.cn>"
    assert front.values["to"] == ("李华 <li@example.cn>", "plain@example.cn")
    assert (front.text("date"), front.text("message_id")) == ("2026-03-10T01:30:00Z", "<abc@example.cn>")
    assert mail.body_bytes().decode() == "\n下周二在图书馆开会。\n请带上笔记。\n"
    (path,) = [path for path in machine.notes() if "/raw/" in path]
    assert path in machine.found("图书馆 笔记")


def test_text_is_preferred_and_attachments_are_only_named(machine: Machine, tmp_path: Path) -> None:
    message = EmailMessage()
    message["Subject"], message["From"], message["Message-ID"] = "Report", "a@x", "<r@x>"
    message.set_content("The plain text.")
    message.add_alternative("<p>The <b>rich</b> text.</p>", subtype="html")
    message.add_attachment(b"\x89PNG" * 100, maintype="image", subtype="png", filename="图.png")
    message.add_attachment("a,b", filename="table.csv")
    (tmp_path / "a.eml").write_bytes(bytes(message))
    html = EmailMessage()
    html["From"], html["Message-ID"] = "a@x", "<h@x>"
    html.set_content("<p>Only <b>rich</b> text.<script>alert(1)</script></p>", subtype="html")
    (tmp_path / "b.eml").write_bytes(bytes(html))
    import_sources(machine.workspace, [str(tmp_path / "a.eml"), str(tmp_path / "b.eml")], name="mail")
    found = mails(machine)
    assert found["<r@x>"].body_bytes() == b"\nThe plain text.\n"
    assert found["<r@x>"].front_matter().values["attachments"] == ("图.png", "table.csv")
    assert found["<h@x>"].body_bytes() == b"\nOnly **rich** text.\n"
    assert found["<h@x>"].front_matter().title == "(no subject)"


def test_a_mailbox_that_grows_adds_only_what_is_new(machine: Machine, tmp_path: Path) -> None:
    box = tmp_path / "Inbox.mbox"
    box.write_bytes(mbox(plain(1), plain(2, body="\nFrom here on it is text.\n>From quoted\nFrom 10 to 12:30 too")))
    assert bring(machine, box).imported == 2
    assert b"\nFrom here on it is text.\nFrom quoted\nFrom 10 to 12:30 too\n" in mails(machine)["<2@x>"].data
    tip = machine.tip
    assert bring(machine, box).unchanged == 2
    assert machine.tip == tip
    box.write_bytes(mbox(plain(3), plain(1), plain(2, body="corrected")))
    report = bring(machine, box)
    assert (report.imported, report.updated, report.unchanged) == (1, 1, 1)
    assert len(mails(machine)) == 3
    machine.assert_sound()


def test_mails_of_one_id_with_other_texts_both_stay(machine: Machine, tmp_path: Path) -> None:
    box = tmp_path / "box"  # without an extension, as mail programs keep their folders
    box.write_bytes(mbox(plain(1), plain(1, body="With a footer."), plain(1), start=b"From \n"))
    for _ in range(2):
        bring(machine, box)
    assert sorted(data.split(b"\n\n")[-1] for path, data in machine.notes().items() if "/raw/" in path) == [
        b"Body.\n",
        b"With a footer.\n",
    ]


def test_a_mail_without_an_id_is_known_by_what_it_says(machine: Machine, tmp_path: Path) -> None:
    box = tmp_path / "a.mbox"
    box.write_bytes(mbox(*(plain(n, **{"Message-ID": ""}) for n in range(3))))
    assert bring(machine, box).imported == 3
    assert bring(machine, box).unchanged == 3


def test_a_broken_mailbox_gives_what_can_be_read(machine: Machine, tmp_path: Path) -> None:
    box = tmp_path / "broken.mbox"
    truncated = b'Subject: cut\nMessage-ID: <cut@x>\nContent-Type: multipart/mixed; boundary="b"\n\n'
    truncated += b"--b\nContent-Type: text/plain\n\nhalf a te"
    unknown = plain(
        4, **{"Content-Type": "text/plain; charset=klingon", "Content-Transfer-Encoding": "base64"}, body="!!!not base64"
    )
    box.write_bytes(
        b"garbage before\n\n"
        + mbox(plain(1), b"\x00\x01\x02\n", b"", plain(2), unknown, plain(3, Date="Foo, 99 Bar 2099"))
        + mbox(truncated)
    )
    report = bring(machine, box)
    assert {remark.place: remark.reason for remark in report.skipped} == {
        "broken.mbox": "text before its first mail was left out",
        "broken.mbox: mail 2": "not a mail: it has no headers",
        "broken.mbox: mail 3": "empty",
    }
    assert mails(machine).keys() == {"<1@x>", "<2@x>", "<3@x>", "<4@x>", "<cut@x>"}
    assert b"half a te" in mails(machine)["<cut@x>"].data
    machine.assert_sound()


def test_a_mailbox_without_mails_is_skipped(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "no.mbox").write_bytes(b"nothing here\n" * 10)
    with pytest.raises(NothingToImport, match="without mails"):
        bring(machine, tmp_path / "no.mbox")


NESTED = b"".join(b'Content-Type: multipart/mixed; boundary="%d"\n\n--%d\n' % (n, n) for n in range(3_000))
HOSTILE = {
    "nested": b"Subject: x\n" + NESTED,
    "a huge header": b"Subject: " + b"x" * 20_000_000 + b"\n\nbody",
    "folded for ever": b"Subject: x\n" + b" y\n" * 2_000_000 + b"\nbody",
    "parameters": b"Subject: x\nContent-Type: text/plain; " + b'a=";";' * 500_000 + b"\n\nbody",
    "addresses": b"Subject: x\nTo: " + b"(" * 1_000_000 + b"\n\nbody",
    "commas": b"Subject: x\nTo: " + b"a@b, " * 1_000_000 + b"\n\nbody",
    "words": b"Subject: " + b"=?utf-8?Q?a?= " * 500_000 + b"\n\nbody",
    "headers": b"Subject: x\n" + b"X: y\n" * 500_000 + b"\nbody",
    "parts": b'Subject: x\nContent-Type: multipart/mixed; boundary="b"\n\n' + b"--b\n\nx\n" * 100_000,
    "a date": b"Subject: x\nDate: " + b"1 " * 1_000_000 + b"\n\nbody",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_mail_takes_long(name: str) -> None:
    before = time.process_time()
    if name == "nested":
        with pytest.raises(Unfit, match="nested"):
            read_mail(HOSTILE[name])
    else:
        assert len(read_mail(HOSTILE[name]).render("x")) < 200_000
    assert time.process_time() - before < 15
