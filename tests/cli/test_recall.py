"""recall, why, and search --explain."""

from datetime import UTC, datetime

import pytest

from bethink import Memory
from tests.cli.conftest import Shell


@pytest.fixture
def told(filled: Shell) -> Shell:
    """What is known, a fact that changed, and a conversation."""
    with Memory(filled.store, embedder=filled.embedder, clock=filled.clock) as memory:
        john = memory.for_user("john", session_id="monday")
        for year, city in ((2019, "Lisbon"), (2024, "Berlin")):
            john.factual.set_fact("home city", city, valid_from=datetime(year, 1, 1, tzinfo=UTC))
        john.conversation.add_message("user", "Which team does Arsenal play on Sunday?")
        john.conversation.add_message("assistant", "Chelsea, at Highbury.")
    return filled


def only_id(shell: Shell, content: str) -> str:
    """The id of the one memory that says this."""
    [id_] = [item["id"] for item in shell.json("list") if item["content"] == content]
    return str(id_)


# --- recall


def test_what_is_recalled_is_printed_as_it_is(told: Shell) -> None:
    with Memory(told.store, embedder=told.embedder, clock=told.clock) as memory:
        context = memory.recall("Supports Arsenal", user_id="john")
    assert "Supports Arsenal [1]" in context
    assert told.out("recall", "Supports Arsenal") == f"{context}\n"


def test_as_json_a_context_has_its_text_tokens_hits_and_sources(told: Shell) -> None:
    [given] = told.json("recall", "Supports Arsenal")
    assert f"{given['text']}\n" == told.out("recall", "Supports Arsenal")
    assert 0 < given["tokens"] <= 1000
    best = given["hits"][0]
    assert best["item"]["content"] == "Supports Arsenal"
    assert best["relevance"] >= 0.25
    assert "meaning" in best["arms"]
    assert "used" in best["factors"]
    assert best["item"]["id"] in [source["id"] for source in given["sources"].values()]


def test_a_context_keeps_to_its_budget_and_its_kinds(told: Shell) -> None:
    [given] = told.json("recall", "Arsenal home city", "--least", "0", "--budget", "20")
    assert 0 < given["tokens"] <= 20
    [given] = told.json("recall", "Arsenal home city", "--least", "0", "--kind", "fact")
    assert given["text"] == "## Facts\n- home city: Berlin [1]"


def test_facts_are_recalled_as_they_were_at_another_time(told: Shell) -> None:
    words = ["recall", "home city", "--kind", "fact"]
    assert "Berlin" in told.out(*words)
    assert "Lisbon" in told.out(*words, "--at", "2022-01-01")


def test_where_nothing_is_relevant_a_sentence_on_stderr_says_so(told: Shell) -> None:
    result = told.run("recall", "quantum chromodynamics", "--least", "0.9", "--budget", "2000")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == (
        "john has no memory with a relevance of 0.9 that fits into 2,000 tokens; "
        "--least and --budget set both.\n"
    )
    [given] = told.json("recall", "quantum chromodynamics", "--least", "1")
    assert given == {"text": "", "tokens": 0, "sources": {}, "hits": []}


def test_only_what_a_context_shows_counts_as_used(told: Shell) -> None:
    told.out("recall", "Supports Arsenal", "--least", "0.9")
    used = {item["content"]: item["access_count"] for item in told.json("list")}
    assert used["Supports Arsenal"] == 1
    assert used["Eats no nuts"] == 0


# --- why


def test_what_was_returned_is_explained_beside_the_last_and_the_best(told: Shell) -> None:
    id_ = only_id(told, "Supports Arsenal")
    said = told.out("why", "Supports Arsenal", id_, "--limit", "3")
    heading = next(line for line in said.splitlines() if line.startswith("part"))
    assert heading.split() == ["part", "this", "one", "rank", "last", "best"]
    for part in ("Supports Arsenal\n", id_, "\nmeaning ", "\nwords ", "\nscore ", "\nrelevance "):
        assert part in said
    assert "It was returned, 1 of 3.\n" in said


def test_what_was_not_returned_is_told_what_it_lost_by(told: Shell) -> None:
    id_ = only_id(told, "Eats no nuts")
    said = told.out("why", "Supports Arsenal", id_, "--limit", "1")
    assert "outranked by" in said
    assert "that of the last one returned, “Supports Arsenal”, is" in " ".join(said.split())
    heading = next(line for line in said.splitlines() if line.startswith("part"))
    assert heading.split() == ["part", "this", "one", "rank", "best"]


def test_what_was_left_out_is_told_why_without_a_table(told: Shell) -> None:
    id_ = only_id(told, "Supports Arsenal")
    said = told.out("why", "Arsenal", id_, "--kind", "message", "--session", "monday")
    assert said.splitlines()[-2:] == [
        "It is of the kind semantic; asked for was message.",
        "It is of no session; asked for was monday.",
    ]
    assert "rank" not in said


