"""Each message of a story gives what its story needs: the key, the value, and what changes."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bethink.learn.extract import extract
from bethink.learn.knowledge import Learnt

STORIES = [
    json.loads(line)
    for line in (Path(__file__).parent / "stories.jsonl").read_text("utf-8").splitlines()
]
UNSAID = ("What if I became a baker?", "First weeks at Ericsson are going well.")
"""Messages that name a value without stating it."""


def learnt(text, at="2024-06-01T09:00:00+00:00"):
    return [one for one in extract(text, at=datetime.fromisoformat(at)) if isinstance(one, Learnt)]


def stated(story):
    """The messages of a story with the values of its key that they name."""
    values = sorted({*story["history"], *story["now"]}, key=len, reverse=True)
    for said in story["said"]:
        text = said["text"].removeprefix("Before Cork ")
        named = []
        for value in values:
            if value.lower() in text.lower():
                named.append(value)
                text = text.replace(value, "")  # a solicitor is not a trainee solicitor
        if said["text"] not in UNSAID:
            yield said, named


@pytest.mark.parametrize("story", STORIES, ids=[story["id"] for story in STORIES])
def test_a_message_that_names_a_value_of_its_fact_gives_it(story):
    for said, named in stated(story):
        found = learnt(said["text"], said["at"])
        for value in named:
            assert any(
                one.key in (story["key"], None)  # "I meant Bern, not Basel" names no fact
                and value.lower() in ((one.value or "").lower(), (one.was or "").lower())
                for one in found
            ), (said["text"], value, found)


@pytest.mark.parametrize("story", STORIES, ids=[story["id"] for story in STORIES])
def test_no_message_gives_its_fact_a_value_that_nobody_said(story):
    for said in story["said"]:
        for one in learnt(said["text"], said["at"]):
            if one.key == story["key"] and one.value:
                assert one.value in said["text"]


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("I quit Ryanair on 30 June 2024.", "work.employer", "Ryanair"),
        ("I quit.", "work.employer", None),
        ("I sold the car, cycling everywhere now.", "car", None),
        ("I sold the Toyota Yaris.", "car", "Toyota Yaris"),
        ("me and Idris broke up", "partner", "Idris"),
        ("Noor and I broke up.", "partner", "Noor"),
        ("I'm not vegan any more, I eat everything.", "diet", "vegan"),
        ("Miso died on 18 August 2024. I'm heartbroken.", "pets", "Miso"),
        ("We gave Thistle to my cousin.", "pets", "Thistle"),
        ("I gave up pottery, the studio closed.", "hobby", "pottery"),
        ("I left Tesco and work for Aldi now.", "work.employer", "Tesco"),
        ("I no longer work at Amazon", "work.employer", "Amazon"),
    ],
)
def test_what_is_no_longer_so_ends(text, key, value):
    assert (key, value, "ends") in [(one.key, one.value, one.change) for one in learnt(text)]


@pytest.mark.parametrize(
    ("text", "key", "value", "was"),
    [
        ("Sorry, I meant Bern, not Basel.", None, "Bern", "Basel"),
        ("Not Zadar, I meant Zagreb.", None, "Zagreb", "Zadar"),
        ("Correction: it's Servier, not Sanofi.", None, "Servier", "Sanofi"),
        ("No wait, it was right: Basel.", None, "Basel", None),
        ("Hang on, Zadar was right after all.", None, "Zadar", None),
        ("Actually I'm 34, not 33.", "age", "34", "33"),
        (
            "Typo before: my birthday is 13 November, not 3 November.",
            "birthday",
            "13 November",
            "3 November",
        ),
        (
            "oops autocorrect. My name is Jon Easter, not Jon Easton",
            "name",
            "Jon Easter",
            "Jon Easton",
        ),
        ("I mistyped it, my phone number is 07700 900371.", "phone", "07700 900371", None),
        ("Ignore that, I got muddled. My birthday is 9 July.", "birthday", "9 July", None),
    ],
)
def test_a_correction_says_what_was_never_so(text, key, value, was):
    [one] = learnt(text)
    assert (one.key, one.value, one.was, one.change) == (key, value, was, "corrects")


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("I moved to Berlin on 1 March 2024.", "2024-03-01", None),
        ("I've lived in Bristol since 2016.", "2016-01-01", None),
        ("We moved to Swansea in August 2024.", "2024-08-01", None),
        ("I'm moving to Kigali on 1 June 2025.", "2025-06-01", None),
        ("Before Cork I lived in Galway, from 2015 to 2020.", "2015-01-01", "2021-01-01"),
        ("I'm a baker now, since 2 January 2025.", "2025-01-02", None),
        ("I quit Ryanair on 30 June 2024.", "2024-06-30", "2024-06-30"),
        ("I live in Porto.", None, None),
    ],
)
def test_since_when_something_is_so_is_taken_from_what_is_said(text, start, end):
    [one] = learnt(text)
    assert (one.valid_from, one.valid_to) == (day(start), day(end))


def test_a_date_in_the_clause_before_says_since_when_it_is_so_now():
    said = learnt("I got married on 22 June 2024, my name is Anna Brandt now.")
    assert said[-1].value == "Anna Brandt"
    assert said[-1].valid_from == day("2024-06-22")


def day(text):
    return None if text is None else datetime.fromisoformat(text).replace(tzinfo=UTC)
