"""The rules of the gate: a long one is compiled only for sentences that it could fit, and is left out for no other."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from memtree.tree.fact_gate_english import RULES
from memtree.tree.fact_gate_parts import Rule
from memtree.tree.fact_words_english import ROUTINES, ing_forms, past_forms
from support.gate_sentences import labelled

_LEADS = ("", "i ", "i am ", "i have ", "i will ", "i want to ", "i did not ", "going to ")
_TAILS = ("", " dinner today", " the dog for 5 km", " emails tonight", " asleep right now")
_COMPILED = """
import re, sys
made = []
compile = re.compile
re.compile = lambda pattern, *flags: made.append(len(pattern)) or compile(pattern, *flags)
from memtree.tree import fact_gate
del made[:]
fact_gate.judge(sys.argv[1])
print(sum(made))
"""


def _routines() -> list[str]:
    bent = {form.replace("_", " ") for verbs, _ in ROUTINES for form in (*verbs.split(), *past_forms(verbs), *ing_forms(verbs))}
    return [f"{lead}{form}{tail}" for form in sorted(bent) for lead in _LEADS for tail in _TAILS]


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.needs], ids=lambda rule: f"{rule.reason}-{len(rule.pattern)}")
def test_a_rule_that_needs_words_fits_nothing_without_them(rule: Rule) -> None:
    pattern = re.compile(rule.pattern)
    texts = [*_routines(), *(one.text.lower() for one in labelled() if one.lang == "en")]
    fits = [text for text in texts if pattern.match(text)]
    assert fits
    assert [text for text in fits if rule.needs.isdisjoint(re.findall(r"\w+", text))] == []


@pytest.mark.parametrize("text", ["I live above a bakery.", "Please always answer in English.", "我对花生过敏。"])
def test_a_sentence_that_lasts_compiles_few_rules(text: str) -> None:
    shell = subprocess.run([sys.executable, "-c", _COMPILED, text], capture_output=True, text=True, check=True)
    assert int(shell.stdout) < 100_000  # characters; all of English have more than twice as many
