"""The page's process: it watches the buckets, follows the log, and answers browsers and programs until asked to stop."""

import asyncio
import os
import secrets
import socket
from datetime import UTC, datetime

from cardtrail.services.bus.alone import ended
from cardtrail.services.service import Context
from cardtrail.services.web.fleets import Fleets
from cardtrail.services.web.guard import secret
from cardtrail.services.web.memory import Memory
from cardtrail.services.web.pasts import Pasts
from cardtrail.services.web.pulse import Pulse
from cardtrail.services.web.routes import application
from cardtrail.services.web.server import listen, serve
from cardtrail.services.web.signs import Signs
from cardtrail.services.web.site import Site
from cardtrail.services.web.trail import Trail
from cardtrail.services.web.whereabouts import PORT, tell, withdraw


async def run(context: Context) -> None:
    """Serve the page until asked to stop.

    Raises:
        UsageError: it would be open to others without a token.
    """
    web = context.settings.web
    token = secret(web.host, web.token_env, os.environ)
    listening = await listen(web.host, web.port, context.stop, lambda why: context.watched(PORT).fails(why))
    if listening is None:
        return
    context.progress.pop(PORT, None)
    host = f"[{web.host}]" if ":" in web.host else web.host
    data, url = context.settings.broker.data, f"http://{host}:{listening.getsockname()[1]}"
    tell(data, url)
    try:
        await _serve(context, listening, token)
    finally:
        withdraw(data, url)


async def _serve(context: Context, listening: socket.socket, token: str) -> None:
    web = context.settings.web
    async with asyncio.TaskGroup() as tasks:
        pulse = Pulse()
        memory = Memory(context.bus, pulse, tasks, datetime.now(UTC))
        signs = Signs(context.bus.connection, lambda: datetime.now(UTC))
        trail = Trail(context.bus, memory, pulse, context.watched("page"))
        site = Site(
            context=context,
            memory=memory,
            trail=trail,
            pasts=Pasts(context.bus),
            fleets=Fleets(context.bus),
            pulse=pulse,
            signs=signs,
            now=lambda: datetime.now(UTC),
            token=token,
            form_token=secrets.token_hex(16),
            names=frozenset((web.host, *web.names)),
        )
        following = [tasks.create_task(one.run()) for one in (trail, signs)]
        await serve(application(site), listening, context.stop)
        await ended(*following)
        await memory.end()
