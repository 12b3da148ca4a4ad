"""All of these messages or none: the broker's atomic batch publish (nats-server 2.12, ADR-50), spoken by hand.

nats-py has the header names and no call for it.
"""

import json
import secrets
from collections.abc import Sequence

import nats.js.errors

from cardtrail.services.bus.connection import REQUEST_S, Connection, foreign
from cardtrail.services.bus.publish import Message, check_size

BATCH = 1000
_WRONG_LAST_SEQUENCE = (10071, 10164)


async def publish_batch(connection: Connection, messages: Sequence[Message]) -> int | None:
    """The stream sequence of the last message, or None when an expected sequence did not hold; at most 1,000 messages.

    Raises:
        TooLarge: one is; nothing was sent.
        BrokerUnreachable: no answer: whether the batch was stored is unknown; or it was not, as on a disk that is full.
        BrokerRefused: the broker will not have it.
    """
    batch = secrets.token_hex(16)
    numbered = [
        message.model_copy(
            update={"headers": message.headers | {"Nats-Batch-Id": batch, "Nats-Batch-Sequence": str(at)}}
        )
        for at, message in enumerate(messages, 1)
    ]
    for message in numbered:
        check_size(message, connection.nc.max_payload - 32, connection.nc.max_payload)
    with foreign():
        for message in numbered[:-1]:
            await connection.nc.publish(message.subject, message.data, headers=message.headers)
        last = numbered[-1]
        commit = last.headers | {"Nats-Batch-Commit": "1"}
        answer = json.loads(
            (await connection.nc.request(last.subject, last.data, timeout=REQUEST_S, headers=commit)).data
        )
        if "error" not in answer:
            return int(answer["seq"])
        if answer["error"].get("err_code") in _WRONG_LAST_SEQUENCE:
            return None
        raise nats.js.errors.APIError.from_error(answer["error"])
