import math
from datetime import datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest

from bethink import (
    Conflict,
    FunctionEmbedder,
    Memory,
    NotFound,
    RAMStore,
    StoreError,
    UsageError,
)
from tests.conftest import START, letters

HOUR = timedelta(hours=1)


def contents(hits):
    return [hit.item.content for hit in hits]


# --- keeping and finding


def test_what_was_added_is_found_first(memory):
    memory.add_many(["Lives in London", "Supports Arsenal", "Allergic to peanuts"], user_id="john")
    assert contents(memory.search("Arsenal", user_id="john"))[0] == "Supports Arsenal"


def test_a_new_memory_has_an_id_a_time_and_the_fields_it_was_given(memory):
    item = memory.add(
        "Supports Arsenal",
        user_id="john",
        importance=0.8,
        metadata={"topic": "football"},
        agent_id="a",
        session_id="s",
    )
    assert (item.user_id, item.created_at, item.version) == ("john", START, 1)
    assert (item.importance, item.metadata) == (0.8, {"topic": "football"})
    assert (item.agent_id, item.session_id) == ("a", "s")
    assert memory.get(item.id, user_id="john") == item


def test_the_caller_s_metadata_is_copied(memory):
    mine = {"tags": ["x"]}
    item = memory.add("Likes tea", user_id="ann", metadata=mine)
    mine["tags"].append("y")
    assert item.metadata == {"tags": ["x"]}


def test_items_of_a_batch_may_say_more_than_their_text(memory):
    first, second = memory.add_many(
        ["plain", {"content": "rich", "importance": 1, "speaker": "Ann"}],
        user_id="ann",
        importance=0.2,
        session_id="s",
    )
    assert (first.importance, second.importance, second.speaker) == (0.2, 1.0, "Ann")
    assert {first.session_id, second.session_id} == {"s"}


def test_an_empty_batch_is_fine(memory):
    assert memory.add_many([], user_id="ann") == []


def test_search_always_returns_its_best_hits_up_to_the_limit(memory):
    memory.add_many([f"note number {n}" for n in range(20)], user_id="ann")
    assert len(memory.search("zzz", user_id="ann")) == 10
    assert len(memory.search("zzz", user_id="ann", limit=3)) == 3
    assert memory.search("zzz", user_id="nobody") == []


def test_hits_are_in_order_of_their_scores_which_are_sums_of_arms_and_factors(memory):
    memory.add_many(["tea with milk", "milk", "tea", "coffee"], user_id="ann")
    hits = memory.search("tea milk", user_id="ann")
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    for hit in hits:
        shares = [*hit.arms.values(), *hit.factors.values()]
        assert hit.score == pytest.approx(sum(shares), abs=1e-4)


def test_what_was_said_is_searched_with_what_is_known(memory):
    memory.add(
        "the cat is called Tom", user_id="ann", kind="message", session_id="s", speaker="Ann"
    )
    memory.add("has a cat", user_id="ann")
    assert len(memory.search("cat", user_id="ann")) == 2
    assert contents(memory.search("cat", user_id="ann", kinds=["semantic"])) == ["has a cat"]


def test_a_search_is_narrowed_by_agent_session_importance_and_metadata(memory):
    memory.add("tea one", user_id="ann", agent_id="a", session_id="s", importance=0.9)
    memory.add("tea two", user_id="ann", metadata={"n": 2})
    search = lambda **narrow: contents(memory.search("tea", user_id="ann", **narrow))  # noqa: E731
    assert search(agent_id="a") == ["tea one"]
    assert search(session_id="s") == ["tea one"]
    assert search(min_importance=0.6) == ["tea one"]
    assert search(where={"n": {"$gte": 2}}) == ["tea two"]
    assert search(where={"n": 3}) == []


def test_a_message_is_found_by_the_company_it_keeps(memory):
    said = ["Which holiday was best?", "The one with the lighthouse.", "I see.", "Well, goodbye."]
    for text in said:
        memory.add(text, user_id="ann", kind="message", session_id="s")
    memory.add("lighthouses are tall", user_id="ann", kind="message", session_id="t")
    assert contents(memory.search("holiday lighthouse", user_id="ann"))[0] in said[:2]


