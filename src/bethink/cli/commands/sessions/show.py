import json
from typing import cast

import click
from rich.table import Table
from rich.text import Text

from bethink import ConversationMemory, Memory, MemoryItem, Message, ToolCall
from bethink.cli import options
from bethink.cli.app import Command
from bethink.cli.opening import Setup, pass_setup
from bethink.cli.phrases import count, local_time, shortened, shown
from bethink.cli.screen import out, print_json, print_line, print_note
from bethink.cli.tables import lines
from bethink.errors import NotFound

_STYLES = {"user": "bold green", "assistant": "bold cyan", "system": "bold", "tool": "bold yellow"}


@click.command(
    cls=Command,
    examples=[
        "bethink sessions show monday --user john",
        "bethink sessions show monday --user john --json > monday.json",
    ],
)
@click.argument("session_id", metavar="ID")
@options.shared
@pass_setup
def command(setup: Setup, *, session_id: str, store: str, user: str, as_json: bool) -> None:
    """Read a conversation.

    Shows who said what and when, which tools were called, and the summary, if there is one. With
    --json it is what `ConversationMemory.import_from` takes.
    """
    with setup.memory(store) as memory:
        conversation = _conversation(memory, user, session_id)
        messages, exported = conversation.messages, conversation.export()
        summaries = memory.get_user_memories(
            user_id=user, kinds=["summary"], session_id=session_id, limit=1
        )
    if as_json:
        print_json(exported)
        return
    for summary in summaries:
        _print_summary(summary)
    if messages:
        out().print(_conversation_table(messages))
    else:
        print_note("Nothing was said in this session.")


def _conversation(memory: Memory, user: str, session_id: str) -> ConversationMemory:
    if all(session.id != session_id for session in memory.sessions(user_id=user)):
        raise NotFound(f"{user} has no session with the id {session_id}.")
    return ConversationMemory(memory=memory, user_id=user, session_id=session_id)


def _print_summary(summary: MemoryItem) -> None:
    covered = count(cast("int", summary.data["count"]), "message", "messages")
    print_line(f"Summary of the first {covered}:", style="dim")
    out().print(Text(f"{shown(summary.content)}\n", style="italic"))


def _conversation_table(messages: list[Message]) -> Table:
    made = Table.grid(padding=(0, 2))
    made.add_column(style="dim", no_wrap=True)
    made.add_column(max_width=16)
    made.add_column(overflow="fold")
    for message in messages:
        made.add_row(
            local_time(message.timestamp) if message.timestamp else "",
            Text(shown(message.name or message.role), style=_STYLES[message.role]),
            lines(Text(shown(message.content)), *map(_call, message.tool_calls)),
        )
    return made


def _call(call: ToolCall) -> Text:
    arguments = json.dumps(call.arguments, ensure_ascii=False)
    return Text(shortened(f"calls {call.name} {arguments}"), style="cyan")
