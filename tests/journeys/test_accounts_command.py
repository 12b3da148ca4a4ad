"""`cardtrail accounts` on a nats-server of one's own: what it prints is all that planners and services need, and no more."""

import asyncio
import contextlib
import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from cardtrail.events.errors import UsageError
from cardtrail.projections.projection import Row
from cardtrail.services.broker_users import signed_in
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.embedded import find_server
from cardtrail.services.bus.errors import BrokerRefused
from cardtrail.services.bus.kv_store import KvStore
from cardtrail.services.config_file import read_settings
from cardtrail.services.planner import Login, Planner
from cardtrail.services.system import running
from tests.nats_server import SMALL
from tests.services.cli.cards import card, lock, written
from tests.services.cli.program import cardtrail, child
from tests.services.planner.routes import SKILL, candidate, row
from tests.streams import PATIENCE_S

PASSWORDS = {
    "CARDTRAIL_SERVICES_PASSWORD": "s3cret",
    "CARDTRAIL_TRIP_PASSWORD": "o",
    "CARDTRAIL_HOTEL_DESK_PASSWORD": "h",
}


@contextlib.contextmanager
def nats_server(folder: Path, configuration: str, secrets: Mapping[str, str] = PASSWORDS) -> Iterator[str]:
    """An operator's own server that includes what was printed; where it listens."""
    (folder / "accounts.conf").write_text(configuration)
    own = f'listen: "127.0.0.1:-1"\njetstream {{ store_dir: "{folder}/js" }}\ninclude accounts.conf\n'
    (folder / "nats.conf").write_text(own)
    command = [find_server(), "-c", str(folder / "nats.conf")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, **secrets}) as process:
        assert process.stderr is not None
        said = []
        port = ""
        for line in process.stderr:
            said.append(line)
            port = (re.search(r"client connections on .*:(\d+)", line) or [port, port])[1]
            if "Server is ready" in line:
                break
        try:
            assert port, "".join(said)
            yield f"127.0.0.1:{port}"
        finally:
            process.kill()


async def routed(bus: Bus, principal: str, workflow: str) -> None:
    """A route as the projector keeps it, and the other buckets that a planner reads."""
    for projection in ("current_profile", "lockfile_status", "routes"):
        store = KvStore(bus, projection, principal)
        rows, _ = await store.load()
        if projection == "routes":
            heard = candidate(stale_after=datetime.now(UTC) + timedelta(days=1))
            made: Row = row(heard, principal=principal, workflow=workflow)
            rows.put("routes", (principal, workflow, SKILL), made)
        await store.commit(rows, 1)


def planner(  # noqa: PLR0913 — who, where and how patient
    where: str, workflow: str, principal: str, password: str, user: str = "", *, patience_s: float = PATIENCE_S
) -> Planner:
    login = Login(user=user or f"planner-{workflow}", password=password)
    return Planner(f"nats://{where}", workflow, principal=principal, login=login, patience_s=patience_s)


def test_what_is_printed_is_what_a_server_and_its_planners_need(tmp_path: Path) -> None:
    trip = written(tmp_path / "trip.json", lock(workflow="trip", principal="team a"))
    hotel = written(tmp_path / "hotel.json", lock(workflow="hotel.desk"))
    done = cardtrail("accounts", trip, hotel)
    assert done.code == 0
    assert all(f"${name}" in done.out and name in done.err for name in PASSWORDS)

    async def run(where: str) -> None:
        secret = PASSWORDS["CARDTRAIL_SERVICES_PASSWORD"]
        async with Bus(f"nats://cardtrail:{secret}@{where}", streams=SMALL) as bus:
            await routed(bus, "team a", "trip")
            await routed(bus, "public", "hotel.desk")
            for workflow, principal, password in (("trip", "team a", "o"), ("hotel.desk", "public", "h")):
                async with planner(where, workflow, principal, password) as asked:
                    assert asked.may_delegate(SKILL).answer == "yes"
            # Under its own account another principal's routes are not there, and nobody is let in with another's password.
            async with planner(where, "trip", "team a", "h", "planner-hotel.desk", patience_s=2.0) as foreign:
                assert foreign.may_delegate(SKILL).answer == "unknown"
            with pytest.raises(BrokerRefused):
                async with planner(where, "trip", "team a", "h"):
                    pass

    with nats_server(tmp_path, done.out) as where:
        asyncio.run(run(where))