def test_search_with_a_vector_of_one_s_own(memory):
    own = [0.0] * 15 + [1.0]
    memory.add("alpha", user_id="ann")
    memory.add("beta", user_id="ann", embedding=own)
    assert contents(memory.search("🙂", user_id="ann", embedding=own))[0] == "beta"


# --- counting uses


def test_a_search_counts_as_a_use_of_what_it_returned(memory, clock, reopen):
    item = memory.add("Likes tea", user_id="ann")
    assert memory.search("tea", user_id="ann")[0].item.access_count == 1
    clock.pass_by(HOUR)
    assert memory.search("tea", user_id="ann")[0].item.access_count == 2
    counted = memory.get(item.id, user_id="ann")
    assert (counted.access_count, counted.last_accessed) == (2, START + HOUR)
    memory.flush()
    assert reopen().get(item.id, user_id="ann") == counted


def test_getting_and_listing_count_nothing(memory):
    item = memory.add("Likes tea", user_id="ann")
    memory.get_user_memories(user_id="ann")
    memory.history(item.id, user_id="ann")
    list(memory.export(user_id="ann"))
    assert memory.get_user_memories(user_id="ann")[0].access_count == 0


def test_uses_held_back_are_written_on_close(tmp_path, quick):
    with Memory(tmp_path / "a.db", embedder=quick) as memory:
        item = memory.add("Likes tea", user_id="ann")
        memory.search("tea", user_id="ann")
    with Memory(tmp_path / "a.db", embedder=quick) as memory:
        assert memory.history(item.id, user_id="ann")[-1].access_count == 1


def test_uses_are_written_after_a_while_without_being_asked(memory, clock, reopen):
    item = memory.add("Likes tea", user_id="ann")
    memory.search("tea", user_id="ann")
    clock.pass_by(timedelta(minutes=1))
    memory.search("tea", user_id="ann")
    assert reopen().get(item.id, user_id="ann").access_count == 2


# --- listing


def test_what_is_known_is_listed_newest_first(memory, clock):
    for text in ("one", "two", "three"):
        memory.add(text, user_id="ann")
        clock.pass_by(HOUR)
    memory.add("hello", user_id="ann", kind="message")
    listed = [item.content for item in memory.get_user_memories(user_id="ann")]
    assert listed == ["three", "two", "one"]
    assert len(memory.get_user_memories(user_id="ann", limit=2)) == 2
    messages = memory.get_user_memories(user_id="ann", kinds=["message"])
    assert [item.content for item in messages] == ["hello"]


# --- changing


def test_an_update_changes_what_it_names_and_nothing_else(memory):
    item = memory.add("Likes tea", user_id="ann", metadata={"a": 1}, importance=0.2)
    new = memory.update(item.id, user_id="ann", importance=0.9)
    assert (new.importance, new.content, new.metadata, new.version) == (
        0.9,
        "Likes tea",
        {"a": 1},
        2,
    )
    assert memory.get(item.id, user_id="ann") == new


def test_a_changed_text_is_found_by_its_new_words_only(memory):
    item = memory.add("Likes tea", user_id="ann")
    memory.add("filler", user_id="ann")
    memory.update(item.id, user_id="ann", content="Likes coffee")
    [hit] = memory.search("coffee", user_id="ann", limit=1)
    assert hit.item.content == "Likes coffee"
    assert len(memory.search("tea", user_id="ann")) == 2


def test_an_update_that_leaves_the_text_embeds_nothing(tmp_path):
    asked = []

    def counting(texts):
        asked.extend(texts)
        return letters(texts)

    embedder = FunctionEmbedder(counting, name="letters", dimension=16)
    with Memory(tmp_path / "a.db", embedder=embedder) as memory:
        item = memory.add("Likes tea", user_id="ann")
        memory.add("Likes coffee", user_id="ann")
        memory.update(item.id, user_id="ann", importance=1)
        assert asked == ["Likes tea", "Likes coffee"]
        assert contents(memory.search("Likes tea", user_id="ann"))[0] == "Likes tea"


