"""A maker of snapshots that is ended by an assertion of a library, as DuckDB may do."""

import os
import sys
from pathlib import Path

if __name__ == "__main__":
    Path(sys.argv[2]).with_name("growing-half").write_bytes(b"half")
    os.abort()
