"""All kinds of one user's memory in one place."""

from datetime import timedelta

import pytest

from bethink import (
    AgentMemorySystem,
    ConversationMemory,
    Memory,
    UsageError,
    count_tokens,
    create_memory_aware_prompt,
)
from tests.conftest import START

DAY = timedelta(days=1)


@pytest.fixture
def john(memory):
    return memory.for_user("john", session_id="s1", agent_id="a1")


def test_it_works_with_nothing_else():
    system = AgentMemorySystem()
    system.learn("Lives in London", importance=0.8)
    assert "Lives in London" in system.get_relevant_context("Where does he live?")


def test_a_memory_without_a_user_is_refused(memory):
    with pytest.raises(UsageError, match="user_id is missing"):
        AgentMemorySystem(memory)


def test_what_is_learnt_says_where_it_comes_from(john):
    item = john.learn("Supports Arsenal", importance=0.9, source="support chat")
    assert (item.kind, item.importance, item.metadata) == (
        "semantic",
        0.9,
        {"source": "support chat"},
    )
    assert (item.session_id, item.agent_id) == ("s1", "a1")


# --- tasks


def test_a_task_becomes_an_episode_with_its_steps(john, clock):
    assert john.start_task("Book a flight to Lisbon") == []
    john.record_step("Cheap ones first", "search", ["LX 316", "TP 900"])
    john.record_step("Mornings are cheaper", "search", ["LX 318"])
    assert john.working.results == {"search": ["LX 318"]}
    clock.pass_by(timedelta(minutes=3))
    episode = john.end_task(success=True, outcome="Booked LX 318", lesson="Fly early")
    assert (episode.task, episode.outcome) == ("Book a flight to Lisbon", "Booked LX 318")
    assert [step.result for step in episode.steps] == [["LX 316", "TP 900"], ["LX 318"]]
    assert episode.duration == timedelta(minutes=3)
    assert john.working.state().task == ""
    assert john.conversation.messages[0].content == "Book a flight to Lisbon"


def test_similar_tasks_come_back_when_a_new_one_starts_failures_included(memory, john):
    john.start_task("Book a flight to Lisbon")
    john.end_task(success=False, outcome="The card was refused")
    later = memory.for_user("john", session_id="s2", agent_id="a2")
    [episode] = later.start_task("Book a flight to Porto")
    assert (episode.success, episode.outcome) == (False, "The card was refused")
    assert memory.for_user("bob").start_task("Book a flight to Porto") == []


def test_a_new_task_brings_back_what_worked_and_what_failed_with_their_lessons(memory):
    episodic = memory.for_user("john").episodic
    for day in range(4):
        episodic.record(f"Book a flight on day {day}", success=False, outcome="Refused")
    episodic.record("Book a flight to Rome", success=True, outcome="Booked", lesson="Fly early")
    john = memory.for_user("john", session_id="later")
    past = john.start_task("Book a flight to Porto")
    assert sorted(episode.success for episode in past) == [False, False, True]
    assert {episode.lesson for episode in past if episode.success} == {"Fly early"}
    assert all(episode.lesson for episode in past)
    assert "lesson: Fly early" in john.get_relevant_context("Book a flight to Rome")


def test_a_task_that_ends_without_a_lesson_gets_one(john):
    john.start_task("Book a flight")
    john.record_step("Cheap first", "book", {"error": "card refused"})
    episode = john.end_task(success=False, outcome="No flight")
    assert episode.lesson == 'Book a flight: It failed at "book": card refused.'


def test_a_task_that_was_not_started_cannot_be_gone_on_with_or_ended(john):
    with pytest.raises(UsageError, match="No task was started"):
        john.record_step("hm", "look", "nothing")
    with pytest.raises(UsageError, match="No task was started"):
        john.end_task(success=True, outcome="Done")
    assert john.episodic.recent() == []


def test_a_task_can_be_ended_whatever_its_steps_were(john):
    john.start_task(" " * 10_001 + "x")
    deep: list[object] = []
    for _ in range(30):
        deep = [deep]
    john.record_step("dig", "dig", deep)
    assert john.end_task(success=True, outcome="Done").steps[0].result == deep


def test_everything_that_can_be_kept_can_be_exported_and_loaded(memory, john):
    deep: list[object] = []
    for _ in range(30):
        deep = [deep]
    john.factual.set_fact("deep", deep)
    john.conversation.add_message(
        "assistant", tool_calls=[{"id": "1", "name": "f", "arguments": {"x": deep}}]
    )
    john.start_task("Dig")
    john.record_step("dig", "dig", deep)
    john.end_task(success=True, outcome="Done")
    lines = list(memory.export(user_id="john"))
    assert memory.load(lines, user_id="copy") == len(lines) - 1
    copy = memory.for_user("copy", session_id="s1")
    assert copy.factual.get_fact("deep") == deep
    assert copy.conversation.messages == john.conversation.messages
    assert copy.episodic.recent()[0].steps == john.episodic.recent()[0].steps


