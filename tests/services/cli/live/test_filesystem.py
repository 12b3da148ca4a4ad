"""A folder on a network file system is known by the mount that it lies under, and doctor warns of it."""

from dataclasses import replace
from pathlib import Path

import pytest

from cardtrail.services.cli.live.checks import settings
from cardtrail.services.cli.live.filesystem import network_type, shared_by_network
from cardtrail.services.settings import Settings
from tests.services.cli.live.test_checks import NOW, Gathered

MOUNTS = """\
overlay / overlay rw,relatime 0 0
server:/export /srv nfs4 rw,vers=4.2 0 0
/dev/vdb /srv/local ext4 rw 0 0
//nas/share /mnt/our\\040share cifs rw 0 0
sshfs@host: /home/ada/far fuse.sshfs rw 0 0
tmpfs /srv/local/tmp tmpfs rw 0 0
broken
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/var/lib/cardtrail", ""),
        ("/srv", "nfs4"),
        ("/srv/cardtrail-data", "nfs4"),
        ("/srv/local/cardtrail-data", ""),
        ("/srvice/cardtrail-data", ""),
        ("/mnt/our share/data", "cifs"),
        ("/mnt/our", ""),
        ("/home/ada/far/data/deeper", "fuse.sshfs"),
    ],
)
def test_the_nearest_mount_decides(folder: str, kind: str) -> None:
    assert network_type(Path(folder), MOUNTS) == kind


def test_a_later_mount_over_the_same_point_is_the_one_that_is_seen() -> None:
    assert network_type(Path("/srv/x"), MOUNTS + "/dev/vdc /srv xfs rw 0 0\n") == ""


def test_this_machine_can_be_asked(tmp_path: Path) -> None:
    assert isinstance(shared_by_network(tmp_path / "not" / "there" / "yet"), str)


@pytest.mark.parametrize("kind", ["nfs4", ""])
def test_doctor_warns_of_it_and_says_what_to_do(kind: str) -> None:
    found = replace(Gathered(NOW, Settings(), (), {}), network=kind)
    warned = [check for check in settings.checks(found) if check.level == "warning"]
    assert [("nfs4" in check.says, bool(check.fix)) for check in warned] == ([(True, True)] if kind else [])
