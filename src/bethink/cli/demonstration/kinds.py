"""The other kinds of memory: conversations, facts, tasks, work at hand, and prompts made of all."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from rich.table import Table
from rich.text import Text

from bethink import (
    AgentMemorySystem,
    Context,
    ConversationMemory,
    Episode,
    Fact,
    Memory,
    create_memory_aware_prompt,
)
from bethink.cli.demonstration.stage import USER, Stage, Step
from bethink.cli.tables import table, value_text
from bethink.kinds.episodic import taught
from bethink.types import Role

SAID: Sequence[tuple[Role, str]] = (
    ("user", "Maya and I want to visit our parents in Porto in August."),
    ("assistant", "How lovely. For how long?"),
    ("user", "Ten days. Our budget is 600 euros, and Maya gets seasick, so no ferries."),
    ("assistant", "Trains and flights only, then. When can you leave?"),
    ("user", "Not before the 4th, I have night shifts until then."),
    ("assistant", "There is a train on the 5th at 9:40 for 85 euros each."),
    ("user", "Perfect, we take it."),
    ("assistant", "Booked: two seats, 170 euros of the 600."),
    ("user", "Thanks! Now the way back."),
    ("assistant", "On the 15th there are trains at 8:10 and at 14:25."),
    ("user", "The later one. And what is left of the budget?"),
)
TASK = "Reserve dinner for Maya's birthday"
BIRTHDAY = f'agent = memory.for_user("{USER}", session_id="friday", task_id="birthday")'
BUDGET = 250


def _converse(stage: Stage, memory: Memory) -> None:
    stage.heading("Hold a long conversation")
    stage.code(
        f'conversation = ConversationMemory(memory=memory, user_id="{USER}",\n'
        f'{"":34}session_id="trip", summarize_threshold=6)'
    )
    conversation = ConversationMemory(
        summarize_threshold=6, memory=memory, user_id=USER, session_id="trip"
    )
    for role, content in SAID:
        conversation.add_message(role, content)
    stage.say(f"All {len(SAID)} messages are kept. Of the old ones, a model is shown a summary:")
    stage.code("conversation.get_messages_for_llm()")
    stage.show(_messages_table(conversation.get_messages_for_llm()))


def _state_facts(stage: Stage, memory: Memory) -> None:
    stage.heading("Know what is so, and what was")
    facts = memory.for_user(USER).factual
    stage.code(
        f'facts = memory.for_user("{USER}").factual\n'
        'facts.set_fact("home city", "Lisbon", valid_from=september_2019)\n'
        'facts.set_fact("home city", "Berlin", valid_from=march_2024)'
    )
    for city, since in (("Lisbon", _first_of(2019, 9)), ("Berlin", _first_of(2024, 3))):
        facts.set_fact("home city", city, valid_from=since)
    then = facts.as_of("home city", _first_of(2022, 1))
    stage.code('facts.history("home city")')
    stage.show(_facts_table(facts.history("home city")))
    stage.say(f"Now it is {facts.get_fact('home city')}; as of January 2022 it was {then}.")


def _fail(stage: Stage, memory: Memory) -> None:
    stage.heading("Learn from what failed")
    agent = memory.for_user(USER, session_id="tuesday")
    agent.episodic.record("Get the car serviced", success=True, outcome="Done.")
    task, lesson = "Book a table at the ramen bar", "Ring them; nobody reads the form."
    stage.code(
        f'agent = memory.for_user("{USER}", session_id="tuesday")\n'
        'agent.episodic.record("Get the car serviced", success=True, outcome="Done.")\n'
        f'agent.start_task("{task}")\n'
        'agent.record_step("The form is quickest", "fill in the form", "no answer")\n'
        'agent.end_task(success=False, outcome="They never got it.",\n'
        f'{"":15}lesson="{lesson}")'
    )
    agent.start_task(task)
    agent.record_step("The form is quickest", "fill in the form", "no answer")
    agent.end_task(success=False, outcome="They never got it.", lesson=lesson)
    stage.pause()
    stage.say("Days later a similar task begins, in other words, and the failure comes back:")
    stage.code(f'{BIRTHDAY}\nagent.start_task("{TASK}")')
    stage.show(_episodes_table(_birthday(memory).start_task(TASK)))


def _work(stage: Stage, memory: Memory) -> None:
    stage.heading("Go on after a restart")
    stage.code(
        'agent.working.push_subgoal("find a place that is open on Sunday")\n'
        'agent.working.add_result("open on Sunday", ["Ramen Kiosk", "Noodle Bar"])\n'
        "memory.close()"
    )
    working = _birthday(memory).working
    working.push_subgoal("find a place that is open on Sunday")
    working.add_result("open on Sunday", ["Ramen Kiosk", "Noodle Bar"])


def _go_on(stage: Stage, memory: Memory) -> None:
    stage.say("The file is opened again, and the task is still at hand:")
    stage.code(
        f'memory = Memory("{stage.path.name}")\n{BIRTHDAY}\nagent.working.get_context_string()'
    )
    stage.quote(_birthday(memory).working.get_context_string())


def _prompt(stage: Stage, memory: Memory) -> None:
    stage.heading("Give a model all of it, and know where it comes from")
    stage.code(
        f"prompt = create_memory_aware_prompt(agent, task, budget={BUDGET},\n"
        f"{'':36}include_history=False)"
    )
    prompt = create_memory_aware_prompt(
        _birthday(memory), TASK, budget=BUDGET, include_history=False
    )
    stage.quote(prompt)
    stage.code("prompt.sources")
    stage.show(_sources_table(prompt))
    stage.say(f"{prompt.tokens} tokens, of {BUDGET} allowed: the most useful got in.")


STEPS: Sequence[Step] = (_converse, _state_facts, _fail, _work)
AFTER_A_RESTART: Sequence[Step] = (_go_on, _prompt)


def _birthday(memory: Memory) -> AgentMemorySystem:
    return memory.for_user(USER, session_id="friday", task_id="birthday")


def _first_of(year: int, month: int) -> datetime:
    return datetime(year, month, 1, tzinfo=UTC)


def _messages_table(messages: Sequence[Mapping[str, Any]]) -> Table:
    made = table("role", "content")
    for message in messages:
        made.add_row(message["role"], Text(message["content"]))
    return made


def _facts_table(statements: Sequence[Fact]) -> Table:
    made = table("value", "since")
    for fact in statements:
        style = "bold green" if fact is statements[-1] else ""
        since = f"{fact.valid_from:%B %Y}"
        made.add_row(Text(value_text(fact.value), style=style), since)
    return made


def _episodes_table(episodes: Sequence[Episode]) -> Table:
    made = table("task", "went", "lesson")
    for episode in episodes:
        went = "worked" if episode.success else "failed"
        style = "bold green" if episode is episodes[0] else ""
        made.add_row(Text(episode.task, style=style), went, taught(episode))
    return made


def _sources_table(prompt: Context) -> Table:
    made = table(">number", "kind", "id")
    for number, item in prompt.sources.items():
        made.add_row(str(number), item.kind, Text(item.id, style="dim"))
    return made
