"""What the notifier remembers of one workflow × agent × principal, one frozen value per row; nothing here decides anything."""

from uuid import UUID

from pydantic import AwareDatetime

from cardtrail.events.change_decided import ChangeDecided
from cardtrail.events.model.value import Value


class Since(Value):
    """When the notifier first ran on this log: what was decided long before is nobody's news."""

    at: AwareDatetime


class Told(Value):
    """What its owner knows: fingerprints told while they stand, those accepted (until when), whether a trouble was announced."""

    fingerprints: tuple[str, ...] = ()
    silenced: dict[str, AwareDatetime | None] = {}
    announced: bool = False


class Pending(Value):
    """A decision that its owner has not heard of, stored `at`; `digest`: it waits for the day's one message."""

    decision: UUID
    event: ChangeDecided
    at: AwareDatetime
    digest: bool = False
