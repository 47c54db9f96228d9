"""Extras are independent of each other, and of the rest."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import bethink
from bethink.errors import MissingExtra
from bethink.models import structured
from bethink.models.url import PROVIDERS, open_embedder, open_llm, open_reranker
from bethink.models.vectors import unit

ROOT = Path(__file__).parent.parent.parent
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
PACKAGES = {"anthropic", "cohere", "jsonschema", "model2vec", "ollama", "openai", "pydantic",
            "sentence_transformers", "stamina", "voyageai", "wordllama", "aiohttp", "httpx",
            "httpx2"}  # fmt: skip
CLIENTS = {"anthropic", "cohere", "ollama", "openai", "voyageai", "model2vec", "wordllama"}
OPENS = {"text": open_llm, "embeddings": open_embedder, "reranking": open_reranker}


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_coming_in_imports_no_provider():
    code = f"import bethink, bethink.models.url, sys; print(sorted({PACKAGES} & set(sys.modules)))"
    assert run(code) == "[]"


def test_opening_models_imports_no_client_until_they_are_used():
    code = f"""
import sys
from bethink.models.url import PROVIDERS, open_embedder, open_llm, open_reranker
opens = {{"text": open_llm, "embeddings": open_embedder, "reranking": open_reranker}}
for provider in PROVIDERS.values():
    for job in provider.models:
        opens[job](f"{{provider.name}}:m", **({{"api_key": "k"}} if provider.variables else {{}}))
print(sorted({PACKAGES} & set(sys.modules)))
"""
    assert run(code) == "[]"


BLOCKED = """
import sys
from importlib.abc import MetaPathFinder

class Blocked(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in {blocked}:
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, Blocked())
import importlib.util
found = importlib.util.find_spec
def find_spec(name, package=None):
    return None if name.partition(".")[0] in {blocked} else found(name, package)
importlib.util.find_spec = find_spec
"""


@pytest.mark.parametrize("provider", ["anthropic", "openai", "ollama", "voyage", "cohere"])
def test_a_provider_works_where_no_other_is_installed(provider):
    blocked = CLIENTS - {PROVIDERS[provider].packages[0]}
    code = (
        BLOCKED.format(blocked=blocked)
        + f"""
from bethink.testing.providers import ProviderServer
from bethink.models.url import PROVIDERS, open_embedder, open_llm
with ProviderServer(dimension=8) as server:
    settings = dict(api_key="key-for-tests", base_url=server.url({provider!r}))
    provider = PROVIDERS[{provider!r}]
    if "text" in provider.classes:
        with open_llm("{provider}:m", **settings) as llm:
            assert llm("hello") == "hello"
    if "embeddings" in provider.classes:
        with open_embedder("{provider}:m", **settings) as embedder:
            assert embedder.embed(["a"]).shape == (1, 8)
print("fine")
"""
    )
    assert run(code) == "fine"


@pytest.mark.parametrize(
    ("provider", "missing"),
    [
        pytest.param(provider, package, id=f"{provider.name}-{package}")
        for provider in PROVIDERS.values()
        if provider.extra
        for package in provider.packages
    ],
)
def test_a_missing_package_is_missed_with_the_command(provider, missing, tmp_path):
    job = next(iter(provider.classes))
    settings = {"api_key": "key-for-tests"} if provider.variables else {}
    code = (
        BLOCKED.format(blocked={missing})
        + f"""
from bethink.errors import MissingExtra
from bethink.models.url import PROVIDERS
try:
    PROVIDERS[{provider.name!r}].open({job!r}, {str(tmp_path)!r}, {settings!r})
except MissingExtra as error:
    print(error)
"""
    )
    said = run(code)
    assert said == f"{missing} is not installed. To use it: pip install 'bethink[{provider.extra}]'"
    assert provider.extra in EXTRAS


def test_every_extra_names_what_its_provider_imports():
    distributions = {"voyageai": "voyageai", "sentence_transformers": "sentence-transformers"}
    for provider in PROVIDERS.values():
        for package in provider.packages if provider.extra else ():
            wanted = distributions.get(package, package)
            assert any(line.startswith(wanted) for line in EXTRAS[provider.extra])


def test_no_module_imports_a_provider_when_it_is_imported():
    for path in Path(bethink.__file__).parent.joinpath("models").glob("*.py"):
        for node in ast.parse(path.read_text()).body:
            names = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
            assert not {name.partition(".")[0] for name in names} & PACKAGES, path


def test_structured_answers_miss_their_package_too(monkeypatch):
    monkeypatch.setattr("bethink.models.extras.find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"pip install 'bethink\[structured\]'"):
        structured.ask(lambda _: "{}", "?", {"type": "object"})


def test_rows_without_direction_are_given_one():
    assert unit([[0, 0], [3, 4]]).tolist() == [
        pytest.approx([0.5**0.5, 0.5**0.5]),
        pytest.approx([0.6, 0.8]),
    ]
