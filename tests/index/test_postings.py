import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bethink.index.postings import Postings

_TERMS = st.sampled_from([0, 1, 7, 2**31, 2**32 - 1])
_BATCHES = st.lists(st.dictionaries(_TERMS, st.integers(1, 255), max_size=4), max_size=30)


@given(_BATCHES, st.integers(1, 5))
def test_look_ups_give_what_was_added_sorted_or_not(documents, every):
    postings = Postings()
    for row, counts in enumerate(documents):
        terms = np.array(list(counts), np.uint32)
        postings.add(terms, np.full(len(terms), row), np.array(list(counts.values()), np.uint8))
        if row % every == 0:
            postings.merge()
    for term in (0, 1, 7, 2**31, 2**32 - 1, 12345):
        rows, counts = postings.of(np.uint32(term))
        expected = {row: c[term] for row, c in enumerate(documents) if term in c}
        assert dict(zip(rows.tolist(), counts.tolist(), strict=True)) == expected
        assert rows.tolist() == sorted(expected)


def test_of_too_many_terms_the_rarest_are_looked_for():
    postings = Postings()
    for row in range(20):
        held = np.arange(row + 1, dtype=np.uint32)  # 0 is in every row, 19 in one
        postings.add(held, np.full(len(held), row), np.ones(len(held), np.uint8))
        if row == 17:
            postings.merge()
    wanted = np.array([0, 1, 5, 12, 15, 99], np.uint32)
    assert postings.rarest(wanted, 10).tolist() == [0, 1, 5, 12, 15]
    assert sorted(postings.rarest(wanted, 2).tolist()) == [12, 15]
