"""From a card to the lock that `pin` proposes, or to the patch of a lock that it renews."""

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import unified_diff
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from cardtrail.events.errors import UsageError
from cardtrail.events.model.evidence import Evidence
from cardtrail.events.model.finding import Diagnostic
from cardtrail.events.model.lockfile import Lockfile
from cardtrail.events.model.policy import Policy
from cardtrail.events.model.profile import Profile
from cardtrail.services.card.compile import compile_profile
from cardtrail.services.card.digests import profile_digest, texts_digest
from cardtrail.services.cli.formats.lock_evidence import grounds, verified
from cardtrail.services.cli.formats.words import counted
from cardtrail.services.cli.outputs.pin import LockChange, PinOutput
from cardtrail.services.cli.shell.cards import OpenedCard
from cardtrail.services.cli.shell.console import Console
from cardtrail.services.cli.shell.locks import OpenedLock
from cardtrail.services.cli.shell.outfile import write_text
from cardtrail.services.cli.shell.text import json_guarded, plain, shown
from cardtrail.services.names import wrong
from cardtrail.services.verdict.capabilities import FLAGS
from cardtrail.services.verdict.judge import judge
from cardtrail.services.verdict.lock import read_lock, sealed, write_lock
from cardtrail.services.verdict.pin import pin
from cardtrail.services.verdict.pin_update import pin_update
from cardtrail.services.verdict.view import Baseline, Observed

_PLACES = frozenset({"CT027", "CT028", "CT029", "CT030", "CT031", "CT053", "CT054", "CT060"})


