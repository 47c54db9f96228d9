import asyncio
import os
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from bethink import FunctionEmbedder, Memory
from bethink.errors import ModelError, StoreError, TextsRefused, UsageError
from bethink.models.cache import CachedEmbedder
from bethink.testing.models import ScriptedEmbedder
from tests.conftest import letters


class Counting:
    """Embeds by letters, and notes which texts it was given."""

    def __init__(self):
        self.texts = []

    def __call__(self, texts):
        self.texts += texts
        return letters(texts)


@pytest.fixture
def counting():
    return Counting()


@pytest.fixture
def file(tmp_path):
    return tmp_path / "vectors.db"


def cached(fn, file, name="letters", **settings):
    return CachedEmbedder(FunctionEmbedder(fn, name=name, dimension=16), file, **settings)


def test_a_text_is_embedded_once(counting, file):
    embedder = cached(counting, file)
    first = embedder.embed(["a", "b", "a"])
    assert (embedder.embed(["b", "a", "c"])[:2] == first[[1, 0]]).all()
    assert counting.texts == ["a", "b", "c"]


def test_vectors_are_the_same_with_and_without_it(counting, file):
    texts = [f"text {n}" for n in range(1200)]
    plain = FunctionEmbedder(letters, dimension=16).embed(texts)
    embedder = cached(counting, file)
    for _ in range(2):
        assert (embedder.embed(texts) == plain).all()
    assert len(counting.texts) == 1200


def test_it_outlives_the_process(file, counting):
    cached(letters, file).embed(["a"])
    cached(counting, file).embed(["a"])
    assert counting.texts == []


def test_embedders_of_another_name_share_nothing(file, counting):
    cached(letters, file).embed(["a"])
    cached(counting, file, name="others").embed(["a"])
    assert counting.texts == ["a"]


def test_queries_and_documents_are_kept_apart(connect, server, tmp_path):
    embedder = CachedEmbedder(connect("embeddings", "voyage", dimension=16), tmp_path / "v.db")
    for _ in range(2):
        embedder.embed(["a"])
        embedder.embed_queries(["a"])
    assert [request.body["input_type"] for request in server.requests] == ["document", "query"]


def test_a_model_that_knows_no_queries_keeps_one_vector(file, counting):
    embedder = cached(counting, file)
    embedder.embed(["a"])
    embedder.embed_queries(["a"])
    assert counting.texts == ["a"]


def test_it_is_an_embedder_like_any_other(file, tmp_path, counting):
    with Memory(tmp_path / "agent.db", embedder=cached(counting, file)) as memory:
        memory.add("Supports Arsenal", user_id="john")
        memory.add("Supports Arsenal", user_id="ann")
        assert memory.search("Supports Arsenal", user_id="john")
    assert counting.texts.count("Supports Arsenal") == 1


LEAST = 256 * 1024


def size_of(file):
    """What the cache takes: the file, and the log beside it."""
    log = file.with_name(f"{file.name}-wal")
    return sum(path.stat().st_size for path in (file, log) if path.exists())


@pytest.mark.parametrize("dimension", [8, 256, 384, 1024, 1536, 4096])
@pytest.mark.parametrize("together", [1, 400])
def test_the_file_never_takes_more_than_it_may(file, dimension, together):
    scripted = ScriptedEmbedder(dimension=dimension)
    embedder = CachedEmbedder(scripted, file, most_bytes=1_000_000)
    for n in range(800 // together):
        embedder.embed([f"text {n} {m}" for m in range(together)])
        assert size_of(file) <= 1_000_000
    before = len(scripted.texts)
    embedder.embed([f"text {n} {together - 1}"])
    assert len(scripted.texts) == before


def test_what_was_not_used_for_the_longest_time_is_dropped(file, monkeypatch):
    monkeypatch.setattr("bethink.models.vectorfile._REMEMBERED", -1)
    scripted = ScriptedEmbedder(dimension=384)
    embedder = CachedEmbedder(scripted, file, most_bytes=LEAST)
    for n in range(300):
        embedder.embed([f"text {n}", "often"])
        assert size_of(file) <= LEAST
    assert scripted.texts.count("often") == 1
    embedder.embed(["text 299", "text 260", "text 0"])
    assert scripted.texts[-2:] == ["text 299", "text 0"]


def test_a_vector_that_is_larger_than_the_file_may_be_is_not_kept(file):
    embedder = CachedEmbedder(ScriptedEmbedder(dimension=50_000), file, most_bytes=LEAST)
    assert embedder.embed(["a"]).shape == (1, 50_000)
    assert size_of(file) <= LEAST


def test_threads_share_it(file, counting):
    embedder = cached(counting, file)
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda n: embedder.embed([f"text {n % 10}"]), range(200)))
    assert np.vstack(made).shape == (200, 16)


