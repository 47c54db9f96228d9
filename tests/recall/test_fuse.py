"""One score from all arms and factors."""

from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bethink.index.user import Selection
from bethink.recall.arms import ARMS
from bethink.recall.factors import FACTORS
from bethink.recall.fuse import scored
from tests.recall.rows import NOW, asked, entry, found, ids, index_of


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
        assert tuple(hit.factors) == FACTORS
        shares = [*hit.arms.values(), *hit.factors.values()]
        assert hit.score == pytest.approx(sum(shares), abs=1e-4)


def test_a_rank_is_how_many_are_better_in_an_arm():
    entries = [entry(str(n), vector=(n / 10, 1.0)) for n in range(4)]
    index = index_of(entries)
    all_ = scored(index, index.select(Selection(), NOW), asked())
    places = [all_.place_of(index.row_of(str(n))) or 0 for n in range(4)]
    assert [all_.ranks(place)["meaning"] for place in places] == [4, 3, 2, 1]
    assert [all_.ranks(place)["words"] for place in places] == [1, 1, 1, 1]


def test_what_was_not_searched_has_no_place():
    index = index_of([entry("1"), entry("2", kind="message")])
    all_ = scored(index, index.select(Selection(("semantic",)), NOW), asked())
    assert all_.place_of(index.row_of("1")) == 0
    assert all_.place_of(index.row_of("2")) is None
    assert all_.place_of(index.row_of("nope")) is None
