"""Facts: what is so now, what was so, and what was believed."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bethink import FactualMemory, FunctionEmbedder, Memory, UsageError
from bethink.check import check
from tests.conftest import START, Clock, letters
from tests.test_durability import start

QUICK = FunctionEmbedder(letters, name="letters", dimension=16)
DAY = timedelta(days=1)


def day(n):
    return datetime(2024, 1, 1, tzinfo=UTC) + n * DAY


@pytest.fixture
def facts(ram):
    return FactualMemory(memory=ram, user_id="ann")


def test_it_works_with_nothing_else():
    facts = FactualMemory()
    facts.set_fact("home_city", "London")
    assert facts.get_fact("home_city") == "London"
    assert facts.get_fact("age") is None
    assert facts.get_fact("age", 18) == 18


@pytest.mark.parametrize("value", [None, True, 3, 2.5, "", "ü", [1, ["x"]], {"a": {"b": None}}])
def test_a_value_is_any_json(facts, value):
    facts.set_fact("key", value)
    assert facts.get_fact("key", "default") == value


def test_a_new_value_supersedes_and_the_old_one_is_history(facts, clock):
    facts.set_fact("home", "London", confidence=0.6, source="chat")
    clock.pass_by(DAY)
    facts.set_fact("home", "Paris", source="form")
    assert facts.get_fact("home") == "Paris"
    old, new = facts.history("home")
    assert (old.value, old.confidence, old.source, old.valid_from) == ("London", 0.6, "chat", START)
    assert (new.value, new.confidence, new.source, new.valid_from) == (
        "Paris",
        1,
        "form",
        START + DAY,
    )
    assert [fact.value for fact in facts.facts()] == ["Paris"]


def test_what_held_on_a_day_can_be_asked(facts):
    facts.set_fact("home", "London", valid_from=day(10))
    facts.set_fact("home", "Paris", valid_from=day(20))
    asked = [facts.as_of("home", day(n)) for n in (9, 10, 19, 20, 30)]
    assert asked == [None, "London", "London", "Paris", "Paris"]
    assert [fact.value for fact in facts.facts(at=day(15))] == ["London"]


def test_what_comes_late_settles_as_if_it_had_come_in_order(facts):
    facts.set_fact("home", "Paris", valid_from=day(20))
    late = facts.set_fact("home", "London", valid_from=day(10))
    assert late.value == "London"
    assert facts.get_fact("home") == "Paris"
    assert [fact.value for fact in facts.history("home")] == ["London", "Paris"]
    assert facts.as_of("home", day(15)) == "London"


def test_what_is_to_come_is_not_so_yet(facts, clock):
    facts.set_fact("home", "London")
    facts.set_fact("home", "Berlin", valid_from=START + 10 * DAY)
    assert facts.get_fact("home") == "London"
    assert [fact.value for fact in facts.facts()] == ["London"]
    facts.set_fact("home", "Paris")
    assert facts.get_fact("home") == "Paris"
    clock.pass_by(11 * DAY)
    assert facts.get_fact("home") == "Berlin"


def test_what_is_over_is_not_so_any_more_and_nothing_earlier_comes_back(facts, clock):
    facts.set_fact("job", "baker")
    clock.pass_by(DAY)
    facts.set_fact("job", "cook", valid_to=START + 5 * DAY)
    assert facts.get_fact("job") == "cook"
    clock.pass_by(5 * DAY)
    assert facts.get_fact("job", "none") == "none"
    assert facts.facts() == []


def test_what_was_believed_on_a_day_can_be_asked(facts, clock):
    facts.set_fact("birthday", "3 May", valid_from=day(0))
    clock.pass_by(DAY)
    facts.set_fact("birthday", "13 May", valid_from=day(0))  # a correction
    assert facts.as_of("birthday", day(5)) == "13 May"
    assert facts.as_of("birthday", day(5), believed_at=START) == "3 May"
    assert facts.as_of("birthday", day(5), believed_at=START - DAY) is None
    assert [fact.value for fact in facts.facts(believed_at=START)] == ["3 May"]


def test_saying_the_same_again_changes_nothing_and_a_better_source_is_no_new_start(facts, clock):
    facts.set_fact("home", "London", confidence=0.5)
    clock.pass_by(DAY)
    assert facts.set_fact("home", "London", confidence=0.5).valid_from == START
    assert len(facts.history("home")) == 1
    better = facts.set_fact("home", "London", confidence=0.9)
    assert (better.confidence, better.valid_from) == (0.9, START)
    assert len(facts.history("home")) == 2


def test_saying_again_what_was_learnt_as_well_changes_nothing(ram, facts):
    facts.set_fact("home", "Rome")
    [message] = ram.remember("I live in Rome.", user_id="ann").messages
    said = facts.set_fact("home", "Rome")
    assert len(facts.history("home")) == 1
    assert ram.get(said.id, user_id="ann").sources == (message.id,)
    better = facts.set_fact("home", "Rome", source="passport")
    assert ram.get(better.id, user_id="ann").sources == (message.id,)


def test_that_nothing_is_known_is_not_the_same_as_that_it_ended(ram, facts, clock):
    ram.remember("I work at Siemens.", user_id="ann")
    clock.pass_by(DAY)
    ram.remember("I no longer work at Siemens.", user_id="ann")
    stated = facts.set_fact("work.employer", None, valid_from=clock())
    assert [fact.id for fact in facts.facts()] == [stated.id]


def test_true_is_not_one(facts):
    facts.set_fact("flag", True)  # noqa: FBT003
    facts.set_fact("flag", 1)
    assert facts.get_fact("flag") is not True
    assert len(facts.history("flag")) == 2


def test_saying_again_what_was_over_does_not_make_it_have_been_so_meanwhile(facts, clock):
    facts.set_fact("job", "baker", valid_from=day(0), valid_to=day(10))
    facts.set_fact("job", "baker")
    assert facts.as_of("job", day(20)) is None
    assert facts.get_fact("job") == "baker"


def test_saying_again_what_is_so_beside_what_will_be_changes_nothing(facts):
    facts.set_fact("home", "London")
    facts.set_fact("home", "Paris", valid_from=START + DAY)
    for _ in range(3):
        facts.set_fact("home", "London")
    assert len(facts.history("home")) == 2


def test_a_clock_that_is_set_back_hides_no_fact(facts, clock):
    facts.set_fact("home", "London")
    clock.pass_by(-DAY)
    facts.set_fact("home", "Paris")
    assert facts.get_fact("home") == "Paris"
    assert [fact.value for fact in facts.facts()] == ["Paris"]


def test_what_expired_does_not_come_back_as_history(ram, facts, clock):
    fact = facts.set_fact("code", "old secret")
    facts.set_fact("code", "newer")
    ram.update(fact.id, user_id="ann", expires_in=DAY)
    clock.pass_by(2 * DAY)
    assert facts.history("code") == []
    facts.set_fact("code", "fresh")
    assert [fact.value for fact in facts.history("code")] == ["fresh"]


def test_saying_the_same_of_the_same_time_again_changes_nothing(facts):
    for _ in range(2):
        facts.set_fact("home", "Paris", valid_from=day(20))
        facts.set_fact("home", "London", valid_from=day(10))
    assert [fact.value for fact in facts.history("home")] == ["London", "Paris"]


def test_changing_how_important_a_fact_is_states_nothing(ram, facts):
    fact = facts.set_fact("home", "London")
    ram.update(fact.id, user_id="ann", importance=0.9)
    facts.set_fact("home", "Paris")
    assert [fact.value for fact in facts.history("home")] == ["London", "Paris"]
    with pytest.raises(UsageError, match="is a fact: its content is changed by that kind's own"):
        ram.update(fact.id, user_id="ann", content="home: Rome")


def test_forgetting_takes_the_history_along(facts):
    facts.set_fact("home", "London")
    facts.set_fact("home", "Paris")
    assert facts.forget_fact("home")
    assert not facts.forget_fact("home")
    assert (facts.get_fact("home"), facts.history("home"), facts.facts()) == (None, [], [])
    facts.set_fact("home", "Rome")
    assert [fact.value for fact in facts.history("home")] == ["Rome"]


def test_a_fact_is_found_by_meaning_as_it_is_now(ram, facts):
    facts.set_fact("favourite_team", "Chelsea")
    facts.set_fact("favourite_team", "Arsenal")
    [hit] = ram.search("favourite team", user_id="ann")
    assert hit.item.content == "favourite team: Arsenal"


def test_facts_are_one_user_s(ram, facts):
    facts.set_fact("home", "London")
    assert FactualMemory(memory=ram, user_id="bob").facts() == []


def test_a_clock_that_is_behind_does_not_make_a_new_value_old(ram, facts, clock):
    facts.set_fact("home", "London")
    clock.pass_by(-DAY)
    facts.set_fact("home", "Paris")
    clock.pass_by(DAY)
    assert facts.get_fact("home") == "Paris"


def test_facts_survive_export_and_load(ram, facts, clock):
    facts.set_fact("home", "London", valid_from=day(1))
    facts.set_fact("home", "Paris", valid_from=day(9))
    ram.load(ram.export(user_id="ann"), user_id="copy")
    copy = FactualMemory(memory=ram, user_id="copy")
    assert copy.history("home") == facts.history("home")
    assert copy.as_of("home", day(3)) == "London"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda f: f.set_fact("", 1), "The key of a fact is empty"),
        (lambda f: f.set_fact(None, 1), "The key of a fact is missing"),
        (lambda f: f.set_fact("k" * 10_000, 1), "10,000 characters; the limit is 256"),
        (lambda f: f.set_fact("k", object()), "value must be JSON"),
        (lambda f: f.set_fact("k", "x" * 70_000), "value takes"),
        (lambda f: f.set_fact("k", 1, confidence=2), "confidence must be a number from 0 to 1"),
        (lambda f: f.set_fact("k", 1, source=""), "source is empty"),
        (lambda f: f.set_fact("k", 1, valid_from=datetime(2024, 1, 1)), "no time zone"),  # noqa: DTZ001
        (lambda f: f.set_fact("k", 1, valid_from=day(9), valid_to=day(9)), "valid_to is"),
        (lambda f: f.as_of("k", "today"), "moment must be a datetime"),
        (lambda f: f.get_fact(3), "must be a string"),
    ],
)
def test_bad_input_is_refused_and_changes_nothing(facts, call, message):
    with pytest.raises(UsageError, match=message):
        call(facts)
    assert facts.facts() == []


STATEMENTS = st.lists(
    st.tuples(
        st.integers(0, 9),  # the value
        st.none() | st.integers(-5, 25),  # valid from this day, or from when it is said
        st.none() | st.integers(1, 5),  # for so many days
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=150, deadline=None)
@given(STATEMENTS, st.integers(-6, 30), st.integers(-1, 13))
def test_any_statements_hold_as_a_plain_reading_of_them_says(said, asked, believed):
    """Statement n is made on day n; the plain reading goes through all of them."""
    clock = Clock()
    facts = FactualMemory(memory=Memory(embedder=QUICK, clock=clock), user_id="ann")
    plain = []
    for n, (value, begins, lasts) in enumerate(said):
        clock.now = day(n)
        valid_from = None if begins is None else day(begins)
        # A new value each time, so that nothing is said twice.
        start = valid_from or clock.now
        valid_to = None if lasts is None else start + lasts * DAY
        facts.set_fact("k", [value, n], valid_from=valid_from, valid_to=valid_to)
        plain.append((start, n, valid_to, [value, n]))
    known = [one for one in plain if day(one[1]) <= day(believed)]
    for statements, belief in ((plain, None), (known, day(believed))):
        begun = [one for one in statements if one[0] <= day(asked)]
        latest = max(begun, key=lambda one: one[:2], default=None)
        over = latest and latest[2] is not None and latest[2] <= day(asked)
        expected = None if latest is None or over else latest[3]
        assert facts.as_of("k", day(asked), believed_at=belief) == expected
    assert len(facts.history("k")) == len(said)
    assert all(a.valid_from <= b.valid_from for a, b in pairwise(facts.history("k")))


def test_a_fact_changed_a_thousand_times_by_four_processes_is_one_with_a_complete_history(tmp_path):
    path, times = tmp_path / "agent.db", 250
    with Memory(path, embedder=QUICK) as memory:
        workers = [start("set_facts", path, name, times) for name in "abcd"]
        assert [worker.wait() for worker in workers] == [0] * 4
        for worker in workers:
            worker.stdout.close()
        facts = memory.for_user("ann").factual
        history = facts.history("home city")
        said = {f"{name}-{n}" for name in "abcd" for n in range(times)}
        assert len(history) == 4 * times
        assert {fact.value for fact in history} == said
        assert [fact.value for fact in facts.facts()] == [history[-1].value]
        assert facts.get_fact("home city") == history[-1].value
        for name in "abcd":  # each one's own in the order in which it said them
            own = [fact.value for fact in history if fact.source == name]
            assert own == [f"{name}-{n}" for n in range(times)]
        assert len(memory.search("home city", user_id="ann")) == 1
        assert check(memory.store) == []
