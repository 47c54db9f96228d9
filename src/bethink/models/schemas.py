"""JSON schemas as providers want them."""

import json
from typing import Any

from bethink.models.base import Schema

_NAMING = ("properties", "$defs", "definitions")
"""Where schemas have names that their author chose."""
_VALUES = ("enum", "const", "examples")
"""Where there are no schemas."""


def closed(schema: Schema) -> dict[str, Any] | None:
    """The schema with every object holding just what it names, all of it required.

    None if an object is open by design, such as a dictionary with any keys.
    """
    copy: dict[str, Any] = json.loads(json.dumps(schema))
    return copy if _close(copy) else None


def _close(node: Any) -> bool:
    if isinstance(node, list):
        return all(map(_close, node))
    if not isinstance(node, dict):
        return True
    if node.get("type") == "object":
        if "properties" not in node or node.get("additionalProperties"):
            return False
        node["additionalProperties"] = False
        node["required"] = list(node["properties"])
    node.pop("default", None)
    named = [part for name in _NAMING for part in node.get(name, {}).values()]
    others = [part for name, part in node.items() if name not in _NAMING and name not in _VALUES]
    return all(map(_close, [*named, *others]))
