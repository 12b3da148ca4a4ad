"""What we know now: folds over events. Pure, except `store.py` and what stands beside it.

`PROJECTIONS` is the list of everything that is kept, and where: one line per projection.
"""

from cardtrail.projections.agent_history import HISTORY, AgentHistory
from cardtrail.projections.capability_spans import CLOSED_SPANS, OPEN_SPANS, CapabilitySpans
from cardtrail.projections.current_profile import CURRENT_PROFILE, CurrentProfile
from cardtrail.projections.evidence import CALLS, EVIDENCE
from cardtrail.projections.freshness import FRESHNESS
from cardtrail.projections.lateness import NEWEST
from cardtrail.projections.lockfile_status import FINDINGS_BEFORE, LOCKFILE_STATUS, LockfileStatus
from cardtrail.projections.locks import LOCKS_ON
from cardtrail.projections.projection import Projection
from cardtrail.projections.routes import BUDGET, HEARD, HELD, ROUTE_PARTS, ROUTES, Routes
from cardtrail.projections.sightings import SIGHTINGS

PROJECTIONS: tuple[Projection, ...] = (
    Projection(CurrentProfile(), ("kv", "duckdb"), (CURRENT_PROFILE, FRESHNESS, EVIDENCE, CALLS, NEWEST)),
    Projection(LockfileStatus(), ("kv", "duckdb"), (LOCKFILE_STATUS, FINDINGS_BEFORE, LOCKS_ON, NEWEST)),
    Projection(Routes(), ("kv",), (ROUTES, ROUTE_PARTS, HEARD, HELD, BUDGET, LOCKS_ON, NEWEST)),
    Projection(AgentHistory(), ("duckdb",), (HISTORY, NEWEST)),
    Projection(CapabilitySpans(), ("duckdb",), (CLOSED_SPANS, OPEN_SPANS, SIGHTINGS, NEWEST)),
)