def test_history_has_every_state_oldest_first(memory, clock):
    item = memory.add("Lives in London", user_id="ann")
    clock.pass_by(HOUR)
    memory.update(item.id, user_id="ann", content="Lives in Paris")
    memory.update(item.id, user_id="ann", content="Lives in Rome", importance=1)
    states = memory.history(item.id, user_id="ann")
    assert [s.content for s in states] == ["Lives in London", "Lives in Paris", "Lives in Rome"]
    assert [s.superseded_by for s in states] == [item.id, item.id, None]
    assert [s.updated_at for s in states] == [None, START + HOUR, START + HOUR]
    assert len(memory.get_user_memories(user_id="ann")) == 1
    assert len(memory.search("Lives", user_id="ann")) == 1


def test_an_earlier_state_is_neither_changed_nor_forgotten_by_itself(memory):
    item = memory.add("Lives in London", user_id="ann")
    memory.update(item.id, user_id="ann", content="Lives in Paris")
    with pytest.raises(NotFound):
        memory.update(f"{item.id}@1", user_id="ann", content="Lives in Rome")
    with pytest.raises(NotFound):
        memory.history(f"{item.id}@1", user_id="ann")
    assert memory.forget(f"{item.id}@1", user_id="ann") == 0
    assert len(memory.history(item.id, user_id="ann")) == 2


def test_an_update_of_another_version_is_a_conflict(memory):
    item = memory.add("Likes tea", user_id="ann")
    memory.update(item.id, user_id="ann", importance=0.7, if_version=1)
    with pytest.raises(Conflict, match="at version 2, not 1"):
        memory.update(item.id, user_id="ann", importance=0.8, if_version=1)


def test_an_expiry_can_be_set_and_taken_away(memory, clock):
    item = memory.add("Likes tea", user_id="ann", expires_in=HOUR)
    memory.update(item.id, user_id="ann", expires_at=None)
    clock.pass_by(2 * HOUR)
    assert memory.get(item.id, user_id="ann")
    memory.update(item.id, user_id="ann", expires_in=HOUR)
    clock.pass_by(2 * HOUR)
    assert memory.get(item.id, user_id="ann") is None


def test_changing_what_is_not_there_is_not_found(memory):
    item = memory.add("Likes tea", user_id="ann")
    for user_id, id_ in (("ann", "nope"), ("bob", item.id)):
        with pytest.raises(NotFound):
            memory.update(id_, user_id=user_id, importance=1)
        with pytest.raises(NotFound):
            memory.history(id_, user_id=user_id)


# --- removing


def test_forgetting_takes_the_history_along(memory):
    item = memory.add("Lives in London", user_id="ann")
    memory.update(item.id, user_id="ann", content="Lives in Paris")
    other = memory.add("Likes tea", user_id="ann")
    assert memory.forget([item.id, other.id, "nope"], user_id="ann") == 2
    assert memory.forget(item.id, user_id="ann") == 0
    assert memory.get(f"{item.id}@1", user_id="ann") is None
    assert memory.search("London", user_id="ann") == []
    assert "London" not in "".join(memory.export(user_id="ann"))


def test_clearing_takes_a_user_or_an_explicit_word(memory):
    for user_id in ("ann", "bob", "cy"):
        memory.add("Likes tea", user_id=user_id)
    with pytest.raises(UsageError, match="Whose memory"):
        memory.clear()
    with pytest.raises(UsageError, match="not both"):
        memory.clear(user_id="ann", all_users=True)
    with pytest.raises(UsageError):
        memory.clear(user_id="")
    assert memory.clear(user_id="ann") == 1
    assert memory.search("tea", user_id="ann") == []
    assert memory.search("tea", user_id="bob")
    assert memory.clear(all_users=True) == 2
    assert memory.store.users() == []


# --- expiry


