"""Whole streams out of the broker and back, byte for byte: sequences, times, headers and ids are those they were.

JetStream's own snapshots, spoken by hand because nats-py has no call for them. A folder per stream with `backup.json` and
`stream.tar.s2`, as `nats stream backup` writes it: either tool restores what the other made.
"""

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import nats.js.errors
from nats.aio.msg import Msg

from cardtrail.events.errors import InputRefused, UsageError
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.connection import foreign
from cardtrail.services.bus.errors import BrokerRefused, BrokerUnreachable
from cardtrail.services.regular_file import regular_file

ABOUT, DATA = "backup.json", "stream.tar.s2"
_CHUNK = 128 * 1024
_ABOUT_BYTES = 1 << 20
_SILENCE_S = 30.0


class BackedUp(NamedTuple):
    """One stream: messages, first and last sequence, bytes written, `sha256:` over them."""

    stream: str
    messages: int
    first: int
    last: int
    size: int
    sha256: str


async def backup(bus: Bus, stream: str, folder: Path, moved: Callable[[int], None]) -> BackedUp:
    """Write a stream as it is now into a folder; `moved` hears how many bytes are written.

    Raises:
        BrokerUnreachable: it went silent; what was written is no backup. BrokerRefused: the broker will not.
    """
    chunks: asyncio.Queue[Msg] = asyncio.Queue()
    inbox = bus.connection.nc.new_inbox()
    end = await bus.connection.listen_directly(inbox, chunks.put_nowait)
    question = {"deliver_subject": inbox, "chunk_size": _CHUNK, "no_consumers": True}
    try:
        about = await bus.connection.ask(f"STREAM.SNAPSHOT.{stream}", question, within_s=_SILENCE_S)
        summed, size = await _written(chunks, folder / DATA, moved)
    finally:
        await end()
    kept = {"config": about["config"], "state": about["state"]}
    await asyncio.to_thread((folder / ABOUT).write_text, json.dumps(kept, indent=2) + "\n", "utf-8")
    state = about["state"]
    return BackedUp(stream, state["messages"], state["first_seq"], state["last_seq"], size, f"sha256:{summed}")


async def _written(chunks: "asyncio.Queue[Msg]", path: Path, moved: Callable[[int], None]) -> tuple[str, int]:
    summed, size = hashlib.sha256(), 0
    with await asyncio.to_thread(path.open, "wb") as file:
        while True:
            try:
                message = await asyncio.wait_for(chunks.get(), _SILENCE_S)
            except TimeoutError as error:
                raise BrokerUnreachable("broker-unreachable", "the snapshot ended before its end") from error
            status = (message.headers or {}).get("Status", "204")
            if status not in {"204", "200"}:
                raise BrokerRefused("broker-refused", f"the snapshot failed: {message.headers}")
            if not message.data:
                return summed.hexdigest(), size
            summed.update(message.data)
            file.write(message.data)
            size += len(message.data)
            moved(size)
            if message.reply:
                with foreign():
                    await message.respond(b"")


async def restore(bus: Bus, folder: Path, limits: Mapping[str, int], moved: Callable[[int], None]) -> str:
    """Put the stream that the folder is named after back where there is none, or an empty one; its name.

    `limits` are the most bytes a stream may take on this disk.

    Raises:
        UsageError: `log-not-empty`, `file-unreadable`. InputRefused: `backup-unreadable`. BrokerRefused: the broker will not.
    """
    about = await asyncio.to_thread(_about, folder)
    stream = folder.name
    if about["config"].get("name") != stream:
        raise InputRefused("backup-unreadable", "it is of another stream", file=str(folder / ABOUT))
    if stream in limits:
        about["config"]["max_bytes"] = max(limits[stream], about["state"]["bytes"])
    await _make_room(bus, stream)
    told = await bus.connection.ask(f"STREAM.RESTORE.{stream}", about, within_s=_SILENCE_S)
    sent = 0
    with await asyncio.to_thread((folder / DATA).open, "rb") as file:
        while chunk := file.read(_CHUNK):
            await _send(bus, told["deliver_subject"], chunk)
            sent += len(chunk)
            moved(sent)
    answer = await _send(bus, told["deliver_subject"], b"")
    if "error" in answer:
        raise BrokerRefused("broker-refused", f"{stream} was not restored: {answer['error'].get('description')}")
    return stream


def digest_of(folder: Path) -> str:
    """`sha256:` over a stream's data.

    Raises:
        UsageError: `file-unreadable`, also where it is no regular file.
    """
    try:
        with regular_file(folder / DATA, None).open("rb") as file:
            return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"
    except OSError as error:
        raise UsageError("file-unreadable", str(error.strerror), file=str(folder / DATA)) from error


async def _send(bus: Bus, subject: str, chunk: bytes) -> dict[str, Any]:
    with foreign():
        said = (await bus.connection.nc.request(subject, chunk, timeout=_SILENCE_S)).data
    answer = json.loads(said) if said else {}
    return answer if isinstance(answer, dict) else {}


async def _make_room(bus: Bus, stream: str) -> None:
    """An empty stream gives way; one with anything in it does not."""
    try:
        state = (await bus.connection.ask(f"STREAM.INFO.{stream}"))["state"]
    except BrokerRefused as refused:
        if isinstance(refused.__cause__, nats.js.errors.NotFoundError):
            return
        raise
    if state["last_seq"]:
        hint = "restore into an empty folder: CARDTRAIL_DATA=restored cardtrail restore FOLDER"
        raise UsageError("log-not-empty", f"{stream} holds {state['messages']} messages already", hint=hint)
    with foreign():
        await bus.connection.js.delete_stream(stream)


def _about(folder: Path) -> dict[str, Any]:
    try:
        about = json.loads(regular_file(folder / ABOUT, _ABOUT_BYTES).read_bytes())
        config, state = dict(about["config"]), dict(about["state"])
        return {"config": config, "state": state | {"bytes": int(state.get("bytes", 0))}}
    except OSError as error:
        raise UsageError("file-unreadable", str(error.strerror), file=str(folder / ABOUT)) from error
    except (ValueError, OverflowError, RecursionError, KeyError, TypeError) as error:
        raise InputRefused("backup-unreadable", "no backup of a stream", file=str(folder / ABOUT)) from error
