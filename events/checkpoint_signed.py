"""CheckpointSigned: the log's Merkle root at a size, signed (RFC 9162 §2.1)."""

from cardtrail.events.fact import Event


class CheckpointSigned(Event):
    """`size` facts up to stream sequence `through`; `root` hex; `note` the signed text, to be kept elsewhere too."""

    kind = "checkpoint-signed"
    origin: str
    size: int
    through: int
    root: str
    note: str