def test_a_whole_tracker_and_a_planner_work_on_it(tmp_path: Path) -> None:
    """What an operator does: a lock in the settings, the accounts it needs, the tracker on a server that knows them."""
    written(tmp_path / "card.json", card())
    written(tmp_path / "trip.json", lock(workflow="trip", agent="pricing"))
    config = tmp_path / "cardtrail.toml"
    config.write_text(
        '[agents.pricing]\nfile = "card.json"\n[workflows.trip]\nlockfiles = ["trip.json"]\n[web]\nport = 0\n'
    )
    printed = cardtrail("accounts", cwd=tmp_path).out

    async def run(where: str) -> None:
        secret = PASSWORDS["CARDTRAIL_SERVICES_PASSWORD"]
        environment = {**os.environ, "NATS_URL": f"nats://cardtrail:{secret}@{where}"}
        settings = read_settings(config.read_text(), str(config), tmp_path)
        services = ("fetcher", "compiler", "decider", "projector")
        async with running(settings, config, environment, services), asyncio.timeout(2 * PATIENCE_S):
            async with planner(where, "trip", "public", "o") as asked:
                async for update in asked.updates():
                    if update.permission is not None and update.permission.answer == "yes":
                        break
                assert asked.may_delegate("itinerary-pricing").watched == "pricing"
            asking = partial(child, "can-i-delegate", "trip", NATS_URL=environment["NATS_URL"])
            assert (await asyncio.to_thread(asking)).code == 0
            refused = await asyncio.to_thread(child, "status", NATS_URL=f"nats://cardtrail:wrong-one@{where}")
            assert refused.code == 4
            assert "wrong-one" not in refused.out + refused.err
        # The buckets keep their last values, and look at peace: a tracker that is gone is an answer that nobody knows.
        gone = await asyncio.to_thread(asking)
        assert gone.code == 1
        assert "tracker-silent" in gone.out
        assert gone.out.splitlines()[-1].startswith("unknown: ")

    with nats_server(tmp_path, printed) as where:
        asyncio.run(run(where))


def test_the_tracker_s_own_server_is_closed_where_the_settings_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path / "card.json", card())
    written(tmp_path / "trip.json", lock(workflow="trip", agent="pricing"))
    config = tmp_path / "cardtrail.toml"
    config.write_text(
        "[broker]\naccounts = true\n[web]\nport = 0\n"
        '[agents.pricing]\nfile = "card.json"\n[workflows.trip]\nlockfiles = ["trip.json"]\n'
    )
    monkeypatch.delenv("NATS_URL", raising=False)
    for name, value in PASSWORDS.items():
        monkeypatch.setenv(name, value)

    async def run() -> None:
        settings = read_settings(config.read_text(), str(config), tmp_path)
        services = ("fetcher", "compiler", "decider", "projector")
        async with running(settings, config, os.environ, services) as system, asyncio.timeout(2 * PATIENCE_S):
            where = (settings.broker.data / "endpoint").read_text().removeprefix("nats://")
            assert "@" in system.url
            assert "@" not in where
            async with planner(where, "trip", "public", "o") as asked:
                async for update in asked.updates():
                    if update.permission is not None and update.permission.answer == "yes":
                        break
            with pytest.raises(BrokerRefused):
                async with Bus(f"nats://{where}"):
                    pass
            asking = partial(child, "can-i-delegate", "trip", "--config", config)
            assert (await asyncio.to_thread(asking, **PASSWORDS)).out.endswith("yes: pricing\n")
            assert (await asyncio.to_thread(asking)).err.startswith(
                "error[password-unfit] CARDTRAIL_SERVICES_PASSWORD is not set: "
            )

    asyncio.run(run())