def test_an_expired_memory_is_gone_at_that_moment_from_everything(memory, clock):
    item = memory.add("The code is 4411", user_id="ann", expires_in=2 * HOUR)
    kept = memory.add("Likes tea", user_id="ann", expires_at=START + 3 * HOUR)
    clock.pass_by(2 * HOUR - timedelta(microseconds=1))
    assert len(memory.search("code", user_id="ann")) == 2
    clock.pass_by(timedelta(microseconds=1))
    assert contents(memory.search("code", user_id="ann")) == ["Likes tea"]
    assert memory.get(item.id, user_id="ann") is None
    assert memory.get_user_memories(user_id="ann") == [memory.get(kept.id, user_id="ann")]
    assert "4411" not in "".join(memory.export(user_id="ann"))
    with pytest.raises(NotFound):
        memory.update(item.id, user_id="ann", importance=1)


def test_sweeping_removes_the_expired_from_disk(memory, clock, tmp_path):
    memory.add("The code is 4411", user_id="ann", expires_in=HOUR)
    memory.add("Likes tea", user_id="bob")
    assert memory.sweep() == 0
    clock.pass_by(HOUR)
    assert memory.sweep() == 1
    assert memory.store.users() == ["bob"]


# --- moving


def test_what_is_exported_can_be_loaded_for_another_user(memory):
    item = memory.add("Lives in London", user_id="john", importance=0.8, metadata={"k": ["v"]})
    memory.update(item.id, user_id="john", content="Lives in Paris")
    memory.add("Hello 🌍", user_id="john", kind="message", session_id="s", speaker="John")
    memory.search("Paris", user_id="john")
    lines = list(memory.export(user_id="john"))
    assert memory.load(lines, user_id="copy") == 3
    assert memory.load(lines, user_id="copy") == 0
    assert list(memory.export(user_id="copy"))[1:] == lines[1:]
    assert [s.content for s in memory.history(item.id, user_id="copy")] == [
        "Lives in London",
        "Lives in Paris",
    ]
    found = [contents(memory.search("Paris", user_id=user)) for user in ("john", "copy")]
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("not json", "Line 3 cannot be loaded"),
        ("[]", "not a JSON object"),
        ("null", "not a JSON object"),
        ('{"id": "1", "content": "x"}', "created_at is missing"),
        ('{"id": "1", "content": "", "created_at": "2024-01-01T00:00:00Z"}', "content is empty"),
        ('{"id": "1", "content": "x", "created_at": "2024-01-01"}', "no time zone"),
        ('{"id": "1", "content": "x", "created_at": 7}', "must be a time"),
        ('{"id": "1", "content": "x", "created_at": "soon"}', "Line 3"),
        ('{"id": "1", "hidden": 1}', "no field 'hidden'"),
        (
            '{"id": "1", "content": "x", "created_at": "2024-01-01T00:00:00Z", "version": 0}',
            "version",
        ),
    ],
)
def test_one_bad_line_and_nothing_is_loaded(memory, line, says):
    memory.add("Likes tea", user_id="ann")
    header, record = memory.export(user_id="ann")
    with pytest.raises(UsageError, match=says):
        memory.load([header, record, line], user_id="bob")
    assert memory.get_user_memories(user_id="bob") == []


@pytest.mark.parametrize("header", ["{}", '{"format": "bethink-memory", "version": 99}', "x"])
def test_something_else_than_an_export_is_not_loaded(memory, header):
    with pytest.raises(UsageError, match="Line 1"):
        memory.load([header], user_id="bob")


# --- users


def test_another_user_s_id_finds_nothing_whatever_is_passed(memory):
    item = memory.add("Likes tea", user_id="ann", metadata={"user_id": "bob"})
    for where in (None, {"user_id": "ann"}, {"user_id": {"$ne": "bob"}}, {"x": {"$exists": False}}):
        assert memory.search("tea", user_id="bob", where=where) == []
    for strange in ("*", "%", "ann%", "' OR 1=1 --", "ANN", "ann "):
        assert memory.search("tea", user_id=strange) == []
        assert memory.get(item.id, user_id=strange) is None
    assert memory.forget(item.id, user_id="bob") == 0
    assert memory.get(item.id, user_id="ann")


