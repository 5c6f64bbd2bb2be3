"""The answers of the modes as JSON, the same for every way of asking. Times are epoch seconds, and a text of UTC beside them."""

from __future__ import annotations

from memtree.engine.memory_tree.hits import Answer, Entities, Envelope, Ingested, SourceList, TreeHit
from memtree.tree.episode import iso_time

Json = dict[str, object]


def as_json(answer: Answer, mode: str = "") -> Json:
    """What a mode answered, ready for `json.dumps`."""
    first: Json = {"mode": mode} if mode else {}
    last: Json = {"commit": answer.commit, "notes": list(answer.notes)}
    match answer:
        case Envelope():
            return {
                **first,
                "hits": [hit_json(hit) for hit in answer.hits],
                "total": answer.total,
                "truncated": answer.truncated,
                "route": answer.route,
                "entities": list(answer.entities),
                **last,
            }
        case Entities():
            found = [
                {**entity._asdict(), "aliases": list(entity.aliases), "last_seen_at": _when(entity.last_seen)}
                for entity in answer.entities
            ]
            return {**first, "entities": found, **last}
        case SourceList():
            sources = [
                {
                    **source._asdict(),
                    "first_at": _when(source.first),
                    "last_at": _when(source.last),
                    "summaries": {f"L{level}": count for level, count in source.summaries},
                }
                for source in answer.sources
            ]
            return {**first, "sources": sources, **last}
        case Ingested():
            return {**first, "path": answer.path, "change": answer.change, **last}


def hit_json(hit: TreeHit) -> Json:
    """A hit; `lines` is as a citation has them."""
    return {
        **hit._asdict(),
        "node_kind": hit.node_kind.value,
        "kind": hit.kind.value,
        "lines": hit.lines,
        "entities": list(hit.entities),
        "children": list(hit.children),
        "fact": hit.fact._asdict() if hit.fact is not None else None,
        "time_start_at": _when(hit.time_start),
        "time_end_at": _when(hit.time_end),
    }


def _when(seconds: int | None) -> str | None:
    text = "" if seconds is None else iso_time(1000 * seconds)
    return f"{text[:19]}Z" if text else None
