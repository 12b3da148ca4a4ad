"""The users of a broker: the services' own, and one for each workflow's planner; passwords by environment variable. Pure."""

import re
from collections.abc import Iterable, Mapping

from cardtrail.events.errors import UsageError
from cardtrail.events.model.lockfile import Lockfile
from cardtrail.services.bus.accounts import User

SERVICES = User(name="cardtrail", password_env="CARDTRAIL_SERVICES_PASSWORD")  # noqa: S106 — where it stands
_PASSWORD = re.compile(r"[A-Za-z][A-Za-z0-9_.~-]*")


def broker_users(locks: Iterable[Lockfile]) -> tuple[User, ...]:
    """The services, then the planners of the workflows that these locks name, each under its lock's principal.

    Raises:
        UsageError: `lock-anonymous`, a lock without a workflow; `principal-ambiguous`, a workflow under two principals.
    """
    principals: dict[str, str] = {}
    for lock in locks:
        if not lock.workflow:
            raise UsageError(
                "lock-anonymous", f"the lock on {lock.agent} names no workflow", hint="pin --workflow NAME"
            )
        if principals.setdefault(lock.workflow, lock.principal) != lock.principal:
            who = f"{lock.workflow} stands under {principals[lock.workflow]} and {lock.principal}"
            raise UsageError("principal-ambiguous", f"{who}; a workflow has one principal")
    users = [SERVICES]
    for workflow, principal in sorted(principals.items()):
        variable = _variable(workflow, {user.password_env for user in users})
        users.append(
            User(
                name=f"planner-{workflow}",
                password_env=variable,
                role="planner",
                principal=principal,
                workflows=(workflow,),
            )
        )
    return tuple(users)


def password(user: User, environment: Mapping[str, str]) -> str:
    """A user's password, as both the server's configuration and a URL can spell it.

    Raises:
        UsageError: `password-unfit`; what it is is never told.
    """
    found = environment.get(user.password_env, "")
    if not _PASSWORD.fullmatch(found):
        may = "letters, digits and - _ . ~, a letter first"
        if not found:
            hint = f"export it: {may}; or [broker] accounts = false, and no user has one"
            raise UsageError(
                "password-unfit", f"{user.password_env} is not set: the password of {user.name}", hint=hint
            )
        raise UsageError("password-unfit", f"{user.password_env} holds no password for {user.name}", hint=may)
    return found


def signed_in(url: str, environment: Mapping[str, str]) -> str:
    """The URL as the services connect to it. Raises as `password`."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{SERVICES.name}:{password(SERVICES, environment)}@{rest}"


def _variable(workflow: str, taken: set[str]) -> str:
    name = f"CARDTRAIL_{re.sub(r'[^A-Z0-9]+', '_', workflow.upper()).strip('_') or 'PLANNER'}_PASSWORD"
    return next(found for found in (name, *(f"{name}_{n}" for n in range(2, len(taken) + 3))) if found not in taken)
