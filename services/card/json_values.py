"""What holds for JSON values whatever they mean: strict equality, lone surrogates."""

import json
import re
from typing import Any

LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def same(one: Any, other: Any) -> bool:  # noqa: ANN401 — any JSON values
    """Whether two values are the same document; `1`, `1.0` and `true` are three."""
    return one == other and json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
