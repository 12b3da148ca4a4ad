"""The procurement planner's story: three sources, hard filters with reasons, an extended card, and a warm path of one request."""

from dataclasses import dataclass
from pathlib import Path

from cardtrail.events import AgentTracked, CardFetched, CardRefused, RegistryScanned, Stored
from cardtrail.projections.projection import Row
from cardtrail.services.bus.kv_read import read_row
from cardtrail.services.cli.live.choosing import choose
from cardtrail.services.cli.live.tracker import Tracker
from cardtrail.services.cli.outputs.candidates import CandidatesOutput
from cardtrail.services.demo import fx_cards
from cardtrail.services.demo.host import DemoHost
from cardtrail.services.demo.stage import Stage
from cardtrail.services.planner.filters import Wanted

PRINCIPAL, AGENT = "procurement", "fx-desk"
WANTED = Wanted(tags=(fx_cards.TAG,), input=("application/json",), output=("application/json",))
HOSTS = (
    *(fx_cards.INTERNAL, fx_cards.VENDOR, fx_cards.PARTNER),
    *(fx_cards.REGISTRY, fx_cards.LOGIN, fx_cards.ELSEWHERE),
)
FOLDS = (("compiler", "compiler"), ("fetcher", "dispatch"), ("projector", f"current_profile/{PRINCIPAL}"))
_CLIENT, _SECRET, _TOKEN = "procurement-planner", "known-to-two", "granted-for-an-hour"
_AGENTS = 3
Request = tuple[str, str, int]


@dataclass(frozen=True)
class Found:
    """Who is watched and from where, what the registry's walk was like, what was asked of whom until then."""

    tracked: list[AgentTracked]
    scanned: RegistryScanned
    requests: list[Request]


@dataclass(frozen=True)
class Extended:
    """The chosen agent's two cards: skills of the public one, and of the one that this principal sees."""

    public: CardFetched
    extended: CardFetched
    skills: tuple[str, ...]
    added: tuple[str, ...]


@dataclass(frozen=True)
class Warm:
    """The next invoice: what was sent, and what was told."""

    requests: list[Request]
    told: CardFetched | CardRefused


def publish(host: DemoHost, folder: Path) -> None:
    """Put everything on stage: three cards, the registry's catalog, a login, one extended card, the planner's secret."""
    port = host.port
    host.publish(fx_cards.INTERNAL, fx_cards.internal(port))
    host.publish(fx_cards.VENDOR, fx_cards.vendor(port))
    host.publish(fx_cards.PARTNER, fx_cards.partner(port))
    host.publish_page(fx_cards.REGISTRY, "/catalog.json", fx_cards.catalog(port))
    host.admit(fx_cards.LOGIN, _CLIENT, _SECRET, _TOKEN)
    host.publish_extended(fx_cards.INTERNAL, _TOKEN, fx_cards.extended(port))
    (folder / "planner.secret").write_text(_SECRET)


def settings(port: int) -> str:
    """One agent pinned by URL, the company registry, a partner's domain; tokens from our own login alone."""
    names = "".join(f'"{host}" = "127.0.0.1"\n' for host in HOSTS)
    own = f'networks = ["127.0.0.0/8"]\nprincipals = ["{PRINCIPAL}"]\n'
    login = f"https://{fx_cards.LOGIN}:{port}/token"
    return (
        f"[hosts]\n{names}"
        f'[credentials.planner]\nkind = "oauth2"\nhosts = ["{fx_cards.INTERNAL}"]\nfile = "planner.secret"\n'
        f'client_id = "{_CLIENT}"\ntoken_url = "{login}"\nscopes = ["{fx_cards.SCOPE}"]\nnetworks = ["127.0.0.0/8"]\n'
        f'[agents.{AGENT}]\ncard_url = "https://{fx_cards.INTERNAL}:{port}/.well-known/agent-card.json"\n'
        f'source = "pinned"\ncredentials = {{ {PRINCIPAL} = "planner" }}\n{own}'
        f'[agents.partner]\nbase_url = "https://{fx_cards.PARTNER}:{port}"\nsource = "partner"\n{own}'
        f'[registries.company]\nsource = "ai-catalog:https://{fx_cards.REGISTRY}:{port}/catalog.json"\n{own}'
    )


async def sources(stage: Stage) -> Found:
    """Wait until all that the sources name has been looked at."""

    def done(facts: list[Stored]) -> Found | None:
        events = [stored.fact.data for stored in facts]
        tracked = [event for event in events if isinstance(event, AgentTracked)]
        seen = {event.agent for event in events if isinstance(event, CardFetched)}
        scanned = next((event for event in events if isinstance(event, RegistryScanned)), None)
        is_complete = scanned is not None and len(seen) == _AGENTS == len(tracked)
        return Found(tracked, scanned, list(stage.host.requests)) if scanned and is_complete else None

    found = await stage.until(done)
    await stage.settled()
    return found


async def candidates(stage: Stage) -> CandidatesOutput:
    """Both phases of choosing."""
    bus = stage.system.bus
    tracker = Tracker(stage.settings, stage.system.url, bus, await bus.info())
    return await choose(tracker, WANTED, PRINCIPAL, with_texts=True)


async def card_of_our_own(stage: Stage) -> Extended:
    """The extended card of the chosen agent, and what it adds."""
    told = [stored.fact.data for stored in await stage.facts()]
    of_agent = [event for event in told if isinstance(event, CardFetched) and event.agent == AGENT]
    public = next(event for event in of_agent if event.aside)
    extended = next(event for event in of_agent if event.extended)
    key = (PRINCIPAL, AGENT)
    row: Row = await read_row(stage.system.bus, "current_profile", PRINCIPAL, "current_profile", key) or {}
    skills = tuple(sorted(row["profile"]["skills"]))
    before = {skill["id"] for skill in fx_cards.internal(stage.host.port)["skills"]}
    return Extended(public, extended, skills, tuple(skill for skill in skills if skill not in before))


async def next_invoice(stage: Stage) -> Warm:
    """An hour later: the cache of the public card has expired, so it is asked for again."""
    before = len(stage.host.requests)
    seen = await stage.look(AGENT, PRINCIPAL)
    event = seen.fact.data
    assert isinstance(event, CardFetched | CardRefused), "a look ends in one of the two"  # noqa: S101 — as `look` says
    return Warm(stage.host.requests[before:], event)
