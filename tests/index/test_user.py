"""The arrays against the plainest reading of what they should say."""

import math
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bethink.index.user import AFTER, BEFORE, K1, B, Selection, UserIndex
from bethink.stores.base import Changes, Entry, row_of
from bethink.text import hashed, pack, terms
from bethink.types import MemoryItem

NOW = datetime(2024, 5, 17, tzinfo=UTC)
WORDS = ["tea", "milk", "cup", "pot", "sugar"]


def entry(id_, content="tea", vectors=(1.0, 0.0), parts=1, **fields):
    item = MemoryItem(
        **{"id": id_, "user_id": "ann", "content": content, "created_at": NOW, **fields}
    )
    blob = np.array(vectors, "<f2").reshape(parts, 2).tobytes()
    return Entry(item, pack(item.text), blob)


def index_of(*entries):
    index = UserIndex(2)
    index.apply(Changes(1, list(map(row_of, entries)), complete=True), NOW)
    return index


def by_id(index, scores):
    rows = index.select(Selection(), NOW)
    return {index.ids[row]: pytest.approx(float(scores[row]), abs=1e-3) for row in rows}


# --- selecting


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        (Selection(), {"known", "said", "other agent", "important"}),
        (Selection(kinds=("message",)), {"said"}),
        (Selection(kinds=()), set()),
        (Selection(agent_id="a"), {"other agent"}),
        (Selection(agent_id="nobody"), set()),
        (Selection(session_id="s"), {"said"}),
        (Selection(min_importance=0.9), {"important"}),
        (Selection(where={"topic": "tea"}), {"important"}),
        (Selection(where={"topic": {"$exists": False}}), {"known", "said", "other agent"}),
        (Selection(where={"nothing": 1}), set()),
    ],
)
def test_a_selection_holds_exactly_the_rows_that_fit(selection, expected):
    index = index_of(
        entry("known"),
        entry("said", kind="message", session_id="s"),
        entry("other agent", agent_id="a"),
        entry("important", importance=0.9, metadata={"topic": "tea"}),
        entry("superseded", superseded_by="known"),
        entry("expired", expires_at=NOW),
        entry("working", kind="working"),
        entry("known@1", superseded_by="known"),
    )
    assert {index.ids[row] for row in index.select(selection, NOW)} == expected


# --- scoring


def test_a_record_scores_by_its_best_part():
    index = index_of(
        entry("one", vectors=(0.6, 0.8)),
        entry("two", vectors=(0, 1, 1, 0), parts=2),
        entry("three"),
    )
    scores = index.dense(np.array([1, 0], np.float32), index.select(Selection(), NOW))
    assert by_id(index, scores) == {"one": 0.6, "two": 1.0, "three": 1.0}


def test_a_record_without_a_vector_is_like_nothing():
    index = index_of(entry("one"), entry("two")._replace(vectors=b""))
    scores = index.dense(np.array([1, 0], np.float32), index.select(Selection(), NOW))
    assert by_id(index, scores) == {"one": 1.0, "two": 0.0}


def test_few_rows_score_the_same_as_among_all():
    rng = np.random.default_rng(1)
    entries = [entry(f"{n:03}", vectors=rng.normal(size=2)) for n in range(100)]
    index = index_of(*entries)
    query = np.array([0.6, 0.8], np.float32)
    everything = index.select(Selection(), NOW)
    few = everything[::10]
    np.testing.assert_allclose(
        index.dense(query, few)[few], index.dense(query, everything)[few], rtol=1e-5
    )


def session(count, **fields):
    contents = ["tea pot", "milk", "sugar cup tea", "cup", "tea"]
    return [
        entry(f"{n}", contents[n % 5], kind="message", session_id="s", **fields)
        for n in range(count)
    ]


def test_neighbours_in_a_session_lend_a_message_their_similarity():
    near = entry("1", vectors=(1, 0), kind="message", session_id="s")
    far = entry("2", vectors=(0, 1), kind="message", session_id="s")
    alone = entry("3", vectors=(0, 1), kind="message", session_id="t")
    index = index_of(near, far, alone)
    scores = index.near(index.dense(np.array([1, 0], np.float32), index.select(Selection(), NOW)))
    assert by_id(index, scores) == {"1": 1.0, "2": BEFORE, "3": 0.0}
    backwards = index.near(index.dense(np.array([0, 1], np.float32), np.arange(3)))
    assert by_id(index, backwards) == {"1": AFTER, "2": 1.0, "3": 1.0}


def plain_bm25(documents, query):
    """BM25 as the textbook has it."""
    mean = sum(map(len, documents.values())) / len(documents)
    scores = dict.fromkeys(documents, 0.0)
    for term in query:
        holding = [id_ for id_, words in documents.items() if term in words]
        idf = math.log(1 + (len(documents) - len(holding) + 0.5) / (len(holding) + 0.5))
        for id_ in holding:
            count, size = documents[id_].count(term), len(documents[id_])
            scores[id_] += idf * count * (K1 + 1) / (count + K1 * (1 - B + B * size / mean))
    return scores


_TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)


@st.composite
def histories(draw):
    """Batches of changes to one user's messages: adding, changing, deleting, in sessions."""
    batches: list[tuple[list[Entry], list[str]]] = []
    known: list[Entry] = []
    for n in range(draw(st.integers(1, 6))):
        added = [
            entry(
                f"{n}-{i}",
                text,
                kind=draw(st.sampled_from(["message", "semantic"])),
                session_id=draw(st.sampled_from(["s", "t", None])),
                created_at=NOW + timedelta(minutes=draw(st.integers(0, 3))),
            )
            for i, text in enumerate(draw(st.lists(_TEXTS, max_size=5)))
        ]
        changed = draw(st.lists(st.sampled_from(known), unique_by=id, max_size=2)) if known else []
        added += [
            entry(e.item.id, "sugar pot", kind=e.item.kind, session_id=e.item.session_id)
            for e in changed
        ]
        gone = (
            draw(st.sets(st.sampled_from(known).map(lambda e: e.item.id), max_size=2))
            if known
            else set()
        )
        gone -= {e.item.id for e in added}
        batches.append((added, sorted(gone)))
        known = [e for e in known if e.item.id not in gone | {a.item.id for a in added}] + added
    return batches, known


@settings(deadline=None)
@given(histories(), st.lists(st.sampled_from(WORDS), unique=True, min_size=1), st.integers(0, 2))
def test_an_index_kept_up_to_date_says_the_same_as_the_textbook(history, query, reach):
    batches, known = history
    index = UserIndex(2)
    for n, (added, gone) in enumerate(batches):
        index.apply(Changes(n + 1, list(map(row_of, added)), gone), NOW)
    texts = {e.item.id: terms(e.item.text) for e in known}
    joined = {id_: joined_terms(id_, known, texts, reach) for id_ in texts}
    scores = index.lexical(hashed(query), reach)
    if known:
        assert by_id(index, scores) == plain_bm25(joined, query)
    assert len(index) == len(known)


def joined_terms(id_, known, texts, reach):
    item = next(e.item for e in known if e.item.id == id_)
    if item.kind != "message" or item.session_id is None or reach == 0:
        return texts[id_]
    members = sorted(
        (e.item.created_at, e.item.id)
        for e in known
        if e.item.kind == "message" and e.item.session_id == item.session_id
    )
    ids = [member for _, member in members]
    place = ids.index(id_)
    wanted = ids[max(0, place - 1) : place + reach]
    return [term for member in wanted for term in texts[member]]


@settings(deadline=None)
@given(histories())
def test_an_index_kept_up_to_date_equals_one_made_anew(history):
    batches, known = history
    grown = UserIndex(2)
    for n, (added, gone) in enumerate(batches):
        grown.apply(Changes(n + 1, list(map(row_of, added)), gone), NOW)
    fresh = index_of(*known)
    for reach in range(3):
        query = hashed(WORDS)
        assert by_id(grown, grown.lexical(query, reach)) == by_id(
            fresh, fresh.lexical(query, reach)
        )


def test_a_word_that_was_looked_up_is_looked_up_anew_after_every_change():
    said = {"kind": "message", "session_id": "s"}
    index = index_of(entry("a", "tea", **said), entry("b", "milk", **said))
    query = hashed(terms("milk"))
    assert index.lexical(query, 2).any()
    assert index.session_words(query).any()
    assert index.shares(query, index.select(Selection(), NOW))[0].tolist() == [0, 1]
    index.apply(Changes(2, [row_of(entry("c", "milk", **said))], deleted=["b"]), NOW)
    fresh = index_of(entry("a", "tea", **said), entry("c", "milk", **said))
    for reach in (0, 1, 2):
        assert by_id(index, index.lexical(query, reach)) == by_id(
            fresh, fresh.lexical(query, reach)
        )
    assert index.session_words(query) == pytest.approx(fresh.session_words(query))
    assert index.session_meaning(np.array([1.0, 0.0], np.float32)) == pytest.approx(1)
    assert index.shares(query, index.select(Selection(), NOW))[0].tolist() == [0, 1]


def test_a_filter_sees_metadata_that_was_added_after_it_was_used():
    index = index_of(entry("a", metadata={"topic": "tea"}))
    wanted = Selection(where={"topic": "tea"})
    assert len(index.select(wanted, NOW)) == 1
    index.apply(Changes(2, [row_of(entry("b", metadata={"topic": "tea"}))]), NOW)
    assert len(index.select(wanted, NOW)) == 2


def test_an_index_with_many_dead_rows_says_so():
    index = index_of(entry("1"))
    for n in range(2000):
        index.apply(Changes(n + 2, [row_of(entry("1"))]), NOW)
    assert index.wasteful
    assert len(index) == 1
