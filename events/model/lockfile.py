"""What a workflow needs of an agent: the capability lockfile; it must state agent, interface and needs, no more."""

from typing import Any, Literal

from cardtrail.events.model.finding import Severity
from cardtrail.events.model.value import Value


class LockedInterface(Value):
    """The pinned endpoint: binding and Major.Minor; URL and tenant where the lock cares (`tenant` None = not pinned)."""

    binding: str
    version: str
    url: str | None = None
    tenant: str | None = None


class SkillNeed(Value):
    """What is sent (all of `input` must be taken), wanted back (one of `output` must be given) and held (`scopes`)."""

    input: tuple[str, ...] = ()
    output: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()


class Requires(Value):
    """The needs of the workflow; `extensions` are URIs it activates."""

    streaming: bool = False
    push: bool = False
    extended_card: bool = False
    skills: dict[str, SkillNeed] = {}
    extensions: tuple[str, ...] = ()


class Credential(Value):
    """A credential the workflow holds, by the card's scheme name: kind, OAuth flow, scopes, hosts it was issued for."""

    kind: str | None = None
    flow: str | None = None
    scopes: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()


class Signer(Value):
    """What the lock demands of signatures: must one verify, and under which key ids or thumbprints (empty = any trusted key)."""

    required: bool = False
    kids: tuple[str, ...] = ()


class Candidate(Value):
    """An agent that may stand in; `skills` maps this lock's skill ids to the candidate's, where they differ."""

    agent: str
    skills: dict[str, str] = {}


class Lockfile(Value):
    """One workflow × agent.

    `agent` is the card's URL or the operator's name; digests are `sha256:` + 64 hex, anything else is "not checkable".
    `credentials` None = not stated: what the baseline asked for counts as held; `{}` = none held. `baseline` is the profile and
    identity in force when it was pinned, as JSON, where the lock carries them. `person` takes over when no candidate is left.
    """

    lockfile_version: int = 1
    workflow: str = ""
    owner: str = ""
    channel: str = ""
    person: str = ""
    principal: str = "public"
    agent: str
    pinned_at: str = ""
    card_digest: str = ""
    profile_digest: str = ""
    agent_version: str | None = None
    interface: LockedInterface
    requires: Requires
    credentials: dict[str, Credential] | None = None
    signer: Signer = Signer()
    allowed_hosts: tuple[str, ...] = ()
    severities: dict[str, Severity | None] = {}
    evidence_max_age_s: int | None = None
    fallback: tuple[Candidate, ...] = ()
    when_blind: Literal["allow", "stop"] = "stop"
    verified: dict[str, str] = {}
    baseline: dict[str, Any] | None = None
    integrity: str = ""
