"""Peers: whether the other end of a Unix socket is this very user."""

from __future__ import annotations

import os
import socket
import struct


def is_own(connection: socket.socket) -> bool:
    """Whether the process at the other end runs as this user. Where the system does not tell, the folder's mode has to do."""
    try:
        if hasattr(socket, "SO_PEERCRED"):
            credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
            return int(struct.unpack("3i", credentials)[1]) == os.geteuid()
        # macOS: LOCAL_PEERCRED at level SOL_LOCAL; struct xucred begins with its version and the user.
        credentials = connection.getsockopt(0, 1, 76)
        return int(struct.unpack("II", credentials[:8])[1]) == os.geteuid()
    except (OSError, struct.error):
        return not hasattr(socket, "SO_PEERCRED")
