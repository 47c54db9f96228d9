"""Processes for tests that need more than one: ``python -m tests.workers JOB ARGUMENT…``."""

import json
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import cast

from bethink import Conflict, FunctionEmbedder, Memory, MemoryItem
from bethink.stores.url import open_store
from tests.conftest import letters


def open_memory(path: str) -> Memory:
    return Memory(path, embedder=FunctionEmbedder(letters, name="letters", dimension=16))


def add_forever(path: str, name: str) -> None:
    """Add memories, one by one and in batches of three, and forget those of a while ago.

    Prints what is done when it is done, and what is to be forgotten before it is begun.
    """
    memory = open_memory(path)
    recent: deque[tuple[str, list[str]]] = deque()
    for n in count():
        user_id, batch = f"user{n % 3}", f"{name}-{n}"
        texts = [f"{batch} part {part}" for part in range(3 if n % 2 else 1)]
        items = memory.add_many(texts, user_id=user_id, metadata={"batch": batch})
        say("added", user_id, {item.id: item.content for item in items})
        recent.append((user_id, [item.id for item in items]))
        if len(recent) > 50:
            user_id, ids = recent.popleft()
            say("forgetting", user_id, ids)
            memory.forget(ids, user_id=user_id)
            say("forgot", user_id, ids)


def remember_forever(path: str, name: str) -> None:
    """Say something new again and again, to be learnt in the background; prints what is kept."""
    memory = open_memory(path)
    for n in count():
        text = f"I love the town of Ulm{name}x{n}."
        memory.remember(text, user_id="ann", session_id=name, background=True)
        print(text, flush=True)
        time.sleep(0.01)  # enough are there to be killed in the middle of


def crowd(url: str, seconds: str, threads: str, connections: str) -> None:
    """Many threads that add, search and count together through one memory of a server's.

    Prints how many memories were added and how many steps were counted.
    """
    bound = "connections" if url.startswith("redis") else "pool_size"
    store = open_store(url, **{bound: int(connections), "timeout": 60})
    memory = Memory(store, embedder=FunctionEmbedder(letters, name="letters", dimension=16))
    done: list[tuple[int, int]] = []
    end = time.monotonic() + float(seconds)

    def work(name: str) -> None:
        added = steps = 0
        while time.monotonic() < end:
            text = f"{name}x{added}"
            item = memory.add(text, user_id="ann", metadata={"by": name})
            found = memory.search(text, user_id="ann", limit=3, where={"by": name})
            if item.id not in [hit.item.id for hit in found]:
                raise AssertionError(f"{text} was added and is not found.")
            added += 1
            counter = cast("MemoryItem", memory.get("counter", user_id="ann"))
            with suppress(Conflict):
                memory.update(
                    "counter",
                    user_id="ann",
                    content=str(int(counter.content) + 1),
                    if_version=counter.version,
                )
                steps += 1
        done.append((added, steps))

    all_ = [threading.Thread(target=work, args=[f"{os.getpid()}n{n}"]) for n in range(int(threads))]
    for thread in all_:
        thread.start()
    for thread in all_:
        thread.join()
    memory.close()
    if len(done) != len(all_):
        sys.exit("A thread has failed.")
    say(*map(sum, zip(*done, strict=True)))


def say(*words: object) -> None:
    print(json.dumps(words), flush=True)


def obey(path: str) -> None:
    """Call the methods of a memory that are named on standard input, and print what they return."""
    memory = open_memory(path)
    for line in sys.stdin:
        verb, positional, keywords = json.loads(line)
        found = getattr(memory, verb)(*positional, **keywords)
        if verb == "search":
            found = [[hit.item.user_id, hit.item.content] for hit in found]
        elif verb in ("add", "update"):
            found = found.id
        print(json.dumps(found), flush=True)


def open_and_add(path: str, name: str) -> None:
    """Open a file that others may be making at the same moment, and add to it."""
    with open_memory(path) as memory:
        memory.add(f"from {name}", user_id="ann")


def set_facts(path: str, name: str, times: str) -> None:
    """Change one fact many times, while others do the same."""
    with open_memory(path) as memory:
        factual = memory.for_user("ann").factual
        for n in range(int(times)):
            factual.set_fact("home city", f"{name}-{n}", source=name)


def work(path: str, name: str, times: str) -> None:
    """Change one working memory, while others do the same."""
    with open_memory(path) as memory:
        working = memory.for_user("ann", session_id="s", task_id="t").working
        for n in range(int(times)):
            working.add_result(f"{name}-{n}", n)
            working.update_variable("count", lambda count: count + 1, default=0)
            working.push_subgoal(f"{name}-{n}")
            working.add_thought(f"{name}-{n}")
            if n % 3 == 2:
                say(working.pop_subgoal())


if __name__ == "__main__":
    jobs: dict[str, Callable[..., None]] = {
        "add_forever": add_forever,
        "crowd": crowd,
        "obey": obey,
        "open_and_add": open_and_add,
        "remember_forever": remember_forever,
        "set_facts": set_facts,
        "work": work,
    }
    jobs[sys.argv[1]](*sys.argv[2:])
