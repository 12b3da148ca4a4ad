"""Which interface is chosen and which are left, as far as rules ask."""

from cardtrail.events.model.profile import Interface, Profile
from cardtrail.services.card.endpoint import normal_url
from cardtrail.services.verdict.versions import major, protocol
from cardtrail.services.verdict.view import View

Pair = tuple[str, str]


def pinned_pair(view: View) -> Pair:
    """Binding and Major.Minor that the lock pins."""
    return (view.lock.interface.binding, protocol(view.lock.interface.version))


def chosen_pair(view: View) -> Pair | None:
    """Binding and Major.Minor of the chosen interface, None without one."""
    chosen = view.after.interface if view.after else None
    return (chosen.binding, protocol(chosen.version)) if chosen else None


def only_lower_left(view: View) -> list[str]:
    """The versions still offered, sorted, when each usable one has a lower major number than the pinned; else empty."""
    pinned = major(view.lock.interface.version)
    if view.after is None or pinned is None:
        return []
    usable = [one.version for one in view.after.interfaces if one.supported]
    majors = [major(version) for version in usable]
    lower = bool(majors) and all(number is not None and number < pinned for number in majors)
    return sorted(set(usable)) if lower else []


def natural_key(interface: Interface) -> str:
    """Binding, Major.Minor, canonical URL and tenant: what makes two entries the same interface."""
    parts = (interface.binding, protocol(interface.version), normal_url(interface.url), interface.tenant or "")
    return " ".join(part for part in parts if part)


def others(profile: Profile) -> dict[str, Interface]:
    """The interfaces beside the chosen one, by natural key."""
    chosen = natural_key(profile.interface) if profile.interface else ""
    return {key: one for one in profile.interfaces if (key := natural_key(one)) != chosen}
