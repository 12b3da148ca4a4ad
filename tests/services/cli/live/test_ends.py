"""What `doctor` says of the files that the settings name."""

from pathlib import Path

import pytest

from cardtrail.services.cli.live.ends import problems
from cardtrail.services.settings import Settings, TlsSettings


@pytest.mark.parametrize(
    ("content", "told"),
    [(None, "tls.ca_bundle: {0} is not there"), (b"rubbish\0\xff", "{0}: no readable CA bundle: ")],
)
def test_a_bundle_that_no_service_could_use_is_told_once(tmp_path: Path, content: bytes | None, told: str) -> None:
    bundle = tmp_path / "ca.pem"
    if content is not None:
        bundle.write_bytes(content)
    (problem,) = problems(Settings(tls=TlsSettings(ca_bundle=bundle)))
    assert problem.startswith(told.format(bundle))
