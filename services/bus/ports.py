"""The port of a server of our own: any free one at first, then the same again, for clients that come back to its URL."""

import socket
from pathlib import Path

_HOST, _HIGHEST = "127.0.0.1", 65_535


def kept_port(file: Path) -> int:
    """The port that was kept in this file; 0 where none was, or where somebody else has it now."""
    try:
        port = int(file.read_text("ascii"))
    except (OSError, ValueError):
        return 0
    return port if 0 < port <= _HIGHEST and _is_free(port) else 0


def _is_free(port: int) -> bool:
    with socket.socket() as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((_HOST, port))
        except OSError:
            return False
    return True