def test_an_explanation_is_printed_as_json(told: Shell) -> None:
    id_ = only_id(told, "Eats no nuts")
    [why] = told.json("why", "Supports Arsenal", id_, "--limit", "1")
    assert (why["returned"], why["item"]["id"]) == (False, id_)
    assert 1 < why["rank"] <= why["searched"]
    assert [hit["item"]["content"] for hit in why["hits"]] == ["Supports Arsenal"]
    shares = [*why["hit"]["arms"].values(), *why["hit"]["factors"].values()]
    assert why["hit"]["score"] == pytest.approx(sum(shares), abs=1e-4)
    assert why["hit"]["ranks"]["meaning"] >= 1
    assert why["reasons"]
    [why] = told.json("why", "Arsenal", id_, "--where", "topic=football")
    assert (why["hit"], why["rank"]) == (None, None)
    assert why["reasons"] == ["Its metadata does not fit the filter."]


def test_to_explain_changes_nothing(told: Shell) -> None:
    _, *before = told.out("export").splitlines()
    told.out("why", "Arsenal", only_id(told, "Supports Arsenal"))
    _, *after = told.out("export").splitlines()
    assert after == before


def test_another_user_s_memory_is_not_explained(told: Shell) -> None:
    id_ = only_id(told, "Supports Arsenal")
    said = told.fails("why", "Arsenal", id_, "--user", "mary")
    assert said == f"mary has no memory with the id {id_}."
    assert told.fails("why", "Arsenal", "nope") == "john has no memory with the id nope."


# --- search --explain


def test_an_explained_search_shows_what_differs_between_its_hits(told: Shell) -> None:
    said = told.out("search", "Supports Arsenal", "--explain")
    first, second = said.split("\n\n")
    assert first.split()[:6] == ["#", "score", "relevance", "memory", "when", "─" * 80]
    heading, _, *rows = second.splitlines()
    assert heading.split() == ["part", "1", "2", "3", "4", "5", "6"]
    names = [row[: heading.index("1") - 3].strip() for row in rows]
    assert names[:2] == ["meaning", "words"]
    assert "recent" not in names  # which is the same for all


def test_an_explained_search_has_ranks_as_json(told: Shell) -> None:
    hits = told.json("search", "Arsenal", "--explain")
    assert hits[0]["ranks"]["words"] == 1
    assert "ranks" not in told.json("search", "Arsenal")[0]


def test_a_search_may_be_asked_as_if_at_another_time(told: Shell) -> None:
    def recent(*words: str) -> float:
        share: float = told.json("search", "Arsenal", *words)[0]["factors"]["recent"]
        return share

    assert recent("--at", "2034-05-17") < 0.01 < recent()


def test_more_hits_than_there_is_room_for_are_explained_in_several_tables(shell: Shell) -> None:
    with Memory(shell.store, embedder=shell.embedder) as memory:
        memory.add_many([f"note {n} {'tea ' * n}" for n in range(30)], user_id="john")
    said = shell.out("search", "tea", "--explain", "--limit", "30")
    headings = [line.split()[1:] for line in said.splitlines() if line.startswith("part")]
    assert len(headings) > 1
    assert [int(n) for heading in headings for n in heading] == list(range(1, 31))
    assert max(map(len, said.splitlines())) <= 80


# --- what is printed


def test_explanations_and_contexts_fit_80_columns_and_steer_no_terminal(shell: Shell) -> None:
    loud = "supercalifragilistic \x1b[31m " * 20
    id_ = shell.add(loud, "--metadata", "k=\x1b[2J")
    with Memory(shell.store, embedder=shell.embedder) as memory:
        episode = memory.for_user("john").episodic.record(loud, success=True, outcome=loud).id
    for words in (["why", "x", id_], ["search", "x", "--explain"], ["why", "x", episode]):
        said = shell.out(*words)
        assert max(map(len, said.splitlines())) <= 80
        assert "\x1b" not in said
        assert (episode if episode in words else id_) in said


def test_a_model_that_is_out_of_reach_is_mentioned_on_stderr(filled: Shell) -> None:
    def down(texts: list[str]) -> list[list[float]]:
        raise ConnectionError("down")

    id_ = only_id(filled, "Supports Arsenal")
    filled.embedder = type(filled.embedder)(down, name="letters", dimension=16)  # type: ignore[call-arg]
    for words in (["search", "Arsenal"], ["recall", "Arsenal"], ["why", "Arsenal", id_]):
        result = filled.run(*words)
        assert (result.exit_code, "Arsenal" in result.stdout) == (0, True), result.output
        assert "words alone decided" in result.stderr
