from pathlib import Path

import pytest

from bethink import RAMStore, SQLiteStore, UsageError
from bethink.stores.url import file_of, open_store, without_password


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


@pytest.mark.parametrize("scheme", ["postgres", "postgresql"])
def test_a_server_is_in_no_file(scheme):
    assert file_of(f"{scheme}://ann@host/database") is None


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("agent.db", "agent.db"),
        ("postgresql://ann:secret@host:5432/x", "postgresql://ann@host:5432/x"),
        ("postgresql://ann:se@cret@host/x", "postgresql://ann@host/x"),
        ("postgresql://:secret@host/", "postgresql://@host/"),
        ("postgresql://host:5432/x?user=a@b", "postgresql://host:5432/x?user=a@b"),
        ("postgresql://host/x?password=secret&user=ann", "postgresql://host/x?user=ann"),
    ],
)
def test_a_name_is_printed_without_its_password(name, printed):
    assert without_password(name) == printed
