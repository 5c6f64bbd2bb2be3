"""English for the gate of facts: what tells that a sentence will not matter tomorrow.

A routine (`tree.fact_words_english`) tells it by its aspect: an intention of it is ephemeral, being at it is a state of the moment,
having done it is a log entry. As a habit it lasts, which the cues say (`tree.fact_cues_english`).
"""

from __future__ import annotations

from memtree.tree import fact_english_intentions, fact_english_logs, fact_english_queries, fact_english_states, fact_english_systems
from memtree.tree.fact_gate_parts import Rule

RULES: tuple[Rule, ...] = (
    *fact_english_queries.RULES,
    *fact_english_logs.RULES,
    *fact_english_intentions.RULES,
    *fact_english_states.RULES,
    *fact_english_systems.RULES,
)
ASKS = fact_english_queries.ASKS
STANDING = fact_english_queries.STANDING
