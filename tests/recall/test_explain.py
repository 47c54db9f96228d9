"""Why a memory was returned, and why another was not."""

from datetime import timedelta

import pytest

from bethink.index.user import Selection
from bethink.recall.arms import ARMS
from bethink.recall.explain import Explanation, left_out, shares, weighed
from bethink.types import KINDS, SEARCHED, Hit, Hits, MemoryItem
from tests.conftest import START

HOUR = timedelta(hours=1)
NO_ARMS = dict.fromkeys(("meaning", "words"), 0.0)


def item(id_="1", **fields):
    given = {"id": id_, "user_id": "ann", "content": "tea", "created_at": START, **fields}
    return MemoryItem(**given)


# --- left out


@pytest.mark.parametrize(
    ("fields", "asked", "says"),
    [
        ({"expires_at": START - HOUR}, {}, "It expired on 2024-05-17 at 11:00."),
        ({"superseded_by": "2"}, {}, "It was superseded by 2."),
        (
            {"id": "1@3", "superseded_by": "1"},
            {},
            "It is an earlier state of 1, for its history only.",
        ),
        ({"kind": "working"}, {}, "It is of the kind working, which searches leave out."),
        ({"kind": "summary"}, {}, "It is of the kind summary, which searches leave out."),
        (
            {"kind": "message"},
            {"kinds": ("fact", "episode")},
            "It is of the kind message; asked for was fact, episode.",
        ),
        ({}, {"kinds": ()}, "It is of the kind semantic; asked for was none."),
        ({}, {"agent_id": "a"}, "It is of no agent; asked for was a."),
        ({"agent_id": "b"}, {"agent_id": "a"}, "It is of the agent b; asked for was a."),
        ({"session_id": "s"}, {"session_id": "t"}, "It is of the session s; asked for was t."),
        (
            {"importance": 0.3},
            {"min_importance": 0.5},
            "Its importance is 0.3; asked for was at least 0.5.",
        ),
        (
            {"flagged": True},
            {"flagged": False},
            "It is flagged: text from outside that reads like instructions.",
        ),
        ({}, {"where": {"topic": "food"}}, "Its metadata does not fit the filter."),
        (
            {"metadata": {"year": 2019}},
            {"where": {"year": {"$gte": 2020}}},
            "Its metadata does not fit the filter.",
        ),
    ],
)
def test_what_was_left_out_is_told_the_one_reason(fields, asked, says):
    assert left_out(item(**fields), Selection(**asked), START) == (says,)


def test_all_reasons_are_told():
    one = item(superseded_by="2", kind="message", metadata={"topic": "food"})
    wanted = Selection(("fact",), agent_id="a", where={"topic": "food"})
    assert left_out(one, wanted, START) == (
        "It was superseded by 2.",
        "It is of the kind message; asked for was fact.",
        "It is of no agent; asked for was a.",
    )


@pytest.mark.parametrize("kind", sorted(set(KINDS) - set(SEARCHED)))
def test_a_kind_that_was_asked_for_by_name_is_no_reason(kind):
    said = left_out(item(kind=kind), Selection((kind,), agent_id="a"), START)
    assert said == ("It is of no agent; asked for was a.",)


def test_what_was_left_out_for_no_reason_came_just_now():
    assert left_out(item(), Selection(), START) == (
        "It was added or changed while this was looked into. Ask again.",
    )


# --- scored


def hit(id_, score, relevance=0.5, ranks=None, content="tea", **factors):
    arms = {**dict.fromkeys(ARMS, 0.0), "meaning": score}
    return Hit(item(id_, content=content), score, arms, {"used": 0.0, **factors}, relevance, ranks)


def test_what_was_returned_is_told_its_place_and_what_was_most_for_it():
    hits = Hits([hit("1", 3.0), hit("2", 2.0)])
    told = weighed("tea", hits[1], hits, rank=2, searched=9)
    assert told.returned
    assert told.reasons == ("It was returned, 2 of 2.", "Most for it: meaning (+2.0).")
    assert str(told) == "It was returned, 2 of 2. Most for it: meaning (+2.0)."


