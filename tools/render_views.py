"""Views: values as lines of spans. Pure: no stream, no clock; a time zone is passed in, None is the system's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING, assert_never

from memtree.tools.render import Line, Look, Span, padded, width
from memtree.tree.objects import Change, ChangeKind

# Imported where they are needed: they load the history and its patterns.
if TYPE_CHECKING:
    from memtree.engine.blame import BlameLine
    from memtree.engine.history import LogItem
    from memtree.engine.review import FileReview, Review
    from memtree.tree.words import Detail, DiffLine, FileDiff, Piece

_SHORT = 8
_WRITER_WIDTH = 10
_GAP = Span("  ")
_REVIEW_LINES, _REVIEW_LINES_WHOLE = 200, 8
_FIRST_LOOK = 20  # files
_NO_END = "\\ No newline at end of file"


def short(commit: str) -> str:
    return commit[:_SHORT]


def when(time: int, zone: tzinfo | None = None) -> str:
    """A time as people read it, to the minute."""
    return datetime.fromtimestamp(time, UTC).astimezone(zone).strftime("%Y-%m-%d %H:%M")


# -- log and blame


def log_lines(items: Iterable[LogItem], *, zone: tzinfo | None = None) -> Iterator[Line]:
    """A commit a line: id, date, writer, subject and how many files it changed."""
    for item in items:
        renamed = [change.old_path for change in item.changes if item.path_then == change.path and change.old_path is not None]
        counts = f"renamed from {renamed[0]}" if renamed else change_counts(item.changes)
        yield (
            Span(short(item.commit.id), Look.WARNING),
            _GAP,
            Span(when(item.commit.time, zone), Look.FAINT),
            _GAP,
            Span(padded(item.writer, _WRITER_WIDTH), Look.PLACE),
            _GAP,
            Span(item.commit.subject),
            Span(f"  ({counts})" if counts else "", Look.FAINT),
        )


def change_counts(changes: Sequence[Change]) -> str:
    """Such as `1 added, 2 modified`; '' for nothing."""
    counts = Counter(change.kind for change in changes)
    return ", ".join(f"{counts[kind]:,} {kind.value}" for kind in ChangeKind if counts[kind])


def change_lines(changes: Iterable[Change]) -> Iterator[Line]:
    """A path a line, with what happened to it."""
    for change in changes:
        origin = f" (from {change.old_path})" if change.old_path is not None else ""
        yield Span(padded(change.kind.value, 8) + "  ", _kind_look(change.kind)), Span(change.path), Span(origin, Look.FAINT)


def _kind_look(kind: ChangeKind) -> Look:
    match kind:
        case ChangeKind.ADDED:
            return Look.GOOD
        case ChangeKind.DELETED:
            return Look.BAD
        case ChangeKind.MODIFIED | ChangeKind.RENAMED:
            return Look.WARNING
        case _:
            assert_never(kind)


def blame_lines(lines: Sequence[BlameLine], *, zone: tzinfo | None = None) -> Iterator[Line]:
    """Every line of a file after the commit, date and writer that brought it."""
    writers = max((width(line.writer) for line in lines), default=0)
    digits = len(str(len(lines)))
    for line in lines:
        yield (
            Span(short(line.commit), Look.WARNING),
            Span(f"  {when(line.time, zone)}  ", Look.FAINT),
            Span(padded(line.writer, writers), Look.PLACE),
            Span(f"  {line.line_no:>{digits}} | ", Look.FAINT),
            Span(line.text),
        )


# -- diffs


def diff_lines(diff: FileDiff, form: Detail, *, colour: bool) -> Iterator[Line]:
    """A file's difference: as lines, in the form that `git apply` takes, or as text with its changed words marked.

    Without colour words are marked as [-removed-] and {+added+}.
    """
    from memtree.tree.words import Detail

    match form:
        case Detail.LINES:
            yield from _as_lines(diff)
        case Detail.WORDS:
            yield from _as_words(diff, colour=colour)
        case _:
            assert_never(form)


def _as_lines(diff: FileDiff) -> Iterator[Line]:
    old, new = _quoted("a/", diff.old_path or diff.path), _quoted("b/", diff.path)
    yield (Span(f"diff --git {old} {new}", Look.STRONG),)
    if diff.kind is ChangeKind.ADDED:
        old = "/dev/null"
        yield (Span("new file mode 100644", Look.STRONG),)
    elif diff.kind is ChangeKind.DELETED:
        new = "/dev/null"
        yield (Span("deleted file mode 100644", Look.STRONG),)
    elif diff.old_path is not None:
        yield (Span(f"rename from {_quoted('', diff.old_path)}", Look.STRONG),)
        yield (Span(f"rename to {_quoted('', diff.path)}", Look.STRONG),)
    if diff.binary:
        yield (Span(f"Binary files {old} and {new} differ"),)
    if diff.hunks:
        yield (Span(f"--- {old}", Look.STRONG),)
        yield (Span(f"+++ {new}", Look.STRONG),)
    show_return = _mixed_ends(diff)
    for place, lines in _hunks(diff):
        yield place
        for line in lines:
            yield from _line_form(line, show_return=show_return)


def _quoted(prefix: str, path: str) -> str:
    """A path as git writes it in a patch: in quotes when it holds quotes or backslashes."""
    text = prefix + path
    if '"' not in text and "\\" not in text:
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _hunks(diff: FileDiff) -> Iterator[tuple[Line, tuple[DiffLine, ...]]]:
    for hunk in diff.hunks:
        place = f"@@ -{hunk.old_start},{hunk.old_lines} +{hunk.new_start},{hunk.new_lines} @@"
        yield (Span(place, Look.PLACE),), hunk.lines


def _line_form(line: DiffLine, *, show_return: bool) -> Iterator[Line]:
    from memtree.tree.words import Mark

    sides: list[tuple[str, str, Look]] = []
    match line.kind:
        case Mark.SAME:
            sides = [(" ", line.new, Look.PLAIN)]
        case Mark.ADDED:
            sides = [("+", line.new, Look.GOOD)]
        case Mark.REMOVED:
            sides = [("-", line.old, Look.BAD)]
        case Mark.CHANGED:
            sides = [("-", line.old, Look.BAD), ("+", line.new, Look.GOOD)]
        case _:
            assert_never(line.kind)
    for sign, text, look in sides:
        yield (Span(sign + _without_end(text, show_return=show_return), look),)
        if not text.endswith("\n"):
            yield (Span(_NO_END, Look.FAINT),)


def _mixed_ends(diff: FileDiff) -> bool:
    """Whether some lines end in a carriage return and others do not: only then is it worth seeing."""
    sides = (side for hunk in diff.hunks for line in hunk.lines for side in (line.old, line.new))
    return len({side.endswith("\r\n") for side in sides if side.endswith("\n")}) > 1


def _without_end(text: str, *, show_return: bool) -> str:
    text = text.removesuffix("\n")
    return text if show_return else text.removesuffix("\r")


def _as_words(diff: FileDiff, *, colour: bool) -> Iterator[Line]:
    yield file_heading(diff)
    if diff.binary:
        yield (Span("binary, not shown", Look.FAINT),)
    show_return = _mixed_ends(diff)
    for place, lines in _hunks(diff):
        yield place
        for line in lines:
            yield tuple(_word_span(piece, colour=colour, show_return=show_return) for piece in line.pieces)


def _word_span(piece: Piece, *, colour: bool, show_return: bool) -> Span:
    from memtree.tree.words import Mark

    text = _without_end(piece.text, show_return=show_return)
    match piece.kind:
        case Mark.SAME | Mark.CHANGED:
            return Span(text)
        case Mark.ADDED:
            return Span(text, Look.ADDED) if colour else Span(f"{{+{text}+}}")
        case Mark.REMOVED:
            return Span(text, Look.REMOVED) if colour else Span(f"[-{text}-]")
        case _:
            assert_never(piece.kind)


def file_heading(diff: FileDiff) -> Line:
    """A file's path, what happened to it and by how many lines."""
    origin = f" from {diff.old_path}" if diff.old_path is not None else ""
    return (
        Span(diff.path, Look.STRONG),
        Span(f"  {diff.kind.value}{origin}", _kind_look(diff.kind)),
        Span(f"  +{diff.added} -{diff.deleted}", Look.FAINT),
    )


