"""What a mode is asked with: parameters of any origin (typed, from JSON, from a model) checked in one place.

Everything that cannot be used is a BadRequest, which names the parameter and says what is accepted. Null means not given.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import tzinfo
from typing import NamedTuple

from memtree.engine.memory_tree.hits import MOST, MOST_COVERED, MOST_LEAVES, BadRequest, Narrowed, Window
from memtree.engine.when import Edge, UnknownTime, parse_when
from memtree.tree.entity import BadEntity, EntityKind, entity, parse_entity
from memtree.tree.source_names import SOURCE_KINDS

LONGEST_QUERY = 10_000  # characters; more is no question
LONGEST_BODY = 1_000_000
_LONGEST_NAME = 1_000
_MOST_NAMES = 100
_MOST_DAYS = 36_500
_DAY = 86_400
_LATEST = 253_402_300_799  # epoch seconds of the last second of the year 9999
_MILLISECONDS = 10**11  # below this a number of milliseconds would be before April 1973: seconds were meant
_LONG_NUMBER = 10**20
_BLANK_LINE = re.compile(r"[\x00-\x1f\x7f]")


class Asked(NamedTuple):
    """The parameters of every mode, checked; a mode reads those that it has. Blank texts are ''."""

    query: str = ""
    narrowed: Narrowed = Narrowed()
    limit: int = 10
    max_hops: int = 2
    max_depth: int = 1
    kinds: tuple[EntityKind, ...] = ()
    source_id: str = ""
    entity_id: str = ""
    node_id: str = ""
    chunk_ids: tuple[str, ...] = ()
    title: str = ""
    body: str = ""
    provider: str = ""
    source_ref: str = ""


class Parameter(NamedTuple):
    """What a mode may be asked with. `form` is how JSON Schema calls its type; the range is of an integer, both inclusive."""

    name: str
    about: str
    form: str = "string"
    required: bool = False
    default: int | None = None
    low: int = 1
    high: int = MOST
    choices: tuple[str, ...] = ()
    longest: int = _LONGEST_NAME


QUERY = Parameter("query", "What is sought, in any words.", required=True, longest=LONGEST_QUERY)
MAYBE_QUERY = QUERY._replace(required=False, about="Order by how much of this is answered; without it the newest come first.")
ENTITY_QUERY = QUERY._replace(about="A name, or a part of one.", longest=_LONGEST_NAME)
LIMIT = Parameter("limit", "At most this many.", "integer", default=10)
COVER_LIMIT = LIMIT._replace(default=200, high=MOST_COVERED)
FEW = LIMIT._replace(default=5)
HOPS = Parameter("max_hops", "How far apart two entities of the query may be in the graph.", "integer", default=2, high=4)
DEPTH = Parameter("max_depth", "How many levels below the node.", "integer", default=1, high=3)
SOURCE = Parameter("source_id", "One source, by the name that list_sources shows.")
ENTITY = Parameter("entity_id", "An entity as search_entities shows it, such as name:ada, or a name.", required=True)
NODE = Parameter("node_id", "A summary's id, or a leaf's.", required=True)
KINDS = Parameter("kinds", "Only entities of these kinds.", "array", choices=tuple(EntityKind))
LEAVES = Parameter("chunk_ids", "Leaves: PATH#NUMBER, PATH, or PATH:LINE-LINE.", "array", required=True, high=MOST_LEAVES)
TITLE = Parameter("title", "The document's title.", required=True)
BODY = Parameter("body", "The document, as markdown.", required=True, longest=LONGEST_BODY)
ORIGIN = Parameter("source_id", "What names the document where it comes from: the same again takes its place.", required=True)
PROVIDER = Parameter("provider", "Where it comes from; it is kept as a source of that name (agent).")
REFERENCE = Parameter("source_ref", "An address or a name under which a person finds it there.")
NARROWING = (
    Parameter("since", "Only from then on: 2026-03-31, 3d, 2w, yesterday."),
    Parameter("until", "Only up to then."),
    Parameter("since_ms", "The same in milliseconds since 1970.", "integer"),
    Parameter("until_ms", "The same in milliseconds since 1970.", "integer"),
    Parameter("time_window_days", "Only the last days up to now.", "integer", high=_MOST_DAYS),
    Parameter("sources", "Only these sources, by the names that list_sources shows.", "array"),
    Parameter("source_kind", "Only sources of this kind.", choices=SOURCE_KINDS),
)


def read(parameters: Mapping[str, object], known: tuple[Parameter, ...], now: int, zone: tzinfo | None = None) -> Asked:
    """Check what a mode was asked with against what it knows; raise BadRequest. `now` in epoch seconds."""
    names = {parameter.name: parameter for parameter in known}
    given: dict[str, object] = {}
    for name, value in parameters.items():
        if name not in names:
            raise BadRequest(str(name), f"there is no parameter {_shown(name)}", f"known here: {_listed(names)}")
        if value is not None:
            given[name] = value
    for parameter in known:
        if parameter.required and parameter.name not in given:
            raise BadRequest(parameter.name, f"{parameter.name} is missing", parameter.about)
    values = {name: _READERS[names[name].form](names[name], value) for name, value in given.items()}
    defaults = {parameter.name: parameter.default for parameter in known if parameter.default is not None}
    return _asked({**defaults, **values}, now, zone)


def _asked(values: Mapping[str, object], now: int, zone: tzinfo | None) -> Asked:
    fields = {name: value for name, value in values.items() if name in Asked._fields}
    if "kinds" in fields:
        fields["kinds"] = tuple(EntityKind(kind) for kind in _texts(values["kinds"]))
    if "entity_id" in fields:
        fields["entity_id"] = _entity_id(str(values["entity_id"]))
    narrowed = Narrowed(
        _window(values, now, zone),
        tuple(dict.fromkeys(_texts(values.get("sources", ())))),
        str(values.get("source_kind", "")),
    )
    return Asked(**{**fields, "narrowed": narrowed})  # type: ignore[arg-type]


def require_window(asked: Asked) -> None:
    """Raise BadRequest unless both ends of the window were given."""
    for name, end in zip(("since", "until"), asked.narrowed.window, strict=True):
        if end is None:
            raise BadRequest(
                name, f"{name} is missing", "give since and until, such as 2026-03-01 and 2026-03-31, or time_window_days"
            )


# -- one value
def _text(parameter: Parameter, value: object) -> str:
    if not isinstance(value, str):
        raise BadRequest(parameter.name, f"{parameter.name} must be a text, not {_type(value)}", parameter.about)
    if len(value) > parameter.longest:
        raise BadRequest(
            parameter.name,
            f"{parameter.name} has {len(value):,} characters",
            f"at most {parameter.longest:,} are read",
        )
    if not value.strip():
        if parameter.required:
            raise BadRequest(parameter.name, f"{parameter.name} is blank", parameter.about)
        return ""
    return _choice(parameter, value) if parameter.choices else value


def _choice(parameter: Parameter, value: str) -> str:
    found = value.strip().casefold()
    if found not in parameter.choices:
        raise BadRequest(parameter.name, f"{parameter.name} is {_shown(value)}", f"choose of {', '.join(parameter.choices)}")
    return found


def _integer(parameter: Parameter, value: object) -> int:
    whole = isinstance(value, float) and value.is_integer()
    if isinstance(value, bool) or not (isinstance(value, int) or whole):
        raise BadRequest(parameter.name, f"{parameter.name} must be a whole number, not {_type(value)}", parameter.about)
    number: int = int(value)  # type: ignore[call-overload]
    if parameter.name.endswith("_ms"):
        return _seconds(parameter, number)
    if not parameter.low <= number <= parameter.high:
        raise BadRequest(
            parameter.name,
            f"{parameter.name} is {_shown(number)}",
            f"it may be {parameter.low} to {parameter.high:,}",
        )
    return number


def _seconds(parameter: Parameter, number: int) -> int:
    if not _MILLISECONDS <= number <= 1000 * _LATEST:
        why = "milliseconds since 1970 have 12 or 13 digits; seconds are to be multiplied by 1000"
        raise BadRequest(parameter.name, f"{parameter.name} is {_shown(number)}", why)
    return number // 1000


def _array(parameter: Parameter, value: object) -> tuple[str, ...]:
    several = [value] if isinstance(value, str) else value
    if not isinstance(several, (list, tuple)):
        raise BadRequest(parameter.name, f"{parameter.name} must be a list of texts, not {_type(value)}", parameter.about)
    most = parameter.high if parameter.high != MOST else _MOST_NAMES
    if len(several) > most:
        raise BadRequest(parameter.name, f"{parameter.name} has {len(several):,} members", f"at most {most} are taken")
    found = tuple(_text(parameter, one) for one in several)
    if not all(found) or (parameter.required and not found):
        raise BadRequest(parameter.name, f"{parameter.name} holds nothing to look for", parameter.about)
    return found


_READERS: dict[str, Callable[[Parameter, object], object]] = {"string": _text, "integer": _integer, "array": _array}


def _entity_id(text: str) -> str:
    """The id that is written, or that of a plain name: `Grace Hopper`."""
    if ":" not in text and (name := entity(EntityKind.NAME, text)) is not None:
        return name.id
    try:
        return parse_entity(text).id
    except BadEntity as error:
        raise BadRequest("entity_id", str(error), error.hint) from error


# -- the window
def _window(values: Mapping[str, object], now: int, zone: tzinfo | None) -> Window:
    days = values.get("time_window_days")
    ends = [name for name in ("since", "until", "since_ms", "until_ms") if values.get(name, "") != ""]
    if days is not None:
        if ends:
            raise BadRequest("time_window_days", f"time_window_days and {ends[0]} say both when", "give one of them")
        return Window(now - int(str(days)) * _DAY, now)
    window = Window(_end("since", values, now, Edge.START, zone), _end("until", values, now, Edge.END, zone))
    if window.since is not None and window.until is not None and window.until < window.since:
        raise BadRequest("until", "the window ends before it begins", "since must not be later than until")
    return window


def _end(name: str, values: Mapping[str, object], now: int, edge: Edge, zone: tzinfo | None) -> int | None:
    typed, stamp = str(values.get(name, "")), values.get(f"{name}_ms")
    if typed and stamp is not None:
        raise BadRequest(name, f"{name} and {name}_ms say both when", "give one of them")
    if not typed:
        return None if stamp is None else int(str(stamp))
    try:
        return parse_when(typed, now, edge=edge, zone=zone)
    except UnknownTime as error:
        raise BadRequest(name, f"cannot read {_shown(typed)} as a time", error.hint) from error


# -- words
def _texts(values: object) -> tuple[str, ...]:
    return tuple(str(one) for one in values) if isinstance(values, Iterable) and not isinstance(values, str) else ()


def _type(value: object) -> str:
    names = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "a text",
        list: "a list",
        tuple: "a list",
        dict: "an object",
    }
    return names.get(type(value), type(value).__name__)


def _shown(value: object) -> str:
    """A value as it may stand in one line of a message."""
    if isinstance(value, int) and abs(value) > _LONG_NUMBER:
        return f"a number of {value.bit_length()} bits"  # to write out a very large one takes long, or is refused
    text = _BLANK_LINE.sub(" ", repr(value) if isinstance(value, str) else str(value))
    return text if len(text) <= 80 else f"{text[:79]}…"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
