"""What is learnt from a message, and what is not."""

from datetime import UTC, datetime

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bethink.learn.extract import extract
from bethink.learn.knowledge import CATEGORIES, MANY_VALUED, ONE_VALUED, Forget, Learnt
from bethink.learn.rules.third import LONGEST

AT = datetime(2026, 5, 4, 10, tzinfo=UTC)


def learnt(text, **more):
    return [one for one in extract(text, at=AT, **more) if isinstance(one, Learnt)]


def contents(text):
    return [one.content for one in learnt(text)]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("btw i live in leeds with my mum lol", "The user lives in leeds with their mum."),
        ("I've worked at Novartis since 2012.", "The user has worked at Novartis since 2012."),
        ("My sister Ana is a nurse in Porto.", "The user's sister Ana is a nurse in Porto."),
        ("im allergic to peanuts 😬", "The user is allergic to peanuts."),
        ("I don't drink alcohol", "The user does not drink alcohol."),
        ("I hate it when people are late", None),
        ("I'm meeting my sister on Saturday", "The user is meeting their sister on 2026-05-09."),
        ("I was laid off last month", "The user was laid off in April 2026."),
        (
            "I get up at five and swim in the lake.",
            "The user gets up at five and swims in the lake.",
        ),
        ("My tortoise is older than I am.", "The user's tortoise is older than the user is."),
        ("My wife she teaches cello", "The user's wife teaches cello."),
        (
            "Geography is the worst subject ever",
            "The user finds that Geography is the worst subject ever.",
        ),
        ("Noor and I broke up", "The user and Noor broke up."),
    ],
)
def test_a_statement_is_told_in_the_third_person_and_stands_on_its_own(said, told):
    assert contents(said) == ([told] if told else [])


@pytest.mark.parametrize(
    "said",
    [
        "Where do I live?",
        "If I lived in Rome I'd never cook again.",
        "Let's pretend I'm the king of Norway.",
        'My teacher said "I grew up in Kenya" and left',
        "Translate into French: I live by the sea. I have two cats.",
        "oh yeah i just LOVE getting up at 4am",
        "im moving to mars. jk",
        "Messi moved to Miami in 2023.",
        "My neighbour's cousin bought a Tesla.",
        "I'm so tired today",
        "I need a regex that matches postcodes.",
        "> I work at Initech",
        "def greet():\n    print('I am Bob and I live in Oslo')",
        "```\nI live in Oslo\n```",
        "Off the record: I'm leaving my husband.",
        "don't save this but I live in Leeds",
        "I might move to Leeds",
        "I love it!",
        "My phone is at 5%",
        "Remember, you can do it",
        "Ich wohne in Berlin und habe einen Hund.",
        "",
    ],
)
def test_what_is_no_statement_of_the_user_gives_nothing(said):
    assert extract(said, at=AT) == []


@pytest.mark.parametrize("role", ["assistant", "system", "tool"])
def test_only_what_the_user_says_counts(role):
    assert extract("I live in Leeds.", at=AT, role=role) == []


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ("forget what i told you about my ex", "my ex"),
        ("Please delete my address from your memory.", "my address"),
        ("Can you forget about my diagnosis?", "my diagnosis"),
    ],
)
def test_what_is_to_be_forgotten_is_given_in_the_users_words(said, what):
    assert extract(said, at=AT) == [Forget(what)]


def test_deleting_a_paragraph_is_no_wish_to_forget():
    assert extract("Delete the second paragraph.", at=AT) == []


@pytest.mark.parametrize(
    ("asked", "said", "key", "value"),
    [
        ("Where do you live?", "In Lyon.", "home", "Lyon"),
        ("Nice! And what's your name?", "Ada", "name", "Ada"),
        ("How old are you?", "41", "age", "41"),
        ("What do you do for a living?", "A carpenter", "work.role", "carpenter"),
        ("Any allergies?", "peanuts", "allergies", "peanuts"),
    ],
)
def test_a_short_answer_is_understood_by_its_question(asked, said, key, value):
    [one] = learnt(said, asked=asked)
    assert (one.key, one.value) == (key, value)


def test_an_answer_that_says_no_is_no_value():
    assert extract("none", at=AT, asked="Any allergies?") == []


@pytest.mark.parametrize(
    ("said", "key", "values"),
    [
        ("I speak Spanish and a bit of Dutch", "languages", ["Spanish", "Dutch"]),
        ("We have two rabbits, Clover and Thistle.", "pets", ["Clover", "Thistle"]),
        ("My hobbies are chess and gardening.", "hobby", ["chess", "gardening"]),
        ("Always answer in Catalan", "answer language", ["Catalan"]),
        ("My pronouns are she/they", "pronouns", ["she/they"]),
    ],
)
def test_each_value_of_a_fact_is_given(said, key, values):
    found = learnt(said)
    assert [(one.key, one.value) for one in found] == [(key, value) for value in values]


def test_names_health_and_wishes_matter_more_than_tastes():
    name, illness, wish, taste = (
        learnt(said)[0].importance
        for said in ("My name is Ada.", "I have asthma.", "Never use emojis.", "I love jazz.")
    )
    assert min(name, illness, wish) >= 0.8
    assert taste == 0.5


def test_what_is_asked_to_be_remembered_matters():
    [one] = learnt("Remember that the spare key is with Mrs. Lee.")
    assert one.content == "The spare key is with Mrs. Lee."
    assert one.category == "requests"
    assert one.importance >= 0.8


FIRST = [
    "I live in", "my dog", "we have", "and", "but", "if", "not", "was", "Ana", "on Friday", "2019",
    "I'm", "'", '"', "(", "[", ",", ".", "?", "\n", "```", "😀", "remember that", "forget my",
    "sorry, I meant", "my sister and I", "is called", "@", "ß", "ich", "私", "always", "5%",
]  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(
    st.one_of(st.text(max_size=400), st.lists(st.sampled_from(FIRST), max_size=40).map(" ".join))
)
@example("my " * 3000)
@example("I am the " * 1000)
@example("'" * 10_000)
@example("I live in Paris and my dog is called Rex. " * 240)
def test_any_text_gives_short_statements_about_the_user(text):
    for one in extract(text, at=AT):
        if isinstance(one, Forget):
            assert one.what
        else:
            assert 0 < len(one.content) <= LONGEST
            assert one.category in CATEGORIES
            assert 0 <= one.importance <= 1
            assert one.key is None or one.key in ONE_VALUED + MANY_VALUED