# -- review


def review_lines(review: Review, *, colour: bool, most: int = 50, without: Container[str] = ()) -> Iterator[Line]:
    """Everything new, file by file; of the files beyond `most` only how many there are, and of a heap the folder.

    A first look at many files is a list of them: their text is not news to who put them there. `without` are told elsewhere.
    """
    yield (Span(_why(review), Look.FAINT),)
    single = [file for file in review.files if not file.heap and file.change.path not in without]
    listed = review.since is None and len(single) > _FIRST_LOOK
    for file in single[:most]:
        if listed:
            yield from change_lines([file.change])
        else:
            yield ()
            yield from _file_review(file, colour=colour)
    if len(single) > most:
        yield ()
        rest = f"memtree diff {short(review.since)} HEAD --words shows all" if review.since else "memtree log shows every commit"
        yield (Span(f"... and {len(single) - most:,} more files: {rest}", Look.WARNING),)
    yield from _heap_lines(review, apart=bool(single))


def _heap_lines(review: Review, *, apart: bool) -> Iterator[Line]:
    """A folder a line: how many files of conversations came into it, and by whom."""
    heaps: dict[str, list[FileReview]] = {}
    for file in review.files:
        if file.heap:
            heaps.setdefault(file.heap, []).append(file)
    if heaps and apart:
        yield ()
    for folder, files in heaps.items():
        by = ", ".join(sorted({writer for file in files for writer in file.writers}))
        count = f"  {len(files):,} file{'' if len(files) == 1 else 's'} added"
        yield Span(f"{folder}/", Look.STRONG), Span(count, Look.GOOD), Span(f"  by {by}" if by else "", Look.PLACE)


