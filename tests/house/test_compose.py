"""The compose file agrees with the code: services, commands, image, ports, volumes, health checks."""

import os
import subprocess
import sys
from typing import Any

import yaml

from cardtrail.services.service import SERVICES
from tests.house.tree import ROOT, modules

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
OURS = {name: service for name, service in COMPOSE["services"].items() if name != "nats"}


def test_there_is_a_container_per_service_folder_and_one_for_nats() -> None:
    folders = {path.split("/")[1] for path in modules() if path.startswith("services/") and path.endswith("/app.py")}
    assert set(OURS) == set(SERVICES) == folders


def test_every_container_runs_its_own_service_from_the_one_image_and_asks_after_its_health() -> None:
    for name, service in OURS.items():
        assert service["command"] == ["run", name]
        assert service["healthcheck"]["test"] == ["CMD", "cardtrail", "healthy", name]
        assert service["depends_on"]["nats"]["condition"] == "service_healthy"
    assert len({service["image"] for service in OURS.values()}) == 1


def test_the_commands_of_the_compose_file_exist() -> None:
    for words in (["run", "--help"], ["healthy", "--help"]):
        done = subprocess.run(
            [sys.executable, "-m", "cardtrail.services.cli", *words], capture_output=True, check=False
        )
        assert done.returncode == 0


def test_settings_data_and_broker_are_where_the_code_looks_for_them() -> None:
    for service in OURS.values():
        seen = service["environment"]
        assert seen["NATS_URL"] == "nats://nats:4222"
        mounts = dict(reversed(volume.removesuffix(":ro").split(":")) for volume in service["volumes"])
        assert seen["CARDTRAIL_CONFIG"] in mounts
        assert mounts[seen["CARDTRAIL_DATA"]] in COMPOSE["volumes"]
    assert COMPOSE["services"]["nats"]["ports"] == ["127.0.0.1:4222:4222"]


def test_the_variables_of_the_compose_file_are_read_by_the_program() -> None:
    wrong = {**os.environ, "CARDTRAIL_CONFIG": "/nowhere/cardtrail.toml"}
    asked = [sys.executable, "-m", "cardtrail.services.cli", "healthy", "fetcher"]
    done = subprocess.run(asked, capture_output=True, text=True, env=wrong, check=False)
    assert done.returncode == 2
    assert "/nowhere/cardtrail.toml" in done.stderr