@pytest.mark.parametrize("user_id", [None, "", "  ", 7, "x" * 257, "a\0b", "\ud800"])
def test_no_user_no_query(memory, user_id):
    calls = [
        lambda: memory.add("Likes tea", user_id=user_id),
        lambda: memory.add_many(["Likes tea"], user_id=user_id),
        lambda: memory.search("tea", user_id=user_id),
        lambda: memory.get("1", user_id=user_id),
        lambda: memory.get_user_memories(user_id=user_id),
        lambda: memory.update("1", user_id=user_id, importance=1),
        lambda: memory.forget("1", user_id=user_id),
        lambda: memory.history("1", user_id=user_id),
        lambda: memory.export(user_id=user_id),
        lambda: memory.load([], user_id=user_id),
        lambda: memory.clear(user_id=user_id),
        lambda: memory.for_user(user_id),
    ]
    for call in calls:
        with pytest.raises(UsageError):
            call()


def test_leaving_the_user_out_altogether_is_an_error(memory):
    with pytest.raises(TypeError, match="user_id"):
        memory.search("tea")


# --- bad input


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ({"content": ""}, "content is empty"),
        ({"content": " \n"}, "content is empty"),
        ({"content": None}, "must be a string"),
        ({"content": "x" * 100_001}, "the limit is 100,000"),
        ({"content": "a\ud800b"}, "half a surrogate pair at position 1"),
        ({"content": "a\0b"}, "a NUL character"),
        ({"importance": 1.1}, "from 0 to 1"),
        ({"importance": -0.1}, "from 0 to 1"),
        ({"importance": math.nan}, "from 0 to 1"),
        ({"importance": "high"}, "from 0 to 1"),
        ({"importance": True}, "from 0 to 1"),
        ({"expires_at": START}, "in the past"),
        ({"expires_at": START.replace(tzinfo=None) + HOUR}, "no time zone"),
        ({"expires_at": "tomorrow"}, "must be a datetime"),
        ({"expires_in": timedelta(0)}, "in the past"),
        ({"expires_in": 60}, "must be a timedelta"),
        ({"expires_in": timedelta.max}, "too long"),
        ({"expires_in": HOUR, "expires_at": START + HOUR}, "not both"),
        ({"created_at": datetime(2024, 5, 17)}, "no time zone"),  # noqa: DTZ001
        ({"metadata": {"a": object()}}, "must be JSON"),
        ({"metadata": {"a": math.inf}}, "must be JSON"),
        ({"metadata": {"a": {1, 2}}}, "must be JSON"),
        ({"metadata": {1: "a"}}, "keys must be strings"),
        ({"metadata": {"a": [{2: "b"}]}}, "keys must be strings"),
        ({"metadata": "text"}, "must be a dictionary"),
        ({"metadata": {"a": "\0"}}, "NUL"),
        ({"metadata": {"a": "\ud800"}}, "surrogate"),
        ({"metadata": {"a": "x" * 70_000}}, "the limit is 65,536"),
        ({"embedding": [1.0] * 15}, "16 numbers"),
        ({"embedding": [math.nan] * 16}, "finite"),
        ({"embedding": [0.0] * 16}, "not all of them zero"),
        ({"embedding": "vector"}, "list of numbers"),
        ({"kind": "gossip"}, "the kinds are"),
        ({"session_id": ""}, "session_id"),
        ({"imporatnce": 1}, "has no 'imporatnce'"),
    ],
)
def test_bad_input_is_named_in_a_sentence_and_nothing_is_stored(memory, bad, says):
    with pytest.raises(UsageError, match=says):
        memory.add_many(["fine", {"content": "Likes tea", **bad}], user_id="ann")
    assert memory.store.users() == []


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ({"query": ""}, "query is empty"),
        ({"query": "x" * 10_001}, "the limit is"),
        ({"limit": 0}, "at least 1"),
        ({"limit": 2.5}, "whole number"),
        ({"kinds": ["gossip"]}, "the kinds are"),
        ({"min_importance": 2}, "min_importance must be"),
        ({"where": {"a": {"$near": 1}}}, "the operators are"),
        ({"embedding": [1.0]}, "16 numbers"),
    ],
)
def test_a_bad_search_is_refused_in_a_sentence(memory, bad, says):
    memory.add("Likes tea", user_id="ann")
    with pytest.raises(UsageError, match=says):
        memory.search(**{"query": "tea", "user_id": "ann", **bad})


