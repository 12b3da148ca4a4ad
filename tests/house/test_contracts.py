"""Who may import whom: layers by import-linter, one owner for each library that must not spread."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.tree import ROOT, modules

OWNERS = {
    "duckdb": ("projections/store",),
    "faststream": ("services/bus/", "/app.py"),
    "httpcore": ("services/outbound/",),
    "httpx": ("services/outbound/",),
    "httpx_sse": ("services/outbound/",),
    "oauthlib": ("services/outbound/",),
    "h11": ("services/outbound/", "services/web/server.py"),  # the way in has its server there
    "jwcrypto": ("services/card/verify.py", "services/card/sign.py", "services/card/keys.py"),
    "nanoarrow": ("projections/store",),
    "nats": ("services/bus/", "/app.py"),
    "opentelemetry": ("services/bus/tracing.py",),
    "prometheus_client": ("services/bus/metering.py", "services/web/metrics.py"),
    "rfc8785": ("events/canonical.py",),
    "tldextract": ("services/verdict/",),
}
WITH_APP = sorted(path.removesuffix("/app.py") for path in modules() if path.endswith("/app.py"))


def imported(tree: ast.Module) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


@pytest.mark.parametrize("library", sorted(OWNERS))
def test_a_guarded_library_is_imported_only_by_its_owner(library: str) -> None:
    strangers = [
        path
        for path, tree in modules().items()
        if any(name.split(".")[0] == library for name in imported(tree))
        and not any(
            path.startswith(owner) or (owner.startswith("/") and path.endswith(owner)) for owner in OWNERS[library]
        )
    ]
    assert strangers == []


def test_folders_with_an_app_do_not_import_each_other() -> None:
    crossing = [
        f"{path} → {name}"
        for path, tree in modules().items()
        for name in imported(tree)
        for room in WITH_APP
        if name.startswith(f"cardtrail.{room.replace('/', '.')}")
        and not path.startswith((f"{room}/", "services/cli/", "services/web/"))
    ]
    assert crossing == []


def test_services_stand_on_projections_and_projections_on_events() -> None:
    lint = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([lint], cwd=ROOT, capture_output=True, text=True, check=False)
    assert "1 kept, 0 broken" in done.stdout, done.stdout


def test_nothing_of_ours_is_imported_by_a_bare_name() -> None:
    bare = [
        f"{path} → {name}"
        for path, tree in modules().items()
        for name in imported(tree)
        if name.split(".")[0] in {"events", "projections", "services"}
    ]
    assert bare == []
    loaded = "import sys, cardtrail.services.settings; sys.exit('events' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", loaded], check=False).returncode == 0
