"""What each way of looking says of each memory."""

import numpy as np
import pytest

from bethink.recall.arms import standardised
from bethink.recall.weights import WEIGHTS
from bethink.text import hashed
from tests.recall.rows import chat, entry, found, ids


def arms_of(talk, **settings):
    """What the arms say, by ids."""
    return {id_: hit.arms for id_, hit in found(talk, limit=50, **settings)}


def test_one_memory_alone_is_found_though_no_arm_can_tell_it_from_others():
    [(id_, hit)] = found([entry("1")])
    assert id_ == "1"
    assert set(hit.arms.values()) == {0.0}


def test_scores_of_an_arm_are_in_standard_deviations_from_their_mean():
    scores = standardised(np.array([1, 2, 3, 10], np.float32))
    assert scores.mean() == pytest.approx(0, abs=1e-6)
    assert scores.std() == pytest.approx(1, abs=1e-6)
    assert set(standardised(np.full(4, 0.7, np.float32))) == {0.0}


def test_where_nothing_has_neighbours_a_memory_is_its_own_company():
    arms = arms_of([entry("1"), entry("2", "milk", vector=(0, 1))])["1"]
    assert arms["meaning"] == arms["meaning nearby"] > 0
    assert arms["words"] == arms["words before"] == arms["words around"] > 0


def test_what_was_said_in_no_session_scores_alike_whether_others_were_or_not():
    alone = [entry("1"), entry("2", "milk", vector=(0, 1)), entry("3", "milk", vector=(0, 1))]
    first = arms_of(alone)["1"]
    talk = [chat(n, "milk", "Ann") for n in range(2)]
    second = arms_of([*alone[:1], *talk])["1"]
    assert sum(first.values()) == pytest.approx(sum(second.values()), abs=1e-4)


# --- in chats with an assistant


def test_in_a_chat_what_the_user_told_comes_first_unless_the_assistant_is_asked_about():
    talk = [chat(0, "tea", "user"), chat(1, "tea", "assistant"), chat(2, "milk", "user")]
    assert ids(found(talk))[0] == "00"
    assert ids(found(talk, of_assistant=True))[0] == "01"
    arms = arms_of(talk)
    assert arms["01"]["speaker"] == -WEIGHTS.speaker
    assert arms["00"]["speaker"] == 0


def test_in_a_chat_a_message_is_found_by_what_its_session_is_about():
    talk = [
        chat(0, "tea", "user", (1.0, 0.0), "about tea"),
        chat(1, "milk", "user", session="about tea"),
        chat(2, "milk", "user", session="about milk"),
        chat(3, "milk", "user", session="about milk"),
    ]
    assert ids(found(talk))[:2] == ["00", "01"]
    arms = arms_of(talk)["01"]
    assert arms["session's words"] > 0 < arms["session's meaning"]
    assert arms["words around"] == 0


def test_in_a_chat_what_comes_earlier_counts_more():
    talk = [chat(n, "milk", "user") for n in range(5)]
    opening = [arms["opening"] for _, arms in sorted(arms_of(talk).items())]
    assert opening == sorted(opening, reverse=True)
    assert sum(opening) == pytest.approx(0, abs=1e-4)
    going_on = [arms["opening"] for _, arms in sorted(arms_of(talk, goes_on=True).items())]
    assert going_on[0] > opening[0]


def test_whoever_goes_on_with_a_chat_means_the_latest():
    talk = [chat(n, "milk", "user", session=f"{n // 3}") for n in range(9)]
    assert {arms["latest"] for arms in arms_of(talk).values()} == {0.0}
    latest = [arms["latest"] for _, arms in sorted(arms_of(talk, goes_on=True).items())]
    assert latest == sorted(latest)
    assert latest[0] < 0 < latest[-1]


def test_a_chat_as_a_whole_gains_nothing_over_what_is_known():
    known = entry("known", "milk", vector=(0, 1))
    talk = [known, *(chat(n, "milk", "user") for n in range(4))]
    arms = arms_of(talk, goes_on=True)
    for name in ("opening", "latest"):
        assert arms["known"][name] == 0
        assert sum(one[name] for one in arms.values()) == pytest.approx(0, abs=1e-4)


# --- among friends


def test_among_friends_the_best_message_of_a_session_lifts_the_others():
    talk = [
        chat(0, "tea", "Ann", (1.0, 0.0), "a"),
        *(chat(n, "milk", "Bob", session="a") for n in range(1, 9)),
        *(chat(n, "milk", "Bob", session="b") for n in range(9, 18)),
    ]
    arms = arms_of(talk)
    assert arms["08"]["session's best"] > arms["17"]["session's best"]
    assert arms["08"]["speaker"] == 0


def test_among_friends_a_message_is_found_by_its_neighbours():
    talk = [
        chat(0, "milk", "Ann"),
        chat(1, "tea", "Bob", (1.0, 0.0)),
        chat(2, "milk", "Ann"),
        *(chat(n, "milk", "Bob") for n in range(3, 8)),
    ]
    arms = arms_of(talk)
    assert arms["02"]["words before"] > arms["00"]["words before"] == arms["05"]["words before"]
    around = {id_: one["words around"] for id_, one in arms.items()}
    assert min(around["00"], around["02"]) > around["05"]
    assert arms["02"]["meaning nearby"] > arms["05"]["meaning nearby"]
    assert arms["02"]["words"] == arms["05"]["words"]


# --- what is quoted


def test_all_words_of_a_quoted_phrase_are_worth_something_wherever_they_stand():
    entries = [
        entry("both", "green leaves, and tea"),
        entry("one", "tea"),
        entry("none", "milk"),
    ]
    phrase = hashed(["green", "tea"])
    arms = arms_of(entries, phrases=(phrase,))
    assert {id_: one["quoted"] for id_, one in arms.items()} == {
        "both": WEIGHTS.quoted,
        "one": 0.0,
        "none": 0.0,
    }
    twice = arms_of(entries, phrases=(phrase, hashed(["leav"])))
    assert twice["both"]["quoted"] == 2 * WEIGHTS.quoted
    assert {one["quoted"] for one in arms_of(entries).values()} == {0.0}
