"""What the server says is kept, the last of it, in no more room than twice the bound."""

from pathlib import Path

from cardtrail.services.bus.server_log import keep


def test_however_much_is_said_two_files_hold_the_last_of_it(tmp_path: Path) -> None:
    file, most = tmp_path / "nats.log", 1_000
    said = [f"line {number}\n" for number in range(5_000)]
    for line in said:
        keep(file, line, most)
    kept = (tmp_path / "nats.log.1").read_text() + file.read_text()
    assert "".join(said).endswith(kept)
    assert most <= len(kept) <= 2 * (most + len(said[-1]))
    assert len(list(tmp_path.iterdir())) == 2


def test_a_folder_that_takes_nothing_ends_nobody(tmp_path: Path) -> None:
    keep(tmp_path / "gone" / "nats.log", "a line\n")
    assert list(tmp_path.iterdir()) == []
