"""The state of the task at hand, alone and shared."""

import json
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from bethink import FunctionEmbedder, Memory, RAMStore, UsageError, WorkingMemory
from bethink.check import check
from bethink.models.tokens import count_tokens
from tests.conftest import START, Clock, letters
from tests.test_durability import start

QUICK = FunctionEmbedder(letters, name="letters", dimension=16)
NAMES = st.sampled_from(["a", "b", "ü €", "a"])
VALUES = st.one_of(
    st.none(),
    st.integers(),
    st.text(max_size=5).map(lambda t: t.replace("\0", "")),
    st.lists(st.booleans()),
)
TEXTS = st.sampled_from(["find a flight", "book it", "ask Ann"])


def shared(memory, **options):
    return memory.for_user("ann", session_id="s", task_id="t", **options).working


class AsAPlainModel(RuleBasedStateMachine):
    """Two handles on one stored working memory, and a plain object: never to be told apart."""

    def __init__(self):
        super().__init__()
        self.store = RAMStore()
        self.handles = [self.opened(), self.opened()]
        self.task, self.goals = "", []
        self.results: dict[str, Any] = {}
        self.variables: dict[str, Any] = {}
        self.thoughts: list[str] = []

    def opened(self):
        return shared(Memory(self.store, embedder=QUICK))

    @rule(task=TEXTS, who=st.integers(0, 1))
    def set_task(self, task, who):
        self.handles[who].set_task(task)
        self.task, self.goals, self.results, self.thoughts = task, [], {}, []

    @rule(name=NAMES, value=VALUES, who=st.integers(0, 1))
    def add_result(self, name, value, who):
        self.handles[who].add_result(name, value)
        self.results[name] = value

    @rule(name=NAMES, value=VALUES, who=st.integers(0, 1))
    def set_variable(self, name, value, who):
        self.handles[who].set_variable(name, value)
        self.variables[name] = value
        assert self.handles[1 - who].get_variable(name) == value

    @rule(thought=TEXTS, who=st.integers(0, 1))
    def add_thought(self, thought, who):
        self.handles[who].add_thought(thought)
        self.thoughts.append(thought)

    @rule(thought=TEXTS, action=NAMES, result=VALUES, who=st.integers(0, 1))
    def add_step(self, thought, action, result, who):
        if not self.task:
            with pytest.raises(UsageError, match="No task was started"):
                self.handles[who].add_step(thought, action, result)
            return
        self.handles[who].add_step(thought, action, result)
        self.thoughts.append(thought)
        self.results[action] = result

    @rule(goal=TEXTS, who=st.integers(0, 1))
    def push(self, goal, who):
        self.handles[who].push_subgoal(goal)
        self.goals.append(goal)

    @rule(who=st.integers(0, 1))
    def pop(self, who):
        assert self.handles[who].pop_subgoal() == (self.goals.pop() if self.goals else None)

    @rule(who=st.integers(0, 1))
    def clear(self, who):
        self.handles[who].clear()
        self.task, self.goals, self.thoughts = "", [], []
        self.results, self.variables = {}, {}

    @rule(who=st.integers(0, 1))
    def restart(self, who):
        self.handles[who] = self.opened()

    @invariant()
    def they_agree(self):
        for handle in self.handles:
            state = handle.state()
            assert (state.task, list(state.subgoals)) == (self.task, self.goals)
            assert list(state.results.items()) == list(self.results.items())
            assert list(state.variables.items()) == list(self.variables.items())
            assert list(state.scratchpad) == self.thoughts
            assert state.current_goal == (self.goals[-1] if self.goals else self.task)


TestAsAPlainModel = AsAPlainModel.TestCase
TestAsAPlainModel.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)


def test_it_works_with_nothing_else():
    working = WorkingMemory()
    working.set_task("Plan a trip")
    working.add_result("flights", ["LX 316"])
    assert (working.task, working.current_goal) == ("Plan a trip", "Plan a trip")
    assert working.get_result("flights") == ["LX 316"]
    assert working.get_result("hotels") is None
    assert working.get_variable("city", "Paris") == "Paris"
    assert working.pop_subgoal() is None


