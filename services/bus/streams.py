"""How the log is kept: the streams we want, created where missing; a live one that differs is reported, never rewritten.

They are created through the API: FastStream's `JStream` knows neither compression nor schedules, and its start-up
rewrites limits that an operator has set.
"""

from typing import Any

from nats.js import JetStreamContext
from nats.js.api import DiscardPolicy, RePublish, RetentionPolicy, StorageType, StoreCompression, StreamConfig
from nats.js.errors import BadRequestError, NotFoundError

from cardtrail.events.model.value import Value
from cardtrail.events.subjects import BODIES as BODY_SUBJECTS
from cardtrail.events.subjects import FACT_SUBJECTS, LIVE_DECISIONS
from cardtrail.events.subjects import REPORTS as REPORT_SUBJECTS
from cardtrail.services.bus.names import BODIES, FACTS, REPORTS, SCHEDULES

DUPLICATE_WINDOW_S = 600.0
SCHEDULE_SUBJECTS = "cardtrail.schedules"
DUE_SUBJECTS = "cardtrail.due"
_GIB = 1 << 30
# The server adds or completes these on its own, so they are nobody's setting.
_COMPARED = (
    "subjects", "retention", "storage", "discard", "max_age", "max_msgs", "max_msgs_per_subject", "max_msg_size",
    "duplicate_window", "deny_delete", "deny_purge", "compression", "republish", "allow_direct", "allow_msg_schedules",
    "allow_atomic", "num_replicas", "consumer_limits",
)  # fmt: skip


class Sizes(Value):
    """Upper limits in bytes; without one, discard-new limits nothing and the disk fills."""

    facts: int = 20 * _GIB
    bodies: int = 10 * _GIB
    reports: int = 1 * _GIB


class Difference(Value):
    """A live setting that is not the wanted one; an operator decides which of the two is right."""

    stream: str
    setting: str
    wanted: str
    live: str


def sizes_for(free_bytes: int) -> Sizes:
    """Limits that together take three fifths of the free disk: the server reserves them and gives no more than three quarters."""
    return Sizes(
        facts=max(free_bytes // 3, 1 << 20),
        bodies=max(free_bytes // 5, 1 << 20),
        reports=max(free_bytes // 50, 1 << 20),
    )


def wanted(sizes: Sizes) -> tuple[StreamConfig, ...]:
    """The four streams: facts, bodies, reports and schedules."""
    kept: dict[str, Any] = {
        "storage": StorageType.FILE,
        "discard": DiscardPolicy.NEW,
        "compression": StoreCompression.S2,
    }
    kept |= {"duplicate_window": DUPLICATE_WINDOW_S, "allow_direct": True, "num_replicas": 1}
    queue = kept | {"retention": RetentionPolicy.WORK_QUEUE}
    kept |= {"retention": RetentionPolicy.LIMITS}
    return (
        StreamConfig(
            name=FACTS,
            subjects=list(FACT_SUBJECTS),
            max_bytes=sizes.facts,
            deny_delete=True,
            deny_purge=True,
            republish=RePublish(src="cardtrail.decisions.>", dest=f"{LIVE_DECISIONS}.>"),
            **kept,
        ),
        # Bodies may be redacted, so this stream denies nothing; one message per subject: the digest names the bytes.
        StreamConfig(
            name=BODIES, subjects=[f"{BODY_SUBJECTS}.>"], max_bytes=sizes.bodies, max_msgs_per_subject=1, **kept
        ),
        StreamConfig(name=REPORTS, subjects=[f"{REPORT_SUBJECTS}.>"], max_bytes=sizes.reports, **queue),
        StreamConfig(
            name=SCHEDULES,
            subjects=[f"{SCHEDULE_SUBJECTS}.>", f"{DUE_SUBJECTS}.>"],
            allow_msg_schedules=True,
            # Schedules exclude discard-new, and discard-old would drop deadlines: so this one has no limit at all.
            **(queue | {"discard": DiscardPolicy.OLD}),
        ),
    )


async def ensure(js: JetStreamContext, sizes: Sizes) -> tuple[Difference, ...]:
    """Create what is missing; say what differs in what was there."""
    found: list[Difference] = []
    for config in wanted(sizes):
        found += differences(config, await live_config(js, config))
    return tuple(found)


async def live_config(js: JetStreamContext, config: StreamConfig) -> StreamConfig:
    """The stream's configuration as it is; created where it is missing. Another process may be quicker, with other limits."""
    name = str(config.name)
    try:
        return (await js.stream_info(name)).config
    except NotFoundError:
        try:
            return (await js.add_stream(config)).config
        except BadRequestError:
            return (await js.stream_info(name)).config


async def examined(js: JetStreamContext, sizes: Sizes) -> tuple[Difference, ...]:
    """The same, and nothing is created: a missing stream is a difference."""
    found: list[Difference] = []
    for config in wanted(sizes):
        try:
            live = (await js.stream_info(str(config.name))).config
        except NotFoundError:
            found.append(Difference(stream=str(config.name), setting="stream", wanted="there", live="missing"))
            continue
        found += differences(config, live)
    return tuple(found)


def differences(config: StreamConfig, live: StreamConfig) -> tuple[Difference, ...]:
    """What of the wanted configuration the live one does not have; any finite size will do."""
    want, have = config.as_dict(), live.as_dict()
    found = [
        Difference(stream=str(config.name), setting=setting, wanted=_plain(want, setting), live=_plain(have, setting))
        for setting in _COMPARED
        if _plain(want, setting) != _plain(have, setting)
    ]
    if (config.max_bytes or -1) > 0 >= (live.max_bytes or -1):
        found.append(
            Difference(stream=str(config.name), setting="max_bytes", wanted=str(config.max_bytes), live="unlimited")
        )
    return tuple(found)


def _plain(settings: dict[str, Any], name: str) -> str:
    value = settings.get(name)
    if isinstance(value, dict):
        value = {key: part for key, part in sorted(value.items()) if part}
    if isinstance(value, list):
        value = sorted(value)
    return str(getattr(value, "value", value)) if value not in (None, False, 0, -1, {}) else "unset"
