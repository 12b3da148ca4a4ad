"""Where things are: permanent paths of agents, decisions, rules and facts. Pure.

An agent's name is written as the log writes it into a subject, so that any name is one segment without a dot.
"""

from collections.abc import Iterable

from cardtrail.events.subjects import token


def agent_path(agent: str, part: str = "") -> str:
    """`/agents/pricing`, `/agents/pricing/timeline`."""
    return f"/agents/{token(agent)}{f'/{part}' if part else ''}"


def decision_path(decision: str) -> str:
    """By the fact's id."""
    return f"/decisions/{decision}"


def fact_path(sequence: int) -> str:
    """By the place on the log, which never changes."""
    return f"/facts/{sequence}"


def rule_path(rule: str) -> str:
    """By the rule's id, which is never used again."""
    return f"/rules/{rule}"


def named(segment: str, names: Iterable[str]) -> str | None:
    """The name behind a segment of a path."""
    return next((name for name in names if token(name) == segment), None)
