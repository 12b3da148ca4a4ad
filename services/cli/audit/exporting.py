"""A slice of the log into a bundle: facts about the agents that are named, what they rest on, the bodies, what proves them."""

from array import array
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from cardtrail.events.fact import PUBLIC, instant
from cardtrail.events.subjects import ALL
from cardtrail.services.bundle.files import Writing
from cardtrail.services.bundle.lines import body_line, fact_line
from cardtrail.services.bundle.manifest import BODIES, FACTS, FORMAT, TREE, Manifest, Scope, TreeLine
from cardtrail.services.bundle.redact import Redaction
from cardtrail.services.bundle.slice import Slice
from cardtrail.services.bus.past import known_at, messages, subjects_about
from cardtrail.services.cli.audit.log_leaves import leaf_of, log_leaves, told_heads
from cardtrail.services.cli.live.directory import directory
from cardtrail.services.cli.live.past import names_ever
from cardtrail.services.cli.live.progress import Say, watched
from cardtrail.services.cli.live.tracker import Tracker
from cardtrail.services.cli.shell.release import release
from cardtrail.services.ledger.checkpoint import read_checkpoint
from cardtrail.services.ledger.leaf import Leaf
from cardtrail.services.ledger.sparse import Sparse

_BESIDE = ("cardtrail.ledger.policy-declared", "cardtrail.events.*.*.*.lockfile-pinned.>")


class Wanted(NamedTuple):
    """Which slice: agents (none: the whole log), principals (none: public), from when to when; `key` None: nothing is hidden."""

    agents: Sequence[str] = ()
    principals: Sequence[str] = ()
    since: datetime | None = None
    until: datetime | None = None
    key: bytes | None = None


async def export(tracker: Tracker, wanted: Wanted, target: Path, say: Say) -> Manifest:
    """Write the bundle; what it holds.

    Raises:
        UsageError: `agent-unknown`, `principal-unknown`, `output-unwritable`.
    """
    known = await directory(tracker.bus)
    agents = [known.agent(given, next(iter(wanted.principals), None))[0] for given in wanted.agents]
    names = tuple(dict.fromkeys([name for agent in agents for name in await names_ever(tracker.bus, known, agent)]))
    subjects = [subject for name in names for subject in subjects_about(name)] or [ALL]
    through = tracker.log.last if wanted.until is None else await known_at(tracker.bus, wanted.until)
    after = 0 if wanted.since is None else await known_at(tracker.bus, wanted.since)
    is_full = wanted.key is None
    principals = tuple(wanted.principals) or (() if is_full else (PUBLIC,))
    scope = Scope(
        agents=names,
        principals=principals,
        since=instant(wanted.since) if wanted.since else None,
        until=instant(wanted.until) if wanted.until else None,
        through=through,
        known_from=after + 1,
    )
    run = _Run(tracker, scope, wanted.key, say)
    with Writing(target) as writing:
        manifest = await run.into(writing, [*subjects, *(_BESIDE if names else ())], after)
        writing.finish(manifest)
    return manifest


class _Run:
    def __init__(self, tracker: Tracker, scope: Scope, key: bytes | None, say: Say) -> None:
        self._bus, self._last, self._scope, self._say = tracker.bus, tracker.log.last, scope, say
        self._redaction = None if key is None else Redaction(key)
        self._slice = Slice(scope.agents, scope.principals, extended=key is None)
        self._sequences = array("Q")
        self._context = 0

    async def into(self, writing: Writing, subjects: Sequence[str], after: int) -> Manifest:
        async with watched("exporting", self._scope.through, self._say) as seen:
            with writing.file(FACTS) as put:
                async for leaf, is_context in self._chosen(subjects, after):
                    self._sequences.append(leaf.sequence)
                    self._context += is_context
                    seen.position = leaf.sequence
                    put(fact_line(leaf, self._redaction, context=is_context))
        bodies = await self._bodies(writing)
        head = await self._tree(writing)
        return Manifest(
            format=FORMAT,
            release=release(),
            scope=self._scope,
            redaction="none" if self._redaction is None else "default",
            redacted={} if self._redaction is None else dict(sorted(self._redaction.counts.items())),
            facts=len(self._sequences),
            context=self._context,
            bodies=bodies,
            bodies_left_out=dict(sorted(self._slice.left_out.items())),
            head=head,
            files=writing.files,
        )

    async def _chosen(self, subjects: Sequence[str], after: int) -> AsyncIterator[tuple[Leaf, bool]]:
        """The slice, and before it what it rests on."""
        if after:
            await self._ground(subjects, after)
            for leaf in self._slice.context():
                yield leaf, True
        async for message in messages(self._bus, subjects, self._scope.through, after=after):
            leaf = leaf_of(message)
            if self._slice.takes(leaf):
                yield leaf, False

    async def _ground(self, subjects: Sequence[str], after: int) -> None:
        """Both parts are read to learn what stands and what is wanted, the first once more to pick it."""
        async for message in messages(self._bus, subjects, after):
            self._slice.before(leaf_of(message))
        async for message in messages(self._bus, subjects, self._scope.through, after=after):
            self._slice.ahead(leaf_of(message))
        self._slice.settle()
        async for message in messages(self._bus, subjects, after):
            self._slice.rests(leaf_of(message))
        tried: set[int] = set()
        while left := [sequence for sequence in self._slice.sought(after) if sequence not in tried]:
            tried.add(left[0])
            async for message in messages(self._bus, [ALL], left[0], after=left[0] - 1):
                self._slice.rests(leaf_of(message))

    async def _bodies(self, writing: Writing) -> int:
        count = 0
        with writing.file(BODIES) as put:
            for agent, principal, digest in self._slice.bodies():
                data = await self._bus.get_body(agent, principal, digest)
                if data is None:
                    self._slice.leave_out("not kept")
                    continue
                put(body_line(agent, principal, data))
                count += 1
        return count

    async def _tree(self, writing: Writing) -> str:
        """What proves the facts under the newest head: one more pass, over the whole log."""
        notes = await told_heads(self._bus)
        if not notes or not self._sequences:
            return ""
        note = notes[-1][1]
        head, _ = read_checkpoint(note, ())
        tree, place = Sparse(with_leaves=False), 0
        async with watched("proving", head.through, self._say) as seen:
            async for leaf in log_leaves(self._bus, head.through, seen):
                is_kept = place < len(self._sequences) and self._sequences[place] == leaf.sequence
                place += is_kept
                tree.append(leaf.hash(), keep=is_kept)
        with writing.file(TREE) as put:
            for (start, size), hashed in sorted(tree.ended().nodes.items()):
                put(TreeLine(start=start, size=size, hash=hashed.hex()))
        return note
