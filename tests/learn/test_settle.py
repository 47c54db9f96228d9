"""New knowledge against old, whatever the order in which it arrives."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from bethink.learn import statements
from bethink.learn.knowledge import Learnt
from bethink.learn.settle import Line, Told, fact_key, settle_memory, told_once
from bethink.types import MemoryItem

START = datetime(2024, 1, 1, tzinfo=UTC)


def day(n):
    return START + timedelta(days=n)


def told(value, on, *, content=None, **learnt):
    return Told(
        Learnt(
            content=content or f"Lives in {value}.",
            category="home",
            key="home",
            value=value,
            **learnt,
        ),
        source=f"m{on}{value}{learnt.get('change', '')}",
        at=day(on),
        made="rule",
        user_id="ann",
    )


def line(*said):
    made = Line("fact-home", "home", [])
    for one in said:
        made.tell(one)
    return made


def value(made, on):
    held = statements.held(made.statements, day(on))
    return held and held.data["value"]


def test_what_is_said_later_supersedes():
    made = line(told("Porto", 0), told("Berlin", 10))
    assert [value(made, n) for n in (-1, 5, 15)] == [None, "Porto", "Berlin"]
    assert made.head is not None
    assert made.head.data["value"] == "Berlin"


def test_a_date_that_is_named_is_when_it_began():
    made = line(told("Porto", 0), told("Berlin", 20, valid_from=day(10)))
    assert [value(made, n) for n in (5, 12)] == ["Porto", "Berlin"]


def test_what_ended_does_not_hold_until_something_else_is_said():
    made = line(told("Porto", 0), told(None, 10, change="ends"), told("Berlin", 20))
    assert [value(made, n) for n in (5, 15, 25)] == ["Porto", None, "Berlin"]


def test_the_end_of_something_else_ends_nothing():
    made = line(told("Porto", 0), told("Rome", 10, change="ends"))
    assert value(made, 15) == "Porto"


def test_a_correction_was_true_all_the_time():
    made = line(told("Basel", 0), told("Bern", 3, change="corrects", was="Basel"))
    assert [value(made, n) for n in (1, 5)] == ["Bern", "Bern"]
    assert [item.data["value"] for item in statements.timeline(made.statements)] == ["Bern"]


def test_what_was_believed_before_a_correction_is_known_still():
    made = line(told("Basel", 0), told("Bern", 3, change="corrects", was="Basel"))
    held = statements.held(made.statements, day(1), believed_at=day(2))
    assert held is not None
    assert held.data["value"] == "Basel"


def test_a_correction_can_be_undone():
    made = line(
        told("Basel", 0),
        told("Bern", 3, change="corrects", was="Basel"),
        told("Basel", 4, change="corrects"),
    )
    assert [value(made, n) for n in (1, 5)] == ["Basel", "Basel"]


def test_a_corrected_date_moves_the_beginning():
    made = line(
        told("Porto", 0),
        told("Berlin", 20, valid_from=day(10)),
        told("Berlin", 21, valid_from=day(15), change="corrects"),
    )
    assert [value(made, n) for n in (5, 12, 17)] == ["Porto", "Porto", "Berlin"]


def test_saying_it_again_adds_evidence_and_nothing_else():
    made = line(told("Porto", 0), told("porto", 5))
    [statement] = made.statements
    assert statement.sources == ("m0Porto", "m5porto")
    assert statements.began(statement) == day(0)


def test_the_same_message_twice_changes_nothing():
    made = line(told("Porto", 0))
    made.changed.clear()
    made.tell(told("Porto", 0))
    assert made.changed == {}


CHANGES = st.one_of(
    st.builds(lambda v: {"value": v}, st.sampled_from("ABC")),
    st.builds(lambda n: {"value": "D", "valid_from": day(n)}, st.integers(-20, 0)),
    st.just({"value": None, "change": "ends"}),
    st.builds(
        lambda v, w: {"value": v, "change": "corrects", "was": w},
        st.sampled_from("AB"),
        st.sampled_from("CD"),
    ),
)


@given(st.lists(CHANGES, min_size=1, max_size=6), st.randoms())
def test_plain_statements_settle_alike_in_any_order(changes, random):
    """But for corrections, whose meaning is what was said before them."""
    said = [told(**one, on=n) for n, one in enumerate(changes) if one.get("change") != "corrects"]
    shuffled = random.sample(said, len(said))
    days = range(-25, 10)
    assert [value(line(*said), n) for n in days] == [value(line(*shuffled), n) for n in days]


@given(st.permutations([0, 1]))
def test_a_correction_may_arrive_before_what_it_corrects(order):
    said = [told("Basel", 0), told("Bern", 3, change="corrects", was="Basel")]
    made = line(*(said[n] for n in order))
    assert [value(made, n) for n in (1, 5)] == ["Bern", "Bern"]


@given(st.lists(CHANGES, max_size=8))
def test_versions_grow_and_every_statement_has_an_id_of_its_own(changes):
    made = Line("fact-home", "home", [])
    version = 0
    for n, one in enumerate(changes):
        made.tell(told(**one, on=n))
        if made.head is not None:
            assert made.head.version >= version
            version = made.head.version
    ids = [item.id for item in made.statements]
    assert len(ids) == len(set(ids))
    if made.head is not None:
        assert made.head.superseded_by is None
        assert {item.superseded_by for item in made.statements if item is not made.head} <= {
            "fact-home"
        }


def test_each_value_of_a_many_valued_fact_has_a_key_of_its_own():
    french = Learnt(content="Speaks French.", category="skills", key="languages", value="French")
    assert fact_key(french) == "languages/french"
    assert (
        fact_key(Learnt(content="Lives in Rome.", category="home", key="home", value="Rome"))
        == "home"
    )
    assert fact_key(Learnt(content="Likes tea.", category="likes")) is None


def test_a_sentence_that_names_several_values_stands_for_one_of_them():
    cats = [
        Learnt(
            content="The user has two cats, Milo and Otis.", category="pets", key="pets", value=name
        )
        for name in ("Milo", "Otis")
    ]
    assert [one.content for one in told_once(cats)] == [
        "The user has two cats, Milo and Otis.",
        "Otis is a pet of the user.",
    ]


def memory(content, on=0, source="m", **fields):
    return MemoryItem(
        id=content, user_id="ann", content=content, created_at=day(on), sources=(source,), **fields
    )


def likes(content, on, **learnt):
    return Told(
        Learnt(content=content, category="likes", **learnt), f"m{on}", day(on), "rule", "ann"
    )


def test_the_same_in_other_words_adds_evidence():
    [kept] = settle_memory(
        likes("The user really loves green tea.", 1), "new", [memory("The user loves green tea.")]
    )
    assert kept.sources == ("m", "m1")
    assert kept.content == "The user loves green tea."


def test_the_opposite_becomes_history():
    new, old = settle_memory(
        likes("The user hates green tea.", 1), "new", [memory("The user loves green tea.")]
    )
    assert (new.content, new.superseded_by) == ("The user hates green tea.", None)
    assert (old.superseded_by, old.valid_to) == ("new", day(1))


def test_the_opposite_that_arrives_late_is_history_from_the_start():
    [new] = settle_memory(
        likes("The user hates green tea.", 1), "new", [memory("The user loves green tea.", 5)]
    )
    assert (new.superseded_by, new.valid_to) == ("The user loves green tea.", day(5))


def test_what_a_model_names_as_superseded_becomes_history():
    new, old = settle_memory(
        likes("The user is vegan.", 1, supersedes=("The user eats meat.",)),
        "new",
        [memory("The user eats meat.")],
    )
    assert (new.id, old.superseded_by) == ("new", "new")


def test_the_other_way_round_is_another_memory():
    [kept] = settle_memory(
        likes("The user's brother works for the user's sister.", 1),
        "new",
        [memory("The user's sister works for the user's brother.")],
    )
    assert kept.id == "new"


def test_other_numbers_and_names_are_other_memories():
    for there in ("The user has 2 cats.", "The user has 3 dogs.", "The user has no 3 cats."):
        [kept] = settle_memory(likes("The user has 3 cats.", 1), "new", [memory(there)])
        assert kept.id == "new"
