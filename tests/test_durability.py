"""Several processes over one file, some of them killed."""

import json
import random
import subprocess
import sys
import time
from collections import Counter

import pytest

from bethink.check import check
from tests.workers import open_memory

CI, SOAK = 20, 200


def start(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "tests.workers", *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
        **options,
    )


class Said:
    """What workers have said: what must be there, and what must be gone."""

    def __init__(self):
        self.calls = 0
        self.there: dict[tuple[str, str], str] = {}
        self.gone: set[tuple[str, str]] = set()

    def hear(self, process):
        """Take over what a killed worker had printed; its last line may be cut off."""
        for line in process.communicate()[0].split("\n")[:-1]:
            self.calls += 1
            verb, user_id, items = json.loads(line)
            keys = [(user_id, id_) for id_ in items]
            if verb == "added":
                self.there |= {(user_id, id_): content for id_, content in items.items()}
            elif verb == "forgetting":
                for key in keys:
                    del self.there[key]
            else:
                self.gone |= set(keys)

    def broken(self, memory):
        """What is not as it was said."""
        for (user_id, id_), content in self.there.items():
            item = memory.get(id_, user_id=user_id)
            if item is None or item.content != content:
                yield "lost", content
        for user_id, id_ in self.gone:
            if memory.get(id_, user_id=user_id):
                yield "came back", id_


def broken_batches(memory):
    """Batches of which only a part is there."""
    for user_id in memory.store.users():
        items = memory.get_user_memories(user_id=user_id)
        sizes = Counter(item.metadata["batch"] for item in items)
        for batch, size in sizes.items():
            if size != (3 if int(batch.rpartition("-")[2]) % 2 else 1):
                yield batch, size


def kill_writers(path, rounds):
    """Three processes write at once; one of them, then the next, is killed at a random moment."""
    rng = random.Random(rounds)
    workers = [start("add_forever", path, f"w{n}") for n in range(3)]
    said = Said()
    for n in range(rounds):
        time.sleep(rng.uniform(0.2, 1.2))  # a worker needs half a second to begin
        victim = workers.pop(rng.randrange(3))
        victim.kill()
        said.hear(victim)
        with open_memory(path) as memory:
            assert check(memory.store) == []
        workers.append(start("add_forever", path, f"w{n + 3}"))
    for worker in workers:
        worker.kill()
        said.hear(worker)
    return said


@pytest.mark.parametrize("rounds", [CI, pytest.param(SOAK, marks=pytest.mark.soak)])
def test_what_was_acknowledged_survives_a_killed_process_whole(tmp_path, rounds):
    path = tmp_path / "agent.db"
    said = kill_writers(path, rounds)
    assert said.calls > 10 * rounds
    with open_memory(path) as memory:
        assert check(memory.store) == []
        assert list(said.broken(memory)) == []
        assert list(broken_batches(memory)) == []
        for user_id in memory.store.users():
            assert memory.search("part", user_id=user_id)
    print(
        f"\n{rounds} kills: {said.calls:,} acknowledged calls, {len(said.there):,} memories that "
        f"must be there, {len(said.gone):,} that must be gone: all as said"
    )


class Remote:
    """The memory of another process."""

    def __init__(self, path):
        self.process = start("obey", path, stdin=subprocess.PIPE)

    def __getattr__(self, verb):
        def call(*positional, **keywords):
            self.process.stdin.write(json.dumps([verb, positional, keywords]) + "\n")
            self.process.stdin.flush()
            return json.loads(self.process.stdout.readline())

        return call

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()


class Local:
    """The memory of this process, with the same answers."""

    def __init__(self, path):
        self.memory = open_memory(path)

    def add(self, *positional, **keywords):
        return self.memory.add(*positional, **keywords).id

    def update(self, *positional, **keywords):
        return self.memory.update(*positional, **keywords).id

    def search(self, *positional, **keywords):
        hits = self.memory.search(*positional, **keywords)
        return [[hit.item.user_id, hit.item.content] for hit in hits]

    def __getattr__(self, verb):
        return getattr(self.memory, verb)


@pytest.mark.parametrize("steps", [300, pytest.param(5000, marks=pytest.mark.soak)])
def test_no_process_sees_a_stale_or_foreign_result(tmp_path, steps):
    path = tmp_path / "agent.db"
    rng = random.Random(steps)
    handles: list[Local | Remote] = [Local(path), Remote(path)]
    truth: dict[str, dict[str, str]] = {"ann": {}, "bob": {}}
    for step in range(steps):
        writer, reader = rng.sample(handles, 2)
        user_id = rng.choice(["ann", "bob"])
        change(writer, rng, user_id, truth[user_id], step)
        for handle in (reader, writer):
            for user, known in truth.items():
                found = handle.search("note", user_id=user, limit=1000)
                assert sorted(found) == sorted([user, text] for text in known.values())
    for handle in handles:
        handle.close()


def change(memory, rng, user_id, known, step):
    """One random change, made to the memory and to what should be in it."""
    kind = rng.choices(["add", "update", "forget", "clear"], [6, 3, 3, 0.2])[0]
    if kind == "add" or not known:
        text = f"note {step}"
        known[memory.add(text, user_id=user_id)] = text
    elif kind == "update":
        id_ = rng.choice(list(known))
        known[id_] = f"note {step} changed"
        memory.update(id_, user_id=user_id, content=known[id_])
    elif kind == "forget":
        id_ = rng.choice(list(known))
        del known[id_]
        memory.forget(id_, user_id=user_id)
    else:
        known.clear()
        memory.clear(user_id=user_id)


def test_many_processes_may_make_the_same_file_at_once(tmp_path):
    path = tmp_path / "agent.db"
    workers = [start("open_and_add", path, n) for n in range(6)]
    assert [worker.wait(60) for worker in workers] == [0] * 6
    for worker in workers:
        worker.stdout.close()
    with open_memory(path) as memory:
        assert len(memory.get_user_memories(user_id="ann")) == 6
        assert check(memory.store) == []
