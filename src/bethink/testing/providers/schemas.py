"""JSON schemas: a value that fits, a value that does not, and how strict they are."""

from collections.abc import Iterator
from typing import Any, TypeAlias

Schema: TypeAlias = dict[str, Any]

_FORMATS = {
    "date": "2024-05-17",
    "date-time": "2024-05-17T12:00:00Z",
    "time": "12:00:00Z",
    "email": "ann@example.com",
    "uri": "https://example.com",
    "uuid": "00000000-0000-4000-8000-000000000000",
}
_GIVEN = ("const", "default")
_CHOICES = ("anyOf", "oneOf", "allOf")
_REFUSED = ("oneOf", "allOf", "not", "if", "dependentRequired", "dependentSchemas")
_SAYING = ("type", "anyOf", "enum", "const", "$ref", *_REFUSED)


def example(schema: Schema) -> Any:
    """A small value that fits the schema: the same for the same schema. Patterns are not heeded."""
    return _example(schema, schema)


def _example(schema: Schema, root: Schema) -> Any:
    if "$ref" in schema:
        return _example(_target(schema["$ref"], root), root)
    if given := [*schema.get("enum", ()), *(schema[key] for key in _GIVEN if key in schema)]:
        return given[0]
    if choices := [one for key in _CHOICES for one in schema.get(key, ())]:
        return _example(_simplest(choices), root)
    if _type(schema) == "object":
        properties = schema.get("properties", {})
        wanted = schema.get("required", ())
        return {name: _example(properties.get(name, {}), root) for name in wanted}
    if _type(schema) == "array":
        return [_example(schema.get("items", {}), root) for _ in range(schema.get("minItems", 0))]
    return _scalar(schema)


def _target(ref: str, root: Schema) -> Any:
    found: Any = root
    for name in ref.removeprefix("#").split("/")[1:]:
        found = found[name]
    return found


def _simplest(schemas: list[Schema]) -> Schema:
    """Nothing, where that is allowed, and no reference if possible: a schema may contain itself."""
    return min(schemas, key=lambda one: (one.get("type") != "null", "$ref" in one))


def _type(schema: Schema) -> str:
    kind = schema.get("type", "object" if "properties" in schema else "string")
    return str(kind[0] if isinstance(kind, list) else kind)


def _scalar(schema: Schema) -> Any:
    match _type(schema):
        case "null":
            return None
        case "boolean":
            return False
        case "integer" | "number":
            return schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1)
    text = _FORMATS.get(schema.get("format", ""), "text").ljust(schema.get("minLength", 0), "x")
    return text[: schema.get("maxLength")]


def misfit(schema: Schema) -> Any:
    """A value that does not fit, of another type than the schema's."""
    return ["unexpected"] if _type(schema) == "object" else {"unexpected": True}


def unsayable(schema: Schema) -> Iterator[tuple[str, str]]:
    """What OpenAI refuses in a strict schema, beside loose objects, each with its place."""
    for place, part in _parts(schema, ""):
        others = sorted(set(part) - {"$ref"})
        if "$ref" in part and others:
            yield place, f"$ref cannot have keywords {{{', '.join(map(repr, others))}}}"
        for name in _REFUSED:
            if name in part:
                yield place, f"'{name}' is not permitted"
        if not any(name in part for name in _SAYING):
            yield place, "schema must have a 'type' key"
        if part.get("type") == "array" and "items" not in part:
            yield place, "array schema missing items"


def loose_objects(schema: Schema) -> Iterator[tuple[str, Schema]]:
    """The objects in a schema that allow what they do not name, each with its place."""
    for place, part in _objects(schema, ""):
        if part.get("additionalProperties") is not False:
            yield place, part


def optional_fields(schema: Schema) -> Iterator[tuple[str, str]]:
    """The fields in a schema's objects that may be left out, each with its place."""
    for place, part in _objects(schema, ""):
        for name in part.get("properties", {}):
            if name not in part.get("required", ()):
                yield place, name


def _objects(schema: Any, place: str) -> Iterator[tuple[str, Schema]]:
    for where, part in _parts(schema, place):
        kinds = part.get("type")
        if "object" in (kinds if isinstance(kinds, list) else [kinds]):
            yield where, part


def _parts(schema: Any, place: str) -> Iterator[tuple[str, Schema]]:
    if isinstance(schema, list):
        for at, part in enumerate(schema):
            yield from _parts(part, f"{place}/{at}")
    if not isinstance(schema, dict):
        return
    yield place, schema
    for key in ("items", *_CHOICES):
        yield from _parts(schema.get(key), f"{place}/{key}")
    for key in ("properties", "$defs", "definitions"):
        for name, part in schema.get(key, {}).items():
            yield from _parts(part, f"{place}/{key}/{name}")
