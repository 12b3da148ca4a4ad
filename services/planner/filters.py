"""The first phase of choosing: hard filters that a machine evaluates exactly, each refusal with its reason. Pure.

They read profiles, never cards: no name, description or example can reach them. What a registry, a policy and probes say of an
agent stands beside the profile, stated by whoever found it out.
"""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from cardtrail.events.model.evidence import Evidence
from cardtrail.events.model.policy import ClientCapabilities, EndpointPolicy
from cardtrail.events.model.profile import Alternative, Profile, Scheme, SkillProfile
from cardtrail.events.model.value import Value
from cardtrail.services.outbound.address import host_matches
from cardtrail.services.verdict.endpoints import place
from cardtrail.services.verdict.modes import Offer, essence, missing
from cardtrail.services.verdict.site import same_site


class Wanted(Value):
    """What a request needs: a skill by tag or id, every input taken, one of the outputs given, the tenant it belongs to."""

    tags: tuple[str, ...] = ()
    skill: str | None = None
    input: tuple[str, ...] = ()
    output: tuple[str, ...] = ()
    streaming: bool = False
    tenant: str | None = None


class Bounds(Value):
    """What holds for every candidate: client, allow-list, hosts for tokens beside an agent's own site; `staleness_s` seconds."""

    client: ClientCapabilities = ClientCapabilities()
    allow: tuple[str, ...] = ()
    token_hosts: tuple[str, ...] = ()
    staleness_s: int = 172_800


class Candidate(Value):
    """What is known of one agent as one principal sees it.

    `location` is where its card was found, `endpoints` what its source allows; `tenant` is the registry's, `credential_hosts`
    are those of the credential held for it (None = none is named, the caller brings its own), `token_hosts` where the operator
    has its tokens fetched; `heard` is its last answer.
    """

    agent: str
    principal: str = "public"
    profile: Profile | None = None
    location: str = ""
    endpoints: EndpointPolicy = EndpointPolicy()
    tenant: str | None = None
    credential_hosts: tuple[str, ...] | None = None
    token_hosts: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    heard: datetime | None = None
    trouble: str = ""


class Rejection(Value):
    """One filter that a candidate did not pass: which, a kebab-case reason, the fact behind it; `skill` where it is about one."""

    filter: str
    reason: str
    detail: str = ""
    skill: str | None = None


class Filtered(Value):
    """A candidate after all filters: the skills that passed, and every rejection; it survives with skills and none of these."""

    agent: str
    principal: str
    skills: tuple[str, ...] = ()
    rejections: tuple[Rejection, ...] = ()

    @property
    def survives(self) -> bool:
        """Whether the agent may be chosen."""
        return bool(self.skills)


def filtered(candidate: Candidate, wanted: Wanted, bounds: Bounds, now: datetime) -> Filtered:
    """Every filter over one candidate; a skill is rejected for itself, an agent for all its skills."""
    about_agent = tuple(one for each in _ABOUT_AGENT for one in each(candidate, wanted, bounds, now))
    profile = candidate.profile
    if profile is None:
        return Filtered(agent=candidate.agent, principal=candidate.principal, rejections=about_agent)
    asked = sorted(name for name, skill in profile.skills.items() if _is_asked(name, skill, wanted))
    by_skill = {name: tuple(_about_skill(name, profile.skills[name], candidate, wanted, bounds)) for name in asked}
    passed = tuple(name for name in asked if not by_skill[name])
    rejections = about_agent
    if not asked and profile.usable:
        offered = ", ".join(sorted({tag for skill in profile.skills.values() for tag in skill.tags})[:12]) or "none"
        rejections += (Rejection(filter="skill", reason="skill-not-offered", detail=f"tags offered: {offered}"),)
    if not passed:
        rejections += tuple(one for name in asked for one in by_skill[name])
    skills = () if rejections else passed
    return Filtered(agent=candidate.agent, principal=candidate.principal, skills=skills, rejections=rejections)


def _is_asked(name: str, skill: SkillProfile, wanted: Wanted) -> bool:
    tags = {tag.strip().lower() for tag in skill.tags}
    return wanted.skill in (None, name) and {tag.lower() for tag in wanted.tags} <= tags


def _known(candidate: Candidate, _wanted: Wanted, bounds: Bounds, now: datetime) -> Iterator[Rejection]:
    if candidate.profile is None:
        yield Rejection(filter="known", reason="no-profile", detail=candidate.trouble or "not looked at yet")
    elif candidate.heard is None or candidate.heard + timedelta(seconds=bounds.staleness_s) < now:
        yield Rejection(
            filter="known", reason="stale", detail=candidate.trouble or "no answer within the staleness budget"
        )


def _interface(candidate: Candidate, *_: object) -> Iterator[Rejection]:
    profile = candidate.profile
    for reason in profile.reasons if profile is not None and not profile.usable else ():
        yield Rejection(filter="interface", reason=reason.code, detail=reason.detail)


def _endpoint(candidate: Candidate, *_: object) -> Iterator[Rejection]:
    """Whether calls may go where the profile sends them, and with the credential that is held."""
    chosen = candidate.profile.interface if candidate.profile else None
    if chosen is None:
        return
    judged = place(chosen.url, candidate.endpoints, chosen.binding)
    if judged.reason:
        yield Rejection(filter="endpoint", reason=judged.reason, detail=chosen.url[:200])
    elif candidate.endpoints.same_origin_only and candidate.location and _origin(candidate) != judged.origin:
        yield Rejection(filter="endpoint", reason="cross-origin", detail=chosen.url[:200])
    hosts = candidate.credential_hosts
    if hosts is not None and judged.host and not host_matches(judged.host, hosts):
        yield Rejection(filter="endpoint", reason="credential-foreign-host", detail=judged.host)


