"""RegistryScanned: one walk over a registry and what it offered."""

from cardtrail.events.fact import Event


class RegistryScanned(Event):
    """`complete` only after a whole walk: then alone may an absence be read as a removal; `problem` says why not.

    `candidates` and `refused` count entries; `agents` are those watched because of it, as many as fit; `interval_s` seconds lie
    between two whole walks, `settings_digest` tells under which settings this one was.
    """

    kind = "registry-scanned"
    registry: str
    complete: bool
    candidates: int = 0
    refused: int = 0
    problem: str = ""
    agents: tuple[str, ...] = ()
    interval_s: int = 21_600
    settings_digest: str = ""
