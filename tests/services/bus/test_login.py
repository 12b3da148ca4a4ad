"""Ways to prove to the broker who one is; what cannot be used is told before anything is tried, and no secret is shown."""

from pathlib import Path

import pytest
import trustme
from faststream.nats.security import NatsToken, NatsUserPassword

from cardtrail.events.errors import UsageError
from cardtrail.services.bus.login import Login, security


def test_each_way_becomes_the_broker_library_s_own() -> None:
    assert security(None) is None
    assert isinstance(security(Login(user="u", password="p")), NatsUserPassword)
    assert isinstance(security(Login(token="t")), NatsToken)


def test_a_ca_file_asks_for_tls(tmp_path: Path) -> None:
    trustme.CA().cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    made = security(Login(ca_file=tmp_path / "ca.pem"))
    assert made is not None
    assert made.ssl_context is not None


@pytest.mark.parametrize("login", [Login(file=Path("/absent.creds")), Login(user="u", ca_file=Path("/absent.pem"))])
def test_a_file_that_cannot_be_used_is_a_usage_error(login: Login) -> None:
    with pytest.raises(UsageError) as refused:
        security(login)
    assert refused.value.code == "login-unusable"


def test_no_secret_is_shown() -> None:
    assert "hunter2" not in repr(Login(user="u", password="hunter2", token="hunter2"))