@pytest.mark.parametrize("memory", ["agent.db", object()])
def test_something_else_than_a_memory_is_refused(memory):
    with pytest.raises(UsageError, match="memory must be a Memory, not"):
        AgentMemorySystem(memory, "john")
    with pytest.raises(UsageError, match="memory must be an AgentMemorySystem, not"):
        create_memory_aware_prompt(memory, "Help")


def test_facts_that_are_over_do_not_crowd_out_those_that_hold(john):
    for n in range(6):
        john.factual.set_fact(
            f"project {n} deadline", "May", valid_from=START - 9 * DAY, valid_to=START - DAY
        )
    john.factual.set_fact("project 9 deadline", "June")
    assert "project 9 deadline: June" in john.get_relevant_context("project deadline")


def test_a_bad_outcome_leaves_the_task_to_be_ended_again(john):
    john.start_task("Book a flight")
    with pytest.raises(UsageError, match="outcome is empty"):
        john.end_task(success=True, outcome="")
    assert john.working.task == "Book a flight"
    john.end_task(success=True, outcome="Booked")


def test_agents_that_name_the_same_task_share_it_and_it_outlives_them(memory, reopen):
    first = memory.for_user("john", session_id="s", agent_id="a", task_id="t")
    first.start_task("Write a report")
    second = reopen().for_user("john", session_id="s", agent_id="b", task_id="t")
    second.record_step("Sources first", "search", "three papers")
    assert first.working.results == {"search": "three papers"}
    episode = second.end_task(success=True, outcome="Sent")
    assert [step.action for step in episode.steps] == ["search"]
    with pytest.raises(UsageError, match="No task was started"):
        first.end_task(success=True, outcome="Sent")


# --- sessions


def test_sessions_are_listed_with_the_last_one_first(memory, clock):
    for session, count in (("old", 2), ("new", 1)):
        for n in range(count):
            clock.pass_by(DAY)
            ConversationMemory(memory=memory, user_id="john", session_id=session).add_message(
                "user", f"{session} {n}"
            )
    new, old = memory.sessions(user_id="john")
    assert (new.id, new.messages, old.id, old.messages) == ("new", 1, "old", 2)
    assert (old.first, old.last) == (START + DAY, START + 2 * DAY)
    assert memory.sessions(user_id="bob") == []


def test_what_is_learnt_crosses_sessions_and_what_is_said_does_not(memory, john):
    john.conversation.add_message("user", "I support Arsenal")
    john.learn("Supports Arsenal")
    other = memory.for_user("john", session_id="s2")
    assert other.conversation.get_messages_for_llm() == []
    assert other.semantic.search("Arsenal")[0].item.content == "Supports Arsenal"


def test_clearing_a_session_removes_what_was_said_and_keeps_what_was_learnt(memory, john):
    working = memory.for_user("john", session_id="s1", task_id="t").working
    working.set_task("Talk")
    for n in range(40):
        john.conversation.add_message("user", f"note {n}")
    john.conversation.get_messages_for_llm()
    john.learn("Likes notes")
    memory.for_user("john", session_id="s2").conversation.add_message("user", "Hi")
    memory.for_user("bob", session_id="s1").conversation.add_message("user", "Hi")
    assert memory.clear_session("s1", user_id="john") == 42  # messages, a summary, a task
    assert john.conversation.messages == []
    assert working.task == ""
    assert [s.id for s in memory.sessions(user_id="john")] == ["s2"]
    assert [s.id for s in memory.sessions(user_id="bob")] == ["s1"]
    assert len(john.get_user_memories()) == 1
    assert memory.clear_session("s1", user_id="john") == 0


def test_all_sessions_of_a_user_can_be_cleared(memory, john):
    for session in ("s1", "s2"):
        memory.for_user("john", session_id=session).conversation.add_message("user", "Hi")
    memory.for_user("bob", session_id="s1").conversation.add_message("user", "Hi")
    assert memory.clear_user_sessions(user_id="john") == 2
    assert memory.sessions(user_id="john") == []
    assert len(memory.sessions(user_id="bob")) == 1


def test_sessions_that_ended_before_a_day_can_be_cleared(memory, clock):
    for user in ("john", "bob"):
        memory.for_user(user, session_id="old").conversation.add_message("user", "Hi")
    clock.pass_by(DAY)
    memory.for_user("john", session_id="new").conversation.add_message("user", "Hi")
    memory.for_user("john", session_id="new").conversation.add_message(
        "user", "Hi", timestamp=START - DAY
    )
    assert memory.clear_sessions_before(START + DAY, user_id="john") == 1
    assert [s.id for s in memory.sessions(user_id="john")] == ["new"]
    with pytest.raises(UsageError, match="Whose memory"):
        memory.clear_sessions_before(START + DAY)
    with pytest.raises(UsageError, match="no time zone"):
        memory.clear_sessions_before(START.replace(tzinfo=None), all_users=True)
    assert memory.clear_sessions_before(START + DAY, all_users=True) == 1
    assert memory.sessions(user_id="bob") == []


