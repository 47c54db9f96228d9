"""Episodic memory: what was tried, and how it went."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Unpack, cast

from bethink import validate
from bethink.errors import ModelError, UsageError
from bethink.finding import Asked
from bethink.ids import known_id, new_id
from bethink.index.user import Selection
from bethink.kinds.bound import Bound, Owner, opened
from bethink.kinds.working import Step
from bethink.learn.condense import Write
from bethink.learn.lessons import lesson as lesson_of
from bethink.learn.lessons import plain
from bethink.models.base import LLM
from bethink.recall.pack import CUT
from bethink.recall.relevance import RELEVANT
from bethink.times import as_utc, earlier, read_time
from bethink.types import JSON, Hit, MemoryItem, Metadata

_MOST_STEPS = 4_000_000  # characters of all steps of an episode
_COMPARED = 10  # tasks like one that is over, to learn from
_TOLD_TASK, _TOLD_OUTCOME = 120, 200  # characters, where a lesson follows
_SUCCESS = "success"
"""Where an episode's metadata says how it went, so that a search can ask for it."""


@dataclass(frozen=True, slots=True)
class Episode:
    """A task that is over."""

    id: str
    task: str
    outcome: str
    success: bool
    steps: tuple[Step, ...]
    started_at: datetime
    ended_at: datetime
    lesson: str | None
    metadata: Metadata

    @property
    def duration(self) -> timedelta:
        return self.ended_at - self.started_at


class EpisodicMemory(Bound):
    """Past tasks with their steps, outcomes and lessons, failures included.

    Args:
        llm: Writes the lessons that nobody noted: a model, a name such as
            "anthropic:claude-haiku-4-5", or any function from a prompt to text. Without one, or
            when it fails, they are found by comparing a task with those like it.
        **owner: `memory`, `user_id`, `session_id`, `agent_id`. Without a memory it is kept in
            this process only.
    """

    def __init__(self, *, llm: LLM | Write | str | None = None, **owner: Unpack[Owner]) -> None:
        super().__init__(**owner)
        self._llm = opened(llm)

    def record(
        self,
        task: str,
        *,
        success: bool,
        outcome: str,
        steps: Iterable[Step | Mapping[str, Any]] = (),
        lesson: str | None = None,
        started_at: datetime | None = None,
        duration: timedelta | None = None,
        importance: float = 0.5,
        metadata: Metadata | None = None,
        run: str | None = None,
    ) -> Episode:
        """Keep a task that is over.

        Args:
            task: What was to be done.
            success: Whether it was.
            outcome: How it ended.
            steps: What was thought, done and seen on the way: `thought`, `action`, `result`.
            lesson: What to do, or not to do, the next time. If none is given, one is made from
                what this task did otherwise than those like it.
            started_at: When it began; or
            duration: how long it took.
            importance: From 0 to 1.
            metadata: Whatever else is to be kept with it.
            run: Names this very run: recording it again changes nothing.
        """
        now = self._records.now()
        started_at = _start(started_at, duration, now)
        data = {
            "task": validate.check_text(task, name="task"),
            "outcome": validate.check_text(outcome, name="outcome"),
            "lesson": None if lesson is None else validate.check_text(lesson, name="lesson"),
            "started_at": started_at.isoformat(),
            "ended_at": now.isoformat(),
            "steps": _fitting(
                [_step_as_json(step, now) for step in validate.check_many(steps, name="steps")]
            ),
        }
        if not isinstance(success, bool):
            raise UsageError(f"success must be True or False, not {success!r}.")
        metadata = validate.check_metadata(metadata)
        if _SUCCESS in metadata:
            raise UsageError(f"{_SUCCESS!r} in the metadata is taken: pass success=….")
        run = validate.check_optional_name(run, name="run")
        item = MemoryItem(
            id=known_id("episode", [run]) if run else f"episode-{new_id(now)}",
            user_id=self.user_id,
            content=_content(data, success=success),
            created_at=now,
            kind="episode",
            session_id=self.session_id,
            agent_id=self.agent_id,
            importance=validate.check_importance(importance),
            metadata={**metadata, _SUCCESS: success},
            data=validate.check_data(data),
        )
        if lesson is None and not (run and self._records.one(self.user_id, item.id)):
            item = self._taught(item)
        kept = self._records.change(self.user_id, item.id, lambda there: [] if there else [item])
        return episode_of(cast("MemoryItem", kept))

    def _taught(self, item: MemoryItem) -> MemoryItem:
        """An episode with a lesson that nobody noted."""
        episode = episode_of(item)
        lesson = lesson_of(episode, self._alike(episode.task), self._llm)
        data = {**item.data, "lesson": lesson}
        if lesson == plain(episode):  # it is found by these words already
            return replace(item, data=data)
        return replace(item, data=data, content=_content(data, success=episode.success))

    def _alike(self, task: str) -> list[Episode]:
        """Tasks that have to do with this one, the most alike first. Looking counts as no use."""
        query = " ".join(task.split())[: validate.MAX_QUERY]
        asked = Asked(query, Selection(("episode",), flagged=False), _COMPARED)
        try:
            hits = self._records.finding.search(self.user_id, asked)
        except ModelError:  # a lesson is not worth losing an episode for
            return []
        return [episode_of(hit.item) for hit in hits if hit.relevance >= RELEVANT]

    def search(self, query: str, limit: int = 5, *, success: bool | None = None) -> list[Episode]:
        """Past tasks like this one, the most alike first; only good or only bad ones if asked."""
        return [episode_of(hit.item) for hit in self.similar(query, limit, success=success)]

    def similar(self, query: str, limit: int = 5, *, success: bool | None = None) -> list[Hit]:
        """The same as `search`, with scores."""
        return self.memory.search(
            query,
            user_id=self.user_id,
            limit=limit,
            kinds=["episode"],
            where=None if success is None else {_SUCCESS: success},
        )

    def recent(self, limit: int = 10) -> list[Episode]:
        """The last tasks, the newest first."""
        limit = validate.check_limit(limit)
        ids = self._records.ids(self.user_id, Selection(("episode",)))[::-1][:limit]
        return [episode_of(item) for item in self._records.get(self.user_id, ids)]

    def lessons(self, query: str | None = None, limit: int = 5) -> list[str]:
        """What was learnt from tasks like this one, or from the last ones."""
        episodes = self.recent(limit) if query is None else self.search(query, limit)
        return [episode.lesson or told(episode) for episode in episodes]

    def forget(self, episode_id: str) -> bool:
        """Remove an episode; says whether there was one."""
        return self._forget(episode_id, "episode")


