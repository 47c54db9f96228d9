"""JSON schemas: checked, and as providers want them."""

import json
from collections.abc import Iterator
from typing import Any

from bethink.errors import UsageError
from bethink.models.base import Schema

_NAMING = ("properties", "$defs", "definitions")
"""Where schemas have names that their author chose."""
_VALUES = ("enum", "const", "examples", "default")
"""Where there are no schemas."""
_SAYING = ("type", "anyOf", "enum", "const")
"""One of these must be there, or a schema says nothing."""
_DROPPED = ("default", "discriminator")
_UNSAYABLE = (
    "allOf",
    "not",
    "if",
    "dependentRequired",
    "dependentSchemas",
    "patternProperties",
    "prefixItems",
)
"""What strict schemas have no words for."""


class _Open(Exception):
    """The schema cannot be closed."""


def plain(schema: Any) -> dict[str, Any]:
    """A schema as a dictionary of its own, if all that it points at is in it."""
    try:
        copy = json.loads(json.dumps(schema, default=dict))
    except (TypeError, ValueError, RecursionError):
        copy = None
    if not isinstance(copy, dict):
        raise UsageError(f"{schema!r} is no schema: give a JSON schema as a dictionary.")
    for ref in _refs(copy):
        if ref.startswith("#/") and target(ref, copy) is None:
            raise UsageError(f"The schema points at {ref}, which is not in it.")
    return copy


def target(ref: str, root: dict[str, Any]) -> dict[str, Any] | None:
    """What a reference points at; None if that is not in the schema."""
    found: Any = root
    if ref != "#" and not ref.startswith("#/"):
        return None
    for step in ref.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(found, list) and name.isdecimal() and int(name) < len(found):
            found = found[int(name)]
        else:
            found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else None


def _refs(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for part in node:
            yield from _refs(part)
    if not isinstance(node, dict):
        return
    if isinstance(node.get("$ref"), str):
        yield node["$ref"]
    for name, part in node.items():
        named = name in _NAMING and isinstance(part, dict)
        if name not in _VALUES:
            yield from _refs(list(part.values()) if named else part)


def closed(schema: Schema) -> dict[str, Any] | None:
    """The schema with every object holding just what it names, all of it required.

    None if that cannot be said: an object is open by design, such as a dictionary with any keys,
    something may be anything, or the whole is no object.
    """
    root = plain(schema)
    try:
        made = _closed(root, root, ())
    except _Open:
        return None
    return made if made.get("type") == "object" else None


def _closed(node: Any, root: dict[str, Any], within: tuple[str, ...]) -> dict[str, Any]:
    """A part of a schema, closed. `within` has the references that it was reached by."""
    if not isinstance(node, dict):
        raise _Open
    made = _simple(node)
    if "$ref" in made:
        return _pointed(made, root, within)
    if not any(key in made for key in _SAYING) or any(key in made for key in _UNSAYABLE):
        raise _Open
    _close_object(made)
    for key in _NAMING:
        if key in made:
            made[key] = {name: _closed(part, root, within) for name, part in made[key].items()}
    if "anyOf" in made:
        made["anyOf"] = [_closed(part, root, within) for part in made["anyOf"]]
    if "items" in made or "array" in _types(made):
        made["items"] = _closed(made.get("items"), root, within)
    return made


def _simple(node: dict[str, Any]) -> dict[str, Any]:
    """The same in fewer words: a choice is `anyOf`, and what is all of one thing is that thing."""
    made = {key: part for key, part in node.items() if key not in _DROPPED}
    if len(made.get("allOf", ())) == 1 and isinstance(made["allOf"][0], dict):
        [only] = made.pop("allOf")
        if set(only) & set(made) - {"title", "description"}:
            raise _Open
        made = {**only, **made}
    if "oneOf" in made:
        if "anyOf" in made:
            raise _Open
        made["anyOf"] = made.pop("oneOf")
    if "properties" in made:
        made.setdefault("type", "object")
    return made


def _pointed(node: dict[str, Any], root: dict[str, Any], within: tuple[str, ...]) -> dict[str, Any]:
    """A reference stands alone. Where it does not, what it points at takes its place."""
    ref = node.pop("$ref")
    found = target(ref, root)
    if found is None:
        raise _Open
    if not node or ref in within:
        return {"$ref": ref}
    return _closed({**found, **node}, root, (*within, ref))


def _close_object(node: dict[str, Any]) -> None:
    if "object" not in _types(node):
        return
    if "properties" not in node or node.get("additionalProperties", False) is not False:
        raise _Open
    node["additionalProperties"] = False
    node["required"] = list(node["properties"])


def _types(node: dict[str, Any]) -> list[str]:
    kinds = node.get("type", [])
    return kinds if isinstance(kinds, list) else [kinds]
