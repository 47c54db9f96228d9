"""Working memory: the state of the task at hand, which several agents may share."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal, TypeAlias, Unpack, cast

from bethink import validate
from bethink.errors import UsageError
from bethink.ids import known_id, new_id
from bethink.index.user import Selection
from bethink.kinds.bound import Bound, Owner
from bethink.models.tokens import count_tokens
from bethink.recall.pack import Count, Line, Section, cut, pack
from bethink.types import JSON, MemoryItem, Metadata

Slot: TypeAlias = Literal["result", "variable", "thought", "step"]

_ANY = "*"  # the run of what outlives a task
_EMPTY: dict[str, JSON] = {"run": "", "task": "", "goals": [], "started_at": None}
_SHOWN = 200  # characters of a result in the context
_THOUGHTS = 5  # the newest ones, in the context


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a task: what was thought, done and seen."""

    thought: str
    action: str
    result: Any
    at: datetime


@dataclass(frozen=True, slots=True)
class WorkingState:
    """All of a working memory at one moment."""

    task: str = ""
    current_goal: str = ""
    subgoals: tuple[str, ...] = ()
    results: dict[str, Any] = field(default_factory=dict)
    scratchpad: tuple[str, ...] = ()
    variables: dict[str, Any] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    started_at: datetime | None = None
    run: str = ""
    """Tells one task from the next on the same board."""