def test_processes_share_it(file):
    code = f"""
from bethink import FunctionEmbedder
from bethink.models.cache import CachedEmbedder
from tests.conftest import letters
inner = FunctionEmbedder(letters, name="letters", dimension=16)
embedder = CachedEmbedder(inner, {str(file)!r}, most_bytes={LEAST})
for n in range(200):
    texts = [f"text {{n}}", f"text {{n // 2}}"]
    assert (embedder.embed(texts) == inner.embed(texts)).all()
"""
    children = [
        subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    for child in children:
        _, errors = child.communicate(timeout=120)
        assert (child.returncode, errors) == (0, "")
    assert size_of(file) <= LEAST


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_has_a_connection_of_its_own(file):
    code = f"""
import os, sys
from bethink import FunctionEmbedder
from bethink.models.cache import CachedEmbedder
from tests.models.test_cache import Counting
counting = Counting()
embedder = CachedEmbedder(FunctionEmbedder(counting, name="letters", dimension=16), {str(file)!r})
embedder.embed(["a"])
child = os.fork()
if child:
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
embedder.embed(["a", "b"])
assert counting.texts == (["a"] if child else ["a", "b"])
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_a_file_that_is_something_else_is_refused(file):
    file.write_bytes(b"This is a letter, and no cache of vectors at all." * 100)
    with pytest.raises(StoreError, match="cannot be used as a cache of vectors"):
        cached(letters, file)


def test_a_cache_that_breaks_is_as_if_it_were_not_there(file, counting):
    embedder = cached(counting, file)
    embedder.embed(["a"])
    embedder._file()._db.execute("DROP TABLE vectors")
    assert embedder.embed(["a", "b"]).shape == (2, 16)
    assert counting.texts == ["a", "a", "b"]


def test_an_error_of_the_model_passes_and_nothing_is_kept(file):
    def failing(_):
        raise ConnectionError("gone")

    embedder = cached(failing, file)
    with pytest.raises(ModelError):
        embedder.embed(["a"])
    assert cached(letters, file).embed(["a"]).shape == (1, 16)


def test_no_text_is_in_the_file(file):
    cached(letters, file).embed(["a very secret text"])
    assert b"secret" not in b"".join(
        path.read_bytes() for path in file.parent.iterdir() if path.name.startswith(file.name)
    )


def test_no_room_at_all_is_refused(file):
    with pytest.raises(UsageError, match="most_bytes is 0"):
        cached(letters, file, most_bytes=0)


# --- what an embedder refuses or gets wrong


def test_a_refused_text_is_named_by_its_place_and_the_rest_is_kept(connect, server, file):
    embedder = CachedEmbedder(connect("embeddings", "openai"), file)
    before = embedder.embed(["tea", "milk"])
    server.poison("arsenic")
    texts = ["tea", "arsenic", "milk", "lace", "arsenic"]
    with pytest.raises(TextsRefused, match="refused 2 of 5 texts. text 1: .*; text 4: ") as caught:
        embedder.embed(texts)
    assert list(caught.value.refused) == [1, 4]
    assert (caught.value.vectors[[0, 2]] == before).all()
    assert not caught.value.vectors[[1, 4]].any()
    asked = len(server.requests)
    assert (embedder.embed(["lace"])[0] == caught.value.vectors[3]).all()
    assert len(server.requests) == asked


class Faulty:
    """An embedder of somebody's own, which gets everything wrong that it is told to."""

    name, dimension = "faulty", 2

    def __init__(self, rows):
        self.rows = rows

    def split(self, text):
        return [text]

    def embed(self, texts):
        return np.array(self.rows, np.float32)


@pytest.mark.parametrize("row", [[5, 0], [np.nan, 0], [0, 0]])
def test_a_memory_still_checks_an_embedder_that_nobody_vouches_for(file, tmp_path, row):
    embedder = CachedEmbedder(Faulty([row]), file)
    with (
        Memory(tmp_path / "agent.db", embedder=embedder) as memory,
        pytest.raises(UsageError, match="length one"),
    ):
        memory.add("Supports Arsenal", user_id="john")
    embedder.embedder = Faulty([[1, 0]])
    assert embedder.embed(["Supports Arsenal"]).tolist() == [[1, 0]]  # nothing wrong was kept


def test_too_few_vectors_are_an_error(file):
    with pytest.raises(UsageError, match=r"faulty did not return an array of the shape \(2, 2\)"):
        CachedEmbedder(Faulty([[1, 0]]), file).embed(["a", "b"])


@pytest.mark.parametrize("texts", ["hello", [None], [b"hello"]])
def test_what_is_no_list_of_texts_is_refused(file, texts):
    with pytest.raises(UsageError, match="text"):
        cached(letters, file).embed(texts)


def test_it_takes_a_function_or_a_name_like_a_memory_does(file):
    assert CachedEmbedder(letters, file).embed(["a"]).shape == (1, 16)
    assert CachedEmbedder("wordllama:", file).name == "wordllama:l2_supercat"
    with pytest.raises(UsageError, match="is no embedder"):
        CachedEmbedder(12, file)  # type: ignore[arg-type]


def test_it_can_be_awaited(file, counting):
    embedder = cached(counting, file)

    async def twice():
        return await embedder.aembed(["a"]), await embedder.aembed_queries(["a"])

    first, second = asyncio.run(twice())
    assert (first == second).all()
    assert counting.texts == ["a"]


# --- other processes


@pytest.fixture
def busy(file):
    """A cache with two vectors, used long ago, that another connection is writing."""
    cached(letters, file).embed(["a", "b"])
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("UPDATE vectors SET used = 1")
    other.execute("BEGIN IMMEDIATE")
    yield file
    other.close()


def test_what_is_there_is_found_at_once_while_another_process_writes(busy, counting):
    embedder = cached(counting, busy)
    before = time.monotonic()
    embedder.embed(["a", "b"])
    assert time.monotonic() - before < 0.4
    assert counting.texts == []


def test_what_cannot_be_kept_just_now_is_not_waited_for_long(busy, counting):
    embedder = cached(counting, busy)
    before = time.monotonic()
    embedder.embed(["c"])
    assert time.monotonic() - before < 2
    assert counting.texts == ["c"]


def test_a_file_that_is_busy_when_it_is_opened_is_used_later(file, counting, monkeypatch):
    monkeypatch.setattr("bethink.models.vectorfile._OPENING", 0.01)
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    embedder = cached(counting, file)
    embedder.embed(["a"])
    other.execute("ROLLBACK")
    other.close()
    embedder.embed(["a"])
    embedder.embed(["a"])
    assert counting.texts == ["a", "a"]


def test_a_database_of_somebody_else_is_refused_and_left_alone(file):
    with sqlite3.connect(file) as db:
        db.execute("CREATE TABLE mine (a)")
    db.close()
    before = file.read_bytes()
    with pytest.raises(StoreError, match="it is another database"):
        cached(letters, file)
    assert file.read_bytes() == before


def test_after_closing_it_opens_again(file, counting):
    embedder = cached(counting, file)
    embedder.embed(["a"])
    embedder.close()
    embedder.embed(["a"])
    assert counting.texts == ["a"]
