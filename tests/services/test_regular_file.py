"""What an operator names is read whole only where it has an end."""

import os
from pathlib import Path

import pytest

from cardtrail.events.errors import UsageError
from cardtrail.services.outbound.trust import Trust
from cardtrail.services.regular_file import LARGEST, regular_file
from cardtrail.services.settings import TlsSettings
from tests.services.cli.program import cardtrail


def test_a_file_and_a_link_to_one_may_be_read(tmp_path: Path) -> None:
    file, link = tmp_path / "ca.pem", tmp_path / "link.pem"
    file.write_text("x")
    link.symlink_to(file)
    assert (regular_file(file), regular_file(link)) == (file, link)


@pytest.mark.parametrize("kind", ["device", "pipe", "folder", "sparse", "absent"])
def test_what_has_no_end_is_never_opened(kind: str, tmp_path: Path) -> None:
    path = Path("/dev/zero") if kind == "device" else tmp_path / "named"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "sparse":
        path.touch()
        os.truncate(path, LARGEST + 1)
    with pytest.raises(OSError, match=r"named|zero"):
        regular_file(path)
    with pytest.raises(UsageError, match="no readable CA bundle"):
        Trust(TlsSettings(ca_bundle=path))


@pytest.mark.parametrize(
    ("setting", "code", "exit_code"),
    [
        ('[tls]\nca_bundle = "/dev/zero"\n', "tls-bundle", 2),
        ('[tls]\nca_bundle = "cardtrail.toml"\n', "tls-bundle", 2),
        ('[keys."https://partner.example"]\nfile = "absent.jwks"\n', "file-unreadable", 2),
        ('[keys."https://partner.example"]\nfile = "cardtrail.toml"\n', "keys-not-jwks", 2),
    ],
)
def test_what_no_service_could_use_is_refused_before_any_starts(
    setting: str, code: str, exit_code: int, tmp_path: Path
) -> None:
    (tmp_path / "cardtrail.toml").write_text(setting)
    refused = cardtrail("up", "--json", cwd=tmp_path)
    assert (refused.code, refused.json["error"]["code"]) == (exit_code, code)
    assert not (tmp_path / "cardtrail-data" / "nats").exists()