class WorkingMemory(Bound):
    """Task, goals, results, thoughts and variables of the work at hand.

    On its own it lives in this process. With a `memory` and a `task_id` it is kept in the store,
    so that it survives a restart and all agents that work on the task share it. Then:

    - results, variables and thoughts are kept one by one: whoever changes different ones at the
      same time disturbs nobody;
    - of two who set the same one, the later wins, as in a dictionary; `update_variable` makes the
      new value from the old one and loses no change;
    - goals pushed at the same time are all there, and none is popped twice;
    - whatever nobody has touched for as long as `ttl` is gone.

    Values are JSON.
    """

    def __init__(
        self,
        *,
        task_id: str | None = None,
        ttl: timedelta | None = None,
        count_tokens: Count = count_tokens,
        **owner: Unpack[Owner],
    ) -> None:
        super().__init__(**owner)
        self.task_id = validate.check_optional_name(task_id, name="task_id") or new_id(
            self._records.now()
        )
        if ttl is not None and (not isinstance(ttl, timedelta) or ttl <= timedelta(0)):
            raise UsageError(f"ttl must be a timedelta above zero, not {ttl!r}.")
        self.ttl = ttl
        self._count = count_tokens
        self._board = known_id("working", [self.session_id, self.task_id])

    # --- the task and its goals

    def set_task(self, task: str) -> None:
        """Begin a new task: results, thoughts, steps and goals are cleared, variables stay."""
        task = validate.check_text(task, name="task")
        now = self._records.now()
        run = new_id(now)
        self._change_head(
            lambda data: {
                "run": run,
                "task": task,
                "goals": [],
                "started_at": now.isoformat(),
                "renewed": data["renewed"],
            }
        )
        old = [item.id for item in self._slots() if item.data["run"] not in (_ANY, run)]
        if self._run() == run:  # nobody has begun another one meanwhile
            self._records.delete(self.user_id, old)

    def push_subgoal(self, goal: str) -> None:
        """Put a goal on top of the others; it is the current one now."""
        goal = validate.check_text(goal, name="goal")
        self._change_head(lambda data: {**data, "goals": [*_goals(data), goal]})

    def pop_subgoal(self) -> str | None:
        """Take the goal on top away; None if there is none."""
        popped: str | None = None

        def pop(data: Metadata) -> Metadata:
            nonlocal popped
            *rest, popped = [None, *_goals(data)]
            return {**data, "goals": cast("JSON", rest[1:])}

        self._change_head(pop)
        return popped

    # --- what is found on the way

    def add_result(self, key: str, value: Any) -> None:
        """Keep an intermediate result."""
        self._set("result", key, lambda _: value)

    def get_result(self, key: str) -> Any:
        """A result, or None."""
        item = self._records.one(
            self.user_id, self._slot_id(self._run(), "result", _check_key(key))
        )
        return None if item is None else item.data["value"]

    def set_variable(self, name: str, value: Any) -> None:
        self._set("variable", name, lambda _: value)

    def get_variable(self, name: str, default: Any = None) -> Any:
        item = self._records.one(self.user_id, self._slot_id(_ANY, "variable", _check_key(name)))
        return default if item is None else item.data["value"]

    def update_variable(self, name: str, change: Callable[[Any], Any], default: Any = None) -> Any:
        """Make a variable's new value from its old one, and return it.

        Whoever changes it meanwhile is not overwritten: `change` is called again with what they
        made of it.
        """
        if not callable(change):
            raise UsageError(f"change must be a function from the old value, not {change!r}.")
        return self._set("variable", name, lambda old: change(default if old is None else old[0]))

    def add_thought(self, thought: str) -> None:
        """Write onto the scratchpad."""
        thought = validate.check_text(thought, name="thought")
        self._append("thought", thought)

    def add_step(self, thought: str, action: str, result: Any) -> None:
        """Keep a step of the task: a thought, and an action with its result."""
        if not self._run():
            raise UsageError("No task was started. Call start_task or set_task first.")
        step = {
            "thought": validate.check_text(thought, name="thought"),
            "action": _check_key(action, name="action"),
            "result": validate.check_json(result, name="result", limit=validate.MAX_CONTENT),
        }
        self._append("step", step)
        self._set("result", action, lambda _: step["result"])

    # --- reading

    def state(self) -> WorkingState:
        """All of it at this moment."""
        head = self._records.one(self.user_id, self._board)
        data: Metadata = head.data if head else {}
        run = cast("str", data.get("run", ""))
        items = sorted(
            (item for item in self._slots() if item.data["run"] in (_ANY, run)),
            key=lambda item: str(item.data["order"]),
        )
        task, goals = cast("str", data.get("task", "")), _goals(data)
        started = cast("str | None", data.get("started_at"))
        return WorkingState(
            task=task,
            current_goal=goals[-1] if goals else task,
            subgoals=tuple(goals),
            results={_name(i): i.data["value"] for i in items if i.data["slot"] == "result"},
            scratchpad=tuple(_thoughts(items)),
            variables={_name(i): i.data["value"] for i in items if i.data["slot"] == "variable"},
            steps=tuple(_step(i) for i in items if i.data["slot"] == "step"),
            started_at=datetime.fromisoformat(started) if started else None,
            run=run,
        )

    @property
    def task(self) -> str:
        return self.state().task

    @property
    def current_goal(self) -> str:
        """The goal on top, or the task itself."""
        return self.state().current_goal

    @property
    def subgoals(self) -> tuple[str, ...]:
        return self.state().subgoals

    @property
    def results(self) -> dict[str, Any]:
        return self.state().results

    @property
    def scratchpad(self) -> tuple[str, ...]:
        return self.state().scratchpad

    @property
    def variables(self) -> dict[str, Any]:
        return self.state().variables

    @property
    def steps(self) -> tuple[Step, ...]:
        return self.state().steps

    def get_context_string(self, *, budget: int = 500) -> str:
        """The state as text for a prompt, in at most so many tokens."""
        budget = validate.check_limit(budget, name="budget")
        return pack(described(self.state(), budget, self._count), budget=budget, count=self._count)

    # --- removing

    def clear(self) -> None:
        """Remove all of it, variables included."""
        self._records.delete(self.user_id, [self._board, *(item.id for item in self._slots())])

    def finish(self, run: str) -> None:
        """Remove all of it, unless another task has been begun since."""
        slots = self._slots()
        self._change_head(
            lambda data: _EMPTY | {"renewed": data["renewed"]} if data["run"] == run else data
        )
        if not self._run():
            self._records.delete(self.user_id, [item.id for item in slots])

    # --- records: a head with task and goals, and one for each result, variable, thought and step

    def _change_head(self, change: Callable[[Metadata], Metadata]) -> None:
        def rule(head: MemoryItem | None) -> Sequence[MemoryItem]:
            now = self._records.now()
            before = head.data if head else {**_EMPTY, "renewed": now.isoformat()}
            after = change(before)
            if head is not None and after == before:
                return []
            return [self._record(self._board, "working memory", after)]

        self._records.change(self.user_id, self._board, rule)
        self._keep_alive()

    def _set(self, slot: Slot, key: str, change: Callable[[tuple[JSON] | None], JSON]) -> JSON:
        """Set a result or a variable to what a function makes of the value it has, if any."""
        key = _check_key(key)
        run = _ANY if slot == "variable" else self._run()
        slot_id = self._slot_id(run, slot, key)
        value: JSON = None

        def rule(item: MemoryItem | None) -> Sequence[MemoryItem]:
            nonlocal value
            value = validate.check_json(
                change((item.data["value"],) if item else None),
                name=f"The {slot} {key!r}",
                limit=validate.MAX_CONTENT,
            )
            order = item.data["order"] if item else new_id(self._records.now())
            data = {"run": run, "slot": slot, "name": key, "value": value, "order": order}
            return [self._record(slot_id, key, data)]

        self._records.change(self.user_id, slot_id, rule)
        self._keep_alive()
        return value

    def _append(self, slot: Slot, value: JSON) -> None:
        order = new_id(self._records.now())
        data = {"run": self._run(), "slot": slot, "value": value, "order": order}
        self._records.put(self.user_id, [self._record(f"working-{order}", slot, data)])
        self._keep_alive()

    def _record(self, id_: str, content: str, data: Metadata) -> MemoryItem:
        now = self._records.now()
        return MemoryItem(
            id=id_,
            user_id=self.user_id,
            content=content,
            created_at=now,  # which tells how long a session has been left alone
            kind="working",
            session_id=self.session_id,
            agent_id=self.agent_id,
            metadata={"board": self._board},
            data=data,
            expires_at=validate.check_expiry(None, self.ttl, now=now),
        )

    def _slot_id(self, run: str, slot: Slot, key: str) -> str:
        return known_id("working", [self._board, run, slot, key])

    def _slots(self) -> list[MemoryItem]:
        """The records of this board but for its head."""
        selection = Selection(("working",), where={"board": self._board})
        found = self._records.select(self.user_id, selection)
        return [item for item in found if "slot" in item.data]

    def _run(self) -> str:
        head = self._records.one(self.user_id, self._board)
        return cast("str", head.data["run"]) if head else ""

    def _keep_alive(self) -> None:
        """Give everything its full time again once half of it is over."""
        if self.ttl is None:
            return
        head = self._records.one(self.user_id, self._board)
        if head is None:
            self._change_head(lambda data: data)
            return
        now = self._records.now()
        if now - datetime.fromisoformat(str(head.data["renewed"])) < self.ttl / 2:
            return
        self._change_head(lambda data: {**data, "renewed": now.isoformat()})
        self._records.renew(self.user_id, [item.id for item in self._slots()], now + self.ttl)


