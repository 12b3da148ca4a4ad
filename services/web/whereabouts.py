"""Where the page of a running tracker is: told in a file beside the service's data, for people and tests to find."""

from pathlib import Path

PORT = "port"
"""Among the folds of the page's process: why it has no port to serve at, as long as it has none."""
_FILE = Path("web") / "address"


def tell(data: Path, url: str) -> None:
    """Write it down below the tracker's data; `withdraw` it when the page ends."""
    file = data / _FILE
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{url}\n", "utf-8")


def withdraw(data: Path, url: str) -> None:
    """Take it away, unless another page of this tracker was told since."""
    if found(data) == url:
        (data / _FILE).unlink(missing_ok=True)


def found(data: Path) -> str:
    """The page's URL, "" while there is none."""
    try:
        return (data / _FILE).read_text("utf-8").strip()
    except OSError:
        return ""