@pytest.mark.parametrize("bad", [{}, {"colour": "red"}, {"content": ""}, {"importance": 7}])
def test_a_bad_update_changes_nothing(memory, bad):
    item = memory.add("Likes tea", user_id="ann")
    with pytest.raises(UsageError):
        memory.update(item.id, user_id="ann", **bad)
    assert memory.get(item.id, user_id="ann") == item


def test_a_text_alone_is_not_a_batch(memory):
    with pytest.raises(UsageError, match="items must be a list"):
        memory.add_many("Likes tea", user_id="ann")


@pytest.mark.parametrize("query", ["🎉🎉", "the who is it", "x" * 10_000, "?!", "\u200b."])
def test_a_strange_query_gets_a_sensible_answer(memory, query):
    memory.add("Likes tea", user_id="ann")
    assert contents(memory.search(query, user_id="ann")) == ["Likes tea"]


# --- opening


def test_vectors_of_two_models_never_mix(tmp_path):
    with Memory(tmp_path / "a.db", embedder=FunctionEmbedder(letters, name="one")) as memory:
        memory.add("Likes tea", user_id="ann")
    with pytest.raises(UsageError, match="bethink reembed"):
        Memory(tmp_path / "a.db", embedder=FunctionEmbedder(letters, name="two"))


def test_a_model_that_gives_other_vectors_than_before_is_refused(tmp_path):
    with Memory(tmp_path / "a.db", embedder=FunctionEmbedder(letters, name="one")) as memory:
        memory.add("Likes tea", user_id="ann")
    other = FunctionEmbedder(lambda texts: np.ones((len(texts), 3)), name="one")
    with (
        Memory(tmp_path / "a.db", embedder=other) as memory,
        pytest.raises(UsageError, match="bethink reembed"),
    ):
        memory.search("tea", user_id="ann")


def test_a_store_object_is_as_good_as_a_file_name(quick):
    store = RAMStore()
    Memory(store, embedder=quick).add("Likes tea", user_id="ann")
    assert len(Memory(store, embedder=quick).search("tea", user_id="ann")) == 1
    with pytest.raises(UsageError, match="durable"):
        Memory(store, embedder=quick, durable=True)


def test_a_memory_without_a_name_lives_in_this_process(quick):
    with Memory(embedder=quick) as memory:
        memory.add("Likes tea", user_id="ann")
        assert memory.search("tea", user_id="ann")


def test_a_closed_memory_says_so(tmp_path, quick):
    memory = Memory(tmp_path / "a.db", embedder=quick)
    memory.close()
    memory.close()
    with pytest.raises(UsageError, match="closed"):
        memory.search("tea", user_id="ann")


def test_every_handle_sees_what_the_others_did(memory, reopen):
    other = reopen()
    item = memory.add("Likes tea", user_id="ann")
    assert contents(other.search("tea", user_id="ann")) == ["Likes tea"]
    other.update(item.id, user_id="ann", content="Likes coffee")
    assert contents(memory.search("tea", user_id="ann")) == ["Likes coffee"]
    memory.forget(item.id, user_id="ann")
    assert other.search("tea", user_id="ann") == []
    memory.add("Likes milk", user_id="ann")
    memory.clear(user_id="ann")
    memory.add("Likes water", user_id="ann")
    assert contents(other.search("milk", user_id="ann")) == ["Likes water"]


# --- bound to a user


def test_a_bound_memory_fills_in_the_user_the_session_and_the_agent(memory):
    john = memory.for_user("john", session_id="s", agent_id="a")
    item = john.add("Likes tea")
    assert (item.user_id, item.session_id, item.agent_id) == ("john", "s", "a")
    assert contents(memory.for_user("john", session_id="t").search("tea")) == ["Likes tea"]
    assert john.update(item.id, importance=1).importance == 1
    assert [s.version for s in john.history(item.id)] == [1, 2]
    assert john.get(item.id) == john.get_user_memories()[0]
    assert len(list(john.export())) == 3
    assert john.forget(item.id) == 1


