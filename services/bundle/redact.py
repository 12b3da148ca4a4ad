"""What a bundle does not carry out of the house unless it is told to: people, how they are reached, addresses, free words.

Each such text is replaced by `redacted-` and ten hex digits of an HMAC under a key that is made for one bundle and thrown away:
the same person is the same word everywhere in it, and nobody finds out who. `HIDDEN` below is the whole list, by kind of fact.

Names of agents, workflows and principals, URLs, cards, rules, severities and verdicts stay: without them nothing could be
explained. What a card says is in the bodies; extended cards are left out, for they were shown to one principal.
"""

import hashlib
import hmac
import json
from typing import Any

from pydantic_core import from_json

HIDDEN: dict[str, tuple[str, ...]] = {
    "agent-tracked": ("by", "credential", "registry_metadata.*"),
    "agent-untracked": ("by", "reason"),
    "body-redacted": ("by", "reason"),
    "card-fetched": ("address", "headers.*"),
    "card-refused": ("address", "detail"),
    "change-acknowledged": ("by", "reason"),
    "change-decided": ("owner", "channel"),
    "lockfile-pinned": ("by", "lockfile.owner", "lockfile.channel", "lockfile.person"),
    "lockfile-released": ("by", "reason"),
    "owner-notified": ("channel", "problem"),
    "policy-declared": ("by",),
    "probe-recorded": ("detail",),
    "registry-scanned": ("problem",),
    "runtime-error-observed": ("detail", "report"),
}
"""Kind → members of `data`; `*` is every member below."""
LOCAL = {"agent-tracked": ("target.value",), "card-fetched": ("location",), "card-refused": ("target",)}
"""Kind → members that are hidden where they are a path or a document of our machines instead of a name or URL."""
_OURS = ("/", "~", ".", "{", "file:")
_DIGITS = 10


class Redaction:
    """One bundle's; `counts` says how often each member was made unreadable."""

    def __init__(self, key: bytes) -> None:
        """`key` are random bytes that nobody keeps."""
        self._key = key
        self.counts: dict[str, int] = {}

    def redacted(self, data: bytes, kind: str) -> tuple[bytes, tuple[str, ...]]:
        """The fact without what must not leave, and which members were made unreadable; what is no fact stays as it is."""
        try:
            envelope = from_json(data)
        except ValueError:
            return data, ()
        if not isinstance(envelope, dict) or not isinstance(envelope.get("data"), dict):
            return data, ()
        told = [path for path in HIDDEN.get(kind, ()) if self._hide(envelope["data"], path.split("."))]
        told += [path for path in LOCAL.get(kind, ()) if self._hide(envelope["data"], path.split("."), only_ours=True)]
        for path in told:
            name = f"{kind}.{path}"
            self.counts[name] = self.counts.get(name, 0) + 1
        return (_written(envelope), tuple(told)) if told else (data, ())

    def _hide(self, value: Any, path: list[str], *, only_ours: bool = False) -> bool:  # noqa: ANN401 — any JSON value
        """Whether something stood there and does not any more."""
        if not isinstance(value, dict):
            return False
        first, *rest = path
        names = list(value) if first == "*" else [first] if first in value else []
        if rest:
            return sum(self._hide(value[name], rest, only_ours=only_ours) for name in names) > 0
        hidden = [name for name in names if value[name] and (not only_ours or _is_ours(str(value[name])))]
        for name in hidden:
            value[name] = self._word(value[name])
        return bool(hidden)

    def _word(self, text: object) -> str:
        digest = hmac.new(self._key, str(text).encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
        return f"redacted-{digest[:_DIGITS]}"


def _is_ours(text: str) -> bool:
    """A path or a document; a URL or a domain is not."""
    return text.startswith(_OURS) or ("/" in text and "://" not in text)


def _written(envelope: dict[str, Any]) -> bytes:
    """Compact, and with numbers that no JSON has as they were read: what was told badly leaves as bad as it is, and redacted."""
    return json.dumps(envelope, ensure_ascii=False, separators=(",", ":")).encode()
