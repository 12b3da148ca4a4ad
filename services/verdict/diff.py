"""Two cards compared as a workflow would that needs everything the old one offered and holds exactly what it asked for."""

from datetime import UTC, datetime

from cardtrail.events.errors import InputRefused
from cardtrail.events.model.card import AgentCard
from cardtrail.events.model.lockfile import Lockfile
from cardtrail.events.model.policy import ClientCapabilities, Policy
from cardtrail.events.model.profile import Profile
from cardtrail.services.card.compile import compile_profile
from cardtrail.services.card.digests import profile_digest, texts_digest
from cardtrail.services.card.identify import identify
from cardtrail.services.card.read import CardReading
from cardtrail.services.verdict.judge import judge
from cardtrail.services.verdict.pin import credentials_asked_for, pin
from cardtrail.services.verdict.view import Baseline, Judgement, Observed, Trouble

_BINDINGS = ("JSONRPC", "HTTP+JSON", "GRPC")
_VERSIONS = ("1.0", "0.3", "0.2")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
"""No rule that `diff` can fire asks for the time, so there is none."""


def diff(old: CardReading, new: CardReading, policy: Policy | None = None) -> Judgement:
    """The verdict about the new card; one that cannot be read gives `review` with `card-unreadable`.

    Raises:
        InputRefused: the old card cannot be read, or cannot be called even by the widest client: nothing to compare with.
    """
    if old.card is None:
        raise old.refusal or InputRefused("card-unreadable", "the old card cannot be read")
    client = client_of(old.card)
    before = compile_profile(old.card, client)
    baseline = Baseline(profile=before, identity=identify(old.card), texts_digest=texts_digest(old.card))
    given = (policy or Policy()).model_copy(update={"client": client})
    return judge(everything(old.card, before), baseline, _observed(new, client), given, _EPOCH)


def client_of(old: AgentCard) -> ClientCapabilities:
    """Every released binding at 0.2, 0.3 and 1.0, the pair the old card preferred, the extensions it required."""
    preferred = [(one.protocol_binding, one.version or one.protocol_version) for one in old.supported_interfaces[:1]]
    known = [(binding, version) for binding in _BINDINGS for version in _VERSIONS]
    return ClientCapabilities(
        interfaces=tuple(dict.fromkeys((*known, *preferred))),
        missing_version_matches=True,
        extensions=tuple(one.uri for one in old.capabilities.extensions if one.required),
    )


def everything(old: AgentCard, profile: Profile) -> Lockfile:
    """The lock that needs all of a profile and holds exactly the credentials it asks for."""
    lock = pin(
        profile,
        identify(old),
        workflow="",
        agent="",
        everything=True,
        card_digest="",
        now=_EPOCH,
        with_baseline=False,
    )
    return lock.model_copy(update={"credentials": credentials_asked_for(profile)})


def _observed(new: CardReading, client: ClientCapabilities) -> Observed:
    if new.card is None:
        refusal = new.refusal or InputRefused("card-unreadable", "the card cannot be read")
        return Observed(trouble=Trouble(kind="unreadable", since=_EPOCH, reason=refusal.code, detail=refusal.message))
    profile = compile_profile(new.card, client)
    return Observed(
        profile=profile,
        identity=identify(new.card),
        profile_digest=profile_digest(profile),
        texts_digest=texts_digest(new.card),
    )
