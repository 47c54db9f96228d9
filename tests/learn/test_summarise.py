from datetime import UTC, datetime, timedelta
from itertools import cycle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bethink.learn.summarise import Said, summarise
from bethink.models.tokens import count_tokens

SMALL_TALK = [
    "Hey! How are you?",
    "Hi there! I'm good, thanks. You?",
    "Great to hear from you!",
    "Thanks, that means a lot.",
    "Wow, that's amazing!",
    "Haha, yeah, totally.",
    "You're so right about that.",
    "Have a nice day!",
]


def among_small_talk(*telling, budget=40):
    """The summary of some statements of Ann's that are said among small talk."""
    said = [Said(who, text) for who, text in zip(cycle(["Ann", "Ben"]), SMALL_TALK, strict=False)]
    middle = len(said) // 2
    said[middle:middle] = [Said("Ann", text) for text in telling]
    return summarise(said, budget=budget, count=count_tokens)


def spoken(*texts, who="Ann"):
    return [Said(who, text) for text in texts]


def short(said, budget=30):
    return summarise(said, budget=budget, count=count_tokens)


# --- what is kept


@pytest.mark.parametrize(
    "kept",
    [
        pytest.param("My sister Joanna works with Dr. Okafor.", id="names"),
        pytest.param("The rent is 1,450 euros.", id="numbers"),
        pytest.param("My exam is on 14 March at 9:30.", id="dates"),
        pytest.param("I decided to take the job in Lisbon.", id="decisions"),
        pytest.param("I prefer tea over coffee.", id="preferences"),
        pytest.param("ご飯は七時に食べます。", id="other scripts"),
        pytest.param("Meine Schwester wohnt in Graz.", id="other languages"),
    ],
)
def test_what_is_telling_is_kept_and_small_talk_goes(kept):
    assert among_small_talk(kept) == f"Ann: {kept}"


def test_a_question_that_nobody_answered_is_kept():
    said = spoken("I like the blue sofa.", "Which colour are the curtains in the hallway?")
    assert "curtains in the hallway?" in short(said)


@pytest.mark.parametrize("reply", ["No idea, sorry.", "I'm not sure, let me check.", "Hm, why?"])
def test_a_question_stays_open_if_the_reply_is_no_answer(reply):
    asked = Said("Ann", "Which colour are the hallway curtains?")
    aside = Said("Ann", "The postman brought some parcel.")
    assert "hallway" in short([aside, asked, Said("Ben", reply)], 14)


def test_of_a_question_and_its_answer_the_answer_is_kept():
    said = [
        Said("Ann", "Where did the plumber put the spare keys?"),
        Said("Ben", "Under the flowerpot, beside the garage."),
    ]
    assert short(said, 14) == "Ben: Under the flowerpot, beside the garage."


def test_what_is_said_again_is_not_kept_again():
    assert (
        short(spoken("I bought a canoe.", "Yes, I bought a canoe!", "A canoe!")).count("cano") == 1
    )


def test_someone_who_says_little_is_heard_beside_someone_who_says_much():
    advice = "Consider option {n}: a spacious hotel with balcony number {n} and breakfast buffet."
    said = [Said("assistant", " ".join(advice.format(n=n) for n in range(40)))]
    said.insert(0, Said("user", "I'm allergic to shellfish."))
    assert "user: I'm allergic to shellfish." in short(said, 60)


# --- how it is written


def test_each_speaker_is_marked_once():
    said = [
        Said("Ann", "I bought a canoe."),
        Said("Ben", "I sold my piano."),
        Said("Ann", "The canoe needs varnish."),
    ]
    assert (
        short(said, 60) == "Ann: I bought a canoe. The canoe needs varnish.\nBen: I sold my piano."
    )


def test_days_are_marked_where_they_differ_and_years_where_they_change():
    start = datetime(2023, 12, 30, tzinfo=UTC)
    said = [
        Said("Ann", f"I bought a {thing}.", start + timedelta(days=days))
        for days, thing in enumerate(["canoe", "piano", "violin"])
    ]
    assert short(said[:1]) == "Ann: I bought a canoe."
    assert short(said, 60).splitlines() == [
        "30 December 2023",
        "Ann: I bought a canoe.",
        "31 December",
        "Ann: I bought a piano.",
        "1 January 2024",
        "Ann: I bought a violin.",
    ]


def test_interjections_fillers_and_calls_are_left_out():
    said = [
        Said("Melanie", "Wow, thanks, Caroline! So I actually bought a canoe, Caroline."),
        Said("Caroline", "Mel, I sold my piano, you know, to a neighbour."),
    ]
    assert short(said, 60) == (
        "Melanie: I bought a canoe.\nCaroline: I sold my piano to a neighbour."
    )


def test_a_denial_keeps_its_words():
    assert "I'm not really fond of liquorice." in short(spoken("I'm not really fond of liquorice."))


def test_statements_without_an_end_are_kept_apart():
    assert (
        short(spoken("I bought a canoe", "I sold a piano"))
        == "Ann: I bought a canoe. I sold a piano"
    )


