"""A stored sample of every shape ever released is readable for ever, and the newest shape is written as it was released."""

from pathlib import Path

import pytest

from cardtrail.events import EVENTS, encode
from cardtrail.events.upcast import UPCASTERS, decode
from tests.events.sampled import FACTS

SAMPLES = Path(__file__).parent / "samples"
STORED = sorted(SAMPLES.glob("*.json"))


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_every_shape_ever_released_is_read(path: Path) -> None:
    kind, _, version = path.stem.rpartition(".v")
    fact = decode(path.read_bytes().rstrip(b"\n"))
    assert fact.data.kind == kind
    assert int(version) <= EVENTS[kind].version


@pytest.mark.parametrize("kind", sorted(EVENTS))
def test_the_newest_shape_of_each_event_has_a_sample_and_is_written_like_it(kind: str) -> None:
    path = SAMPLES / f"{kind}.v{EVENTS[kind].version}.json"
    assert path.read_bytes() == encode(FACTS[kind]) + b"\n"


def test_each_older_version_has_a_step_to_the_next() -> None:
    wanted = {(kind, version) for kind, event in EVENTS.items() for version in range(1, event.version)}
    assert set(UPCASTERS) == wanted
