"""`blame` for people: what a value brought, what merely came with it, and all of it at 80 columns."""

from datetime import UTC, datetime

import pytest

from cardtrail.events.model.profile import Profile
from cardtrail.services.audit.blame import Blame
from cardtrail.services.cli.audit.blame_text import lines
from cardtrail.services.cli.outputs.blame import BlameOutput
from cardtrail.services.cli.shell.console import Style
from tests.services.audit.test_explain import log_of
from tests.services.decider.scene import Scene, profile, settled

NOW = datetime(2026, 12, 1, tzinfo=UTC)


def scene() -> Scene:
    """Streaming goes and breaks the workflow; it comes back in a card whose output does."""
    told = settled(profile())
    observe(told, profile(streaming=False))
    observe(told, profile(output=("application/pdf",)), version="4.0.0-with-a-long-name")
    return told


def observe(told: Scene, value: Profile, version: str = "3.2.0") -> None:
    told.fetch(semantic_digest=f"sha256:{len(told.log)}")
    told.compile(value, version=version)


def blamed(told: Scene, capability: str | None) -> BlameOutput:
    fold = Blame("pricing", "public")
    facts = log_of(told)
    for stored in facts:
        fold.tell(stored)
    every = (capability,) if capability else fold.capabilities()
    return BlameOutput(
        format="cardtrail.blame/1",
        agent="pricing",
        principal="public",
        capability=capability,
        as_of=None,
        through=facts[-1].sequence,
        known_from=1,
        unreadable=(),
        values=tuple(one for name in every for one in (fold.of(name) if capability else fold.of(name)[-1:])),
    )


def decisions(capability: str) -> list[list[bool | None]]:
    return [
        [each.by_this for each in one.brought if each.what == "decision"] for one in blamed(scene(), capability).values
    ]


def test_a_value_is_not_blamed_for_what_another_change_of_its_card_brought() -> None:
    assert decisions("streaming")[1:] == [[True], [False]]
    assert decisions("skills.itinerary-pricing.output")[1:] == [[True]]
    assert decisions("version")[1:] == [[False]]


def test_what_ends_a_finding_brought_the_recovery() -> None:
    told = settled(profile())
    observe(told, profile(streaming=False))
    observe(told, profile(), version="3.2.1")
    (back,) = blamed(told, "streaming").values[-1].brought
    assert (back.verdict, back.by_this) == ("compatible", True)
    (version,) = blamed(told, "version").values[-1].brought
    assert version.by_this is False


@pytest.mark.parametrize("capability", ["streaming", "version", None])
def test_at_eighty_columns_no_effect_is_cut(capability: str | None) -> None:
    found = blamed(scene(), capability)
    narrow, wide = (list(lines(found, Style(columns=columns), NOW)) for columns in (80, 400))
    for text in ("\n".join(narrow), "\n".join(wide)):
        assert "✗ trip stopped" in text
        assert "…" in text
        assert "with it: ✗ trip stopped" in text
        assert not any(line.endswith("…") for line in text.splitlines())
    assert len(wide) == 1 + len(found.values)


def test_programs_get_a_row_for_each_value_whatever_its_length() -> None:
    header, *rows = lines(blamed(scene(), "streaming"), Style(), NOW)
    assert header.split("\t")[-1] == "BROUGHT"
    assert rows[0].split("\t")[-1] == "with it: ✗ trip stopped"
    assert rows[1].split("\t")[-1] == "✗ trip stopped"


def test_of_all_capabilities_the_newest_change_comes_first_and_each_card_s_by_name() -> None:
    found = list(lines(blamed(scene(), None), Style(), NOW))
    names = [line.split("\t")[0] for line in found[1:]]
    assert names[:3] == ["skills.itinerary-pricing.output", "streaming", "version"]
    assert names[3:] == sorted(names[3:])
