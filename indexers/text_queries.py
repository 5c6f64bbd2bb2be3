"""The full-text index's fields, its analyser, and matchings as queries of the index library."""

from __future__ import annotations

from typing import assert_never

import tantivy

from memtree.indexers.matching import AllOf, AnyOf, Between, Filtered, Matching, OneOf, Pattern, Phrase, Term
from memtree.indexers.tokens import EXACT_LIMIT
from memtree.tree.errors import UserError

_PHRASE_SLOP = 2


class InvalidPattern(UserError):
    """A path pattern that is too complex to be matched."""

    hint = "use fewer wildcards, or a folder"


class Compiler:
    """A matching as a tantivy query."""

    def __init__(self, schema: tantivy.Schema) -> None:
        self._schema = schema

    def compile(self, matching: Matching) -> tantivy.Query:
        """Return the query; raise InvalidPattern for a path pattern that is too complex."""
        match matching:
            case Term(field, text, boost):
                return _boosted(tantivy.Query.term_query(self._schema, field, text, "freq"), boost)
            case Pattern(field, expression, boost):
                return _boosted(self._pattern(field, expression), boost)
            case Phrase(field, words, boost):
                return _boosted(tantivy.Query.phrase_query(self._schema, field, [*words], slop=_PHRASE_SLOP), boost)
            case OneOf(field, values):
                clean = [value.encode("utf-8", "replace").decode("utf-8") for value in values]
                return tantivy.Query.term_set_query(self._schema, field, clean)
            case Between(field, low, high):
                return tantivy.Query.range_query(self._schema, field, tantivy.FieldType.Integer, low, high)
            case AnyOf(parts):
                return self._combined(tantivy.Occur.Should, parts)
            case AllOf(parts, score):
                every = self._combined(tantivy.Occur.Must, parts)
                return every if score is None else tantivy.Query.const_score_query(every, score)
            case Filtered(wanted, filters):
                admitted = [tantivy.Query.const_score_query(self.compile(part), 0.0) for part in filters]
                together = [self.compile(wanted), *admitted]
                return tantivy.Query.boolean_query([(tantivy.Occur.Must, part) for part in together])
            case _:
                assert_never(matching)

    def _combined(self, occur: tantivy.Occur, parts: tuple[Matching, ...]) -> tantivy.Query:
        return tantivy.Query.boolean_query([(occur, self.compile(part)) for part in parts])

    def _pattern(self, field: str, expression: str) -> tantivy.Query:
        try:
            return tantivy.Query.regex_query(self._schema, field, expression)
        except ValueError as error:
            raise InvalidPattern("the path pattern is too complex") from error


def _boosted(query: tantivy.Query, boost: float) -> tantivy.Query:
    return query if boost == 1.0 else tantivy.Query.boost_query(query, boost)


def schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_bytes_field("record", stored=True)
    for name in ("key", "place", "within", "kind", "undated"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for name in ("title", "headings", "labels"):
        builder.add_text_field(name, tokenizer_name="words", index_option="freq")
    builder.add_text_field("body", tokenizer_name="words", index_option="position")
    for name in ("name_pairs", "body_pairs", "exact"):
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="freq")
    builder.add_integer_field("time", indexed=True, fast=True)
    builder.add_integer_field("file", fast=True)
    builder.add_integer_field("ordinal", fast=True)
    return builder.build()


def analyser() -> tantivy.TextAnalyzer:
    # Stop words stay in: a query of nothing else must find them, and phrases keep their distances. Queries drop them.
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    for step in (
        tantivy.Filter.remove_long(4 * EXACT_LIMIT),
        tantivy.Filter.lowercase(),
        tantivy.Filter.ascii_fold(),
        tantivy.Filter.stemmer("english"),
    ):
        builder = builder.filter(step)
    return builder.build()
