"""The client library for programs that delegate work: may this step go to that agent now, and how is the call made?

    from cardtrail.services.planner import Planner

    async with Planner(url, "trip-planner") as planner:
        permission = planner.may_delegate("itinerary-pricing")

What decides (`permission`, `call`) is pure and needs no broker library; each name here is loaded when it is first asked for.
`ReportingFactory` needs the a2a-sdk (`cardtrail[a2a]`).
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cardtrail.events.model.policy import EndpointPolicy
    from cardtrail.services.bus.login import Login
    from cardtrail.services.outbound.client import Door
    from cardtrail.services.outbound.transport import DoorTransport
    from cardtrail.services.planner.client import Planner
    from cardtrail.services.planner.interceptor import ReportingFactory
    from cardtrail.services.planner.permission import Permission
    from cardtrail.services.planner.update import Update

__all__ = [
    "Door",
    "DoorTransport",
    "EndpointPolicy",
    "Login",
    "Permission",
    "Planner",
    "ReportingFactory",
    "Update",
]
_HOMES = {
    "Door": "cardtrail.services.outbound.client",
    "DoorTransport": "cardtrail.services.outbound.transport",
    "EndpointPolicy": "cardtrail.events.model.policy",
    "Login": "cardtrail.services.bus.login",
    "Permission": f"{__name__}.permission",
    "Planner": f"{__name__}.client",
    "ReportingFactory": f"{__name__}.interceptor",
    "Update": f"{__name__}.update",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 — a module's attribute (PEP 562)
    from importlib import import_module  # noqa: PLC0415 — only a public name needs it

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
