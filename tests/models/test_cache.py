import os
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from bethink import FunctionEmbedder, Memory
from bethink.errors import ModelError, StoreError, UsageError
from bethink.models.cache import CachedEmbedder
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


def size_of(file):
    with sqlite3.connect(file) as db:
        [counted], [told] = (
            db.execute("SELECT sum(length(vector) + 80) FROM vectors").fetchone(),
            db.execute("SELECT bytes FROM total").fetchone(),
        )
    db.close()
    assert counted == told
    return told


def test_it_never_holds_more_than_it_may_and_drops_what_was_not_used(file, counting, monkeypatch):
    monkeypatch.setattr("bethink.models.cache._REMEMBERED", -1)
    embedder = cached(counting, file, most_bytes=100 * (16 * 4 + 80))
    for n in range(300):
        embedder.embed([f"text {n}", "often"])
        assert size_of(file) <= 100 * (16 * 4 + 80)
    assert counting.texts.count("often") == 1
    embedder.embed(["text 299", "text 0"])
    assert counting.texts[-1] == "text 0"


def test_more_texts_than_it_may_hold_are_embedded_all_the_same(file, counting):
    embedder = cached(counting, file, most_bytes=1000)
    assert embedder.embed([f"text {n}" for n in range(50)]).shape == (50, 16)
    assert size_of(file) <= 1000


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
embedder = CachedEmbedder(inner, {str(file)!r}, most_bytes=100 * 144)
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
    assert size_of(file) <= 100 * 144


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