@pytest.mark.parametrize("secret", ["", "1234", "a b", "a@b", "ä"])
def test_a_password_that_a_url_or_the_server_would_read_otherwise_is_refused_and_not_shown(secret: str) -> None:
    with pytest.raises(UsageError) as refused:
        signed_in("nats://127.0.0.1:4222", {"CARDTRAIL_SERVICES_PASSWORD": secret})
    assert refused.value.code == "password-unfit"
    assert not secret or secret not in f"{refused.value.message}{refused.value.hint}"
    assert ("is not set" in refused.value.message, "accounts = false" in refused.value.hint) == (not secret, not secret)


ODD = ("ü x\"$y'", "$JS.API.>", ".*.>", "include x", "{ # c", "\\u0000", "\U0001f600", "[2J\\b")


def test_names_that_are_hard_to_spell_are_spelled(tmp_path: Path) -> None:
    files = [
        written(tmp_path / f"{number}.json", lock(workflow=name, principal=name)) for number, name in enumerate(ODD)
    ]
    done = cardtrail("accounts", *files, "--json")
    told, configuration = done.json["users"], done.json["configuration"]
    assert configuration.isascii()
    secrets = {user["password_env"]: f"p{number}" for number, user in enumerate(told)}

    async def run(where: str) -> None:
        async with Bus(f"nats://cardtrail:{secrets['CARDTRAIL_SERVICES_PASSWORD']}@{where}", streams=SMALL) as bus:
            for user in told[1:]:
                (name,) = user["workflows"]
                await routed(bus, name, name)
                async with planner(where, name, name, secrets[user["password_env"]]) as asked:
                    assert asked.may_delegate(SKILL).answer == "yes"

    with nats_server(tmp_path, configuration, secrets) as where:
        asyncio.run(run(where))


def test_a_workflow_stands_under_one_principal_and_has_a_name(tmp_path: Path) -> None:
    one = written(tmp_path / "one.json", lock(workflow="trip", principal="a"))
    other = written(tmp_path / "other.json", lock(workflow="trip", principal="b"))
    refused = cardtrail("accounts", one, other, "--json")
    assert (refused.code, refused.json["error"]["code"]) == (2, "principal-ambiguous")
    nameless = cardtrail("accounts", written(tmp_path / "none.json", lock(workflow="")), "--json")
    assert (nameless.code, nameless.json["error"]["code"]) == (2, "lock-anonymous")


def test_workflows_whose_variables_would_be_the_same_have_two(tmp_path: Path) -> None:
    files = [written(tmp_path / f"{n}.json", lock(workflow=name)) for n, name in enumerate(("a-b", "a.b", "—", "…"))]
    users = cardtrail("accounts", *files, "--json").json["users"]
    assert len({user["password_env"] for user in users}) == len(users) == 5
    assert all(re.fullmatch(r"CARDTRAIL_[A-Z0-9_]+", user["password_env"]) for user in users)


def test_without_a_lock_there_is_nobody_to_make_an_account_for(tmp_path: Path) -> None:
    done = cardtrail("accounts", "--json", cwd=tmp_path)
    assert (done.code, done.json["error"]["code"]) == (2, "argument-missing")


def test_the_settings_workflows_are_the_default(tmp_path: Path) -> None:
    written(tmp_path / "trip.json", lock(workflow=""))
    (tmp_path / "cardtrail.toml").write_text('[workflows.trip]\nprincipal = "team a"\nlockfiles = ["trip.json"]\n')
    users = cardtrail("accounts", "--json", cwd=tmp_path).json["users"]
    assert [(user["user"], user["principal"]) for user in users] == [("cardtrail", None), ("planner-trip", "team a")]
