from pathlib import Path

import pytest

from bethink import RAMStore, SQLiteStore, UsageError
from bethink.stores.url import address, open_store


@pytest.mark.parametrize(
    "name", ["agent.db", Path("agent.db"), "sqlite:///agent.db", "dir.d/a b.db"]
)
def test_names_of_files_are_sqlite(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dir.d").mkdir()
    store = open_store(name)
    assert isinstance(store, SQLiteStore)
    store.close()
    assert list(tmp_path.rglob("*.db"))


def test_an_absolute_url_has_four_slashes(tmp_path):
    store = open_store(f"sqlite:///{tmp_path}/agent.db")
    store.close()
    assert (tmp_path / "agent.db").exists()


def test_memory_lives_in_this_process():
    assert isinstance(open_store(":memory:"), RAMStore)
    with pytest.raises(UsageError, match="cannot be durable"):
        open_store(":memory:", durable=True)


@pytest.mark.parametrize("name", ["", "oracle://x", "https://example.org/memory"])
def test_anything_else_is_refused_in_a_sentence(name):
    with pytest.raises(UsageError, match="Pass a file name such as agent.db"):
        open_store(name)


def test_a_password_is_not_shown():
    assert address("redis://ann:secret@host:1/2?ssl_cert_reqs=none") == "redis://host:1/2"
    assert address("redis+cluster://:p@a:1,b:2") == "redis+cluster://a:1,b:2"
    assert address("agent.db") == "agent.db"


def test_a_server_is_as_durable_as_it_is_set_up_to_be():
    with pytest.raises(UsageError, match="its own settings say"):
        open_store("redis://127.0.0.1:1", durable=True)