def test_what_was_outranked_is_told_by_how_many_by_whom_and_in_what():
    hits = Hits([hit("1", 3.0), hit("2", 2.0, content="word " * 50)])
    behind = hit("3", -1.5, ranks={"meaning": 7})
    told = weighed("tea", behind, hits, rank=7, searched=9)
    assert not told.returned
    first, *others = told.reasons
    assert first == (
        "It is 7 of 9, outranked by 6: its score is -1.5, and that of the last one returned, "
        f"“{('word ' * 12).strip()}…”, is 2.0."
    )
    assert others == [
        "Below the cut of 2 in: meaning (7).",
        "Most is lost in meaning: -1.5 against +2.0.",
    ]


def test_what_was_lost_by_a_factor_is_told_so():
    hits = Hits([hit("1", 2.0, reranker=4.0)])
    told = weighed("tea", hit("2", 2.0, reranker=-4.0), hits, rank=2, searched=2)
    assert told.reasons[-1] == "Most is lost in reranker: -4.0 against +4.0."


def test_what_recall_leaves_out_is_told_so_wherever_it_is():
    flagged = Hit(item("1", flagged=True), 1.0, NO_ARMS, {}, 0.1)
    told = weighed("tea", flagged, Hits([flagged]), rank=1, searched=1)
    assert told.reasons[1:] == (
        "It is flagged, as text from outside that reads like instructions: `recall` leaves it out.",
        "Its relevance is 0.10: below 0.25, `recall` leaves it out.",
    )


def test_what_was_behind_something_that_is_gone_by_now_is_told_its_place():
    told = weighed("tea", hit("1", 1.0), Hits(), rank=4, searched=5)
    assert told.reasons == ("It is 4 of 5, outranked by 3.",)


def test_all_that_adds_up_is_in_the_shares():
    assert shares(hit("1", 2.0))["meaning"] == 2.0
    assert shares(hit("1", 2.0, reranker=1.0))["reranker"] == 1.0


# --- of a real memory


@pytest.fixture
def explained(memory):
    """Explains a memory in a search for tea."""

    def explain(id_, **asked) -> Explanation:
        told: Explanation = memory.explain("tea", id_, user_id="ann", **asked)
        return told

    return explain


def test_what_has_expired_but_was_not_swept_is_told_so(memory, clock, explained):
    gone = memory.add("tea", user_id="ann", expires_in=HOUR)
    clock.pass_by(2 * HOUR)
    told = explained(gone.id)
    assert (told.hit, told.rank, told.returned) == (None, None, False)
    assert str(told) == "It expired on 2024-05-17 at 13:00."


def test_an_earlier_state_is_told_whose(memory, explained):
    one = memory.add("tea", user_id="ann")
    memory.update(one.id, user_id="ann", content="milk")
    assert str(explained(f"{one.id}@1")) == (
        f"It is an earlier state of {one.id}, for its history only."
    )
    assert explained(one.id).returned


def test_what_was_superseded_is_told_by_what_and_nothing_untrue(memory, explained):
    new = memory.add("tea with milk", user_id="ann", metadata={"n": 1})
    old = item("old", superseded_by=new.id, metadata={"n": 1})
    memory.records.put("ann", [old])
    assert str(explained("old", where={"n": 1})) == f"It was superseded by {new.id}."


def test_filters_are_named(memory, explained):
    one = memory.add("tea", user_id="ann", agent_id="a", session_id="s", metadata={"n": 1})
    for narrow, says in {
        ("kinds", ("fact",)): "of the kind semantic; asked for was fact",
        ("agent_id", "b"): "of the agent a; asked for was b",
        ("session_id", "t"): "of the session s; asked for was t",
        ("min_importance", 0.9): "importance is 0.5; asked for was at least 0.9",
    }.items():
        assert says in str(explained(one.id, **dict([narrow])))
    assert "metadata does not fit" in str(explained(one.id, where={"n": 2}))
    assert explained(one.id, where={"n": 1}, agent_id="a", session_id="s").returned


def test_what_was_outranked_is_told_by_how_many_there_really_are(memory, explained):
    memory.add_many([f"tea {n}" for n in range(8)], user_id="ann")
    far = memory.add("Arsenal won on Sunday", user_id="ann")
    told = explained(far.id, limit=3)
    assert (told.rank, told.searched, len(told.hits)) == (9, 9, 3)
    assert told.reasons[0].startswith("It is 9 of 9, outranked by 8: its score is ")