def described(state: WorkingState, budget: int, count: Count) -> list[Section]:
    """A state as sections of a prompt: the task before results, the new before the old."""
    head = []
    if state.task:
        head.append(Line(cut(f"Task: {state.task}", budget // 2, count), 10))
    if state.subgoals:
        goals = " > ".join(state.subgoals)
        head.append(Line(cut(f"Goals: {goals}", budget // 4, count), 9))
    results = [
        Line(f"- {_shown(key)}: {_shown(value)}", 5 - place / len(state.results))
        for place, (key, value) in enumerate(reversed(state.results.items()))
    ]
    thoughts = [
        Line(f"- {_shown(thought)}", 4 - place / _THOUGHTS)
        for place, thought in enumerate(reversed(state.scratchpad[-_THOUGHTS:]))
    ]
    variables = [Line(f"- {_shown(key)} = {_shown(v)}", 3) for key, v in state.variables.items()]
    return [
        Section("## Task at hand", head),
        Section("## Results so far", results[::-1]),
        Section("## Recent thoughts", thoughts[::-1]),
        Section("## Variables", variables),
    ]


def _shown(value: JSON) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"


def _check_key(key: object, *, name: str = "key") -> str:
    return validate.check_text(key, name=name, limit=validate.MAX_QUERY)


def _goals(data: Metadata) -> list[str]:
    return cast("list[str]", data.get("goals") or [])


def _name(item: MemoryItem) -> str:
    return cast("str", item.data["name"])


def _step(item: MemoryItem) -> Step:
    return Step(**cast("dict[str, Any]", item.data["value"]), at=item.created_at)


def _thoughts(items: Sequence[MemoryItem]) -> Iterator[str]:
    for item in items:
        if item.data["slot"] == "thought":
            yield cast("str", item.data["value"])
        elif item.data["slot"] == "step":
            yield _step(item).thought
