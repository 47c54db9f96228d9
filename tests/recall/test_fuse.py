from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bethink.index.user import Selection, UserIndex
from bethink.recall.arms import ARMS
from bethink.recall.fuse import search
from bethink.recall.plan import Plan
from bethink.stores.base import Changes, Entry, row_of
from bethink.text import hashed, pack
from bethink.times import to_micros
from bethink.types import MemoryItem

NOW = datetime(2024, 5, 17, tzinfo=UTC)
QUERY = np.array([1, 0], np.float32)


def entry(id_, content="tea", vector=(1.0, 0.0), **fields):
    item = MemoryItem(
        **{"id": id_, "user_id": "ann", "content": content, "created_at": NOW, **fields}
    )
    return Entry(item, pack(item.text), np.array(vector, "<f2").tobytes())


def found(entries, query="tea", limit=10, batches=1):
    index = UserIndex(2)
    for n in range(batches):
        index.apply(Changes(n + 1, list(map(row_of, entries[n::batches]))), NOW)
    rows = index.select(Selection(), NOW)
    hits = search(index, rows, Plan(QUERY, hashed(query.split()), to_micros(NOW)), limit=limit)
    return [(index.ids[hit.row], hit) for hit in hits]


def ids(hits):
    return [id_ for id_, _ in hits]


def test_meaning_and_words_both_count():
    entries = [
        entry("both"),
        entry("words only", vector=(0, 1)),
        entry("meaning only", "milk"),
        entry("neither", "milk", vector=(0, 1)),
    ]
    assert ids(found(entries))[0] == "both"
    assert ids(found(entries))[-1] == "neither"


def test_nothing_to_search_finds_nothing():
    assert found([]) == []


def test_one_memory_alone_is_found_though_no_arm_can_tell_it_from_others():
    [(id_, hit)] = found([entry("1")])
    assert id_ == "1"
    assert set(hit.arms.values()) == {0.0}


def test_alike_memories_are_in_order_of_time_the_newest_first():
    entries = [entry(str(n), created_at=NOW + timedelta(days=n)) for n in range(5)]
    assert ids(found(entries)) == ["4", "3", "2", "1", "0"]


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["tea", "milk", "tea milk"]),
            st.floats(-1, 1),
            st.sampled_from([None, "Ann", "user", "assistant"]),
        ),
        min_size=1,
        max_size=40,
    ),
    st.integers(1, 5),
    st.integers(1, 12),
)
def test_ranking_does_not_depend_on_how_the_index_came_about(memories, batches, limit):
    entries = [
        entry(
            f"{n:02}",
            content,
            (x, np.sqrt(1 - x * x)),
            kind="message" if speaker else "semantic",
            speaker=speaker,
            session_id="st"[n % 2],
        )
        for n, (content, x, speaker) in enumerate(memories)
    ]
    whole = found(entries, limit=limit)
    grown = found(entries, limit=limit, batches=batches)
    assert ids(whole) == ids(grown)
    assert len(whole) == min(limit, len(memories))
    for _, hit in whole:
        assert tuple(hit.arms) == ARMS
        shares = [*hit.arms.values(), *hit.factors.values()]
        assert hit.score == pytest.approx(sum(shares), abs=1e-4)


def chat(n, content, speaker, vector=(0.0, 1.0), session="s"):
    return entry(
        f"{n:02}",
        content,
        vector,
        kind="message",
        session_id=session,
        speaker=speaker,
        created_at=NOW + timedelta(minutes=n),
    )


def test_in_a_chat_what_the_user_told_comes_first_unless_the_assistant_is_asked_about():
    talk = [chat(0, "tea", "user"), chat(1, "tea", "assistant"), chat(2, "milk", "user")]
    assert ids(found(talk))[0] == "00"
    index = UserIndex(2)
    index.apply(Changes(1, list(map(row_of, talk))), NOW)
    rows = index.select(Selection(), NOW)
    terms = hashed(["tea"])
    plan = Plan(QUERY, terms, to_micros(NOW), of_assistant=True)
    [hit, *_] = search(index, rows, plan, limit=3)
    assert index.ids[hit.row] == "01"


def test_in_a_chat_a_message_is_found_by_what_its_session_is_about():
    talk = [
        chat(0, "tea", "user", (1.0, 0.0), "about tea"),
        chat(1, "milk", "user", session="about tea"),
        chat(2, "milk", "user", session="about milk"),
        chat(3, "milk", "user", session="about milk"),
    ]
    assert ids(found(talk))[:2] == ["00", "01"]
    arms = dict(found(talk))["01"].arms
    assert arms["session's words"] > 0 < arms["session's meaning"]
    assert arms["words around"] == 0


def test_among_friends_the_best_message_of_a_session_lifts_the_others():
    talk = [
        chat(0, "tea", "Ann", (1.0, 0.0), "a"),
        *(chat(n, "milk", "Bob", session="a") for n in range(1, 9)),
        *(chat(n, "milk", "Bob", session="b") for n in range(9, 18)),
    ]
    hits = dict(found(talk, limit=20))
    assert hits["08"].arms["session's best"] > hits["17"].arms["session's best"]
    assert hits["08"].arms["speaker"] == 0
