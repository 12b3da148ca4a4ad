"""The story that the page's journeys see: locks that hold and break, a hostile agent, one that two principals see differently."""

import copy
import json
from pathlib import Path
from typing import Any

from cardtrail.events import AgentTracked, ChangeAcknowledged, LockfilePinned
from cardtrail.events.agent_tracked import Target
from cardtrail.events.fact import dump
from cardtrail.events.model.lockfile import Candidate, LockedInterface, Lockfile, Requires, SkillNeed
from cardtrail.services.card.sign import sign
from cardtrail.services.demo import cards
from cardtrail.services.verdict.lock import lock_digest
from cardtrail.services.wire.errors import CODE_OF
from tests.agent_host import Reply, Seen
from tests.journeys.page_stage import PageStage
from tests.services.card.signers import PRIVATE, a_card, key_set, public
from tests.services.cli.cards import HOSTILE

EVIL_TEXTS = (
    HOSTILE,
    '"><img src=x onerror=alert(2)><svg onload=alert(3)>',
    "</title></style></script><script>alert(4)</script>",
    "javascript:alert(5)",
    "{{7*7}}${7*7}<%= 7*7 %>",
    "url(https://evil.example/pixel.png)",
    "W" * 20_000,
    "\u202eevil\u202c \u2066x\u2069 \u200f\u061c",
    "=cmd|' /C calc'!A1",
)
DESKS = ("day-desk", "night-desk")
SIGNER = key_set(public("ec")).keys[0].thumbprint


def perform(stage: PageStage) -> None:
    """A lock kept, then in review, then broken; a hostile agent; one that is gone; one that another principal sees."""
    port = stage.tracked.host.port
    original = cards.pricing(port)
    stage.tracked.host.serve("/a2a/rpc", _answers)
    stage.tracked.publish(cards.PRICING, dump(original))
    stage.tracked.publish(cards.FARES, dump(cards.fares(port)))
    stage.tracked.publish("evil.example", dump(evil_card(port)))
    for agent in ("pricing", "fares", "evil", "gone"):
        stage.look(agent)
    needs = {cards.SKILL: SkillNeed(input=("application/json",), output=("application/json",), scopes=(cards.SCOPE,))}
    trip = _lock(
        "pricing", "trip-planner", Requires(streaming=True, skills=needs), owner="mira", person="the travel desk"
    )
    trip = trip.model_copy(update={"fallback": (Candidate(agent="fares"),)})
    flow = f"evil {HOSTILE}"
    bad = _lock("evil", flow, Requires(skills={HOSTILE: SkillNeed(output=(HOSTILE,))}), owner=HOSTILE, person=HOSTILE)
    stage.tell(_pinned(trip), _pinned(bad))
    kept = ("trip-planner", "pricing", "compatible")
    stage.until(
        "/fleet.json", lambda shown: kept in [(row["workflow"], row["agent"], row["verdict"]) for row in shown["rows"]]
    )
    stage.tell(
        AgentTracked(agent="vault", principal="travel-desk", target=Target(kind="domain", value="vault.example"))
    )
    stage.tell(AgentTracked(agent=f"named {HOSTILE}", target=Target(kind="document", value="no card")))
    for card in (cards.preferring_http(cards.reworded(original), port), cards.answering_pdf(original)):
        stage.tracked.publish(cards.PRICING, dump(card))
        stage.look("pricing")
    changed = evil_card(port)
    changed["version"], changed["skills"] = "2 " + EVIL_TEXTS[1], changed["skills"][1:]
    stage.tracked.publish("evil.example", dump(changed))
    stage.look("evil")
    finding = next(row for row in stage.get("/fleet.json").json["rows"] if row["agent"] == "evil")["decision"]
    print_ = stage.get(f"/decisions/{finding}.json").json["findings"][0]["fingerprint"]
    accepted = {"fingerprint": print_, "reason": EVIL_TEXTS[1], "by": HOSTILE}
    stage.tell(ChangeAcknowledged(agent="evil", workflow=flow, **accepted))
    _desks(stage)


def trusting(folder: Path) -> str:
    """Settings that trust one signer of the agent `rates`."""
    file = folder / "rates.jwks.json"
    file.write_text(json.dumps({"keys": [public("ec")]}))
    return f'[keys."https://rates.example"]\nfile = "{file}"\n'


def _desks(stage: PageStage) -> None:
    """One agent as two principals see it: one the signed card that a lock is on, the other a newer one, signed by a stranger."""
    day = sign(a_card(), PRIVATE["ec"])
    skills = [
        {"id": "quote", "name": "Quote", "description": "For the night.", "tags": [], "outputModes": ["text/csv"]}
    ]
    night = sign(a_card(version="4.0.0", description="Quotes by night", skills=skills), PRIVATE["ed"])
    for principal, card in zip(DESKS, (day, night), strict=True):
        target = Target(kind="document", value=json.dumps(card))
        stage.tell(AgentTracked(agent="rates", principal=principal, target=target))
        stage.until(
            f"/fleet.json?principal={principal}", lambda shown: [row["heard"] for row in shown["rows"]] == ["fresh"]
        )
    quote = Requires(skills={"quote": SkillNeed(output=("application/json",))})
    lock = _lock("rates", "rota", quote, owner="noor").model_copy(update={"principal": DESKS[0]})
    stage.tell(_pinned(lock))
    stage.until(
        f"/fleet.json?principal={DESKS[0]}", lambda shown: "compatible" in {row["verdict"] for row in shown["rows"]}
    )


def _answers(seen: Seen) -> Reply:
    """A binding that is there: it knows no such task."""
    error = {"code": CODE_OF["TaskNotFoundError"], "message": "no such task"}
    return Reply({"jsonrpc": "2.0", "id": json.loads(seen.body)["id"], "error": error})


def evil_card(port: int) -> dict[str, Any]:
    """A card that says in every place what must not be believed."""
    card = copy.deepcopy(cards.pricing(port))
    base = f"https://evil.example:{port}"
    card["supportedInterfaces"][0]["url"] = f"{base}/a2a"
    card |= {"name": EVIL_TEXTS[1], "description": "\n".join(EVIL_TEXTS), "version": EVIL_TEXTS[2]}
    card |= {"provider": {"organization": EVIL_TEXTS[0], "url": EVIL_TEXTS[3]}}
    card |= {"iconUrl": f"{base}/icon.png", "documentationUrl": EVIL_TEXTS[3]}
    card["supportedInterfaces"].append(
        {"url": f'{base}/"><script>alert(6)</script>', "protocolBinding": EVIL_TEXTS[1], "protocolVersion": "1.0"}
    )
    extension = {"uri": EVIL_TEXTS[1], "description": EVIL_TEXTS[0], "params": {text: text for text in EVIL_TEXTS[:3]}}
    card["capabilities"]["extensions"] = [extension]
    card["skills"] = [
        {"id": text, "name": text, "description": text, "tags": list(EVIL_TEXTS[:3]), "inputModes": [text]}
        for text in EVIL_TEXTS
    ]
    return card


def _lock(agent: str, workflow: str, requires: Requires, **words: str) -> Lockfile:
    interface = LockedInterface(binding="JSONRPC", version="1.0")
    return Lockfile(agent=agent, workflow=workflow, interface=interface, requires=requires, **words)  # type: ignore[arg-type]


def _pinned(lock: Lockfile) -> LockfilePinned:
    return LockfilePinned(
        agent=lock.agent,
        principal=lock.principal,
        workflow=lock.workflow,
        lockfile=lock,
        lock_digest=lock_digest(lock),
    )