# --- what an earlier state leaves behind: nothing, once the memory is gone


def test_an_expired_memory_takes_its_history_along(memory, clock):
    item = memory.add("The secret is 1234", user_id="ann")
    memory.update(item.id, user_id="ann", expires_in=HOUR)
    clock.pass_by(2 * HOUR)
    assert "1234" not in "".join(memory.export(user_id="ann"))
    assert memory.sweep() == 1
    assert list(memory.store.scan("ann", space=memory.store.space()).rows) == []


def test_an_earlier_state_that_has_expired_is_not_in_the_history(memory, clock):
    item = memory.add("The code is 4411", user_id="ann", expires_in=HOUR)
    memory.update(item.id, user_id="ann", content="The code is gone", expires_at=None)
    assert len(memory.history(item.id, user_id="ann")) == 2
    clock.pass_by(2 * HOUR)
    assert [s.content for s in memory.history(item.id, user_id="ann")] == ["The code is gone"]


def test_what_has_expired_has_no_say_in_what_is_found(memory, clock):
    texts = ["alpha", "xylophone", "beta", "gamma", "delta"]
    for text in texts:
        expiry = {"expires_in": HOUR} if text == "xylophone" else {}
        memory.add(text, user_id="ann", kind="message", session_id="s", **expiry)
    clock.pass_by(2 * HOUR)
    [*hits] = memory.search("xylophone", user_id="ann")
    assert {hit.arms["words around"] for hit in hits} == {0.0}


def test_loading_a_newer_export_leaves_what_is_there_as_it_is(memory):
    item = memory.add("v1", user_id="ann")
    old = list(memory.export(user_id="ann"))
    memory.update(item.id, user_id="ann", content="v2")
    new = list(memory.export(user_id="ann"))
    assert memory.load(old, user_id="bob") == 1
    assert memory.load(new, user_id="bob") == 0
    assert memory.forget(item.id, user_id="bob") == 1
    assert len(list(memory.export(user_id="bob"))) == 1


def test_what_has_expired_does_not_keep_the_same_from_being_loaded(memory, clock):
    item = memory.add("Likes tea", user_id="ann")
    lines = list(memory.export(user_id="ann"))
    memory.update(item.id, user_id="ann", expires_in=HOUR)
    clock.pass_by(2 * HOUR)
    assert memory.load(lines, user_id="ann") == 1
    assert contents(memory.search("tea", user_id="ann")) == ["Likes tea"]
    assert len(memory.history(item.id, user_id="ann")) == 1


# --- more bad input


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.get(None, user_id="ann"),
        lambda m: m.get(["a", "b"], user_id="ann"),
        lambda m: m.forget(None, user_id="ann"),
        lambda m: m.forget([1], user_id="ann"),
        lambda m: m.history(3, user_id="ann"),
        lambda m: m.update(None, user_id="ann", importance=1),
        lambda m: m.search("tea", user_id="ann", kinds=None),
        lambda m: m.search("tea", user_id="ann", where=[]),
        lambda m: m.search("tea", user_id="ann", where=""),
        lambda m: m.search("tea", user_id="ann", embedding=[10**400] * 16),
        lambda m: m.add_many(None, user_id="ann"),
        lambda m: m.add_many([{1: "x", "content": "y"}], user_id="ann"),
        lambda m: m.load(None, user_id="ann"),
        lambda m: m.load([None], user_id="ann"),
        lambda m: m.load(["[" * 100_000], user_id="ann"),
        lambda m: m.add("x", user_id="ann", metadata=nested(100)),
        lambda m: m.add("x", user_id="ann", created_at=far(1, 5)),
        lambda m: m.add("x", user_id="ann", created_at=far(9999, -5)),
    ],
)
def test_what_makes_no_sense_is_a_usage_error(memory, call):
    with pytest.raises(UsageError):
        call(memory)
    assert memory.store.users() == []


