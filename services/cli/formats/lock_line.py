"""From what a finding is about to the member of the lock that it breaks: the lock is in the repository, the card is not. Pure."""

import re

from cardtrail.services.card.paths import member

_SKILL = re.compile(r"skills\[(?P<id>.*)\](?:[. ](?P<what>[\w-]+).*)?", re.DOTALL)
_SKILL_MEMBERS = {
    "inputModes": "input",
    "input-mode": "input",
    "outputModes": "output",
    "output-mode": "output",
    "security": "scopes",
}
_MEMBERS: tuple[tuple[str, str], ...] = (
    ("capabilities.streaming", "$.requires.streaming"),
    ("streaming", "$.requires.streaming"),
    ("extension ", "$.requires.extensions"),
    ("capabilities.pushNotifications", "$.requires.push"),
    ("capabilities.extendedAgentCard", "$.requires.extended_card"),
    ("capabilities.extensions", "$.requires.extensions"),
    ("capabilities", "$.requires"),
    ("interface.version", "$.interface.version"),
    ("interface.url", "$.interface.url"),
    ("interface.tenant", "$.interface.tenant"),
    ("interface", "$.interface"),
    ("version", "$.agent_version"),
    ("signatures", "$.signer"),
    ("security", "$.credentials"),
    ("default", "$.requires.skills"),
    ("", "$.agent"),
)


def lock_path(subject: str) -> str:
    """The JSON path in the lock; the lock may not have the member, its nearest one around it is then the place."""
    skill = _SKILL.fullmatch(subject)
    if skill is None:
        return next(path for prefix, path in _MEMBERS if subject.startswith(prefix))
    at = member("$.requires.skills", skill["id"])
    what = _SKILL_MEMBERS.get(skill["what"] or "")
    return f"{at}.{what}" if what else at