def told(episode: Episode) -> str:
    """An episode in a line: what was to be done, how it went, and what it teaches."""
    went = "worked" if episode.success else "failed"
    task, outcome, lesson = episode.task, episode.outcome, episode.lesson
    if lesson is None or lesson == plain(episode):  # which says the same again
        return " ".join(f"{task} ({went}): {outcome}".split())
    task, outcome = _cut(task, _TOLD_TASK), _cut(outcome, _TOLD_OUTCOME)
    return " ".join(f"{task} ({went}): {outcome}; lesson: {lesson}".split())


def _cut(text: str, most: int) -> str:
    """So much of a text that what follows it in a prompt is not cut off."""
    return text if len(text) <= most else text[:most].rstrip() + CUT


def episode_of(item: MemoryItem) -> Episode:
    """The episode in a record; one that was only added has no steps."""
    data = item.data
    return Episode(
        id=item.id,
        task=cast("str", data.get("task", item.content)),
        outcome=cast("str", data.get("outcome", "")),
        success=bool(item.metadata.get(_SUCCESS, True)),
        steps=tuple(map(_step, cast("list[dict[str, Any]]", data.get("steps", [])))),
        started_at=read_time(data.get("started_at"), name="started_at") or item.created_at,
        ended_at=read_time(data.get("ended_at"), name="ended_at") or item.created_at,
        lesson=cast("str | None", data.get("lesson")),
        metadata={key: value for key, value in item.metadata.items() if key != _SUCCESS},
    )


def _start(started_at: datetime | None, duration: timedelta | None, now: datetime) -> datetime:
    if started_at is not None and duration is not None:
        raise UsageError("Pass started_at or duration, not both.")
    if duration is not None:
        if not isinstance(duration, timedelta) or duration < timedelta(0):
            raise UsageError(f"duration must be a timedelta of at least zero, not {duration!r}.")
        started_at = earlier(now, duration)
    start = validate.check_time(started_at, name="started_at") or now
    if start > now:
        raise UsageError(f"started_at is in the future: {start.isoformat()}.")
    return start


def _content(data: Mapping[str, Any], *, success: bool) -> str:
    """An episode as text that similar tasks are found by."""
    went = "Succeeded" if success else "Failed"
    lesson = f"\nLesson: {data['lesson']}" if data["lesson"] else ""
    return f"{data['task']}\n{went}: {data['outcome']}{lesson}"[: validate.MAX_CONTENT]


def _step_as_json(step: Step | Mapping[str, Any], now: datetime) -> dict[str, JSON]:
    if isinstance(step, Step):
        step = {
            "thought": step.thought,
            "action": step.action,
            "result": step.result,
            "at": step.at,
        }
    if not isinstance(step, Mapping) or not step.keys() <= {"thought", "action", "result", "at"}:
        raise UsageError("A step is a dictionary with thought, action and result.")
    words = {name: step.get(name) or "" for name in ("thought", "action")}
    for name, text in words.items():
        if text:
            validate.check_text(text, name=name)
    result = validate.check_json(step.get("result"), name="result", limit=validate.MAX_DATA)
    at = as_utc(step.get("at") or now, name="The time of a step")
    return {**words, "result": result, "at": at.isoformat()}


def _fitting(steps: list[dict[str, JSON]]) -> list[dict[str, JSON]]:
    """Steps that can be kept: should they be too long together, long results are cut."""
    sizes = [len(json.dumps(step, ensure_ascii=False)) for step in steps]
    if sum(sizes) <= _MOST_STEPS:
        return steps
    room = max(100, _MOST_STEPS // len(steps) - 500)
    return [
        step if size <= room else {**step, "result": f"{json.dumps(step['result'])[:room]} […]"}
        for step, size in zip(steps, sizes, strict=True)
    ]


def _step(data: dict[str, Any]) -> Step:
    at = cast("datetime", read_time(data["at"], name="at"))
    return Step(data["thought"], data["action"], data["result"], at)
