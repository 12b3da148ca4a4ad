"""CardFetched: one observation of a card. An unchanged one is a short back-reference (`same_as`)."""

from typing import Literal

from pydantic import Field

from cardtrail.events.fact import AgentEvent
from cardtrail.events.model.card import Shape
from cardtrail.events.model.finding import Diagnostic
from cardtrail.events.model.value import Value

SignatureOutcome = Literal["verified", "unverifiable", "absent", "invalid"]


class Validators(Value):
    """HTTP validators, verbatim (RFC 9110 §8.8)."""

    etag: str | None = None
    last_modified: str | None = None


class Freshness(Value):
    """How long the answer may be believed, seconds: `lifetime` by the server or by our default, `age` already passed."""

    lifetime_s: int | None = None
    age_s: int = 0
    by: Literal["server", "default"] = "default"


class SignatureSummary(Value):
    """What verification said; `form` is one of the five canonical forms, `uncovered` what the signature does not see.

    `signer` and what follows tell of the signature that decides, `signers` of every good one: key thumbprint → key id.
    """

    outcome: SignatureOutcome = "absent"
    signer: str | None = None
    signers: dict[str, str] = {}
    kid: str | None = None
    alg: str | None = None
    form: str | None = None
    reason: str = ""
    uncovered: tuple[str, ...] = ()


class CardFetched(AgentEvent):
    """An answer was had. With `same_as` (stream sequence of the full observation) nothing differs and the rest is absent.

    Validators and freshness stand in the short form only where they are others than before, an age always.
    `status` 200 or 304 (0 for files and documents); digests are `sha256:` + 64 hex: of the raw bytes (the body lies in the
    bodies stream under it), of the card without signatures and unknown members, of the set of signatures. Latency in
    milliseconds; `checks` > 1 tells a run of equal observations from `first_at` to the fact's time. `extended`: the extended card
    of this principal, `location` then still is where the agent was found; `aside`: the public card on the way to it, which is
    not what this principal's profile rests on. `agent_version` is the card's own, cut to 128 characters.
    """

    kind = "card-fetched"
    status: int = 200
    same_as: int | None = None
    latency_ms: int = 0
    signature: SignatureSummary = SignatureSummary()
    location: str = ""
    address: str = ""
    raw_digest: str = ""
    semantic_digest: str = ""
    signatures_digest: str = ""
    size: int = 0
    media_type: str = ""
    shape: Shape = "1.0"
    agent_version: str = ""
    validators: Validators = Validators()
    freshness: Freshness = Freshness()
    a2a_version: str = "1.0"
    legacy_path: bool = False
    extended: bool = False
    aside: bool = False
    headers: dict[str, str] = Field(default_factory=dict)
    findings: tuple[Diagnostic, ...] = ()
    checks: int = 1
    first_at: str = ""