# --- context and prompts


@pytest.fixture
def full(memory, john):
    """A user of whom every kind of memory knows something."""
    john.learn("Supports Arsenal")
    john.factual.set_fact("home city", "London")
    john.factual.set_fact("old job", "baker", valid_from=START - 9 * DAY, valid_to=START - DAY)
    john.start_task("Buy Arsenal tickets")
    john.end_task(success=False, outcome="Sold out", lesson="Ask a week before")
    john.conversation.add_message("user", "I sit in the north stand")
    return memory.for_user("john", session_id="s2")


def test_the_context_has_every_kind_and_says_where_each_line_comes_from(full):
    full.start_task("Buy tickets for the next match")
    context = full.get_relevant_context("Arsenal tickets home city job")
    for line in (
        "Task: Buy tickets for the next match",
        "home city: London",
        "Supports Arsenal",
        "Buy Arsenal tickets (failed): Sold out; lesson: Ask a week before",
        "2024-05-17 user: I sit in the north stand",
    ):
        assert line in context
    assert "baker" not in context  # which is not so any more
    for number, item in context.sources.items():
        [line] = [line for line in context.splitlines() if line.endswith(f" [{number}]")]
        assert item.content.split()[-1] in line
    assert context.tokens == count_tokens(context)


def test_a_context_says_what_is_so_and_not_what_will_be(memory, john):
    john.factual.set_fact("home city", "London")
    john.factual.set_fact("home city", "Berlin", valid_from=START + DAY)
    john.factual.set_fact("job", "baker", valid_from=START + DAY)
    context = john.get_relevant_context("home city job")
    assert "home city: London" in context
    assert "Berlin" not in context
    assert "baker" not in context


def test_the_task_is_in_a_prompt_once(john):
    john.start_task("Buy milk")
    assert create_memory_aware_prompt(john, "Buy milk").count("Buy milk") == 1


def test_nothing_of_another_user_is_in_a_context(memory, full):
    bob = memory.for_user("bob")
    bob.learn("Supports Chelsea")
    assert bob.get_relevant_context("Arsenal London tickets").sources.keys() == {1}
    assert "Arsenal" not in bob.get_relevant_context("Arsenal London tickets")


def test_what_a_model_is_shown_anyway_is_not_in_the_context_again(full):
    full.conversation.add_message("user", "Which stand do I like?")
    assert "Which stand" not in full.get_relevant_context("Which stand do I like?")


@pytest.mark.parametrize("budget", [1, 10, 30, 60, 200, 2000])
def test_a_prompt_keeps_to_its_budget_and_opens_with_the_task(full, budget):
    for n in range(30):
        full.learn(f"Arsenal fact number {n}, which is rather long and says very little")
    prompt = create_memory_aware_prompt(full, "Buy Arsenal tickets", budget=budget)
    assert count_tokens(prompt) <= budget
    if budget >= 10:
        assert prompt.startswith("Current task: Buy Arsenal tickets")


def test_a_long_task_is_cut_and_still_what_the_prompt_opens_with(full):
    prompt = create_memory_aware_prompt(full, "Buy tickets for everyone " * 50, budget=20)
    assert prompt.startswith("Current task: Buy tickets")
    assert prompt.endswith("[…]")


def test_a_prompt_can_do_without_the_history(full):
    full.conversation.add_message("assistant", "How can I help?")
    with_history = create_memory_aware_prompt(full, "Help")
    assert "assistant: How can I help?" in with_history
    assert "How can I help?" not in create_memory_aware_prompt(full, "Help", include_history=False)


@pytest.mark.parametrize("budget", [0, -5, 2.5])
def test_a_budget_is_a_whole_number_of_at_least_one(full, budget):
    with pytest.raises(UsageError, match="budget must be a whole number"):
        create_memory_aware_prompt(full, "Help", budget=budget)
    with pytest.raises(UsageError, match="budget must be a whole number"):
        full.get_relevant_context("Help", budget=budget)


def test_looking_for_a_context_writes_nothing(memory):
    memory.for_user("ann").get_relevant_context("anything")
    create_memory_aware_prompt(memory.for_user("ann"), "anything")
    assert memory.store.users() == []


def test_a_kind_can_be_configured(memory, john):
    john.conversation = ConversationMemory(
        max_messages=1, memory=memory, user_id="john", session_id="s1"
    )
    for n in range(3):
        john.conversation.add_message("user", f"note {n}")
    assert [m["content"] for m in john.conversation.get_messages_for_llm()] == ["note 2"]


def test_a_system_on_a_memory_in_this_process_forgets_with_it():
    AgentMemorySystem().learn("Likes tea")
    assert AgentMemorySystem().search("tea") == []
    assert Memory().search("tea", user_id="user") == []
