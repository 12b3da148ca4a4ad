"""The order of candidates for each skill of one workflow: pure arithmetic over locks and judged pairs."""

from cardtrail.projections.projection import Row

_UNJUDGED: Row = {
    "verdict": "unknown",
    "action": None,
    "degraded": [],
    "valid_from": None,
    "decision": None,
    "judged_through": 0,
    "stale_after": None,
    "profile_digest": "",
    "rules": [],
    "watched": "",
    "lock_digest": "",
}


def compose(locks: dict[str, Row], pairs: dict[str, Row]) -> dict[str, Row]:
    """Skill → route. `locks` by first agent, `pairs` by judged agent.

    Where several locks of a workflow name one skill, their candidates follow each other in the order of pinning.
    """
    ordered = sorted(locks.items(), key=lambda item: item[1]["pinned"])
    skills = sorted({skill for _, lock in ordered for skill in lock["skills"]})
    return {
        skill: _route(skill, [(first, lock) for first, lock in ordered if skill in lock["skills"]], pairs)
        for skill in skills
    }


def _route(skill: str, locks: list[tuple[str, Row]], pairs: dict[str, Row]) -> Row:
    chain = [candidate for first, lock in locks for candidate in _chain(skill, first, lock, pairs)]
    candidates = list({candidate["agent"]: candidate for candidate in reversed(chain)}.values())[::-1]
    use = next((candidate for candidate in candidates if candidate["usable"]), None)
    person = next((lock["person"] for _, lock in locks if lock["person"]), "")
    first = locks[0][1]
    return {
        "candidates": candidates,
        "use": use["agent"] if use else None,
        "use_skill": use["skill"] if use else None,
        "answer": "agent" if use else "person" if person else "nobody",
        "person": person,
        "owner": first["owner"],
        "channel": first["channel"],
        "ambiguous": len(locks) > 1,
        "when_blind": "stop" if any(lock["when_blind"] == "stop" for _, lock in locks) else "allow",
    }


def _chain(skill: str, first: str, lock: Row, pairs: dict[str, Row]) -> list[Row]:
    named = [(first, skill)]
    for fallback in lock["fallback"]:
        agent = _judged_as(fallback["agent"], first, pairs)
        named.append((agent, fallback["skills"].get(skill, skill)))
    return [_candidate(agent, own, pairs.get(agent, _UNJUDGED)) for agent, own in named]


def _judged_as(name: str, first: str, pairs: dict[str, Row]) -> str:
    """The agent that a fallback's name or URL stands for: the one pinned as this lock's candidate under that name."""
    of_first = {agent: pair["named"] for agent, pair in pairs.items() if pair["candidate_of"] == first}
    return name if name in of_first else next((agent for agent, alias in of_first.items() if alias == name), name)


def _candidate(agent: str, skill: str, pair: Row) -> Row:
    """Only `stop` bars an agent: a review has it probed and its owner told, and a lock that awaits its decision is not judged."""
    usable = pair["action"] in {"allow", "allow-degraded", "probe"}
    told = _UNJUDGED | {member: pair[member] for member in _UNJUDGED if member in pair}  # an older release kept fewer
    return {"agent": agent, "skill": skill, "usable": usable, **told}
