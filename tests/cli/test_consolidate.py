"""consolidate."""

from datetime import timedelta

import pytest

from tests.cli.conftest import Shell


@pytest.fixture
def cluttered(shell: Shell) -> Shell:
    """Two memories that say the same, one that is stale, and one that is pinned."""
    shell.out("add", "Likes tea", "Really likes tea", "--importance", "0.9")
    shell.out("add", "It rained", "--importance", "0.1")
    shell.out("add", "It snowed", "--importance", "0.1", "--pinned")
    shell.clock.pass_by(timedelta(days=90))
    return shell


def contents(shell: Shell) -> list[str]:
    return sorted(item["content"] for item in shell.json("list"))


def test_a_dry_run_says_what_would_be_done_and_does_nothing(cluttered: Shell) -> None:
    before = cluttered.out("export").splitlines()[1:]
    said = cluttered.out("consolidate", "--dry-run")
    assert "Of 4 memories, 1 would be merged into others, 1 would be pruned." in said
    assert cluttered.out("export").splitlines()[1:] == before


def test_it_prints_what_was_done_and_why(cluttered: Shell) -> None:
    result = cluttered.run("consolidate")
    said = " ".join(result.stdout.split())
    assert "← Likes tea" in said
    assert "never used, last learnt 90 days ago." in said
    assert "Its importance was 0.90 and is 0.54 by now." in said
    assert "Of 4 memories, 1 merged into others, 1 pruned." in said
    assert result.stderr == "Until 2024-09-14, --undo brings them back.\n"
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert contents(cluttered) == ["It snowed", "Really likes tea"]


def test_it_can_be_undone(cluttered: Shell) -> None:
    before = contents(cluttered)
    cluttered.out("consolidate", "--grace", "7d")
    assert cluttered.out("consolidate", "--undo") == "Brought back 2 memories of john.\n"
    assert contents(cluttered) == before
    assert cluttered.run("consolidate", "--undo").stderr == (
        "john has nothing that could be brought back.\n"
    )


def test_as_json_it_has_one_object_for_each_thing_done(cluttered: Shell) -> None:
    merged, pruned, decayed, counts = cluttered.json("consolidate")
    assert merged["survivor"]["content"] == "Really likes tea"
    assert [item["content"] for item in merged["absorbed"]] == ["Likes tea"]
    assert pruned["item"]["content"] == "It rained"
    assert decayed["importance"] == pytest.approx(0.54)
    assert (counts["absorbed"], counts["pruned"], counts["dry_run"]) == (1, 1, False)
    assert {item["content"] for item in cluttered.json("consolidate", "--undo")} == {
        "Likes tea",
        "It rained",
    }


def test_where_there_is_nothing_to_do_it_says_so(filled: Shell) -> None:
    said = filled.out("consolidate")
    assert said == "Of 3 memories, 0 merged into others, 0 pruned.\n"


def test_it_cannot_be_tried_and_undone_at_once(filled: Shell) -> None:
    assert "one of the two" in filled.fails("consolidate", "--undo", "--dry-run", code=2)


def test_what_is_pinned_later_stays(cluttered: Shell) -> None:
    [rained] = [item for item in cluttered.json("list") if item["content"] == "It rained"]
    assert "never pruned" in cluttered.out("update", rained["id"], "--pinned")
    assert "It rained" in contents(cluttered)
    cluttered.out("consolidate")
    assert "It rained" in contents(cluttered)
