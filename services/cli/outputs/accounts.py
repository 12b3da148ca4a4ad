"""`cardtrail accounts --json`."""

from typing import Literal

from cardtrail.events.model.value import Value


class BrokerUser(Value):
    """A user of the broker: the variable that holds its password, the subjects of its account that it may use.

    `principal` is null for the services, which may do everything in theirs.
    """

    user: str
    password_env: str
    role: Literal["service", "planner"]
    principal: str | None
    workflows: tuple[str, ...]
    publish: tuple[str, ...]
    subscribe: tuple[str, ...]


class AccountsOutput(Value):
    """`cardtrail accounts --json`; `configuration` is for nats-server, which reads the passwords from its environment."""

    format: Literal["cardtrail.accounts/1"]
    users: tuple[BrokerUser, ...]
    configuration: str


OUTPUTS: tuple[type[Value], ...] = (AccountsOutput,)
