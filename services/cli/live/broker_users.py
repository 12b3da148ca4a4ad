"""The users of a broker as `cardtrail accounts` shows them."""

from collections.abc import Sequence

from cardtrail.services.bus.accounts import User, accounts, permissions
from cardtrail.services.cli.outputs.accounts import AccountsOutput, BrokerUser


def shown_users(users: Sequence[User]) -> AccountsOutput:
    """Who may do what, and the server's configuration that says so."""
    return AccountsOutput(
        format="cardtrail.accounts/1", users=tuple(_shown(user) for user in users), configuration=accounts(users)
    )


def _shown(user: User) -> BrokerUser:
    allowed = permissions(user) if user.role == "planner" else {"publish": [">"], "subscribe": [">"]}
    return BrokerUser(
        user=user.name,
        password_env=user.password_env,
        role=user.role,
        principal=user.principal if user.role == "planner" else None,
        workflows=user.workflows,
        publish=tuple(allowed["publish"]),
        subscribe=tuple(allowed["subscribe"]),
    )
