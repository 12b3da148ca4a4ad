"""Makes one snapshot of the archive, as a child: the copy with its views, and the sites of all hosts in it.

`python -m cardtrail.services.snapshots SOURCE TARGET`.
"""

import sys
from pathlib import Path

from cardtrail.projections.store_snapshot import copy
from cardtrail.services.verdict.site import site

if __name__ == "__main__":
    copy(Path(sys.argv[1]), Path(sys.argv[2]), site)