@pytest.mark.parametrize(
    "text",
    [
        "I met J. K. Rowling and Mrs. Dalloway at 3 p.m. near the harbour.",
        "It costs 2**3 dollars, e.g. eight.",
        "See https://example.com/a/b?c=d#e for the timetable.",
        '{"invoice": 4711, "customer": "Okafor"}',
    ],
)
def test_a_statement_is_not_torn_where_it_does_not_end(text):
    assert short(spoken(text), 80) == f"Ann: {text}"


def test_lists_lose_their_marks():
    assert short(spoken("1. Buy nails\n2. **Paint** the fence\n- Mow the lawn"), 60) == (
        "Ann: Buy nails. Paint the fence. Mow the lawn"
    )


def test_code_is_kept_as_it_is_without_its_fence():
    said = spoken("```python\nwell, totally = really ** 2\n```")
    assert short(said) == "Ann: well, totally = really ** 2"


def test_a_long_sentence_is_cut_between_words_and_leaves_no_crumbs():
    said = spoken(" ".join(f"word{n}" for n in range(100)))
    pieces = short(said, 1000).removeprefix("Ann: ").split(". ")
    assert " ".join(pieces) == said[0].content
    assert all(80 <= len(piece) <= 320 for piece in pieces)


# --- within limits


@pytest.mark.parametrize("budget", [0, 1, 2, 3])
def test_where_nothing_fits_nothing_is_said(budget):
    assert short(spoken("I bought a canoe in Rotterdam."), budget) == ""


def test_nothing_said_is_nothing_to_summarise():
    assert short([]) == ""
    assert short(spoken("", " ", "Hi!", "👍")) == ""


@pytest.mark.parametrize(
    "text",
    ["x" * 100_000, "ab " * 33_333, " " * 99_999 + "x", "a.b!" * 25_000, "`" * 100_000, "猫は" * 50_000,
     "- " * 50_000, ".' " * 33_333, "so, " * 25_000, "A\n" * 50_000],
    ids=lambda text: repr(text[:6]),
)  # fmt: skip
@pytest.mark.timeout(10)
def test_a_very_long_message_takes_no_very_long_time(text):
    assert count_tokens(short(spoken(text), 300)) <= 300


LINES = st.sampled_from([
    "I moved to Lisbon in March.", "Do you like it?", "Ok.", "Wow, thanks!", "No idea.",
    "- item one\n- item two", "```py\nx = 1\n```", "We decided to meet on 3 May, but it rained",
    "我昨天去了北京。", "https://a.example/b?c", '{"a": [1, 2]}', "I love jazz; she hates it",
])  # fmt: skip
CONTENTS = st.lists(LINES | st.text(max_size=60), max_size=4).map(" ".join)
TIMES = st.none() | st.datetimes(timezones=st.just(UTC))
CONVERSATIONS = st.lists(
    st.builds(
        Said, st.sampled_from(["Ann", "Benjamin", ""]) | st.text(max_size=8), CONTENTS, TIMES
    ),
    max_size=8,
)
COUNTS = st.sampled_from([count_tokens, len, lambda text: len(text.split())])


def test_what_comes_from_outside_is_quoted():
    said = [
        Said("Ann", "I moved to Lisbon in March."),
        Said("tool", "Lisbon has » hills.", outside=True),
    ]
    assert short(said, 200).splitlines() == [
        "Ann: I moved to Lisbon in March.",
        "tool (quoted): «Lisbon has › hills.»",
    ]


@settings(deadline=None)
@given(CONVERSATIONS, st.integers(0, 80), COUNTS)
def test_a_summary_never_exceeds_its_budget(said, budget, count):
    summary = summarise(said, budget=budget, count=count)
    assert count(summary) <= budget


@settings(deadline=None)
@given(CONVERSATIONS, st.integers(0, 80))
def test_the_same_conversation_always_gives_the_same_summary(said, budget):
    assert short(list(said), budget) == short(said, budget)


@settings(deadline=None)
@given(CONVERSATIONS)
def test_every_word_was_said_or_marks_a_speaker_or_a_day(said):
    said = [one._replace(outside=False) for one in said]  # a quotation is marked as such
    summary = short(said, 200)
    known = "\n".join(f"{one.speaker}: {one.content.replace('**', '')}" for one in said)
    days = {str(part) for one in said if one.at for part in (one.at.day, one.at.year)}
    months = {f"{one.at:%B}" for one in said if one.at}
    for word in summary.split():
        assert word.strip(".:") in known.replace("**", "") or word in days | months


@given(st.lists(st.sampled_from(["Ann", "Ben"]), min_size=2, max_size=30), st.integers(20, 200))
def test_what_a_speaker_said_stays_in_order(speakers, budget):
    said = [Said(who, f"I own wombat{n:03}.") for n, who in enumerate(speakers)]
    for line in short(said, budget).splitlines():
        who, _, owned = line.partition(": ")
        numbers = [int(word.strip("wombat.")) for word in owned.split() if "wombat" in word]
        assert numbers == sorted(numbers)
        assert all(speakers[n] == who for n in numbers)
