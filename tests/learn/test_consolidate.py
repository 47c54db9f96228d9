"""What is said twice, what fades, and what nobody needs."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.learn.consolidate import Rules, idle, importance_now, plan, prunable
from bethink.learn.repeats import key_of, words_of
from bethink.types import MemoryItem
from tests.conftest import START

DAY = timedelta(days=1)
SAME = np.ones((1, 4), np.float32) / 2


def item(text="Likes tea", id_="1", **fields):
    fields.setdefault("created_at", START)
    return MemoryItem(id=id_, user_id="u", content=text, **fields)


def planned(*items, now=START, vectors=None, rules=None):
    return plan(items, vectors or {one.id: SAME for one in items}, now, rules or Rules())


# --- what is the same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Likes tea", "likes tea."),
        ("Likes tea", "The user likes tea"),
        ("Likes tea", "User really likes the tea!"),
        ("I like tea", "Likes tea"),
        ("I'm allergic to nuts", "Is allergic to nuts"),
        ("I don't like tea", "Does not like tea"),
        ("Can't swim", "Cannot swim"),
        ("Watches films", "I watch films"),
        ("Studies law", "I study law"),
        ("Ｌｉｋｅｓ tea", "Likes tea"),
        ("I'm allergic to nuts", "Allergic to nuts"),
        ("Is really not well", "Is not well"),
        ("Lived in London", "lived in London"),
        ("The user juggles", "I juggle"),
        ("喜欢北京烤鸭。", "喜欢北京烤鸭"),
    ],
)
def test_the_same_in_almost_the_same_words(one, other):
    assert words_of(one) == words_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Likes tea", "Does not like tea"),
        ("Likes tea", "Doesn't like tea"),
        ("Likes tea", "Never likes tea"),
        ("Likes tea", "Liked tea"),
        ("Likes tea", "Used to like tea"),
        ("Likes tea", "Might like tea"),
        ("Likes tea", "Likes tea?"),
        ("Likes tea", "She likes tea"),
        ("Likes tea", "Likes green tea"),
        ("Has 2 cats", "Has 3 cats"),
        ("Has 2 cats", "Has cats"),
        ("Has a cat", "Has cats"),
        ("Has a dog", "Has a dog allergy"),
        ("Owes 5 €", "Owes 5 $"),
        ("Owes 5", "Owes -5"),
        ("Owes 1.5", "Owes 15"),
        ("Meets at 10:30", "Meets at 10 30"),
        ("Knows C", "Knows C++"),
        ("Knows C++", "Knows C#"),
        ("Likes Apple", "Likes apple"),
        ("Lives in London", "Lived in London"),
        ("Lives in London", "Lives in Londonderry"),
        ("Moved from Lisbon to Berlin", "Moved from Berlin to Lisbon"),
        ("Anna likes Bob", "Bob likes Anna"),
        ("Works in research", "Works in user research"),
        ("James likes tea", "Jame likes tea"),
        ("Will met Ann", "will met Ann"),
        ("Plays in The Who", "Plays in Who"),
        ("Is not really well", "Is really not well"),
        ("Doesn't really like tea", "Doesn't like tea"),
        ("Likes it 👍", "Likes it 👎"),
        ("Peña", "Pena"),
        ("不喜欢茶", "喜欢茶"),
        ("The", "Are"),
        ("…", "!"),
    ],
)
def test_what_makes_a_difference_is_never_the_same(one, other):
    assert words_of(one) != words_of(other)
    assert planned(item(one, "1"), item(other, "2")).merged == ()


@pytest.mark.parametrize(
    "fields",
    [
        {"agent_id": "a"}, {"session_id": "s"}, {"speaker": "Ann"}, {"origin": "tool"}, {"valid_from": START},
        {"valid_to": START}, {"expires_at": START + DAY}, {"flagged": True}, {"data": {"x": 1}},
    ],
)  # fmt: skip
def test_what_is_not_of_one_kind_is_not_merged(fields):
    assert planned(item(id_="1"), item(id_="2", **fields)).merged == ()


def test_words_alone_are_not_enough():
    one, other = item(id_="1"), item(id_="2")
    far = np.array([[0.5, -0.5, 0.5, -0.5]], np.float32)
    assert planned(one, other, vectors={"1": SAME, "2": far}).merged == ()
    assert planned(one, other, vectors={"1": SAME}).merged == ()
    assert planned(one, other, vectors={"1": SAME, "2": np.zeros((1, 4), np.float32)}).merged == ()
    assert planned(one, other, vectors={"1": SAME, "2": np.vstack([SAME, SAME])}).merged == ()


def test_the_survivor_has_the_best_of_all():
    first = item(
        "likes tea",
        "1",
        importance=0.9,
        sources=("m1", "m2"),
        access_count=2,
        last_accessed=START + 5 * DAY,
    )
    second = item("The user likes tea", "2", created_at=START + DAY, sources=("m2", "m3"), access_count=3, last_accessed=START + 2 * DAY)  # fmt: skip
    [merge] = planned(first, second).merged
    kept = merge.survivor
    assert (kept.id, kept.content) == ("2", "The user likes tea")
    assert (kept.created_at, kept.updated_at) == (START, START + DAY)
    assert (kept.importance, kept.access_count, kept.last_accessed) == (0.9, 5, START + 5 * DAY)
    assert kept.sources == ("m2", "m3", "m1")
    assert merge.absorbed == (first,)
    assert "1.00" in merge.why


def test_a_wording_that_stands_on_its_own_survives():
    [merge] = planned(item("I really like tea", "1"), item("Likes tea", "2")).merged
    assert merge.survivor.content == "Likes tea"


def test_what_is_pinned_survives():
    long, pinned = item("The user really likes tea", "1"), item(id_="2", pinned=True)
    [merge] = planned(long, pinned).merged
    assert merge.survivor.id == "2"
    assert planned(pinned, replace(pinned, id="3")).merged == ()


def test_metadata_are_never_lost():
    about = item(id_="1", metadata={"topic": "drinks"})
    [merge] = planned(item("The user really likes tea", "2"), about).merged
    assert merge.survivor.id == "1"
    assert planned(about, item(id_="3", metadata={"topic": "food"})).merged == ()
    three = planned(about, item(id_="3", metadata={"topic": "food"}), item(id_="4"))
    assert three.counts["absorbed"] == 1


# --- fading

AGES = st.integers(0, 4000)
USES = st.integers(0, 1000)
SHARES = st.floats(0, 1)


@given(SHARES, AGES, AGES, USES, USES)
def test_importance_fades_with_disuse_and_slower_with_use(importance, one, other, few, many):
    young, old = sorted([one, other])
    few, many = sorted([few, many])

    def after(days, uses):
        return importance_now(item(importance=importance, access_count=uses), START + days * DAY)

    assert after(0, few) == pytest.approx(importance)
    assert after(old, few) <= after(young, few)
    assert after(old, few) <= after(old, many)
    assert 0.2 * importance <= after(old, few) <= importance * (1 + 1e-9)


@pytest.mark.parametrize(
    ("days", "uses", "left"),
    [
        (0, 0, 0.5),
        (30, 0, 0.42),
        (90, 0, 0.3),
        (270, 0, 0.15),
        (90, 1, 0.38),
        (270, 7, 0.34),
        (9999, 0, 0.1),
    ],
)
def test_the_curve_is_the_one_in_the_docs(days, uses, left):
    now = START + days * DAY
    assert importance_now(item(access_count=uses), now) == pytest.approx(left, abs=0.005)


def test_use_begins_the_curve_anew_and_a_pin_stops_it():
    now = START + 300 * DAY
    assert importance_now(item(access_count=1, last_accessed=now), now) == 0.5
    assert importance_now(item(updated_at=now), now) == 0.5
    assert importance_now(item(pinned=True), now) == 0.5
    assert idle(item(created_at=now + DAY), now) == timedelta(0)  # by a clock that is behind


def test_what_has_faded_is_reported_and_kept():
    old = item(id_="1", importance=0.9)
    found = planned(old, item("Drinks tea", "2", pinned=True), now=START + 90 * DAY)
    assert [(one.item, round(one.importance, 2)) for one in found.decayed] == [(old, 0.54)]
    assert found.pruned == ()


# --- pruning

NEEDED = [
    {"importance": 0.75}, {"pinned": True}, {"last_accessed": START + 995 * DAY}, {"updated_at": START + 995 * DAY},
    {"created_at": START + 995 * DAY}, {"flagged": True}, {"data": {"x": 1}}, {"valid_from": START + 2000 * DAY},
]  # fmt: skip


@pytest.mark.parametrize("fields", NEEDED)
def test_what_somebody_may_need_is_never_pruned(fields):
    now = START + 1000 * DAY
    assert prunable(item(importance=0.1), now, Rules())
    needed = item(**{"importance": 0.1, **fields})
    assert not prunable(needed, now, Rules())
    assert not prunable(needed, now, Rules(below=1.0))
    assert planned(needed, now=now).pruned == ()


def test_nothing_is_pruned_before_it_is_old():
    stale = item(importance=0.0)
    assert not prunable(stale, START + 29 * DAY, Rules())
    assert prunable(stale, START + 30 * DAY, Rules())
    assert not prunable(stale, START, Rules(older_than=timedelta(0)))
    [pruning] = planned(stale, now=START + 30 * DAY).pruned
    assert pruning.why == "Its importance is 0.00 by now; never used, last learnt 30 days ago."


ITEMS = st.lists(
    st.builds(
        item,
        st.sampled_from(["Likes tea", "likes tea.", "The user likes tea", "Likes no tea", "Has 2 cats", "Has 3 cats"]),
        importance=st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.8, 1.0]),
        created_at=st.integers(0, 900).map(lambda days: START + days * DAY),
        access_count=st.integers(0, 9),
        pinned=st.booleans(),
        flagged=st.sampled_from([False, False, True]),
        metadata=st.sampled_from([{}, {}, {"a": 1}, {"a": 2}]),
    ),
    max_size=12,
).map(lambda items: [replace(one, id=str(n)) for n, one in enumerate(items)])  # fmt: skip


@given(ITEMS)
def test_each_memory_has_one_fate(items):
    now = START + 900 * DAY
    found = planned(*items, now=now)
    absorbed = [one for merge in found.merged for one in merge.absorbed]
    survivors = [merge.survivor for merge in found.merged]
    fates = [one.id for one in (*absorbed, *survivors, *(gone.item for gone in found.pruned))]
    assert len(fates) == len(set(fates))
    assert not any(one.pinned or one.flagged for one in absorbed)
    for merge in found.merged:
        for one in merge.absorbed:
            assert key_of(one) == key_of(merge.survivor)
            assert one.metadata.items() <= merge.survivor.metadata.items()
    for gone in found.pruned:
        assert prunable(gone.item, now, Rules())


@given(ITEMS)
def test_what_is_left_over_is_left_alone(items):
    """Twice is once."""
    now = START + 900 * DAY
    found = planned(*items, now=now)
    gone = {one.id for merge in found.merged for one in merge.absorbed}
    gone |= {one.item.id for one in found.pruned}
    survivors = {merge.survivor.id: merge.survivor for merge in found.merged}
    left = [survivors.get(one.id, one) for one in items if one.id not in gone]
    again = planned(*left, now=now)
    assert (again.merged, again.pruned) == ((), ())
