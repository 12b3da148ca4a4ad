"""Options of `track` that say how an agent is watched, handed over as one value."""

from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from cardtrail.services.cli.live.when import Span
from cardtrail.services.cli.shell.command import OneOf
from cardtrail.services.cli.shell.options import Body

if TYPE_CHECKING:
    from cardtrail.services.cli.live.watching import Wanted

_SOURCES = ("partner", "internal", "registry", "pinned")
_OPTIONS = (
    click.option("--credential", default="", metavar="NAME", help="The credential of the settings that is sent along."),
    click.option("--provider", default="", help="Your label for who runs it."),
    click.option("--no-legacy", is_flag=True, help="Do not try the old name agent.json."),
    click.option("--exact", is_flag=True, help="The URL is the card's own, whatever its name."),
    click.option("--same-origin-only", "home", is_flag=True, help="Refuse a card with an endpoint on another origin."),
    click.option("--port", "ports", type=int, multiple=True, help="Endpoints may use this port; default 443."),
    click.option("--allow-host", "hosts", multiple=True, metavar="HOST", help="Endpoints only there; *.HOST below it."),
    click.option("--cleartext", is_flag=True, help="Card and endpoints may be http."),
    click.option("--network", "networks", multiple=True, metavar="CIDR", help="A private network that it may be in."),
    click.option("--every", type=Span(), help="Time between two looks; default by source, a day for a partner."),
    click.option("--source", type=OneOf(_SOURCES), default="partner", help="What kind of source it is."),
    click.option("--principal", "principals", multiple=True, metavar="WHO", help="As whom it is seen; default public."),
    click.option("--name", help="What to call it; default the target as given."),
)


class How(NamedTuple):
    """How an agent is watched."""

    name: str | None
    principals: tuple[str, ...]
    source: Any
    every: int | None
    networks: tuple[str, ...]
    cleartext: bool
    hosts: tuple[str, ...]
    ports: tuple[int, ...]
    home: bool
    no_legacy: bool
    exact: bool
    provider: str
    credential: str

    def wanted(self, target: str) -> "Wanted":
        """With the target, as the facts need it."""
        from cardtrail.events.model.policy import EndpointPolicy  # noqa: PLC0415 — help needs no models
        from cardtrail.services.cli.live.watching import Wanted  # noqa: PLC0415 — same

        endpoints = EndpointPolicy(
            allowed_hosts=self.hosts,
            cidrs=self.networks,
            ports=self.ports,
            cleartext=self.cleartext,
            same_origin_only=self.home,
        )
        principals = tuple(dict.fromkeys(self.principals)) or ("public",)
        every, old = self.every, not self.no_legacy
        return Wanted(
            target,
            self.name,
            principals,
            self.source,
            every,
            old,
            self.provider,
            self.credential,
            endpoints,
            self.exact,
        )


def how_options(body: Body) -> Body:
    """All of them as `how`."""

    @wraps(body)
    def bundled(*args: Any, **given: Any) -> Any:  # noqa: ANN401 — click's values
        return body(*args, how=How(**{name: given.pop(name) for name in How._fields}), **given)

    made: Body = bundled
    for option in _OPTIONS:
        made = option(made)
    return made
