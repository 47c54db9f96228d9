"""Consolidating in a store: reversible, repeatable, by several at once, and of one user only."""

import threading
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bethink import Consolidation, FunctionEmbedder, Memory, StoreError, UsageError
from bethink.portable import as_json
from tests.conftest import START, Clock, letters

DAY = timedelta(days=1)
YEAR = timedelta(days=365)


def everything(memory, user_id="john"):
    """All that is listed of a user, without versions, which only grow."""
    items = memory.get_user_memories(user_id=user_id, kinds=["semantic", "fact", "message"])
    return [{**as_json(item), "version": 0} for item in items]


@pytest.fixture
def john(memory, clock):
    """Two that say the same, one that is stale, and one of each kind that is left alone."""
    memory.add("Likes tea", user_id="john", importance=0.9, sources=["m1"])
    clock.pass_by(DAY)
    memory.add("Really likes tea", user_id="john", sources=["m2"])
    memory.add("It rained", user_id="john", importance=0.1)
    memory.add("It snowed", user_id="john", importance=0.1, pinned=True)
    memory.add("Says hello", user_id="john", kind="message", importance=0.1)
    memory.add("Says hello", user_id="john", kind="message", importance=0.1)
    memory.for_user("john").factual.set_fact("weather", "rain")
    memory.add("It rained", user_id="mary", importance=0.1)
    memory.add("It rained.", user_id="mary", importance=0.1)
    clock.pass_by(YEAR)
    return memory


def known(memory):
    return sorted(
        item.content for item in memory.get_user_memories(user_id="john", kinds=["semantic"])
    )


def test_a_dry_run_says_the_same_and_changes_nothing(john):
    before = list(john.export(user_id="john"))
    would = john.consolidate(user_id="john", dry_run=True)
    assert list(john.export(user_id="john"))[1:] == before[1:]
    done = john.consolidate(user_id="john")
    assert would.dry_run
    assert not done.dry_run
    assert (would.merged, would.pruned, would.decayed) == (done.merged, done.pruned, done.decayed)
    assert would.counts == {"looked_at": 4, "merged": 1, "absorbed": 1, "decayed": 1, "pruned": 1}


def test_it_merges_and_prunes_what_is_known_and_nothing_else(john):
    before = everything(john, "mary")
    john.consolidate(user_id="john")
    assert known(john) == ["It snowed", "Really likes tea"]
    assert len(john.get_user_memories(user_id="john", kinds=["message", "fact"])) == 3
    assert everything(john, "mary") == before


def test_the_survivor_is_kept_with_the_best_of_both(john):
    [hit] = [hit for hit in john.search("tea", user_id="john") if hit.item.importance == 0.9]
    assert hit.item.content == "Likes tea"
    john.consolidate(user_id="john")
    survivor = john.search("tea", user_id="john", kinds=["semantic"])[0].item
    assert survivor.content == "Really likes tea"
    assert (survivor.created_at, survivor.importance) == (START, 0.9)
    assert (survivor.sources, survivor.access_count) == (("m2", "m1"), 3)


def test_what_is_gone_is_in_no_search_and_no_listing(john):
    done = john.consolidate(user_id="john")
    gone = {done.pruned[0].item.id, done.merged[0].absorbed[0].id}
    found = {hit.item.id for hit in john.search("tea rained", user_id="john", limit=99)}
    listed = {item.id for item in john.get_user_memories(user_id="john")}
    recalled = john.recall("tea rained", user_id="john", least=0).sources.values()
    assert not gone & (found | listed | {item.id for item in recalled})
    assert "was pruned" in str(john.explain("rained", done.pruned[0].item.id, user_id="john"))


def test_twice_is_once(john):
    john.consolidate(user_id="john")
    before = list(john.export(user_id="john"))
    again = john.consolidate(user_id="john")
    assert (again.merged, again.pruned) == ((), ())
    assert list(john.export(user_id="john"))[1:] == before[1:]


def test_it_can_be_undone(john):
    before = everything(john)
    john.consolidate(user_id="john")
    assert everything(john) != before
    back = john.undo_consolidation(user_id="john")
    assert sorted(item.content for item in back) == ["It rained", "Likes tea"]
    assert everything(john) == before
    assert john.undo_consolidation(user_id="john") == []
    assert john.search("rained", user_id="john", kinds=["semantic"])[0].item.content == "It rained"


def test_undoing_brings_nothing_back_whose_opposite_is_known_by_now(memory, clock):
    likes, hates = "The user likes tea.", "The user hates tea."
    memory.add(likes, user_id="john", importance=0.1)
    memory.add("It rained", user_id="john", importance=0.1)
    clock.pass_by(YEAR)
    memory.consolidate(user_id="john")
    opposite = memory.add(hates, user_id="john")
    back = memory.undo_consolidation(user_id="john")
    assert [item.content for item in back] == ["It rained"]
    assert [item.content for item in back.left_out] == [likes]
    assert known(memory) == ["It rained", hates]
    memory.forget(opposite.id, user_id="john")
    assert [item.content for item in memory.undo_consolidation(user_id="john")] == [likes]


def test_after_the_grace_it_is_swept_for_good(john, clock):
    john.consolidate(user_id="john", grace=2 * DAY)
    clock.pass_by(DAY)
    assert john.sweep() == 0
    clock.pass_by(DAY)
    assert john.undo_consolidation(user_id="john") == []
    assert john.sweep() == 2
    assert known(john) == ["It snowed", "Really likes tea"]


