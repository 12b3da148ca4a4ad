"""A maker of snapshots that never comes to its end: it says that it began, and waits to be killed."""

import sys
import threading
from pathlib import Path

if __name__ == "__main__":
    Path(sys.argv[2]).with_name("begun").write_text("", "utf-8")
    threading.Event().wait()
