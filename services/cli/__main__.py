"""`python -m cardtrail.services.cli`: the same program, for child processes that must not depend on PATH."""

from cardtrail.services.cli.main import main

main()
