"""Names to addresses, once: what is judged here is what is connected to, so no second answer can slip in between."""

import asyncio
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from functools import cache, partial
from queue import SimpleQueue

from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.services.outbound.address import JudgedUrl, address_refusal
from cardtrail.services.outbound.call import Refused

Resolver = Callable[[str], Awaitable[tuple[str, ...]]]
"""A canonical host name → its addresses, best first; raises `socket.gaierror` or OSError."""

_FORGET_ABOVE = 4096
_AT_ONCE = 32
_UNKNOWN = (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME))


_Addresses = tuple[str, ...]
_Question = Callable[[], _Addresses]


class _Askers:
    """Threads of their own, `_AT_ONCE` at most: a few names that never answer may not stop the others.

    An executor of the standard library is waited for when a program ends; a resolver that hangs would hold it for as long.
    """

    def __init__(self) -> None:
        """Start none yet."""
        self._questions: SimpleQueue[tuple[Future[_Addresses], _Question]] = SimpleQueue()
        self._idle, self._started = threading.Semaphore(0), 0

    def submit(self, question: _Question) -> Future[_Addresses]:
        """Ask as soon as a thread is free; a question that is cancelled before is not asked."""
        answer: Future[_Addresses] = Future()
        self._questions.put((answer, question))
        if not self._idle.acquire(blocking=False) and self._started < _AT_ONCE:
            self._started += 1
            threading.Thread(target=self._work, name="resolve", daemon=True).start()
        return answer

    def _work(self) -> None:
        while True:
            answer, question = self._questions.get()
            if answer.set_running_or_notify_cancel():
                try:
                    answer.set_result(question())
                except Exception as error:  # noqa: BLE001 — whoever asked is told
                    answer.set_exception(error)
            self._idle.release()


@cache
def _askers() -> _Askers:
    return _Askers()


async def system_resolver(host: str) -> tuple[str, ...]:
    """What the operating system says, IPv4 and IPv6, in its order of preference (RFC 6724)."""
    return await asyncio.wrap_future(_askers().submit(partial(_ask, host)))


def _ask(host: str) -> tuple[str, ...]:
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


def static_names(hosts: Mapping[str, str], beneath: Resolver = system_resolver) -> Resolver:
    """A resolver that answers some names from the settings; what it answers is judged like any other address."""
    known = {host.lower().rstrip("."): address for host, address in hosts.items()}

    async def resolve(host: str) -> tuple[str, ...]:
        address = known.get(host.lower().rstrip("."))
        return (address,) if address is not None else await beneath(host)

    return resolve


class JudgedNames:
    """Answers of a resolver, kept for `keep_s` seconds; every address is judged under the policy of the call at hand."""

    def __init__(self, resolver: Resolver, keep_s: float) -> None:
        """Start with nothing known."""
        self._resolver, self._keep_s = resolver, keep_s
        self._known: dict[str, tuple[float, tuple[str, ...]]] = {}

    async def addresses(self, target: JudgedUrl, policy: EndpointPolicy, within_s: float) -> tuple[str, ...]:
        """All addresses of the target, every one allowed; a single bad one refuses the name.

        Raises:
            Refused: stage `resolve` where there are none, stage `policy` where one may not be called.
        """
        if target.address is not None:
            return (str(target.address),)
        found = await self._resolve(target.host, within_s)
        for address in found:
            reason = address_refusal(address, policy)
            if reason:
                raise Refused("policy", reason, f"{target.host} resolves to {address}")
        return found

    def forget(self, host: str) -> None:
        """Ask for the name anew next time: where it led to, nobody answers any more."""
        self._known.pop(host, None)

    async def _resolve(self, host: str, within_s: float) -> tuple[str, ...]:
        now = time.monotonic()
        until, found = self._known.get(host, (0.0, ()))
        if now < until:
            return found
        if len(self._known) > _FORGET_ABOVE:
            self._known.clear()
        try:
            async with asyncio.timeout(within_s):
                found = await self._resolver(host)
        except TimeoutError:
            raise Refused("resolve", "resolver-timeout", f"{host}: no answer in {within_s} s", "network") from None
        except socket.gaierror as error:
            if error.errno in _UNKNOWN:
                raise Refused("resolve", "name-unknown", f"{host}: {error.strerror}") from None
            raise Refused("resolve", "resolver-failed", f"{host}: {error.strerror}", "network") from None
        except (OSError, UnicodeError) as error:
            raise Refused("resolve", "resolver-failed", f"{host}: {type(error).__name__}", "network") from None
        if not found:
            raise Refused("resolve", "name-unknown", f"{host} has no address")
        self._known[host] = (now + self._keep_s, found)
        return found
