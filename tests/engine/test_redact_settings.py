"""The `[redact]` table: which classes of personal data a workspace takes out, and that imports heed it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.importing.importer import import_sources
from memtree.engine.importing.record import Record, SourceKind, is_edited
from memtree.engine.settings import InvalidSettings, parse
from memtree.engine.workspace import Workspace
from memtree.tree.document import Document
from memtree.tree.pii_rules import PiiClass
from memtree.tree.redactor import Redactor
from support.machines import Machine, options

ALL = Redactor(frozenset(PiiClass))
TOKEN = "ghp_" + "a1B2" * 9
MAIL = """\
From: Ada <ada@example.com>
To: bob@example.com, Cy <cy@example.com>
Subject: call +49 30 901820
Date: Sun, 12 May 2024 12:30:00 +0000
Message-ID: <x1@mail.example.com>
In-Reply-To: <x0@mail.example.com>

Write to ada@example.com.
"""


def test_nothing_personal_is_taken_out_by_default() -> None:
    assert parse(b"").redact.pii == frozenset()
    assert parse(b"[redact]").redact.pii == frozenset()


def test_every_class_can_be_named() -> None:
    found = parse(b'[redact]\npii = ["card", "iban", "national-id", "phone", "email", "card"]\n')
    assert found.redact.pii == frozenset(PiiClass)
    assert found.unknown == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('pii = ["cards"]', ("'cards'", "card, iban, national-id, phone, email")),
        ('pii = "card"', ("redact.pii", "list", "national-id")),
        ("pii = [1]", ("redact.pii", "list")),
        ("pi = []", ("'pi'", "pii")),
    ],
)
def test_what_is_misspelt_is_refused_with_what_is_known(text: str, words: tuple[str, ...]) -> None:
    with pytest.raises(InvalidSettings) as caught:
        parse(f"[redact]\n{text}\n".encode())
    for word in words:
        assert word in caught.value.reason


def test_redact_must_be_a_table() -> None:
    with pytest.raises(InvalidSettings, match=r"\[redact\]"):
        parse(b"redact = true\n")


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    workspace, _ = Workspace.init(str(tmp_path / "memory"), options=options())
    workspace.close()
    with open(tmp_path / "memory" / "memtree.toml", "a", encoding="utf-8") as file:
        file.write('[redact]\npii = ["email", "phone"]\n')
    with Workspace.open(str(tmp_path / "memory"), options=options()) as opened:
        yield Machine(opened)


def test_a_workspace_has_the_redactor_of_its_settings(machine: Machine) -> None:
    assert machine.workspace.redactor == Redactor(frozenset({PiiClass.EMAIL, PiiClass.PHONE}))
    assert machine.workspace.redactor.text(f"{TOKEN} ada@example.com 529.982.247-25") == (
        "[secret: github-token] [personal: email] 529.982.247-25"
    )


def test_an_imported_mail_loses_its_people_and_keeps_what_it_answers(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "one.eml").write_text(MAIL)
    (report,) = import_sources(machine.workspace, [str(tmp_path / "one.eml")]).sources
    assert (report.imported, report.remarks) == (1, [])  # no remark: it was asked for
    (data,) = (data for path, data in machine.notes().items() if "/raw/" in path)
    front = Document.parse(data).front_matter()
    assert front.problem == ""
    assert not is_edited(data)
    assert front.text("title") == "call [personal: phone]"
    assert "x1@mail.example.com" in front.text("source_id")
    assert "x0@mail.example.com" in front.text("in_reply_to")
    for person in (b"ada@", b"bob@", b"cy@", b"901820"):
        assert person not in data
    assert b"Write to [personal: email]." in data
    again = import_sources(machine.workspace, [str(tmp_path / "one.eml")]).sources[0]
    assert (again.imported, again.updated, again.unchanged) == (0, 0, 1)


HEADERS = [
    "author: Ada <ada@example.com>\ntags: [a, b]\n",
    "phone: +49 30 901820\n",
    "people:\n  - ada@example.com\n  - Bob <bob@example.com>\n",
    'quoted: "ada@example.com"\n',
    "who: [ada@example.com, Bob]\n",
    "who: [Ada <ada@example.com>, Bob]\n",
    f"key: {TOKEN}\nnote: it is {TOKEN} for now\n",
    "text: |\n  write to ada@example.com\n  and: wait\n",
]


@pytest.mark.parametrize("header", HEADERS)
def test_a_header_that_lost_something_is_still_one_or_becomes_text(header: str) -> None:
    record = Record(SourceKind.MARKDOWN, "a.md", "title", "body", header=header)
    safe = record.redacted(ALL)
    document = Document.parse(safe.render("notes"))
    assert document.front_matter().problem == ""
    data = safe.render("notes").decode()
    for gone in ("ada@", "bob@", "901820", TOKEN):
        assert gone not in data
    assert "[personal: " in data or "[secret: " in data
    assert "body\n" in document.body_bytes().decode()
    assert safe.redacted(ALL) is safe


def test_plain_values_keep_their_kind() -> None:
    record = Record(SourceKind.MARKDOWN, "a.md", "title", "body", header="author: Ada <ada@example.com>\nphone: +49 30 901820\n")
    front = Document.parse(record.redacted(ALL).render("notes")).front_matter()
    assert (front.text("author"), front.text("phone")) == ("Ada <[personal: email]>", "[personal: phone]")


def test_a_record_without_anything_is_the_same_object() -> None:
    record = Record(SourceKind.TEXT, "a.txt", "title", "body", (("created", "2024-05-12T12:30:00Z"), ("to", ("Bob", "Cy"))))
    assert record.redacted(ALL) is record
