"""What several journeys share: one tracker with its page; started when first asked for.

A journey runs up to ten real processes: one that fails is tried once more. Nothing else is.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.journeys.page_stage import PageStage, page_stage
from tests.journeys.page_story import perform, trusting

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageStage]:
    """The whole story told; a test that changes something puts it where no other looks."""
    folder = tmp_path_factory.mktemp("site")
    with page_stage(folder, trusting(folder)) as stage:
        perform(stage)
        yield stage
