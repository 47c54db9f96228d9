from contextlib import closing

import click

from bethink.check import check
from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.phrases import count
from bethink.cli.screen import print_error, print_json, print_line
from bethink.stores.url import without_password


@click.command(
    cls=Command,
    examples=["bethink check", "bethink check agent.db", "bethink check agent.db --json"],
)
@click.argument("file", required=False)
@options.store
@options.as_json
@pass_setup
def command(setup: Setup, *, file: str | None, store: str, as_json: bool) -> None:
    """Check that a file agrees with itself.

    Looks at the database, and at every memory's words and vectors. Ends with 1 if something is
    wrong. FILE is another way to say --store FILE.
    """
    with closing(setup.store(file or store)) as opened:
        problems = check(opened)
        users = len(opened.users())
    name = without_password(file or store)
    if as_json:
        print_json({"store": name, "ok": not problems, "problems": problems})
    elif not problems:
        print_line(f"{name}: all agrees ({count(users, 'user', 'users')}).", style="green")
    else:
        for problem in problems:
            print_error(problem)
    if problems:
        raise click.exceptions.Exit(1)
