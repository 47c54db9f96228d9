"""What was learnt, found by meaning and by words."""

from datetime import timedelta

import pytest

from bethink import FunctionEmbedder, Memory, NotFound, SemanticMemory, UsageError
from tests.conftest import letters

MONTH = timedelta(days=31)


@pytest.fixture
def known(ram):
    return SemanticMemory(memory=ram, user_id="ann")


def contents(hits):
    return [hit.item.content for hit in hits]


def test_it_works_with_nothing_else():
    known = SemanticMemory()
    item = known.add("Likes green tea", importance=0.9, metadata={"source": "chat"})
    known.add("Works in a bank")
    [hit] = known.search("what does she drink?", limit=1)
    assert (hit.item.content, hit.item.importance) == ("Likes green tea", 0.9)
    assert known.forget(item.id)
    assert not known.forget(item.id)


def test_an_embedding_function_of_one_s_own_will_do():
    known = SemanticMemory(letters)
    known.add("Likes tea")
    assert contents(known.search("tea")) == ["Likes tea"]
    with pytest.raises(UsageError, match="embedding_fn or memory, not both"):
        SemanticMemory(letters, memory=Memory(), user_id="ann")


def test_only_the_important_is_found_if_asked(known):
    known.add("Likes tea", importance=0.9)
    known.add("Had tea today", importance=0.1)
    assert contents(known.search("tea", min_importance=0.5)) == ["Likes tea"]


def test_importance_can_be_changed(known):
    item = known.add("Likes tea")
    assert known.update_importance(item.id, 0.9).importance == 0.9
    with pytest.raises(NotFound):
        known.update_importance("nope", 0.9)
    with pytest.raises(UsageError, match="from 0 to 1"):
        known.update_importance(item.id, 9)


def test_what_was_said_and_facts_are_not_knowledge(ram, known):
    ram.for_user("ann").conversation.add_message("user", "tea please")
    ram.for_user("ann").factual.set_fact("drink", "tea")
    assert known.search("tea") == []


@pytest.mark.parametrize(
    "shift", [0.0, 0.5], ids=["cosines from 0 up", "cosines from high up, as some models give them"]
)
def test_a_threshold_means_the_same_for_every_embedder(shift):
    """One direction that all texts share moves every cosine up, as with several real models."""

    def shifted(texts):
        vectors = [[n / sum(x * x for x in v) ** 0.5 for n in v] for v in letters(texts)]
        return [[*vector, 4 * shift] for vector in vectors]

    embedder = FunctionEmbedder(shifted, name=f"shifted-{shift}")
    memory = Memory(embedder=embedder)
    known = SemanticMemory(memory=memory, user_id="ann", similarity_threshold=0.6)
    known.add("tea with milk")
    known.add("quarterly revenue report")
    assert contents(known.search("tea with milk")) == ["tea with milk"]
    assert known.search("quarterly revenue report")[0].relevance > 0.99
    assert known.search("zebra") == []


def test_without_a_threshold_the_best_there_is_comes_back(known):
    known.add("Likes tea")
    assert contents(known.search("zebra")) == ["Likes tea"]


@pytest.mark.parametrize("threshold", [-0.1, 1.1, "high"])
def test_a_threshold_is_from_0_to_1(threshold):
    with pytest.raises(UsageError, match="similarity_threshold must be a number from 0 to 1"):
        SemanticMemory(similarity_threshold=threshold)


# --- consolidating


def test_consolidating_merges_what_is_said_twice_and_prunes_what_nobody_needs(ram, known, clock):
    known.add("Likes tea")
    known.add("Really likes tea")
    stale = known.add("It rained", importance=0.1)
    ram.add("It rained", user_id="bob", importance=0.1)
    clock.pass_by(MONTH)
    would = known.consolidate(dry_run=True)
    assert len(ram.get_user_memories(user_id="ann")) == 3
    done = known.consolidate()
    assert (would.counts["absorbed"], done.counts["absorbed"]) == (1, 1)
    assert [one.item.id for one in done.pruned] == [stale.id]
    assert contents(known.search("tea", limit=9)) == ["Really likes tea"]
    assert len(ram.get_user_memories(user_id="bob")) == 1


@pytest.mark.parametrize(("name", "value"), [("older_than", timedelta(-1)), ("below", 2)])
def test_consolidating_by_impossible_bounds_is_refused(known, name, value):
    with pytest.raises(UsageError, match=name):
        known.consolidate(**{name: value})
