"""When the certificates end that hosts have shown lately: an agent whose certificate ends is unreachable that very second."""

import ssl
from collections import OrderedDict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import httpcore

_KEPT = 10_000
SOON = timedelta(days=21)


class Certificates:
    """By host, of those that were spoken to last."""

    def __init__(self) -> None:
        """None seen yet."""
        self._ends: OrderedDict[str, datetime] = OrderedDict()

    def saw(self, host: str, response: httpcore.Response) -> None:
        """Take the end of the certificate under which an answer came; nothing where there is none to be seen."""
        stream = response.extensions.get("network_stream")
        layer = stream.get_extra_info("ssl_object") if stream is not None else None
        shown = layer.getpeercert() if layer is not None else None
        if not shown or "notAfter" not in shown:
            return
        self._ends[host] = datetime.fromtimestamp(ssl.cert_time_to_seconds(str(shown["notAfter"])), UTC)
        self._ends.move_to_end(host)
        while len(self._ends) > _KEPT:
            self._ends.popitem(last=False)

    def told(self, now: datetime) -> Iterator[str]:
        """A line for each that ends within three weeks, the next one first."""
        for host, end in sorted(self._ends.items(), key=lambda item: (item[1], item[0])):
            if end - now < SOON:
                yield f"the certificate of {host} ends on {end:%Y-%m-%d %H:%M} UTC"
