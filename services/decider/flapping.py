"""Two cards that take turns: counted in observations, never in time (a recovery is one return, flapping is two)."""

from cardtrail.events.model.policy import Policy
from cardtrail.events.profile_compiled import ProfileCompiled
from cardtrail.services.decider.memory import Watch

_RETURNS = 2


def state_of(event: ProfileCompiled) -> str:
    """What is compared from look to look: what the agent can do, and who it says it is."""
    return f"{event.profile_digest} {event.identity_digest}"


def changed(watch: Watch, state: str, policy: Policy) -> Watch:
    """The agent shows another state: flapping from the second return to an earlier one within the last changes."""
    window = policy.flap_window
    returns = (*watch.returns, state in watch.recent[-window:])[-window:] if watch.recent else ()
    return watch.model_copy(
        update={
            "recent": (*watch.recent, state)[-window - 1 :],
            "returns": returns,
            "equal": 1,
            "flapping": sum(returns) >= _RETURNS,
        }
    )


def seen_again(watch: Watch, checks: int, policy: Policy, *, certain: bool) -> Watch:
    """Another observation; one that is not `certain` to be equal counts from the next one on (its profile is still to come)."""
    equal = watch.equal + checks
    settled = (equal if certain else watch.equal) >= policy.flap_settle
    return watch.model_copy(update={"equal": equal, "flapping": watch.flapping and not settled})