def test_undoing_leaves_alone_what_was_changed_since(john):
    [merge] = john.consolidate(user_id="john").merged
    john.update(merge.survivor.id, user_id="john", content="Likes green tea", importance=0.3)
    john.undo_consolidation(user_id="john")
    survivor = john.get(merge.survivor.id, user_id="john")
    assert (survivor.content, survivor.importance, survivor.sources) == (
        "Likes green tea",
        0.3,
        ("m2",),
    )
    assert "Likes tea" in known(john)


def test_to_forget_a_memory_is_to_forget_what_it_absorbed(john):
    [merge] = john.consolidate(user_id="john").merged
    john.add("Really likes the tea", user_id="john")
    [again] = john.consolidate(user_id="john").merged
    assert john.forget(again.survivor.id, user_id="john") == 1
    back = john.undo_consolidation(user_id="john")
    assert [item.content for item in back] == ["It rained"]
    assert john.get(merge.absorbed[0].id, user_id="john") is None


def test_merges_of_merges_are_undone_as_well(john):
    before = everything(john)
    john.consolidate(user_id="john")
    extra = john.add("Really likes the tea", user_id="john")
    john.consolidate(user_id="john")
    assert known(john) == ["It snowed", "Really likes the tea"]
    john.undo_consolidation(user_id="john")
    john.forget(extra.id, user_id="john")
    assert everything(john) == before


def test_what_another_changes_meanwhile_is_left_alone(john, monkeypatch):
    original = john.records.vectors

    def slow(user_id, ids):
        [stale] = [i for i in john.get_user_memories(user_id="john") if i.content == "It rained"]
        john.update(stale.id, user_id="john", content="It rained on my wedding day")
        return original(user_id, ids)

    monkeypatch.setattr(john.records, "vectors", slow)
    assert john.consolidate(user_id="john").counts["pruned"] == 0
    assert "It rained on my wedding day" in known(john)


def test_several_at_once_do_the_work_of_one(john, reopen):
    before = everything(john)
    handles = [john, reopen(), reopen()]
    done: list[Consolidation] = []
    threads = [
        threading.Thread(target=lambda h=handle: done.append(h.consolidate(user_id="john")))
        for handle in handles
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(one.counts["pruned"] for one in done) == 1
    assert sum(one.counts["absorbed"] for one in done) == 1
    assert known(john) == ["It snowed", "Really likes tea"]
    john.undo_consolidation(user_id="john")
    assert everything(john) == before


@pytest.mark.parametrize("steps", [0, 1])
def test_one_that_stops_half_way_leaves_whole_steps_and_is_gone_on_with(john, monkeypatch, steps):
    before = everything(john)
    original = john.store.put
    done: list[None] = []

    def put(*args, **options):
        if len(done) == steps:
            raise StoreError("The disk is full.")
        done.append(original(*args, **options))

    with monkeypatch.context() as patched:
        patched.setattr(john.store, "put", put)
        with pytest.raises(StoreError, match="full"):
            john.consolidate(user_id="john")
    assert len(known(john)) == 4 - steps
    john.consolidate(user_id="john")
    assert known(john) == ["It snowed", "Really likes tea"]
    john.undo_consolidation(user_id="john")
    assert everything(john) == before


def test_a_copy_can_be_undone_too(john):
    before = [item["content"] for item in everything(john)]
    john.consolidate(user_id="john")
    john.load(john.export(user_id="john"), user_id="copy")
    john.undo_consolidation(user_id="copy")
    assert sorted(item["content"] for item in everything(john, "copy")) == sorted(before)


def test_without_vectors_nothing_is_merged(clock):
    def down(texts):
        raise OSError("no route")

    embedder = FunctionEmbedder(down, name="down", dimension=16)
    with Memory(embedder=embedder, clock=clock) as memory:
        memory.add_many(["Likes tea", "likes tea"], user_id="john")
        assert memory.consolidate(user_id="john").merged == ()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("older_than", timedelta(-1)),
        ("below", 1.5),
        ("grace", timedelta(0)),
        ("dry_run", 1),
        ("user_id", ""),
    ],
)
def test_what_makes_no_sense_is_refused(memory, name, value):
    with pytest.raises(UsageError, match=name):
        memory.consolidate(**{"user_id": "john", name: value})


MEMORIES = st.lists(
    st.fixed_dictionaries(
        {
            "content": st.sampled_from(["Likes tea", "likes tea.", "Really likes tea", "Likes no tea", "Has 2 cats", "has 3 cats"]),
            "importance": st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.8]),
            "pinned": st.booleans(),
            "created_at": st.integers(0, 600).map(lambda days: START - days * DAY),
            "origin": st.sampled_from(["user", "tool"]),
            "sources": st.lists(st.sampled_from(["m1", "m2"]), unique=True),
        }
    ),
    max_size=8,
)  # fmt: skip


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(MEMORIES, st.integers(1, 3))
def test_whatever_there_is_undoing_brings_it_back_and_nobody_else_notices(memories, times):
    clock = Clock()
    quick = FunctionEmbedder(letters, name="letters", dimension=16)
    with Memory(embedder=quick, clock=clock) as memory:
        for user in ("john", "mary"):
            memory.add_many(memories, user_id=user)
        before, hers = everything(memory), everything(memory, "mary")
        would = memory.consolidate(user_id="john", dry_run=True)
        assert everything(memory) == before
        assert memory.consolidate(user_id="john").counts == would.counts
        after = everything(memory)
        for _ in range(times):
            memory.consolidate(user_id="john")
        assert everything(memory) == after
        memory.undo_consolidation(user_id="john")
        assert everything(memory) == before
        assert everything(memory, "mary") == hers
