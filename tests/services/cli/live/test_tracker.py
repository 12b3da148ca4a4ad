"""What a live command is told that a log served for an audit cannot do."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from cardtrail.events.errors import UsageError
from cardtrail.services.bus.bus import Bus, LogInfo
from cardtrail.services.cli.live.tracker import Tracker
from cardtrail.services.data_folder import audited
from cardtrail.services.settings import BrokerSettings, Settings

LOG = LogInfo(first=1, last=1, end=1, facts=1, bytes=1, max_bytes=1, at=datetime(2026, 11, 30, tzinfo=UTC))


@pytest.mark.parametrize(("bundle", "advice"), [("", "up without --audit"), ("incident.tar.gz", "came in a bundle")])
def test_an_imported_log_is_not_gone_on_with(tmp_path: Path, bundle: str, advice: str) -> None:
    log = LOG.model_copy(update={"imported": bundle})
    tracker = Tracker(Settings(broker=BrokerSettings(data=tmp_path)), "", Bus("nats://127.0.0.1:1"), log)
    with audited(tmp_path, audit=True), pytest.raises(UsageError) as refused:
        tracker.must_work()
    assert advice in refused.value.hint
