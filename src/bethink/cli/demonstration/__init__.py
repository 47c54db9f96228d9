"""What `bethink demo` shows: each step does one thing with a real file and prints what came out."""

from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from bethink import LocalEmbedder, Memory
from bethink.cli.demonstration import finding, kinds
from bethink.cli.demonstration.cost import count_the_cost
from bethink.cli.demonstration.stage import Stage

NEXT = """\
from bethink import Memory

john = Memory("agent.db").for_user("john")
john.learn("Supports Arsenal")
john.factual.set_fact("home city", "Berlin")
print(john.get_relevant_context("which football team does he like?"))"""
COMMANDS = """\
bethink add "Supports Arsenal" --user john
bethink search "which football team?" --user john
bethink facts set "home city" Berlin --user john
bethink --help"""


def demonstrate(console: Console, *, pause: float) -> None:
    """Run every step in a temporary file, which is gone afterwards."""
    embedder = LocalEmbedder()
    with TemporaryDirectory(prefix="bethink-") as directory:
        stage = Stage(console, Path(directory) / "agent.db", pause=pause)
        for steps in ([*finding.STEPS, *kinds.STEPS], kinds.AFTER_A_RESTART):
            with Memory(stage.path, embedder=embedder) as memory:
                for step in steps:
                    step(stage, memory)
                    stage.pause()
        count_the_cost(stage, embedder)
    stage.pause()
    _next(stage)


def _next(stage: Stage) -> None:
    stage.heading("Your turn")
    stage.say("In Python:")
    stage.code(NEXT)
    stage.say("In a shell:")
    stage.code(COMMANDS)
