import numpy as np
import pytest

from bethink import Conflict, FunctionEmbedder, Memory
from bethink.check import check
from bethink.reembed import reembed
from tests.conftest import letters


def backwards(texts):
    return np.array(letters([text[::-1] for text in texts]))[:, :8] + 0.1


NEW = FunctionEmbedder(backwards, name="backwards", dimension=8)


@pytest.fixture
def filled(memory):
    memory.add_many([f"note {n}" for n in range(600)], user_id="ann")
    item = memory.add("Likes tea", user_id="bob")
    memory.update(item.id, user_id="bob", content="Likes coffee")
    return memory


def test_every_memory_is_embedded_anew_and_then_the_new_model_is_used(filled, tmp_path):
    seen = []
    made = reembed(filled.store, NEW, progress=lambda done, total: seen.append((done, total)))
    assert made == 601
    assert seen[-1] == (601, 601)
    assert check(filled.store) == []
    with Memory(tmp_path / "agent.db", embedder=NEW) as memory:
        assert memory.search("coffee", user_id="bob")[0].item.content == "Likes coffee"
        assert (
            len(memory.history(memory.get_user_memories(user_id="bob")[0].id, user_id="bob")) == 2
        )


def test_stopped_half_way_it_goes_on_from_there(filled):
    calls = 0

    def tired(texts):
        nonlocal calls
        calls += 1
        if calls == 2:
            raise KeyboardInterrupt
        return backwards(texts)

    with pytest.raises(KeyboardInterrupt):
        reembed(filled.store, FunctionEmbedder(tired, name="backwards", dimension=8))
    assert filled.search("note 7", user_id="ann")  # still with the old model
    assert reembed(filled.store, NEW) < 601


def test_doing_it_again_makes_nothing(filled):
    reembed(filled.store, NEW)
    assert reembed(filled.store, NEW) == 0


def test_what_is_written_meanwhile_is_embedded_too(filled):
    def busy(texts):
        if filled.store.space().startswith("letters"):
            filled.add(f"written meanwhile {len(texts)}", user_id="cy")
        return backwards(texts)

    reembed(filled.store, FunctionEmbedder(busy, name="backwards", dimension=8))
    space = filled.store.space()
    for user_id in ("ann", "bob", "cy"):
        rows = filled.store.scan(user_id, space=space).rows
        assert all(row.vectors for row in rows if "@" not in row.id)


def test_a_process_with_the_old_model_is_told_to_open_again(filled):
    filled.search("note", user_id="ann")
    reembed(filled.store, NEW)
    with pytest.raises(Conflict, match="Open it again"):
        filled.search("note", user_id="ann")
    with pytest.raises(Conflict):
        filled.add("Likes milk", user_id="ann")
