"""search, list, get, history."""

from datetime import timedelta
from typing import Any

from bethink import FunctionEmbedder
from tests.cli.conftest import Shell
from tests.conftest import letters

HOUR = timedelta(hours=1)


def contents(found: list[dict[str, Any]]) -> list[str]:
    return [one.get("item", one)["content"] for one in found]


def test_the_best_match_comes_first(filled: Shell) -> None:
    said = filled.out("search", "Arsenal")
    first = said.splitlines()[2]
    assert "Supports Arsenal" in first
    assert "just now" in first


def test_a_search_shows_where_its_scores_come_from(filled: Shell) -> None:
    heading, _, first, *_ = filled.out("search", "Arsenal").splitlines()
    assert heading.split() == ["score", "meaning", "words", "memory", "when"]
    score, meaning, words = map(float, first.split()[:3])
    assert abs(score - meaning - words) < 0.5  # the rest is what holds whatever is asked


def test_a_search_prints_hits_as_json(filled: Shell) -> None:
    best = filled.json("search", "Arsenal")[0]
    assert best["item"]["content"] == "Supports Arsenal"
    shares = [*best["arms"].values(), *best["factors"].values()]
    assert abs(best["score"] - sum(shares)) < 1e-3
    assert 0.5 < best["relevance"] <= 1


def test_a_search_is_narrowed(filled: Shell) -> None:
    filled.out("add", "Said hello", "--kind", "message", "--session", "s", "--agent", "a")
    filled.out("add", "Was born in 1990", "--metadata", "year=1990")
    narrowed = {
        ("--where", "topic=food"): ["Eats no nuts"],
        ("--where", 'year={"$gte": 1980}'): ["Was born in 1990"],
        ("--where", "year=1990", "--where", "topic=food"): [],
        ("--min-importance", "0.9"): ["Eats no nuts"],
        ("--kind", "message"): ["Said hello"],
        ("--session", "s"): ["Said hello"],
        ("--agent", "a"): ["Said hello"],
    }
    for words, expected in narrowed.items():
        assert contents(filled.json("search", "hello", *words)) == expected
    assert len(filled.json("search", "hello", "--limit", "2")) == 2
    assert len(filled.json("search", "hello", "--kind", "message", "--kind", "semantic")) == 5


def test_a_bad_operator_is_named(filled: Shell) -> None:
    assert "$gte" in filled.fails("search", "x", "--where", 'year={"$over": 1}', code=2)


def test_a_search_that_finds_nothing_says_so_on_stderr(filled: Shell) -> None:
    result = filled.run("search", "Arsenal", "--user", "mary")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "mary has no memory that fits.\n"
    assert filled.json("search", "Arsenal", "--user", "mary") == []


def test_a_search_counts_as_a_use(filled: Shell) -> None:
    [hit] = filled.json("search", "Arsenal", "--limit", "1")
    assert "1 time, last just now" in filled.out("get", hit["item"]["id"])


# --- list


def test_the_newest_are_listed_first(shell: Shell) -> None:
    for text in ("one", "two", "three"):
        shell.add(text)
        shell.clock.pass_by(HOUR)
    said = shell.out("list")
    assert said.index("three") < said.index("two") < said.index("one")
    assert "3 h ago" in said


def test_a_list_says_when_there_is_more(filled: Shell) -> None:
    result = filled.run("list", "--limit", "2")
    assert (result.stdout.count("just now"), "--limit" in result.stderr) == (2, True)
    assert filled.run("list", "--limit", "3").stderr == ""


def test_a_list_is_narrowed(filled: Shell) -> None:
    filled.out("add", "Said hello", "--kind", "message", "--session", "s", "--agent", "a")
    assert contents(filled.json("list", "--where", "topic=food")) == ["Eats no nuts"]
    assert contents(filled.json("list", "--kind", "message")) == ["Said hello"]
    assert contents(filled.json("list", "--kind", "message", "--session", "t")) == []
    assert len(filled.json("list")) == 3


def test_an_empty_list_says_so_on_stderr(filled: Shell) -> None:
    result = filled.run("list", "--user", "mary")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "mary has no memory that fits.\n"


# --- get and history


def test_one_memory_is_shown_in_full(shell: Shell) -> None:
    long = "word " * 100
    id_ = shell.add(long, "--metadata", "tags=[1]", "--session", "s", "--expires-in", "3h")
    said = shell.out("get", id_)
    assert said.count("word") == 100
    for part in (id_, "semantic", '{"tags": [1]}', "2024-05-17", "in 3 h"):
        assert part in said


def test_a_memory_that_is_not_there_is_an_error(filled: Shell) -> None:
    id_ = filled.json("list")[0]["id"]
    assert filled.fails("get", "nope") == "john has no memory with the id nope."
    assert filled.fails("get", id_, "--user", "mary") == f"mary has no memory with the id {id_}."


def test_history_has_every_state(shell: Shell) -> None:
    id_ = shell.add("Lives in London")
    shell.out("update", id_, "--content", "Lives in Paris", "--expires-in", "7d")
    versions = shell.json("history", id_)
    assert contents(versions) == ["Lives in London", "Lives in Paris"]
    assert [version["version"] for version in versions] == [1, 2]
    *_, first, last = shell.out("history", id_).splitlines()
    assert first.split()[:5] == ["1", "Lives", "in", "London", "0.5"]
    assert first.split()[-1] == "never"
    assert last.split()[:5] == ["2,", "now", "Lives", "in", "Paris"]


def test_the_history_of_an_unknown_memory_is_an_error(filled: Shell) -> None:
    assert "no memory with the id nope" in filled.fails("history", "nope")


# --- what is printed


def test_tables_fit_80_columns_and_show_ids_in_full(shell: Shell) -> None:
    id_ = shell.add("supercalifragilistic " * 30, "--metadata", f"note={'y' * 300}")
    for words in (["list"], ["search", "x"]):
        said = shell.out(*words)
        assert max(map(len, said.splitlines())) <= 80
        assert id_ in said


def test_a_memory_cannot_steer_the_terminal(shell: Shell) -> None:
    id_ = shell.add("red \x1b[31m alert \x07 \x9b1m", "--metadata", "k=\x1b[2J")
    for words in (["list"], ["search", "red"], ["get", id_], ["history", id_]):
        said = shell.out(*words)
        assert not {"\x1b", "\x07", "\x9b"} & set(said)
        assert "\\x1b[31m" in said


def test_markup_and_emoji_codes_in_a_memory_are_just_text(shell: Shell) -> None:
    shell.add("[bold]loud[/bold] :smile: [/nonsense]")
    assert "[bold]loud[/bold] :smile: [/nonsense]" in shell.out("list")


def test_a_memory_of_another_model_can_be_read_but_not_searched(filled: Shell) -> None:
    id_ = filled.add("Likes tea")
    filled.embedder = FunctionEmbedder(letters, name="other", dimension=16)
    assert len(filled.json("list")) == 4
    assert filled.json("get", id_)
    assert "embedded with letters" in filled.fails("search", "tea", code=2)
    assert "bethink reembed" in filled.fails("add", "Likes tea", code=2)
    assert filled.json("forget", id_) == [{"removed": 1}]
