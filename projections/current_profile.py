"""What is known now of each agent as each principal sees it: profile, freshness, evidence and calls.

Every table is keyed principal first: no principal's view can stand in another's. `freshness`, `evidence` and `calls` are
described in their modules. `current_profile` (principal, agent): `usable`, `profile` as last compiled, `profile_digest`,
`identity`, `identity_digest`, `texts_digest`, `card` (fact id), `card_sequence`, `card_digest`, `compiler_version`,
`client_digest`, `cause`, `compiled_at` (the broker's time), `through` (sequence); `last_good` holds `profile`, `profile_digest`,
`card_digest`, `compiled_at` of the last usable one while the newest is unusable, else None. Instants are RFC 3339 UTC.
"""

from cardtrail.events.agent_tracked import AgentTracked, AgentUntracked
from cardtrail.events.card_fetched import CardFetched
from cardtrail.events.card_refused import CardRefused
from cardtrail.events.fact import Stored, instant
from cardtrail.events.probe_recorded import ProbeRecorded
from cardtrail.events.profile_compiled import ProfileCompiled
from cardtrail.events.runtime_error_observed import CallsCounted, RuntimeErrorObserved
from cardtrail.projections import evidence, freshness
from cardtrail.projections.lateness import late
from cardtrail.projections.projection import Row, Rows, Table

CURRENT_PROFILE = Table("current_profile", key=("principal", "agent"))
_HEARD = frozenset(
    event.kind
    for event in (
        CardFetched,
        CardRefused,
        ProfileCompiled,
        ProbeRecorded,
        RuntimeErrorObserved,
        CallsCounted,
        AgentTracked,
        AgentUntracked,
    )
)
_GOOD = ("profile", "profile_digest", "card_digest", "compiled_at")


class CurrentProfile:
    """The fold over everything that says something about one agent."""

    name = "current_profile"
    hears = _HEARD

    def apply(self, stored: Stored, rows: Rows) -> None:
        """Change what is known by one fact; a late one changes nothing."""
        event = stored.fact.data
        if event.kind not in _HEARD or late(stored, rows):
            return
        match event:
            case CardFetched():
                freshness.fetched(stored, event, rows)
            case CardRefused():
                freshness.refused(stored, event, rows)
            case ProfileCompiled():
                _compiled(stored, event, rows)
            case ProbeRecorded():
                evidence.probed(stored, event, rows)
            case RuntimeErrorObserved():
                evidence.failed(stored, event, rows)
            case CallsCounted():
                evidence.counted(event, rows)
            case AgentTracked():
                freshness.tracked(event, rows)
            case AgentUntracked():
                freshness.untracked(event, rows)
            case _:
                pass


def _compiled(stored: Stored, event: ProfileCompiled, rows: Rows) -> None:
    key = (event.principal, event.agent)
    old = rows.get(CURRENT_PROFILE.name, key)
    freshness.compiled(event, rows)
    evidence.recompiled(event.agent, event.principal, old["profile"] if old else None, event.profile, rows)
    row = event.model_dump(mode="json") | {
        "card": str(event.card),
        "usable": event.profile.usable,
        "compiled_at": instant(stored.stored_at),
        "through": stored.sequence,
        "last_good": None if event.profile.usable else _last_good(old),
    }
    rows.put(CURRENT_PROFILE.name, key, row)


def _last_good(old: Row | None) -> Row | None:
    if old is None or not old["usable"]:
        return old["last_good"] if old else None
    return {name: old[name] for name in _GOOD}
