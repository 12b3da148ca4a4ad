"""What ends by itself: trusted keys, certificates of ours and of authorities that the settings name."""

from collections.abc import Iterator
from datetime import timedelta

from cardtrail.services.cli.live.checks.gathered import Gathered, failed, ok, warning
from cardtrail.services.cli.live.when import span
from cardtrail.services.cli.outputs.doctor import Check

_SOON = timedelta(days=21)


def checks(found: Gathered) -> Iterator[Check]:
    """One answer for each that has ended or ends within three weeks."""
    calm = True
    for name, end in sorted(found.expiries.items()):
        left = (end - found.now).total_seconds()
        if left <= 0:
            calm = False
            yield failed(
                "expiry", f"{name} ended {span(-left)} ago", "replace it, and name the new one in the settings"
            )
        elif end - found.now < _SOON:
            calm = False
            yield warning("expiry", f"{name} ends in {span(left)}", "ask for its successor now")
    if calm:
        yield ok("expiry", f"keys and certificates: {len(found.expiries)} with an end, none soon")
