"""Chinese for the gate of facts: what tells that a sentence will not matter tomorrow.

A routine (`tree.fact_words_chinese`) tells it by its aspect: with 想, 要 or 待会儿 it is ephemeral, with 在 or 正在 a state of the
moment, with 了, 刚 or 今早 a log entry. As a habit it lasts, which the cues say (`tree.fact_cues_chinese`).
"""

from __future__ import annotations

from memtree.tree import fact_chinese_moments, fact_chinese_queries, fact_chinese_systems
from memtree.tree.fact_gate_parts import Rule

RULES: tuple[Rule, ...] = (*fact_chinese_queries.RULES, *fact_chinese_moments.RULES, *fact_chinese_systems.RULES)
ASKS = fact_chinese_queries.ASKS
STANDING = fact_chinese_queries.STANDING
