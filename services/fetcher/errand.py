"""What the fetcher is sent out for: one agent, as one principal sees it."""

from dataclasses import dataclass

from cardtrail.events.agent_tracked import Target
from cardtrail.events.fact import PUBLIC
from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.services.outbound.address import STRICT, host_matches, judge_url
from cardtrail.services.outbound.call import Call, Credential


@dataclass(frozen=True, slots=True)
class Errand:
    """`a2a_version` is sent with each request: servers choose the card's shape by it (A2A §3.6.1).

    `forced` asks without conditions, `anew` although an answer is fresh; `full_every_s` seconds is how often the former happens
    anyway, `interval_s` seconds lie between two looks. `extended` names the extended card of this principal; `stated` is the
    digest that a registry states of the card.
    """

    agent: str
    target: Target
    principal: str = PUBLIC
    policy: EndpointPolicy = STRICT
    credential: Credential | None = None
    legacy_path: bool = True
    a2a_version: str = "1.0"
    interval_s: int = 86_400
    full_every_s: int = 7 * 86_400
    forced: bool = False
    anew: bool = False
    extended: bool = False
    stated: str = ""

    def call(self, url: str, conditions: dict[str, str]) -> Call:
        """The request for a card at one URL, with the credential where it was issued for that host."""
        headers = {"Accept": "application/json", "A2A-Version": self.a2a_version, **conditions}
        if not conditions:
            headers["Cache-Control"] = "no-cache"
        return Call(url, self.policy, headers=headers, credential=self._credential_for(url))

    def _credential_for(self, url: str) -> Credential | None:
        """A public card may lie on a host that has no business with the credential: it is asked for without, then."""
        held = self.credential
        return held if held is not None and host_matches(judge_url(url, self.policy).host, held.hosts) else None