class Needs(NamedTuple):
    """What the workflow asks for; `wanted` holds the options by the names that `pin` knows them by."""

    workflow: str
    agent: str
    wanted: dict[str, Any]

    def refuse_beside_a_lock(self) -> None:
        """A lock that is renewed says itself what is needed, and of whom.

        Raises:
            UsageError: `usage`, where options say it, too.
        """
        if self.workflow or self.agent or any(self.wanted.values()):
            hint = "leave out what says who needs what, or pin anew without --update"
            raise UsageError("usage", "--update renews what the lock needs, and takes no other needs", hint=hint)

    def refuse_odd_names(self) -> None:
        """A lock names its workflow, so that people can ask for it.

        Raises:
            UsageError: `argument-missing`, or `option-value` for a name that nobody could read or ask for.
        """
        if not self.workflow:
            hint = "--workflow NAME, or --update LOCK"
            raise UsageError("argument-missing", "missing option '--workflow'", hint=hint)
        for option, name in (("--workflow", self.workflow), ("--agent", self.agent)):
            if name and (reason := wrong(name)):
                raise UsageError("option-value", f"{option}: a name {reason}")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A lock as text, and against the one it renews: the patch and the reasons."""

    text: str
    file: str | None = None
    patch: str | None = None
    changes: tuple[LockChange, ...] = ()
    unmet: tuple[LockChange, ...] = ()
    findings: tuple[Diagnostic, ...] = ()

    def deliver(self, console: Console) -> int:
        """Write the file, where there is to be one; then the document, the patch, or the lock itself. 1 where a need is unmet."""
        if self.file is not None:
            write_text(self.file, self.text)
        if console.json:
            lock = json.loads(self.text)
            whole = PinOutput(
                format="cardtrail.pin/1",
                lockfile=lock,
                file=self.file,
                patch=self.patch,
                changes=self.changes,
                unmet=self.unmet,
                findings=self.findings,
            )
            console.document(whole.model_dump(mode="json"))
            return int(bool(self.unmet))
        if self.patch is not None:
            console.lines(*self.patch.removesuffix("\n").split("\n"))
        elif not self.file:
            console.lines(*self.text.splitlines())
        console.hint(*(_told(change, f"{shown(change.before)} → {shown(change.after)}") for change in self.changes))
        console.hint(*(_told(change, f"✗ {shown(change.before)} is needed and not met") for change in self.unmet))
        for doubt in self.findings:
            console.hint(f"{doubt.code} {plain(doubt.path)}: {plain(doubt.message)}; {plain(doubt.hint)}")
        if self.unmet:
            many = counted(len(self.unmet), "need")
            console.hint(f"{many} that the card no longer meets: kept in the lock; --need-less drops what is not met")
        if self.file:
            console.hint(f"written to {plain(self.file)}; read it before you commit it")
        return int(bool(self.unmet))


def _told(change: LockChange, what: str) -> str:
    shows = "".join(f" [{plain(one)}]" for one in change.evidence)
    return f"{plain(change.path)}: {what}: {plain(change.reason)}{shows}"


def pinned(card: OpenedCard, policy: Policy, needs: Needs, file: str | None, *, seal: bool) -> Proposal:
    """The smallest lock for what is needed; with `seal`, one that no hand may edit unnoticed.

    Raises:
        InputRefused: a card that cannot be used, or not by this client.
        UsageError: `skill-unknown` and its kin; `argument-missing`, where nothing is needed: such a lock would pass for ever.
    """
    needs.refuse_odd_names()
    if not any(value for name, value in needs.wanted.items() if name != "owner"):
        hint = "name skills with --skill ID, or take --everything"
        raise UsageError("argument-missing", "nothing is needed of the card", hint=hint)
    held = card.usable()
    profile = compile_profile(held, policy.client)
    with card.blamed():
        lock = pin(
            profile,
            card.identity(),
            workflow=needs.workflow,
            agent=needs.agent or card.given.location or _host(profile) or held.name,
            card_digest=card.digest,
            now=datetime.now(UTC),
            texts_digest=texts_digest(held),
            **needs.wanted,
        )
    return Proposal(_text(sealed(lock) if seal else lock), file, findings=_doubts(card))


def renewed(  # noqa: PLR0913 — a lock, a card and how
    card: OpenedCard,
    old: OpenedLock,
    policy: Policy,
    file: str | None,
    known: tuple[Evidence, ...] | None = None,
    *,
    seal: bool,
    need_less: bool,
) -> Proposal:
    """The lock brought up to date with a card, with the patch from the old one; `known` is what was shown of its claims.

    A sealed lock stays sealed; a need that the card no longer meets stays, unless less is to be needed.

    Raises:
        UsageError: `argument-missing`, where nothing would be needed any more: such a lock would pass for ever.
    """
    held = card.usable()
    profile = compile_profile(held, policy.client)
    with card.blamed():
        found = pin_update(
            old.lockfile,
            profile,
            card.identity(),
            card_digest=card.digest,
            now=datetime.now(UTC),
            texts_digest=texts_digest(held),
            need_less=need_less,
        )
    if need_less and not any(getattr(found.lockfile.requires, name) for name in (*FLAGS, "skills", "extensions")):
        raise UsageError("argument-missing", "nothing would be needed of the card", hint="the lock has had its time")
    seen = Observed(profile=profile, identity=card.identity(), profile_digest=profile_digest(profile))
    noticed = judge(old.lockfile, Baseline(), seen, policy, datetime.now(UTC)).findings
    changes, unmet = (
        tuple(LockChange(**one._asdict(), evidence=grounds(noticed, one.path)) for one in ones)
        for ones in (found.changes, found.unmet)
    )
    lock = found.lockfile
    if known is not None:
        said, more = verified(lock, old.lockfile.verified, known)
        lock, changes = lock.model_copy(update={"verified": said}), (*changes, *more)
    text = _text(sealed(lock) if seal or old.lockfile.integrity else lock)
    return Proposal(text, file, _patch(old.text, text, old.file), changes, unmet, _doubts(card))


def _patch(before: str, after: str, file: str) -> str:
    """A unified diff that `patch` and `git apply` take, whether or not a file ends in a newline."""
    old, new = (re.findall(r"[^\n]*\n|[^\n]+", whole) for whole in (before, after))
    told = unified_diff(old, new, file, file)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in told)


def _doubts(card: OpenedCard) -> tuple[Diagnostic, ...]:
    """Endpoints and credential hosts that a person should look at before they are pinned: what is pinned is no change later."""
    return tuple(one for one in card.reading.diagnostics if one.code in _PLACES)


def _text(lock: Lockfile) -> str:
    """As it is written, with what cannot be seen escaped: a lock is read by people in review."""
    text = json_guarded(write_lock(lock).decode())
    read_lock(text.encode())  # what could not be read again is not written
    return text


def _host(profile: Profile) -> str:
    """A label for an agent whose card came from a file: where it is called."""
    return (urlsplit(profile.interface.url).hostname or "") if profile.interface else ""
