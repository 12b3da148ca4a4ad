"""What planners in any language read and write on the broker, beside the events: shapes, subjects, and which way they go."""

from typing import NamedTuple

from cardtrail.events.model.beat import Beat
from cardtrail.events.model.report import Report
from cardtrail.events.model.value import Value
from cardtrail.events.subjects import LIVE_ALIVE, REPORTS
from cardtrail.services.planner.values import ProfileValue, RouteValue, StatusValue


class Channel(NamedTuple):
    """A shape by its schema's name, the subject it stands on, and who sends it."""

    shape: type[Value]
    subject: str
    sent_by_planner: bool = False


CHANNELS: dict[str, Channel] = {
    "value.route": Channel(RouteValue, "$KV.routes_<bucket>.routes.<principal>.<workflow>.<skill>"),
    "value.profile": Channel(ProfileValue, "$KV.current_profile_<bucket>.current_profile.<principal>.<agent>"),
    "value.status": Channel(StatusValue, "$KV.lockfile_status_<bucket>.lockfile_status.<principal>.<workflow>.<agent>"),
    "alive": Channel(Beat, f"{LIVE_ALIVE}.<service>"),
    "calls": Channel(Report, f"{REPORTS}.<principal>.<workflow>", sent_by_planner=True),
}