def test_what_is_returned_is_a_copy():
    working = WorkingMemory()
    value = ["a"]
    working.add_result("list", value)
    value.append("b")
    working.results["list"].append("c")
    assert working.get_result("list") == ["a"]


def test_a_stored_one_survives_a_restart_and_is_another_user_s_and_session_s_secret(memory, reopen):
    shared(memory).set_task("Plan a trip")
    again = reopen()
    assert shared(again).task == "Plan a trip"
    assert again.for_user("bob", session_id="s", task_id="t").working.task == ""
    assert again.for_user("ann", session_id="s2", task_id="t").working.task == ""
    assert again.for_user("ann", session_id="s", task_id="t2").working.task == ""
    assert again.for_user("ann", session_id="s").working.task == ""


def test_it_is_not_found_by_a_search_and_not_listed(memory):
    shared(memory).set_task("Plan a trip")
    shared(memory).add_thought("to Lisbon")
    assert memory.search("trip to Lisbon", user_id="ann") == []
    assert memory.get_user_memories(user_id="ann") == []
    assert check(memory.store) == []


def test_all_of_it_is_gone_when_nobody_has_touched_it_for_its_time_to_live(memory, clock):
    working = shared(memory)
    working.set_task("Plan a trip")
    working.add_result("city", "Lisbon")
    for _ in range(6):  # touched again and again
        clock.pass_by(timedelta(days=3))
        working.add_thought("still at it")
    state = working.state()
    assert (state.task, state.results, len(state.scratchpad)) == (
        "Plan a trip",
        {"city": "Lisbon"},
        6,
    )
    clock.pass_by(timedelta(days=7))
    assert working.state().task == ""
    assert working.variables == {}
    assert memory.sweep() > 0
    working.set_task("Another one")
    assert working.task == "Another one"


def test_goals_alone_keep_the_rest_alive_and_so_does_a_variable_without_a_task(memory, clock):
    working = shared(memory)
    working.set_variable("a", 1)
    for n in range(8):
        clock.pass_by(timedelta(days=1))
        working.set_variable("b", n)
    assert working.variables == {"a": 1, "b": 7}
    working.set_task("T")
    working.add_step("hm", "look", "nothing")
    for n in range(8):
        clock.pass_by(timedelta(days=1))
        working.push_subgoal(f"goal {n}")
    state = working.state()
    assert (state.results, state.variables, len(state.steps)) == (
        {"look": "nothing"},
        {"a": 1, "b": 7},
        1,
    )


def test_a_task_that_another_begins_meanwhile_is_left_alone(ram, monkeypatch):
    mine, theirs = shared(ram), shared(ram)
    original = mine._slots

    def slots():
        found = original()
        theirs.set_task("Theirs")
        theirs.add_result("x", 1)
        return found

    monkeypatch.setattr(mine, "_slots", slots)
    mine.set_task("Mine")
    assert (theirs.task, theirs.results) == ("Theirs", {"x": 1})


def test_finishing_a_task_does_not_finish_the_next_one(ram):
    working = shared(ram)
    working.set_task("First")
    run = working.state().run
    working.set_task("Second")
    working.add_result("x", 1)
    working.finish(run)
    assert (working.task, working.results) == ("Second", {"x": 1})
    working.finish(working.state().run)
    assert (working.task, working.results) == ("", {})


def test_four_processes_change_one_at_once_and_nothing_is_lost(tmp_path):
    path, times = tmp_path / "agent.db", 30
    with Memory(path, embedder=QUICK) as memory:
        shared(memory).set_task("Count")
        workers = [start("work", path, name, times) for name in "abcd"]
        popped = [json.loads(line)[0] for w in workers for line in w.communicate()[0].splitlines()]
        assert [worker.returncode for worker in workers] == [0] * 4
        state = shared(memory).state()
        done = {f"{name}-{n}" for name in "abcd" for n in range(times)}
        assert state.results == {name: int(name.split("-")[1]) for name in done}
        assert state.variables == {"count": 4 * times}
        assert sorted(state.scratchpad) == sorted(done)
        assert sorted([*state.subgoals, *popped]) == sorted(done)
        assert check(memory.store) == []


