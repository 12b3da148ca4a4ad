"""Everything one principal's log says of one agent, fed in stream order: rows, story, marks, and what caused what. Pure."""

from dataclasses import dataclass, field
from uuid import UUID

from cardtrail.events import (
    AgentEvent,
    CardFetched,
    ChangeDecided,
    ProfileCompiled,
    Stored,
)
from cardtrail.events.agent_tracked import AgentTracked, AgentUntracked
from cardtrail.projections.capability_spans import CapabilitySpans
from cardtrail.projections.current_profile import CurrentProfile
from cardtrail.projections.lockfile_status import LockfileStatus
from cardtrail.projections.projection import Fold, Rows
from cardtrail.services.cli.live.story import Story
from cardtrail.services.web.attempts import Attempts
from cardtrail.services.web.known import Known
from cardtrail.services.web.marks import Mark, marked

_FOLDS: tuple[Fold, ...] = (CurrentProfile(), LockfileStatus(), CapabilitySpans(), Attempts())


@dataclass
class Past:
    """What was told of an agent up to `through`, `size` bytes of facts; `places` finds a fact's sequence by its id."""

    agent: str
    principal: str
    through: int = 0
    size: int = 0
    rows: Rows = field(default_factory=Rows)
    story: Story = field(default_factory=Story)
    marks: list[Mark] = field(default_factory=list)
    cards: list[tuple[int, CardFetched]] = field(default_factory=list)
    profiles: list[tuple[int, ProfileCompiled]] = field(default_factory=list)
    decisions: list[tuple[Stored, ChangeDecided]] = field(default_factory=list)
    places: dict[UUID, int] = field(default_factory=dict)
    kinds: dict[int, str] = field(default_factory=dict)
    tracked: AgentTracked | None = None

    def tell(self, stored: Stored) -> None:
        """One more fact; another principal's is not this one's business."""
        self.through = stored.sequence
        event = stored.fact.data
        if not isinstance(event, AgentEvent) or event.principal != self.principal:
            return
        self.size += len(stored.raw)
        self.rows.mark()
        for fold in _FOLDS:
            fold.apply(stored, self.rows)
        self.rows.taken()
        self.story.tell(stored)
        self.marks.extend(marked(stored))
        self.places[stored.fact.id] = stored.sequence
        self.kinds[stored.sequence] = event.kind
        self._keep(stored, event)

    def _keep(self, stored: Stored, event: AgentEvent) -> None:
        match event:
            case CardFetched(same_as=None):
                self.cards.append((stored.sequence, event))
            case ProfileCompiled():
                self.profiles.append((stored.sequence, event))
            case ChangeDecided():
                self.decisions.append((stored, event))
            case AgentTracked():
                self.tracked = event
            case AgentUntracked():
                self.tracked = None
            case _:
                pass

    def known(self) -> Known:
        """The rows as a view reads them."""
        names = ("freshness", "current_profile", "evidence", "calls", "lockfile_status", "attempts")
        return Known(self.principal, {name: self.rows.table(name) for name in names}, self.through)

    def profile_at(self, through: int) -> tuple[int, ProfileCompiled] | None:
        """The profile in force at a sequence."""
        return next((held for held in reversed(self.profiles) if held[0] <= through), None)

    def card_at(self, through: int) -> tuple[int, CardFetched] | None:
        """The last answer in full up to a sequence."""
        return next((held for held in reversed(self.cards) if held[0] <= through), None)
