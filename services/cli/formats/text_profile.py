"""A profile for people: where to call, what is on, and a block per skill."""

from collections.abc import Iterator

from cardtrail.events.model.profile import Alternative, Interface, Profile
from cardtrail.services.card.unusable import UNUSABLE
from cardtrail.services.cli.shell.console import Style
from cardtrail.services.cli.shell.text import plain, shown

_FLAGS = ("streaming", "push", "extended_card")


def lines(profile: Profile, style: Style) -> Iterator[str]:
    """The whole profile; an unusable one begins with the reasons."""
    if profile.usable:
        yield style.marked("ok", "usable")
    for reason in profile.reasons:
        yield f"{style.marked('error', 'unusable')}  {plain(reason.code)}  {plain(reason.path)}  {plain(reason.detail, 500)}"
        if reason.code in UNUSABLE:
            yield f"  hint: {UNUSABLE[reason.code].hint}"
    if profile.interface is not None:
        yield f"interface   {endpoint(profile.interface)}"
    for sdk, other in profile.sdk_choice.items():
        yield f"  {plain(sdk)} SDK  {endpoint(other) if other else 'none'}"
    yield f"declares    {', '.join(flag for flag in _FLAGS if getattr(profile, flag)) or 'no optional operation'}"
    for extension in profile.extensions:
        yield f"extension   {plain(extension.uri)}{'  required' if extension.required else ''}"
    yield f"ways in     {ways(profile.security)}"
    for id_, skill in profile.skills.items():
        yield f"skill       {plain(id_)}"
        yield f"  input     {shown(skill.input)}"
        yield f"  output    {shown(skill.output)}"
        if skill.security is not None:
            yield f"  and       {ways(skill.security)}"


def endpoint(interface: Interface) -> str:
    """Binding, version, URL and tenant."""
    tenant = f"  tenant {shown(interface.tenant)}" if interface.tenant else ""
    return f"{plain(interface.binding)} {plain(interface.version)}  {plain(interface.url)}{tenant}".strip()


def ways(alternatives: tuple[Alternative, ...]) -> str:
    """Alternatives of schemes with their scopes; nobody asked is anonymous."""
    return " or ".join(_way(one) for one in alternatives) or "anonymous"


def _way(alternative: Alternative) -> str:
    schemes = (f"{plain(name)}{shown(scopes) if scopes else ''}" for name, scopes in alternative.schemes.items())
    return " + ".join(schemes) or "anonymous"
