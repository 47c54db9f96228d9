"""What processes do to stores in tests that kill them, or that have them write meanwhile.

``python -m tests.movers JOB …``
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import Any

import numpy as np

from bethink import Conflict, FunctionEmbedder, MemoryStore
from bethink.copying import copy
from bethink.entries import make_entries
from bethink.models.base import space_of
from bethink.reembed import reembed
from bethink.stores.base import Row, Use
from bethink.types import Kind, MemoryItem, revision_id
from tests.conftest import letters
from tests.homes import Home

START = datetime(2024, 5, 17, 12, tzinfo=UTC)


def backwards(texts: list[str]) -> Any:
    return np.array(letters([text[::-1] for text in texts]))[:, :8] + 0.1


OLD = FunctionEmbedder(letters, name="letters", dimension=16)
NEW = FunctionEmbedder(backwards, name="backwards", dimension=8)
SPACE = space_of(OLD)


class Forker:
    """A process that forks others, which do one job each and may be killed at it.

    It has imported everything and has no threads, so that many can be killed at little cost.
    """

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.movers", "fork"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, job: str, *homes: Home, seconds: float | None = None) -> float | None:
        """How many seconds a job took; None if it was killed after those that are given."""
        assert self._process.stdin
        assert self._process.stdout
        told = [job, [asdict(home) for home in homes], seconds]
        self._process.stdin.write(json.dumps(told) + "\n")
        self._process.stdin.flush()
        code, took = json.loads(self._process.stdout.readline())
        assert code in (0, -signal.SIGKILL), f"{job} ended with {code}"
        return None if code else took

    def close(self) -> None:
        self._process.communicate()


def serve() -> None:
    """Fork for each line of standard input; print how it ended, and how long it took."""
    for driver in ("postgres", "redis"):
        import_module(f"bethink.stores.{driver}")
    for line in sys.stdin:
        job, homes, seconds = json.loads(line)
        begun = time.monotonic()
        child = os.fork()
        if child == 0:
            JOBS[job](*(Home(**home) for home in homes))
            os._exit(0)
        ended, status = 0, 0
        while not ended:
            if seconds is not None and time.monotonic() - begun > seconds:
                os.kill(child, signal.SIGKILL)
            time.sleep(0.001)
            ended, status = os.waitpid(child, os.WNOHANG)
        print(json.dumps([os.waitstatus_to_exitcode(status), time.monotonic() - begun]), flush=True)


def start_writing(home: Home, seed: int, steps: int) -> "subprocess.Popen[bytes]":
    told = json.dumps([asdict(home), seed, steps])
    return subprocess.Popen([sys.executable, "-m", "tests.movers", "write", told])


def copied(source: Home, target: Home) -> None:
    with closing(source.open()) as here, closing(target.open()) as there:
        copy(here, there)


def reembedded(home: Home) -> None:
    with closing(home.open()) as store:
        reembed(store, NEW)


def write(home: Home, seed: int, steps: int) -> None:
    """Write, change, use, delete and clear, with the old model's vectors while it is in use."""
    with closing(home.open()) as store:
        rng = random.Random(seed)
        for step in range(steps):
            change(store, rng, f"{seed}-{step}")
            time.sleep(0.002)


def change(store: MemoryStore, rng: random.Random, name: str) -> None:
    """One random change to a store."""
    user_id, id_ = f"user{rng.randrange(3)}", f"m{rng.randrange(40)}"
    verb = rng.choices(["put", "touch", "delete", "clear"], [12, 4, 3, 0.1])[0]
    if verb == "put":
        with suppress(Conflict):  # another was quicker, or the model has changed
            put(store, user_id, id_, f"note {name}")
    elif verb == "touch":
        store.touch(user_id, {id_: Use(rng.randint(1, 3), START + timedelta(seconds=rng.random()))})
    elif verb == "delete":
        store.delete(user_id, [id_])
    else:
        store.clear(user_id)


def put(store: MemoryStore, user_id: str, id_: str, content: str) -> None:
    """Write a record, as the next version of what is there."""
    model = NEW if store.space() == space_of(NEW) else OLD
    item = MemoryItem(id=id_, user_id=user_id, content=content, created_at=START, kind=kind_of(id_))
    before = store.get(user_id, [id_])
    version = before[0].version if before else 0
    items = [replace(item, version=version + 1)]
    items += [replace(was, id=revision_id(id_, was.version), superseded_by=id_) for was in before]
    entries = make_entries(items, model)
    store.put(user_id, entries, space=space_of(model), if_version={id_: version})


def kind_of(id_: str) -> Kind:
    """The same for a record at all times, as layers demand."""
    return "message" if id_[1:].isdecimal() and int(id_[1:]) % 3 else "semantic"


def fill(store: MemoryStore, records: int) -> None:
    """Give three users so many records each, some with a history, an expiry or uses."""
    store.switch(None, SPACE)
    for user_id in ("user0", "user1", "user2"):
        items = [
            MemoryItem(
                id=f"m{n}",
                user_id=user_id,
                content=f"note {n} of {user_id}",
                created_at=START + timedelta(seconds=n),
                kind=kind_of(f"m{n}"),
                session_id=f"s{n % 7}" if n % 3 else None,
                expires_at=datetime(2100, 1, 1, tzinfo=UTC) if n % 5 == 0 else None,
                version=2 if n % 4 == 0 else 1,
            )
            for n in range(records)
        ]
        items += [
            replace(item, id=revision_id(item.id, 1), version=1, superseded_by=item.id)
            for item in items
            if item.version == 2
        ]
        store.put(user_id, make_entries(items, OLD), space=SPACE)
        used = {f"m{n}": Use(n % 9 + 1, START) for n in range(0, records, 3)}
        store.touch(user_id, used)


Kept = Mapping[str, tuple[Mapping[str, Row], Mapping[str, MemoryItem]]]


def kept(store: MemoryStore) -> Kept:
    """All that a store says it has, by user: rows and records."""
    space, found = store.space() or "", {}
    for user_id in store.users():
        rows = {row.id: row for row in store.scan(user_id, space=space).rows}
        items = {item.id: item for item in store.get(user_id, list(rows))}
        found[user_id] = (rows, items)
    return found


JOBS: Mapping[str, Callable[..., None]] = {"copy": copied, "reembed": reembedded}

if __name__ == "__main__":
    if sys.argv[1] == "fork":
        serve()
    else:
        home, seed, steps = json.loads(sys.argv[2])
        write(Home(**home), seed, steps)
