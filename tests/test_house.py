"""How the house is laid out: who may import whom, what is public, what it costs to come in."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bethink

SOURCE = Path(bethink.__file__).parent

PURE = {"errors", "ids", "times", "types", "text", "validate", "when"}
ALLOWED = {
    "errors": set(),
    "forks": set(),
    "ids": {"forks"},
    "types": set(),
    "text": {"types"},
    "times": {"errors"},
    "validate": {"errors", "times", "types"},
    "when": {"when", "errors", "times"},
    "stores": {"stores", "errors", "forks", "times", "types"},
    "models": {"models", "errors", "types", "wire"},
    "index": {"index", "stores.base", *PURE},
    "recall": {"recall", "index", "when", *PURE},
    "bench": {"bench", "learn", "memory", "models.tokens", *PURE},
    "entries": {"models.base", "stores.base", *PURE},
    "portable": PURE,
    "proposals": {"index.user", "models.base", "recall.plan", "stores.base", *PURE},
    "wire": PURE,
    "items": {"entries", "learn.suspicion", "models.base", *PURE},
    "worker": {"forks"},
    "later": {"entries", "models.base", "stores.base", "worker", *PURE},
    "uses": {"stores.base", *PURE},
    "check": {"entries", "stores.base", *PURE},
    "copying": {"memory", "models.base", "stores.base", *PURE},
    "reembed": {"entries", "models.base", "stores.base", *PURE},
    "rerank": {"models.base", "recall.factors", *PURE},
    "finding": {"index.user", "models.base", "recall", "records", "rerank", *PURE},
    "contexts": {
        "finding", "index.user", "kinds", "learn.repeats", "memory", "models.tokens", "recall.pack", "recall.quote", *PURE,
    },
    "records": {
        "entries", "finding", "forks", "index", "later", "models.base", "models.scale", "proposals", "recall.plan", "rerank", "stores.base",
        "uses",
        *PURE,
    },
    "hearing": {"kinds.messages", "wire", *PURE},
    "backlog": {"worker", *PURE},
    "settling": {"index.user", "learn", "models.base", "records", "tidy", *PURE},
    "learning": {
        "backlog", "entries", "finding", "hearing", "index.user", "kinds.messages", "learn", "models.base", "records",
        "settling", *PURE,
    },
    "memory": {
        "contexts", "entries", "finding", "hearing", "index.user", "items", "learn.consolidate", "learning",
        "models.base", "models.function", "models.url", "portable", "portrait", "recall", "records", "rerank",
        "stores.base", "stores.url", "system", "tidy", *PURE,
    },
    "learn": {
        "learn", "models.base", "models.plain", "models.reading", "models.structured", "recall.pack", "recall.quote",
        "when", *PURE,
    },
    "kinds": {
        "kinds", "entries", "finding", "index.user", "items", "learn", "memory", "models.base", "models.plain",
        "models.tokens", "recall.pack", "recall.quote", "records", "wire", *PURE,
    },
    "portrait": {
        "contexts", "index.user", "kinds", "learn.consolidate", "memory", "models.tokens", "recall.pack", *PURE,
    },
    "prompt": {"portrait", "contexts", "index.user", "kinds", "models.tokens", "recall.pack", "system", *PURE},
    "tidy": {"index.user", "learn.alike", "learn.consolidate", "learn.repeats", "records", "stores.base", *PURE},
    "system": {
        "hearing", "kinds", "learn.consolidate", "learning", "memory", "models.tokens", "prompt", "recall", "tidy", *PURE,
    },
    "aio": {
        "forks", "kinds", "learn.condense", "memory", "models.base", "models.function", "models.tokens", "prompt",
        "recall.pack", "stores.base", "system", *PURE,
    },
    "testing": {"testing", "check", "models.ask", "models.base", "stores.base", "stores.ram", *PURE},
}  # fmt: skip


def imports(path):
    """The modules of ours that a file imports, without the package's name."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            if node.module == "bethink":
                yield from (alias.name for alias in node.names)
            elif node.module.startswith("bethink."):
                yield node.module.removeprefix("bethink.")
        elif isinstance(node, ast.Import):
            yield from (
                alias.name.removeprefix("bethink.")
                for alias in node.names
                if alias.name.startswith("bethink.")
            )


def modules(room):
    return (
        [SOURCE / f"{room}.py"]
        if (SOURCE / f"{room}.py").exists()
        else (SOURCE / room).rglob("*.py")
    )


@pytest.mark.parametrize("room", ALLOWED)
def test_imports_go_downward_only(room):
    for path in modules(room):
        for name in imports(path):
            fits = any(name == ok or name.startswith(f"{ok}.") for ok in ALLOWED[room])
            assert fits, f"{path.relative_to(SOURCE)} imports {name}"


def test_every_room_has_its_rule():
    rooms = {
        path.name.removesuffix(".py") for path in SOURCE.iterdir() if not path.name.startswith("_")
    }
    assert rooms - {"py.typed", "cli"} == set(ALLOWED)


def test_the_public_names_are_sorted_and_these():
    # All capitals come first, as the linter has it.
    assert bethink.__all__ == sorted(bethink.__all__, key=lambda name: (not name.isupper(), name))
    assert all(hasattr(bethink, name) for name in bethink.__all__)


@pytest.mark.parametrize("name", ["Merge", "Decay", "Pruning", "Restored", "LLM", "Reranker"])
def test_what_public_signatures_name_is_public(name):
    assert name in bethink.__all__


def test_coming_in_loads_no_model_no_event_loop_and_no_screen():
    heavy = ["onnxruntime", "tokenizers", "rich", "click", "asyncio", "pytest", "hypothesis"]
    code = f"import bethink, sys; print([m for m in {heavy} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_no_file_says_where_it_was_written():
    """No paths of anyone's machine and no keys in what is shipped."""
    for path in SOURCE.rglob("*.py"):
        text = path.read_text()
        assert "/home/" not in text
        assert not re.search(r"""api_key=["']""", text)
