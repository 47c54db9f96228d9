"""Records that get their vectors after they were kept."""

import threading

import numpy as np
import pytest

from bethink import FunctionEmbedder, Memory, ModelError, later
from bethink.check import check
from tests.conftest import letters
from tests.stores.test_sqlite import in_child


class Slow:
    """An embedder that waits until it is told to go on, and counts its texts."""

    def __init__(self):
        self.go = threading.Event()
        self.batches: list[int] = []
        self.broken = False
        self.failures = 0

    def __call__(self, texts):
        self.go.wait(10)
        self.failures += self.broken
        if self.broken:
            raise OSError("no network")
        self.batches.append(len(texts))
        return letters(texts)


@pytest.fixture
def slow():
    return Slow()


def opened(path, embed):
    return Memory(path, embedder=FunctionEmbedder(embed, name="letters", dimension=16))


def say(memory, count):
    conversation = memory.for_user("ann", session_id="s").conversation
    for n in range(count):
        conversation.add_message("user", f"note {n}")


def bare(memory):
    rows = memory.store.scan("ann", space=memory.store.space()).rows
    return [row.id for row in rows if not row.vectors]


def test_many_are_embedded_in_few_batches_and_adding_does_not_wait(tmp_path, slow):
    with opened(tmp_path / "a.db", slow) as memory:
        say(memory, 130)
        assert len(bare(memory)) == 130
        slow.go.set()
        memory.flush()
        assert bare(memory) == []
        assert len(slow.batches) <= 4
        assert check(memory.store) == []


def test_whoever_searches_at_once_finds_what_was_just_said_by_meaning(tmp_path):
    with opened(tmp_path / "a.db", letters) as memory:
        for n in range(20):
            memory.for_user("ann", session_id="s").conversation.add_message("user", f"note {n}")
            assert memory.search("note", user_id="ann", limit=30)[0].relevance > 0.3
            assert bare(memory) == []


def test_closing_waits_until_all_is_embedded(tmp_path, slow):
    with opened(tmp_path / "a.db", slow) as memory:
        say(memory, 3)
        slow.go.set()
    with opened(tmp_path / "a.db", letters) as memory:
        assert bare(memory) == []


def test_what_another_process_left_bare_is_embedded_by_whoever_finds_it(
    tmp_path, slow, monkeypatch
):
    memory = opened(tmp_path / "a.db", slow)
    slow.broken = True
    slow.go.set()
    say(memory, 3)
    memory.close()  # which is quiet about it: nothing is lost
    monkeypatch.setattr(later, "_PATIENCE", 0.0)
    with opened(tmp_path / "a.db", letters) as memory:
        assert len(bare(memory)) == 3
        assert len(memory.search("note", user_id="ann")) == 3
        memory.flush()
        assert bare(memory) == []


def test_what_another_process_is_about_to_embed_is_left_to_it(tmp_path, slow):
    with opened(tmp_path / "a.db", slow) as memory, opened(tmp_path / "a.db", letters) as other:
        say(memory, 3)
        other.search("note", user_id="ann")
        other.flush()
        assert len(bare(memory)) == 3
        slow.go.set()


def test_a_failure_is_told_until_it_is_made_up_for(tmp_path, slow):
    slow.go.set()
    with opened(tmp_path / "a.db", slow) as memory:
        slow.broken = True
        say(memory, 2)
        for _ in range(2):
            with pytest.raises(ModelError, match="no network"):
                memory.flush()
        slow.broken = False
        say(memory, 1)
        memory.flush()
        assert bare(memory) == []


def test_one_text_that_the_model_refuses_costs_no_other_its_vector(tmp_path):
    def picky(texts):
        if any("17" in text for text in texts):
            raise ValueError("17 is not allowed")
        return letters(texts)

    with opened(tmp_path / "a.db", picky) as memory:
        say(memory, 100)
        with pytest.raises(ModelError, match="17 is not allowed"):
            memory.flush()
        assert len(bare(memory)) == 1


def test_a_model_that_is_down_is_not_asked_for_every_record(tmp_path, slow):
    with opened(tmp_path / "a.db", slow) as memory:
        say(memory, 500)
        slow.broken = True
        slow.go.set()
        memory.records._later.finish()
        assert slow.failures <= 6
        assert len(bare(memory)) == 500


