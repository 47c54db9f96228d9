import sys
from importlib import invalidate_caches
from pathlib import Path

import pytest

from bethink import Memory, RAMStore, SQLiteStore, UsageError
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


# --- schemes that other packages bring


PLUGIN = """\
from bethink import RAMStore

class Noted(RAMStore):
    def __init__(self, url, *, colour="red"):
        super().__init__()
        self.url, self.colour = url, colour

def open_anything(url, **options):
    return Noted(url, colour=sorted(options))
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Puts a distribution where Python finds it, as an installer would; says what it names."""
    monkeypatch.syspath_prepend(tmp_path)

    def install(*lines, name="noted"):
        (tmp_path / f"{name}_plugin.py").write_text(PLUGIN)
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("[bethink.stores]\n" + "\n".join(lines) + "\n")
        invalidate_caches()

    yield install
    for module in [name for name in sys.modules if name.endswith("_plugin")]:
        del sys.modules[module]


def test_an_installed_package_brings_its_scheme(install, quick):
    install("noted = noted_plugin:Noted")
    with Memory("noted://somewhere/else?x=1", embedder=quick) as memory:
        memory.add("Likes tea", user_id="ann")
        assert vars(memory.store)["url"] == "noted://somewhere/else?x=1"
    assert vars(open_store("noted://x", colour="blue"))["colour"] == "blue"
    assert file_of("noted://x") is None


def test_an_option_that_a_store_does_not_have_is_refused(install):
    install("noted = noted_plugin:Noted", "anything = noted_plugin:open_anything")
    with pytest.raises(UsageError, match="noted:// URLs has no option durable, size."):
        open_store("noted://x", durable=True, size=1)
    with pytest.raises(UsageError, match="sqlite:// URLs has no option size."):
        open_store("agent.db", size=1)
    with pytest.raises(UsageError, match="in memory has no option size."):
        open_store(":memory:", size=1)
    opened = open_store("anything://x", durable=True, size=1)
    assert vars(opened)["colour"] == ["durable", "size"]


def test_a_package_takes_no_scheme_that_is_built_in(install, tmp_path):
    install("sqlite = noted_plugin:Noted")
    store = open_store(f"sqlite:///{tmp_path}/agent.db")
    assert isinstance(store, SQLiteStore)
    store.close()


def test_two_packages_with_the_same_scheme_are_told_of(install):
    install("noted = noted_plugin:Noted")
    install("noted = other_plugin:Noted", name="other")
    with pytest.raises(UsageError, match="noted_plugin:Noted and other_plugin:Noted both want"):
        open_store("noted://x")


@pytest.mark.parametrize("value", ["missing_plugin:Noted", "noted_plugin:Nothing"])
def test_a_package_that_is_broken_is_told_of(install, value):
    install(f"noted = {value}")
    with pytest.raises(UsageError, match=f"{value}, cannot be loaded: .* Install its package anew"):
        open_store("noted://x")


@pytest.mark.parametrize("scheme", ["postgres", "postgresql"])
def test_a_server_is_in_no_file(scheme):
    assert file_of(f"{scheme}://ann@host/database") is None


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("agent.db", "agent.db"),
        ("postgresql://ann:secret@host:5432/x", "postgresql://ann@host:5432/x"),
        ("postgresql://ann:se@cret@host/x", "postgresql://ann@host/x"),
        ("postgresql://:secret@host/", "postgresql://host/"),
        ("postgresql://host:5432/x?user=a@b", "postgresql://host:5432/x?user=a@b"),
        ("postgresql://host/x?password=secret&user=ann", "postgresql://host/x?user=ann"),
        ("redis+cluster://:p@a:1,b:2", "redis+cluster://a:1,b:2"),
    ],
)
def test_a_name_is_printed_without_its_password(name, printed):
    assert without_password(name) == printed


def test_a_server_is_as_durable_as_it_is_set_up_to_be():
    with pytest.raises(UsageError, match="redis:// URLs has no option durable"):
        open_store("redis://127.0.0.1:1", durable=True)
