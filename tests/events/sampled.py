"""One realistic fact of every kind: what the stored samples of a release were written from."""

from datetime import UTC, datetime
from uuid import UUID

from cardtrail.events import (
    AgentTracked,
    AgentUntracked,
    BodyRedacted,
    CallsCounted,
    CardFetched,
    CardRefused,
    ChangeAcknowledged,
    ChangeDecided,
    CheckpointSigned,
    DeadlinePassed,
    Event,
    Fact,
    LockfilePinned,
    LockfileReleased,
    OwnerNotified,
    PolicyDeclared,
    ProbeRecorded,
    ProbeStarted,
    ProfileCompiled,
    RegistryScanned,
    RuntimeErrorObserved,
)
from cardtrail.events.agent_tracked import Target
from cardtrail.events.card_fetched import Freshness, SignatureSummary, Validators
from cardtrail.events.model.evidence import Claim
from cardtrail.events.model.finding import Diagnostic, Finding
from cardtrail.events.model.lockfile import Candidate, LockedInterface, Lockfile, Requires, SkillNeed
from cardtrail.events.model.policy import EndpointPolicy, Policy
from cardtrail.events.model.profile import Alternative, Identity, Interface, Profile, Scheme, SkillProfile

AT = datetime(2026, 11, 30, 9, 12, 31, 250_000, tzinfo=UTC)
INSTANT = "2026-11-30T09:12:31.250Z"
ID, CAUSE = UUID("019ad3f0-4a12-7000-8000-0123456789ab"), UUID("019ad3f0-4a12-7000-8000-0123456789aa")
DIGEST = "sha256:" + "6f1c" * 16
URL = "https://pricing.partner.example/.well-known/agent-card.json"
AGENT, SKILL = "pricing", "itinerary-pricing"
CLAIM = Claim(kind="input-mode", skill=SKILL, value="application/json")
NEED = SkillNeed(input=("application/json",), output=("application/json",), scopes=("pricing.quote",))
LOCK = Lockfile(
    agent=URL,
    workflow="trip-planner",
    owner="mira",
    interface=LockedInterface(binding="JSONRPC", version="1.0"),
    requires=Requires(streaming=True, skills={SKILL: NEED}),
    fallback=(Candidate(agent="fares", skills={SKILL: "fare"}),),
    severities={"tags-changed": None},
)
PROFILE = Profile(
    usable=True,
    interface=Interface(url="https://pricing.partner.example/a2a", binding="JSONRPC", version="1.0", tenant="t/1"),
    streaming=True,
    schemes={"oauth": Scheme(kind="oauth2", flow="clientCredentials", urls={"tokenUrl": "https://id.example/token"})},
    security=(Alternative(schemes={"oauth": ("pricing.quote",)}),),
    skills={SKILL: SkillProfile(input=("application/json",), output=("application/json",), tags=("travel",))},
    provenance={f"skills.{SKILL}.input": "$.defaultInputModes"},
)
IDENTITY = Identity(
    name="Partner Pricing", version="3.2.0", provider="Partner", signature="verified", signer="k1", form="raw"
)
FINDING = Finding(
    rule="input-mode-removed",
    severity="breaking",
    subject=f"skills[{SKILL}].inputModes",
    needs=["application/json"],
    before=["application/json", "text/plain"],
    after=["text/plain"],
    message="application/json is not taken any more",
    fingerprint="3f0a" * 16,
)
DIAGNOSTIC = Diagnostic(
    code="CT017", name="binding-unknown", level="error", path="$.x", message="no binding", line=14, column=26
)
PROBED = {"agent": AGENT, "probe": "input-mode", "claim": CLAIM, "contract_digest": DIGEST}
OF_LOCK = {"agent": URL, "workflow": "trip-planner"}

