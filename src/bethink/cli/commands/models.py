import time
from collections.abc import Sequence
from typing import Any

import click
from rich.text import Text

from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.screen import out, print_error, print_json, print_line, working
from bethink.cli.tables import table
from bethink.errors import BethinkError, UsageError
from bethink.models.url import JOBS, PROVIDERS, Job, Provider, provider_of

_TEXT = "The capital of France is Paris."
_QUERY = "What is the capital of France?"


@click.command(
    cls=Command,
    examples=[
        "bethink models",
        "bethink models test voyage",
        "bethink models test openai:gpt-5-mini",
        "bethink models test onnx:/models/bge-small --json",
    ],
)
@click.argument("action", type=click.Choice(["test"]), required=False, metavar="[test")
@click.argument("name", required=False, metavar="NAME]")
@click.option(
    "--as",
    "job",
    type=click.Choice(JOBS),
    metavar="JOB",
    help="What to try it as: text, embeddings or reranking.",
)
@click.option("--base-url", metavar="URL", help="Where it is, if not at its usual address.")
@options.as_json
def command(
    *, action: str | None, name: str | None, job: Job | None, base_url: str | None, as_json: bool
) -> None:
    """List providers of models, or try one.

    A key is read from the provider's usual variable, and never shown. What is
    tried is one short request for each thing that the provider offers, or for
    what the model's name suggests.
    """
    if action is None:
        _list(as_json=as_json)
        return
    if name is None:
        raise click.UsageError(
            "Which one? Give a provider, such as voyage, or a model, such as openai:gpt-5-mini.",
            click.get_current_context(),
        )
    _test(name, job, {"base_url": base_url} if base_url else {}, as_json=as_json)


def _list(*, as_json: bool) -> None:
    if as_json:
        for provider in PROVIDERS.values():
            print_json(_facts(provider))
        return
    made = table("provider", "offers", "installed", "configured")
    for provider in PROVIDERS.values():
        made.add_row(
            Text(provider.name, style="bold"),
            ", ".join(provider.classes),
            _installed(provider),
            _configured(provider),
        )
    out().print(made)


def _facts(provider: Provider) -> dict[str, Any]:
    return {
        "provider": provider.name,
        "offers": list(provider.classes),
        "installed": provider.installed,
        "configured": provider.configured,
        "extra": provider.extra or None,
        "variables": list(provider.variables),
    }


def _installed(provider: Provider) -> Text:
    if provider.installed:
        return Text("yes", style="green")
    return Text(f"pip install 'bethink[{provider.extra}]'", style="dim")


def _configured(provider: Provider) -> Text:
    if not provider.variables:
        return Text("needs no key", style="green")
    if provider.configured:
        return Text("yes", style="green")
    return Text(f"set {provider.variables[0]}", style="dim")


def _test(name: str, job: Job | None, settings: dict[str, Any], *, as_json: bool) -> None:
    provider, model = provider_of(name)
    results = []
    for tried in _jobs(provider, model, job):
        called = f"{provider.name}:{model or provider.models.get(tried, '')}"
        with working(f"Trying {called}"):
            results.append(_tried(provider, tried, called, settings))
        if as_json:
            print_json(results[-1])
        elif "error" in results[-1]:
            print_error(f"{called}: {results[-1]['error']}")
        else:
            print_line(_sentence(results[-1]))
    if any("error" in result for result in results):
        raise click.exceptions.Exit(1)


def _jobs(provider: Provider, model: str, job: Job | None) -> Sequence[Job]:
    """What to try it as: what was said, what the name suggests, or all that there is."""
    if job is not None:
        return [job]
    if not model:
        if not provider.models:
            raise UsageError(f"Which model? Give its directory: {provider.name}:/path/of/a/model.")
        return list(provider.models)
    if len(provider.classes) == 1:
        return list(provider.classes)
    for part, meant in (("rerank", "reranking"), ("embed", "embeddings")):
        if part in model.lower() and meant in provider.classes:
            return [meant]  # type: ignore[list-item]
    return [next(iter(provider.classes))]


def _tried(provider: Provider, job: Job, called: str, settings: dict[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = {"model": called, "as": job}
    try:
        opened = provider.open(job, called.partition(":")[2], settings | _once(provider))
        getattr(opened, "prepare", dict)()  # importing a client is no part of how fast it is
        began = time.perf_counter()
        result |= _use(job, opened)
    except BethinkError as error:
        return result | {"error": str(error)}
    return result | {"seconds": round(time.perf_counter() - began, 3)}


def _once(provider: Provider) -> dict[str, Any]:
    """No second attempt: what went wrong is what is asked for."""
    if not provider.remote:
        return {}
    from bethink.models.policy import Policy  # noqa: PLC0415 (the list does without it)

    return {"policy": Policy(attempts=1)}


def _use(job: Job, model: Any) -> dict[str, Any]:
    if job == "text":
        return {"answer": model(_QUERY)}
    if job == "reranking":
        return {"scores": model.score(_QUERY, [_TEXT, "Cats like milk."])}
    return {"dimension": int(model.embed([_TEXT]).shape[1])}


def _sentence(result: dict[str, Any]) -> str:
    about = {
        "text": lambda: f"answered {result['answer'][:60]!r}",
        "embeddings": lambda: f"gave a vector of {result['dimension']:,} numbers",
        "reranking": lambda: (
            f"gave scores from {min(result['scores']):.2f} to {max(result['scores']):.2f}"
        ),
    }[result["as"]]()
    return f"{result['model']} {about} in {result['seconds']:.2f} s."