def test_a_change_that_another_makes_meanwhile_is_not_overwritten(ram):
    working, other = shared(ram), shared(ram)
    meanwhile = [other.set_variable]

    def add(value):
        if meanwhile:
            meanwhile.pop()("list", [*value, "theirs"])
        return [*value, "mine"]

    assert working.update_variable("list", add, default=[]) == ["theirs", "mine"]


def test_a_new_task_does_not_see_what_is_still_written_for_the_old_one(ram):
    slow, quick = shared(ram), shared(ram)
    slow.set_task("Old")
    run = slow._run
    before = run()
    quick.set_task("New")
    slow._run = lambda: before
    slow.add_result("late", 1)
    assert quick.results == {}


# --- as text


def test_the_context_says_what_the_task_is_and_how_far_it_has_got():
    working = WorkingMemory()
    working.set_task("Plan a trip")
    working.push_subgoal("find a flight")
    working.add_result("flights", {"LX": 316})
    working.add_thought("Mornings are cheaper")
    assert working.get_context_string().splitlines() == [
        "## Task at hand",
        "Task: Plan a trip",
        "Goals: find a flight",
        "",
        "## Results so far",
        '- flights: «{"LX": 316}»',
        "",
        "## Recent thoughts",
        "- Mornings are cheaper",
    ]


@pytest.mark.parametrize("budget", [1, 5, 20, 60, 200, 1000])
def test_the_context_keeps_to_its_budget_and_drops_the_oldest_first(budget):
    working = WorkingMemory()
    working.set_task("Plan a very long trip through all of Europe " * 10)
    for n in range(30):
        working.add_result(f"result {n}", "x y z " * 100)
        working.add_thought(f"thought {n} " * 5)
    text = working.get_context_string(budget=budget)
    assert count_tokens(text) <= budget
    numbers = [n for n in range(30) if f"result {n}:" in text]
    assert numbers == list(range(30 - len(numbers), 30))


# --- bad input


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda w: w.set_task(""), "task is empty"),
        (lambda w: w.set_task(None), "task must be a string"),
        (lambda w: w.add_result("", 1), "key is empty"),
        (lambda w: w.add_result("a", object()), "The result 'a' must be JSON"),
        (lambda w: w.set_variable("a", {1: 2}), "keys must be strings"),
        (lambda w: w.set_variable("a", "x" * 200_000), "the limit is 100,000"),
        (lambda w: w.add_thought(" "), "thought is empty"),
        (lambda w: w.push_subgoal(""), "goal is empty"),
        (lambda w: w.add_step("t", "look", 1), "No task was started"),
        (lambda w: w.update_variable("a", 5), "change must be a function"),
        (lambda w: w.get_context_string(budget=0), "budget must be a whole number"),
    ],
)
def test_bad_input_is_refused_and_changes_nothing(call, message):
    working = WorkingMemory()
    before = working.state()
    with pytest.raises(UsageError, match=message):
        call(working)
    assert working.state() == before


@pytest.mark.parametrize("ttl", [timedelta(0), timedelta(days=-1), 3])
def test_a_time_to_live_is_above_zero(ttl):
    with pytest.raises(UsageError, match="ttl must be a timedelta above zero"):
        WorkingMemory(ttl=ttl)


def test_a_clock_that_stands_still_keeps_the_order():
    clock = Clock()
    working = WorkingMemory(memory=Memory(embedder=QUICK, clock=clock), user_id="ann")
    for n in range(20):
        working.add_thought(str(n))
    assert clock.now == START
    assert working.scratchpad == tuple(map(str, range(20)))
