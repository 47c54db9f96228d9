"""Examples that fit a schema."""

import pytest

from bethink.testing.providers.schemas import example, misfit


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string"}, "text"),
        ({"type": "string", "minLength": 6}, "textxx"),
        ({"type": "string", "maxLength": 2}, "te"),
        ({"type": "string", "format": "date"}, "2024-05-17"),
        ({"type": "integer"}, 0),
        ({"type": "integer", "minimum": 3}, 3),
        ({"type": "number", "exclusiveMinimum": 3}, 4),
        ({"type": "boolean"}, False),
        ({"type": "null"}, None),
        ({"type": ["integer", "null"]}, 0),
        ({"enum": ["green", "black"]}, "green"),
        ({"const": 7}, 7),
        ({"type": "integer", "default": 7}, 7),
        ({"type": "array", "items": {"type": "integer"}}, []),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 2}, [0, 0]),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, 0),
        ({"type": "object", "properties": {"a": {}, "b": {}}, "required": ["b"]}, {"b": "text"}),
        ({"$ref": "#/$defs/Cup", "$defs": {"Cup": {"type": "boolean"}}}, False),
    ],
)
def test_an_example_fits_its_schema(schema, value):
    assert example(schema) == value


def test_a_schema_that_contains_itself_has_an_example():
    node = {
        "type": "object",
        "properties": {"next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]}},
        "required": ["next"],
    }
    assert example({"$ref": "#/$defs/Node", "$defs": {"Node": node}}) == {"next": None}


@pytest.mark.parametrize("kind", ["object", "array", "string", "integer"])
def test_a_misfit_is_of_another_type(kind):
    types = {"object": dict, "array": list, "string": str, "integer": int}
    assert not isinstance(misfit({"type": kind}), types[kind])
