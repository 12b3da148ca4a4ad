"""What would have been otherwise, from the files a person writes; each wrong one is refused with its reason."""

from pathlib import Path

import pytest

from cardtrail.events.errors import UsageError
from cardtrail.events.model.policy import Policy
from cardtrail.services.cli.audit.hypothesis import hypothesis

TEXTS = (
    'agent-version-changed = "breaking"\ntags-changed = "off"\n',
    '[severities]\nagent-version-changed = "breaking"\ntags-changed = "off"\n',
    '[policy.severities]\nagent-version-changed = "breaking"\ntags-changed = "off"\n',
    '{"policy": {"severities": {"agent-version-changed": "breaking", "tags-changed": "off"}}}',
)


@pytest.mark.parametrize("text", TEXTS)
def test_severities_are_read_from_a_settings_file_or_by_themselves(text: str, tmp_path: Path) -> None:
    file = tmp_path / "rules"
    file.write_text(text)
    under = hypothesis(str(file), None, recompile=False)
    assert under.severities == {"agent-version-changed": "breaking", "tags-changed": None}
    told = under.policy(Policy(severities={"tags-changed": "review", "skill-added": "review"}))
    assert told.severities == {"agent-version-changed": "breaking", "tags-changed": None, "skill-added": "review"}
    assert not under.compiles


def test_another_client_compiles_every_kept_card_anew(tmp_path: Path) -> None:
    file = tmp_path / "client.toml"
    file.write_text('[client]\ninterfaces = [["GRPC", "1.0"]]\n')
    under = hypothesis(None, str(file), recompile=False)
    assert under.compiles
    assert under.policy(Policy()).client.interfaces == (("GRPC", "1.0"),)


@pytest.mark.parametrize(
    ("text", "code", "hint"),
    [
        ('agent-version-changd = "breaking"', "rule-unknown", "did you mean agent-version-changed?"),
        ('agent-version-changed = "bad"', "config-invalid", ""),
        ("[[", "config-invalid", ""),
        ("[1]", "rule-unknown", ""),
        ("severities = 3", "config-invalid", ""),
    ],
)
def test_what_says_nothing_is_refused(text: str, code: str, hint: str, tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(text)
    with pytest.raises(UsageError) as refused:
        hypothesis(str(file), None, recompile=False)
    assert (refused.value.code, refused.value.hint if hint else "") == (code, hint)


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(UsageError) as refused:
        hypothesis("no-such-file.toml", None, recompile=False)
    assert refused.value.code == "file-unreadable"
