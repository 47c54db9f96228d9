"""stats, check, reembed."""

import sqlite3
from contextlib import closing
from datetime import timedelta

import pytest

from bethink import FunctionEmbedder
from bethink.testing.providers import ProviderServer
from tests.cli.conftest import Shell


def test_stats_count_by_user_and_kind(filled: Shell) -> None:
    filled.out("add", "Said hello", "--kind", "message", "--user", "mary")
    [stats] = filled.json("stats")
    assert stats["users"] == {"john": {"semantic": 3}, "mary": {"message": 1}}
    assert stats["embedder"] == "letters/16"
    assert stats["bytes"] > 0
    said = filled.out("stats")
    assert said.startswith("4 memories of 2 users in ")
    assert "letters, 16 numbers" in said


def test_stats_can_be_of_one_user(filled: Shell) -> None:
    filled.out("add", "Likes tea", "--user", "mary")
    [stats] = filled.json("stats", "--user", "mary")
    assert stats["users"] == {"mary": {"semantic": 1}}
    assert filled.out("stats", "--user", "mary").startswith("1 memory of 1 user in ")


def test_stats_leave_out_earlier_versions_and_the_expired(shell: Shell) -> None:
    shell.out("update", shell.add("Lives in London"), "--content", "Lives in Paris")
    shell.add("The code is 4411", "--expires-in", "1h")
    shell.clock.pass_by(timedelta(hours=1))
    assert shell.json("stats")[0]["users"] == {"john": {"semantic": 1}}


def test_stats_show_the_largest_of_many_users(shell: Shell) -> None:
    for n in range(22):
        shell.out("add", "Likes tea", "--user", f"user{n}")
    shell.out("add", "Likes milk", "--user", "user21")
    result = shell.run("stats")
    assert "user21" in result.stdout.splitlines()[5]
    assert result.stdout.count("user") == 1 + 1 + 20  # the sentence, the heading, the rows
    assert "all 22" in result.stderr


def test_a_sound_file_is_called_so(filled: Shell) -> None:
    assert filled.out("check").endswith("all agrees (1 user).\n")
    assert filled.out("check", str(filled.store)) == filled.out("check")
    [answer] = filled.json("check")
    assert (answer["ok"], answer["problems"]) == (True, [])


def test_what_is_wrong_with_a_file_is_said_in_sentences(filled: Shell) -> None:
    with closing(sqlite3.connect(filled.store)) as connection, connection:
        connection.execute("UPDATE records SET content = 'Supports Spurs' WHERE content LIKE 'S%'")
        connection.execute("UPDATE records SET user = 99 WHERE content LIKE 'L%'")
    result = filled.run("check")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "are not those of its text." in result.stderr
    assert "Records of no user: 1." in result.stderr
    result = filled.run("check", "--json")
    assert (result.exit_code, result.stderr) == (1, "")
    assert '"ok": false' in result.stdout


def test_a_memory_of_another_model_is_embedded_anew(filled: Shell) -> None:
    filled.embedder = FunctionEmbedder(
        lambda texts: [[float(len(text)), 1.0] for text in texts], name="lengths", dimension=2
    )
    assert filled.out("reembed") == "Embedded 3 memories with lengths.\n"
    assert filled.json("search", "Arsenal")[0]["item"]["content"] == "Supports Arsenal"
    assert filled.out("reembed") == "Every memory already has its vectors of lengths.\n"
    assert filled.json("reembed") == [{"embedded": 0, "embedder": "lengths/2"}]
    assert filled.json("check")[0]["ok"]


def test_a_provider_s_model_can_be_used_from_then_on(
    filled: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ProviderServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url("openai"))
        monkeypatch.setenv("OPENAI_API_KEY", "secret")
        name = "openai:text-embedding-3-small"
        said = filled.out("reembed", "--embedder", name)
        assert said.startswith(f"Embedded 3 memories with {name}@127.0.0.1:")
        assert "Supports Arsenal" in filled.out("search", "Arsenal")
        filled.add("Likes tea")
        assert {request.path for request in server.requests} == {"/v1/embeddings"}
    monkeypatch.delenv("OPENAI_BASE_URL")
    monkeypatch.delenv("OPENAI_API_KEY")
    said = filled.fails("search", "Arsenal", code=2)
    assert "needs a key: set OPENAI_API_KEY" in said
    assert "bethink reembed" in said
    assert "Supports Arsenal" in filled.out("list")


def test_an_unknown_model_is_refused_before_anything_is_changed(filled: Shell) -> None:
    assert "names no model" in filled.fails("reembed", "--embedder", "nobody:x", code=2)
