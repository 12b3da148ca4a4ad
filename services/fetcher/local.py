"""Cards that need no network: a file of ours, or a document that stands in the settings or in a registry entry."""

import re
from pathlib import Path

from cardtrail.events.agent_tracked import Target
from cardtrail.services.card.document import LIMITS
from cardtrail.services.outbound.call import Answer, Refusal

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def is_digest(value: str) -> bool:
    """Whether a document is named by the digest under which its bytes are kept, and does not stand there itself."""
    return _DIGEST.fullmatch(value) is not None


def read_local(target: Target, longest: int = LIMITS.size) -> Answer | Refusal:
    """The bytes with status 0, or why there are none; at most one byte over `longest` is read, so that reading can refuse it."""
    if target.kind == "document" and is_digest(target.value):
        return Refusal("fetch", "document-missing", f"the registry's card {target.value} is not kept any more", "ours")
    if target.kind == "document":
        return Answer(0, "", {}, target.value.encode("utf-8", "surrogatepass"))
    path = Path(target.value)
    try:
        if not path.is_file():
            return Refusal("fetch", "file-missing", f"{target.value} is no file", "ours")
        with path.open("rb") as file:
            return Answer(0, target.value, {}, file.read(longest + 1))
    except (OSError, ValueError) as error:
        return Refusal("fetch", "file-unreadable", f"{target.value}: {type(error).__name__}", "ours")
