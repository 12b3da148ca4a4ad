"""Names on the broker: streams, buckets, consumers, inboxes; all made of characters every tool accepts."""

import hashlib
import re

from cardtrail.events.subjects import token

FACTS = "CARDTRAIL_FACTS"
BODIES = "CARDTRAIL_BODIES"
REPORTS = "CARDTRAIL_REPORTS"
SCHEDULES = "CARDTRAIL_SCHEDULES"
POSITION_KEY = "_position"
JS_DOMAIN = "cardtrail"
"""The JetStream domain under which a planner's account finds the buckets of the services' account."""
IMPORTED = "cardtrail-imported"
"""Mark on the facts stream of an imported log: the bundle it came from. Its messages say themselves when they were stored."""
KNOWN_FROM = "cardtrail-known-from"
"""Mark beside it: the first sequence from which nothing is left out."""
STORED_NS = "Cardtrail-Stored"
"""Header of an imported message: when its first broker stored it, nanoseconds since 1970."""
_PLAIN = re.compile(r"[A-Za-z0-9-]{1,64}")


def bucket_name(projection: str, principal: str) -> str:
    """`<projection>_<principal>`; a principal that a bucket's name cannot spell goes by a hash (`_h…`)."""
    return f"{projection}_{_plain(principal)}"


def kv_stream(bucket: str) -> str:
    """The stream behind a bucket."""
    return f"KV_{bucket}"


def kv_subject(bucket: str, key: str = ">") -> str:
    """The subject of a key, or the filter of the whole bucket."""
    return f"$KV.{bucket}.{key}"


def inbox_prefix(principal: str) -> str:
    """Where answers to a planner of this principal arrive, and nobody else's."""
    return f"_INBOX_{token(principal)}"


def consumer_name(*parts: str) -> str:
    """A stable durable name from the reader's parts, for example projection, store and principal."""
    return "_".join(_plain(part.replace("_", "-")) for part in parts)


def _plain(text: str) -> str:
    return (
        text
        if _PLAIN.fullmatch(text)
        else "_h" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:40]
    )