def _why(review: Review) -> str:
    from memtree.engine.review import Basis

    count = f"{len(review.files):,} file{'' if len(review.files) == 1 else 's'}"
    match review.basis:
        case Basis.MARK:
            return f"{count} changed since you last looked ({short(review.since or '')})"
        case Basis.FIRST:
            return f"{count}: everything, as this is the first review here"
        case Basis.REWRITTEN:
            return f"{count} changed since {short(review.since or '')}: the commit you last looked at is no longer in this history"
        case Basis.LOST:
            return f"{count}: everything, as the commit you last looked at is gone from this history"
        case _:
            assert_never(review.basis)


def _file_review(file: FileReview, *, colour: bool) -> Iterator[Line]:
    by = f"  by {', '.join(file.writers)}" if file.writers else ""
    commits = f" in {file.commits} commits" if file.commits > 1 else ""
    if file.diff is None:
        yield from change_lines([file.change])
        return
    yield (*file_heading(file.diff), Span(by + commits, Look.PLACE))
    rest = _body(file.diff, colour=colour)
    # A changed stretch is why a person looks; a whole new file is not: its beginning says what it is.
    most = _REVIEW_LINES if file.change.kind is ChangeKind.MODIFIED else _REVIEW_LINES_WHOLE
    if file.change.kind is not ChangeKind.MODIFIED and len(rest) > most:
        rest = _below_front_matter(rest)
    yield from rest[:most]
    if len(rest) > most:
        left = len(rest) - most
        yield (Span(f"... {left} more line{'' if left == 1 else 's'}", Look.FAINT),)


def _below_front_matter(rest: list[Line]) -> list[Line]:
    """The text of a whole file without the front matter above it, which says less; all of it where there is nothing else."""
    texts = ["".join(span.text for span in line)[1:].strip() for line in rest]
    if texts[:1] != ["---"] or "---" not in texts[1:]:
        return rest
    end = texts.index("---", 1) + 1
    return rest[end:] if any(texts[end:]) else rest


def _body(diff: FileDiff, *, colour: bool) -> list[Line]:
    """What changed in a file. A whole file, new or gone, reads best as the text it is."""
    if diff.kind not in (ChangeKind.ADDED, ChangeKind.DELETED) or diff.binary:
        return list(_as_words(diff, colour=colour))[1:]
    return [
        line for hunk in diff.hunks for one in hunk.lines for line in _line_form(one, show_return=False) if line[0].text != _NO_END
    ]
