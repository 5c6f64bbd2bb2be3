"""Transport: how commits reach another machine. Fetch and push of one branch; no force, no prompt, always a time limit."""

from memtree.engine.transport.addresses import absolute, refuse_secret
from memtree.engine.transport.base import Limits, Transport, tracking
from memtree.engine.transport.choose import Means, choose_transport
from memtree.engine.transport.errors import (
    PushRaced,
    RemoteBranchGone,
    RemoteRefused,
    RemoteRewritten,
    RemoteUnreachable,
    UnknownRemote,
)
from memtree.engine.transport.git_program import GitTransport, translated
from memtree.engine.transport.remotes import Direction, Remote, Remotes

__all__ = [
    "Direction",
    "GitTransport",
    "Limits",
    "Means",
    "PushRaced",
    "Remote",
    "RemoteBranchGone",
    "RemoteRefused",
    "RemoteRewritten",
    "RemoteUnreachable",
    "Remotes",
    "Transport",
    "UnknownRemote",
    "absolute",
    "choose_transport",
    "refuse_secret",
    "tracking",
    "translated",
]
