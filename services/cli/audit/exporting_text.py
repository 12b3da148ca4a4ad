"""`export` for people and programs: what is in the bundle, and what is not."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cardtrail.services.bundle.manifest import Manifest
from cardtrail.services.cli.formats.words import counted
from cardtrail.services.cli.outputs.export import ExportOutput
from cardtrail.services.cli.shell.text import plain


def output(target: Path, manifest: Manifest) -> dict[str, Any]:
    """The document."""
    return ExportOutput(format="cardtrail.export/1", file=str(target), manifest=manifest).model_dump(mode="json")


def lines(target: Path, manifest: Manifest) -> Iterator[str]:
    """What was written, what was hidden or left out, whether a head proves it."""
    context = f" ({manifest.context} before it as context)" if manifest.context else ""
    holds = f"{counted(manifest.facts, 'fact')}{context}, {counted(manifest.bodies, 'body')}"
    yield f"{plain(target)}: {holds}, through fact {manifest.scope.through}"
    for member, number in manifest.redacted.items():
        yield f"  redacted   {member} in {counted(number, 'fact')}"
    for why, number in manifest.bodies_left_out.items():
        yield f"  left out   {counted(number, 'body')}: {why}"
    if not manifest.head:
        yield "  no signed head covers it: cardtrail seal, then export again, and others can verify it"
