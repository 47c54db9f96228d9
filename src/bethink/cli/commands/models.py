import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import click
from rich.text import Text

from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.screen import out, print_error, print_json, print_line, working
from bethink.cli.tables import table
from bethink.errors import BethinkError, ModelError, ModelRefused, UsageError
from bethink.models.url import JOBS, PROVIDERS, Job, Provider, provider_of

_TEXT = "The capital of France is Paris."
_APART = 0.1
_NOT_HERE = ", or pass one as api_key"
"""Advice for programs, which nobody can follow in a shell."""
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
@click.argument("words", nargs=-1, metavar="[test NAME]")
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
    *, words: tuple[str, ...], job: Job | None, base_url: str | None, as_json: bool
) -> None:
    """List providers of models, or try one.

    A key is read from the provider's usual variable, and never shown. What is
    tried is one short request for each thing that the provider offers, or for
    what the model's name suggests.
    """
    if words:
        _test(_name(words), job, _address(base_url), as_json=as_json)
        return
    if job or base_url:
        raise _misused("--as and --base-url are for trying a model: say test and its name.")
    _list(as_json=as_json)


def _name(words: Sequence[str]) -> str:
    """What to try, which comes after the word for it."""
    action, *names = words
    if action != "test":
        raise _misused(f"{action!r} is not 'test': say test and a name, or nothing.")
    if not names:
        raise _misused(
            "Which one? Give a provider, such as voyage, or a model, such as openai:gpt-5-mini."
        )
    if len(names) > 1:
        raise _misused(f"One at a time: {', '.join(names)} are {len(names)}.")
    return names[0]


def _address(base_url: str | None) -> dict[str, Any]:
    if base_url is None:
        return {}
    try:
        parts = urlsplit(base_url)
        usable = bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if not usable or parts.scheme not in {"http", "https"}:
        raise _misused(f"{base_url} is no address: give one such as http://localhost:8000/v1.")
    return {"base_url": base_url}


def _misused(problem: str) -> click.UsageError:
    return click.UsageError(problem, click.get_current_context())


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
    if settings and not provider.remote:
        raise UsageError(f"{provider.name} runs on this machine: it has no --base-url.")
    said: set[str] = set()
    failed = False
    for jobs in _jobs(provider, model, job):
        result = _first(provider, model, jobs, settings)
        failed |= "error" in result
        if as_json:
            print_json(result)
        elif "error" not in result:
            print_line(_sentence(result))
        elif result["error"] not in said:
            _complain(provider, result)
            said.add(result["error"])
    if failed:
        raise click.exceptions.Exit(1)


def _complain(provider: Provider, result: dict[str, Any]) -> None:
    """What went wrong, after whom it went wrong with, unless it says that by itself."""
    named = result["error"].startswith(provider.name)
    print_error(result["error"] if named else f"{result['model']}: {result['error']}")


def _jobs(provider: Provider, model: str, job: Job | None) -> Sequence[Sequence[Job]]:
    """What to try it as: what was said, what the name suggests, or all that there is.

    Of several in one place, the first that the model does not refuse is meant.
    """
    if job is not None:
        return [[job]]
    if not model:
        if not provider.models:
            raise UsageError(f"Which model? Give its directory: {provider.name}:/path/of/a/model.")
        return [[one] for one in provider.models]
    hints: tuple[tuple[str, Job], ...] = (("rerank", "reranking"), ("embed", "embeddings"))
    for part, meant in hints:
        if part in model.lower() and meant in provider.classes:
            return [[meant]]
    return [list(provider.classes)]


def _first(
    provider: Provider, model: str, jobs: Sequence[Job], settings: dict[str, Any]
) -> dict[str, Any]:
    """The first success, or the first failure that is no refusal; else the first refusal."""
    refusals = []
    for job in jobs:
        called = f"{provider.name}:{model or provider.models.get(job, '')}".removesuffix(":")
        result: dict[str, Any] = {"model": called, "as": job}
        try:
            with working(f"Trying {called}"):
                return result | _tried(provider, job, called, settings)
        except ModelRefused as error:
            refusals.append(result | {"error": str(error)})
        except BethinkError as error:
            return result | {"error": str(error).replace(_NOT_HERE, "")}
    return refusals[0]


def _tried(provider: Provider, job: Job, called: str, settings: dict[str, Any]) -> dict[str, Any]:
    opened = provider.open(job, called.partition(":")[2], settings | _once(provider))
    getattr(opened, "prepare", dict)()  # importing a client is no part of how fast it is
    began = time.perf_counter()
    return _use(job, opened) | {"seconds": round(time.perf_counter() - began, 3)}


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
        return {"scores": _told_apart(model.score(_QUERY, [_TEXT, "Cats like milk."]))}
    return {"dimension": int(model.embed([_TEXT]).shape[1])}


def _told_apart(scores: list[float]) -> list[float]:
    """Scores as a reranker gives them. Other models give some as well, which mean nothing."""
    right, wrong = scores
    if right - wrong < _APART:
        raise ModelError(
            "It does not tell the right text from a wrong one: this is no model for reranking."
        )
    return scores


def _sentence(result: dict[str, Any]) -> str:
    about = {
        "text": lambda: f"answered {result['answer'][:60]!r}",
        "embeddings": lambda: f"gave a vector of {result['dimension']:,} numbers",
        "reranking": lambda: (
            f"gave scores from {min(result['scores']):.2f} to {max(result['scores']):.2f}"
        ),
    }[result["as"]]()
    return f"{result['model']} {about} in {result['seconds']:.2f} s."
