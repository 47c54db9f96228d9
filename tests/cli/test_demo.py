import re
import subprocess
import sys
from pathlib import Path

import pytest

from bethink.cli.demonstration import NEXT
from tests.cli.conftest import COMMAND, ENVIRONMENT


@pytest.fixture(scope="module")
def shown() -> str:
    """What the demonstration prints, with the model that comes with Bethink."""
    done = subprocess.run(
        [*COMMAND, "demo"], env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def step(shown: str, title: str) -> str:
    """One step of it, from its heading to the next."""
    _, *parts = re.split(r"^\d+  (.+?) ─+$", shown, flags=re.MULTILINE)
    steps = dict(zip(parts[::2], parts[1::2], strict=True))
    return steps[title]


def best(shown: str, query: str) -> str:
    """The first hit that is printed for a query."""
    return shown.partition(query)[2].splitlines()[4]


def test_a_question_is_answered_by_its_meaning(shown: str) -> None:
    assert "Supports Arsenal" in best(shown, "which football team does he like?")


def test_a_name_is_found_by_its_word(shown: str) -> None:
    assert "BA117" in best(shown, '"BA117"')


def test_what_a_second_process_adds_is_found_at_once(shown: str) -> None:
    assert "Has a sister called Maya" in best(shown, "does he have any siblings?")


def test_a_filter_leaves_out_what_does_not_fit(shown: str) -> None:
    assert "ramen" in step(shown, "Filter")
    assert "Arsenal" not in step(shown, "Filter")


def test_an_update_leaves_a_history(shown: str) -> None:
    *_, first, second = step(shown, "Change, and keep what it was").strip().splitlines()
    assert "1   Lives in Lisbon" in first
    assert "2   Lives in Berlin" in second


def test_an_expired_memory_is_gone(shown: str) -> None:
    assert "Now:            “The door code is 4411”" in shown
    assert "1 second later: nothing" in shown


def test_another_user_finds_nothing(shown: str) -> None:
    assert "Mary has no memories" in step(shown, "Keep users apart")


def test_a_long_conversation_is_shown_as_a_summary_and_its_end(shown: str) -> None:
    said = step(shown, "Hold a long conversation")
    assert "All 11 messages are kept" in said
    assert "[Summary of the conversation so far]" in said
    assert "Maya gets seasick" in said
    assert said.strip().endswith("And what is left of the budget?")


def test_a_fact_changes_and_has_a_history(shown: str) -> None:
    said = step(shown, "Know what is so, and what was")
    assert "Lisbon   September 2019" in said
    assert "Berlin   March 2024" in said
    assert "Now it is Berlin; as of January 2022 it was Lisbon." in said


def test_a_task_that_failed_comes_back_first_when_a_similar_one_starts(shown: str) -> None:
    said = step(shown, "Learn from what failed")
    assert "ramen bar   failed   Ring them" in best(said, "Maya's birthday")


def test_working_memory_survives_a_restart(shown: str) -> None:
    _, _, after = step(shown, "Go on after a restart").partition("opened again")
    assert "Task: Reserve dinner for Maya's birthday" in after
    assert '- open on Sunday: «["Ramen Kiosk", "Noodle Bar"]»' in after


def test_every_line_of_a_prompt_has_its_source(shown: str) -> None:
    said = step(shown, "Give a model all of it, and know where it comes from")
    prompt, _, sources = said.partition("prompt.sources")
    assert "- Has a sister called Maya [1]" in prompt
    assert "nobody reads the form" in prompt
    assert "Maya gets seasick" in prompt
    numbers = re.findall(r"\[(\d+)\]", prompt)
    assert re.findall(r"^ +(\d+)   (?:semantic|episode|message)", sources, re.MULTILINE) == numbers


def test_the_numbers_add_up(shown: str) -> None:
    measured = re.findall(r"([\d.]+) ms", step(shown, "Count the cost"))
    whole, embedding, rest, _ = map(float, measured)
    assert whole == pytest.approx(embedding + rest, abs=0.11)


def test_it_ends_with_a_program_that_runs(shown: str, tmp_path: Path) -> None:
    for line in NEXT.splitlines():
        assert line in step(shown, "Your turn")
    done = subprocess.run(
        [sys.executable, "-c", NEXT], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "Supports Arsenal" in done.stdout


def test_it_fits_80_columns_and_has_no_colours_in_a_pipe(shown: str) -> None:
    assert max(map(len, shown.splitlines())) <= 80
    assert "\x1b" not in shown