def nested(depth):
    value: object = "bottom"
    for _ in range(depth):
        value = {"k": [value]}
    return value


def far(year, hours):
    zone = timezone(timedelta(hours=hours))
    return datetime(
        year, 1 if year == 1 else 12, 1 if year == 1 else 31, 1 if year == 1 else 23, tzinfo=zone
    )


@pytest.mark.parametrize(
    ("arguments", "options"),
    [((None,), {}), (("a\0b",), {}), (("",), {}), (("~nobody-of-that-name/x",), {}),
     ((), {"index_bytes": -1}), ((), {"index_bytes": None}), ((), {"embedder": 7})],
)  # fmt: skip
def test_a_memory_that_cannot_be_opened_says_why(arguments, options):
    with pytest.raises(UsageError):
        Memory(*arguments, **options)


def test_a_clock_without_a_zone_is_refused(quick):
    memory = Memory(embedder=quick, clock=lambda: datetime(2024, 5, 17))  # noqa: DTZ001
    with pytest.raises(UsageError, match="clock"):
        memory.add("Likes tea", user_id="ann")


@pytest.mark.parametrize(
    "record",
    [
        '{"id": "john@example.com", "content": "x", "created_at": "2024-01-01T00:00:00Z"}',
        '{"id": "a@1", "content": "x", "created_at": "2024-01-01T00:00:00Z", "superseded_by": "b"}',
        '{"id": "a", "content": "x", "created_at": "2024-01-01T00:00:00Z", "version": 1048576}',
    ],
)
def test_a_record_that_could_not_be_found_again_is_not_loaded(memory, record):
    [header] = memory.export(user_id="ann")
    with pytest.raises(UsageError, match="Line 2"):
        memory.load([header, record], user_id="ann")


def test_the_same_id_twice_in_an_export_is_refused(memory):
    memory.add("Likes tea", user_id="ann")
    header, record = memory.export(user_id="ann")
    with pytest.raises(UsageError, match="stands twice"):
        memory.load([header, record, record], user_id="bob")


def test_an_item_s_own_expiry_overrides_the_shared_one(memory):
    [item] = memory.add_many(
        [{"content": "x", "expires_in": HOUR}], user_id="ann", expires_at=START + 5 * HOUR
    )
    assert item.expires_at == START + HOUR


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (np.ones((1, 16)), "length one"),
        (np.full((1, 16), np.nan), "length one"),
        (np.eye(16)[:2], "shape"),
        (np.eye(8)[:1], "shape"),
        ([[1.0] * 16], "shape"),
    ],
)
def test_an_embedder_that_breaks_its_promises_stores_nothing(answer, says):
    class Broken:
        name = "broken"
        dimension = 16

        def split(self, text):
            return [text]

        def embed(self, texts):
            return answer

    with Memory(embedder=Broken()) as memory:
        with pytest.raises(UsageError, match=says):
            memory.add("Likes tea", user_id="ann")
        assert memory.store.users() == []


def test_a_search_does_not_fail_because_uses_cannot_be_counted(clock, quick):
    class Forgetful(RAMStore):
        broken = True

        def touch(self, user_id, uses):
            if self.broken:
                raise StoreError("The disk is full.")
            super().touch(user_id, uses)

    store = Forgetful()
    memory = Memory(store, embedder=quick, clock=clock)
    item = memory.add("Likes tea", user_id="ann")
    for _ in range(5):
        clock.pass_by(HOUR)
        assert memory.search("tea", user_id="ann")
    with pytest.raises(StoreError):
        memory.flush()
    store.broken = False
    memory.close()
    assert store.get("ann", [item.id])[0].access_count == 5


def test_the_caller_cannot_change_what_is_stored_through_a_record(quick):
    with Memory(embedder=quick) as memory:
        memory.add("Likes tea", user_id="ann", metadata={"a": {"b": 1}})
        inner: Any = memory.get_user_memories(user_id="ann")[0].metadata["a"]
        inner["b"] = 99
        assert memory.get_user_memories(user_id="ann")[0].metadata == {"a": {"b": 1}}