EVENTS_TOLD: tuple[Event, ...] = (
    AgentTracked(
        agent=AGENT,
        principal="acme",
        target=Target(kind="card-url", value=URL),
        interval_s=300,
        endpoints=EndpointPolicy(cidrs=("10.0.0.0/8",)),
        credential="acme-key",
        by="settings",
    ),
    AgentUntracked(agent=AGENT, reason="contract ended", by="mira"),
    RegistryScanned(registry="catalog", complete=True, candidates=2, refused=1, agents=("fares",)),
    CardFetched(
        agent=AGENT,
        latency_ms=41,
        signature=SignatureSummary(outcome="verified", signer="k1", kid="2026-a", alg="ES256", form="raw"),
        location=URL,
        address="192.0.2.7",
        raw_digest=DIGEST,
        semantic_digest=DIGEST,
        signatures_digest=DIGEST,
        size=1_274,
        media_type="application/json",
        validators=Validators(etag='W/"a"', last_modified="Mon, 30 Nov 2026 09:00:00 GMT"),
        agent_version="3.2.0",
        freshness=Freshness(lifetime_s=60, age_s=3, by="server"),
        headers={"etag": 'W/"a"'},
        findings=(DIAGNOSTIC,),
    ),
    CardRefused(
        agent=AGENT, stage="fetch", reason="throttled", detail="HTTP 429", target=URL, status=429, retry_after_s=60
    ),
    ProfileCompiled(
        agent=AGENT,
        card=CAUSE,
        card_sequence=7,
        card_digest=DIGEST,
        profile=PROFILE,
        profile_digest=DIGEST,
        identity=IDENTITY,
        identity_digest=DIGEST,
        texts_digest=DIGEST,
        compiler_version="1",
        client_digest=DIGEST,
        cause="pin",
    ),
    ProbeStarted.model_validate(PROBED | {"runs_message": True}),
    ProbeRecorded.model_validate(
        PROBED
        | {
            "outcome": "contradicted",
            "reason": "content-type-refused",
            "profile_digest": DIGEST,
            "trials": 3,
            "passes": 1,
        }
    ),
    RuntimeErrorObserved(
        agent=AGENT,
        workflow="trip-planner",
        operation="SendStreamingMessage",
        skill=SKILL,
        error="UnsupportedOperationError",
        code=-32004,
        profile_digest=DIGEST,
        contradicts=Claim(kind="streaming"),
        attribution="provider",
    ),
    CallsCounted(
        agent=AGENT,
        workflow="trip-planner",
        operation="SendMessage",
        minute=INSTANT,
        calls=12,
        errors=1,
        p50_ms=80.5,
        p95_ms=210.0,
    ),
    LockfilePinned.model_validate(
        OF_LOCK
        | {"lockfile": LOCK, "lock_digest": DIGEST, "baseline": PROFILE, "baseline_identity": IDENTITY, "by": "mira"}
    ),
    LockfileReleased.model_validate(OF_LOCK | {"reason": "workflow retired", "by": "mira"}),
    ChangeDecided.model_validate(
        OF_LOCK
        | {
            "verdict": "breaking",
            "previous": "compatible",
            "findings": (FINDING,),
            "action": "stop",
            "owner": "mira",
            "valid_from": INSTANT,
            "considered_through": 41,
            "profile_digest": DIGEST,
            "agent_version": "4.0.0",
            "lock_digest": DIGEST,
            "rules_version": "1",
            "policy_digest": DIGEST,
            "causes": (CAUSE,),
        }
    ),
    ChangeAcknowledged.model_validate(
        OF_LOCK | {"fingerprint": "3f0a" * 16, "reason": "agreed with the partner", "until": INSTANT, "by": "mira"}
    ),
    PolicyDeclared(policy=Policy(grace_s=3_600, severities={"tags-changed": None}), digest=DIGEST, by="settings"),
    DeadlinePassed(agent=AGENT, what="grace", due=INSTANT),
    OwnerNotified.model_validate(
        OF_LOCK | {"decision": CAUSE, "channel": "ops", "fingerprints": ("3f0a" * 16,), "status": 204}
    ),
    BodyRedacted(agent=AGENT, raw_digest=DIGEST, reason="held personal data", by="mira"),
    CheckpointSigned(origin="cardtrail", size=1_024, through=1_030, root="ab" * 32, note="cardtrail\n1024\n…"),
)
FACTS: dict[str, Fact] = {
    event.kind: Fact(id=ID, source="cardtrail/sample", time=AT, correlation=CAUSE, causation=CAUSE, data=event)
    for event in EVENTS_TOLD
}