def _allowed(candidate: Candidate, _wanted: Wanted, bounds: Bounds, _now: datetime) -> Iterator[Rejection]:
    chosen = candidate.profile.interface if candidate.profile else None
    if not bounds.allow or chosen is None or candidate.agent in bounds.allow:
        return
    hosts = {place(url).host for url in (chosen.url, candidate.location) if url}
    strangers = sorted(host for host in hosts if not host_matches(host, bounds.allow))
    if strangers:
        yield Rejection(filter="allow-list", reason="not-allowed", detail=", ".join(strangers))


def _tenant(candidate: Candidate, wanted: Wanted, *_: object) -> Iterator[Rejection]:
    if wanted.tenant is not None and candidate.tenant not in (None, wanted.tenant):
        yield Rejection(filter="tenant", reason="tenant-differs", detail=f"listed for {candidate.tenant}")


def _flags(candidate: Candidate, wanted: Wanted, *_: object) -> Iterator[Rejection]:
    if wanted.streaming and candidate.profile is not None and not candidate.profile.streaming:
        yield Rejection(filter="streaming", reason="streaming-not-offered")
    against = _against(candidate, "streaming", None, ()) if wanted.streaming else None
    if against is not None:
        yield Rejection(filter="evidence", reason="claim-contradicted", detail=f"streaming: {against.reason}")


_ABOUT_AGENT: tuple[Callable[[Candidate, Wanted, Bounds, datetime], Iterator[Rejection]], ...] = (
    *(_known, _interface, _endpoint, _allowed, _tenant, _flags),
)


def _about_skill(
    name: str, skill: SkillProfile, candidate: Candidate, wanted: Wanted, bounds: Bounds
) -> Iterator[Rejection]:
    lacking = missing(wanted.input, skill.input)
    if lacking:
        detail = f"{', '.join(lacking)}; taken: {', '.join(skill.input) or 'nothing'}"
        yield Rejection(filter="input", reason="mode-not-taken", detail=detail, skill=name)
    offered = Offer(skill.output)
    given = [mode for mode in wanted.output if offered.covers(mode) or offered.lies_in(mode)]
    if wanted.output and not given:
        detail = f"none of {', '.join(wanted.output)}; given: {', '.join(skill.output) or 'nothing'}"
        yield Rejection(filter="output", reason="mode-not-given", detail=detail, skill=name)
    for level in (candidate.profile.security if candidate.profile else (), skill.security or ()):
        yield from _security(name, level, candidate, bounds)
    for kind, modes in (("input-mode", wanted.input), ("output-mode", tuple(given))):
        against = _against(candidate, kind, name, modes)
        if against is not None and (kind == "input-mode" or len(given) == 1):
            detail = f"{kind} {against.claim.value or ''}: {against.reason}"
            yield Rejection(filter="evidence", reason="claim-contradicted", detail=detail, skill=name)


def _security(name: str, level: tuple[Alternative, ...], candidate: Candidate, bounds: Bounds) -> Iterator[Rejection]:
    """Why no alternative can be met, a rejection for each that fails; nothing where one can, or none is asked for."""
    found = [_alternative(name, one, candidate, bounds) for one in level]
    if all(one is not None for one in found):
        yield from (one for one in dict.fromkeys(found) if one is not None)


def _alternative(name: str, alternative: Alternative, candidate: Candidate, bounds: Bounds) -> Rejection | None:
    for scheme_name in sorted(alternative.schemes):
        scheme = candidate.profile.schemes.get(scheme_name) if candidate.profile else None
        reason, detail = _scheme(scheme, candidate, bounds)
        if reason:
            return Rejection(filter="security", reason=reason, detail=f"{scheme_name[:80]}: {detail}", skill=name)
    return None


def _scheme(scheme: Scheme | None, candidate: Candidate, bounds: Bounds) -> tuple[str, str]:
    if scheme is None or scheme.kind == "unreadable":
        return "scheme-unreadable", "not declared" if scheme is None else "cannot be read"
    able = bounds.client.schemes
    if scheme.kind not in able and f"{scheme.kind}/{scheme.flow}" not in able:
        return "scheme-not-implemented", "/".join(part for part in (scheme.kind, scheme.flow) if part)
    for member, url in sorted(scheme.urls.items()):
        host = place(url).host
        if not host or not _is_trusted(host, candidate, bounds):
            return "token-host-untrusted", f"{member} at {host or url[:100]}"
    return "", ""


def _is_trusted(host: str, candidate: Candidate, bounds: Bounds) -> bool:
    """The agent's own site is trusted with its own tokens; any other only where the operator says so."""
    chosen = candidate.profile.interface if candidate.profile else None
    home = place(candidate.location or (chosen.url if chosen else "")).host
    named = (*bounds.token_hosts, *candidate.token_hosts)
    return host_matches(host, named) or (bool(home) and same_site(host, home))


def _origin(candidate: Candidate) -> tuple[str, str, int]:
    return place(candidate.location).origin


def _against(candidate: Candidate, kind: str, skill: str | None, modes: tuple[str, ...]) -> Evidence | None:
    """What has shown that a claim the request rests on does not hold."""
    wanted = {essence(mode) for mode in modes}
    for one in candidate.evidence:
        about = one.claim.kind == kind and one.claim.skill in (None, skill)
        if about and one.outcome == "contradicted" and (one.claim.value is None or essence(one.claim.value) in wanted):
            return one
    return None