def test_an_embedder_that_raises_anything_hangs_nobody(tmp_path):
    class Own:
        name, dimension, broken = "own", 16, False

        def split(self, text):
            return [text]

        def embed(self, texts):
            if self.broken:
                raise ConnectionError("down")
            vectors = np.array(letters(list(texts)), np.float32)
            return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    own = Own()
    memory = Memory(tmp_path / "a.db", embedder=own)
    say(memory, 1)
    memory.flush()
    own.broken = True
    say(memory, 1)
    with pytest.raises(ModelError, match="own failed: ConnectionError: down"):
        memory.flush()
    memory.close()


def test_a_model_that_is_down_costs_nobody_a_memory(tmp_path, slow, caplog):
    slow.go.set()
    with opened(tmp_path / "a.db", slow) as memory:
        memory.add("Likes coffee", user_id="ann")
        slow.broken = True
        memory.add_many(["Likes tea", "Has a dog"], user_id="ann")
        memory.for_user("ann").factual.set_fact("home", "London")
        assert memory.search("tea", user_id="ann")[0].item.content == "Likes tea"
        assert "Kept without a vector for now: letters failed: OSError\n" in caplog.text
        assert "no network" not in caplog.text
        assert "Searching by words alone: letters failed" in caplog.text
        assert len(bare(memory)) == 3
        slow.broken = False
        memory.flush()
        assert bare(memory) == []
        assert memory.search("Likes tea", user_id="ann")[0].relevance > 0.9


def test_one_refused_text_of_many_is_kept_with_the_others(tmp_path):
    def picky(texts):
        if any("arsenic" in text for text in texts):
            raise ValueError("no poison")
        return letters(texts)

    with opened(tmp_path / "a.db", picky) as memory:
        memory.add_many(["tea", "arsenic", "lace"], user_id="ann")
        with pytest.raises(ModelError, match="no poison"):
            memory.flush()
        assert len(memory.get_user_memories(user_id="ann")) == 3
        assert len(bare(memory)) == 1


def test_what_needs_no_model_works_while_the_model_is_out_of_reach(tmp_path):
    def away(texts):
        raise OSError("no network")

    with Memory(tmp_path / "a.db", embedder=FunctionEmbedder(letters, name="api")) as memory:
        memory.add("Likes tea", user_id="ann")
    with Memory(tmp_path / "a.db", embedder=FunctionEmbedder(away, name="api")) as memory:
        ann = memory.for_user("ann", session_id="s", task_id="t")
        ann.conversation.add_message("user", "Hello")
        assert [m.content for m in ann.conversation.messages] == ["Hello"]
        ann.working.set_task("Wait")
        assert len(ann.get_user_memories()) == 1
        assert memory.sessions(user_id="ann")


def test_a_message_that_is_removed_meanwhile_stays_removed(tmp_path, slow):
    with opened(tmp_path / "a.db", slow) as memory:
        say(memory, 3)
        memory.clear(user_id="ann")
        slow.go.set()
        memory.flush()
        assert memory.store.users() == []
        assert check(memory.store) == []


def test_a_forked_child_does_not_do_its_parent_s_work(tmp_path, slow):
    with opened(tmp_path / "a.db", slow) as memory:
        say(memory, 3)

        def child():
            slow.go.set()
            memory.flush()
            return slow.batches == []

        assert in_child(child)
        slow.go.set()
        memory.flush()
        assert bare(memory) == []


def test_the_thread_ends_when_there_is_nothing_to_do(tmp_path):
    with opened(tmp_path / "a.db", letters) as memory:
        say(memory, 3)
        memory.flush()
        for thread in threading.enumerate():
            if thread.name == "bethink-later":
                thread.join(5)
                assert not thread.is_alive()


def test_vectors_are_those_of_the_text(tmp_path):
    with opened(tmp_path / "a.db", letters) as memory:
        say(memory, 1)
        memory.flush()
        [row] = memory.store.scan("ann", space=memory.store.space()).rows
        vector = np.array(letters(["user: note 0"])[0])
        expected = vector / np.linalg.norm(vector)
        assert np.allclose(np.frombuffer(row.vectors, "<f2"), expected, atol=0.01)
