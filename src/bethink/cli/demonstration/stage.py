"""Where the demonstration takes place."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bethink import Memory

USER = "john"


class Stage:
    """Where the demonstration takes place: a console, a file, and time to read."""

    def __init__(self, console: Console, path: Path, *, pause: float) -> None:
        self.path = path
        self._console = console
        self._pause = pause
        self._steps = 0
        self._after_table = False

    def heading(self, title: str) -> None:
        self._steps += 1
        self._after_table = False
        self._console.print()
        title = f"{self._steps}  {title}"
        self._console.rule(Text(title, style="bold"), align="left", style="dim")
        self._console.print()

    def say(self, what: RenderableType) -> None:
        if self._after_table:
            self._console.print()
            self._after_table = False
        self._console.print(what)

    def code(self, lines: str, style: str = "cyan") -> None:
        self.say(Padding(Text(lines, style=style), (0, 0, 0, 2), expand=False))

    def quote(self, text: str) -> None:
        """Text as it comes, such as a prompt."""
        self._below(Text(text))

    def show(self, what: Table) -> None:
        self._below(what)

    def _below(self, what: RenderableType) -> None:
        self._console.print(Padding(what, (1, 0, 0, 2), expand=False))
        self._after_table = True

    def pause(self) -> None:
        time.sleep(self._pause)


Step: TypeAlias = Callable[[Stage, Memory], None]
"""Does one thing with a real file and prints what came out."""
