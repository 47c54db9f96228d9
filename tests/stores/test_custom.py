"""The store that the documentation builds is held to what it says there."""

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from bethink import StoreError
from bethink.testing import StoreSuite

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "custom-store.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
*STORE, _USE, _TEST = BLOCKS


@pytest.fixture
def page(monkeypatch):
    """The page's store as a module, which its records are pickled by."""
    module = ModuleType("page")
    monkeypatch.setitem(sys.modules, "page", module)
    exec(compile("\n".join(STORE), PAGE, "exec"), vars(module))  # noqa: S102 (our own page)
    return module


class TestTheStoreOfThePage(StoreSuite):
    @pytest.fixture
    def open_store(self, page, tmp_path):
        return lambda: page.FolderStore(tmp_path)


def test_it_is_as_short_as_the_page_says():
    lines = map(str.strip, "\n".join(STORE).splitlines())
    code = [line for line in lines if line and not line.startswith(("import ", "from ", '"""'))]
    assert len(code) < 100


def test_its_test_on_the_page_is_this_one(page):
    exec(compile(_TEST, PAGE, "exec"), vars(page))  # noqa: S102 (our own page)
    assert issubclass(page.TestFolderStore, StoreSuite)


def test_a_file_that_cannot_be_read_is_told_of(page, tmp_path):
    store = page.FolderStore(tmp_path)
    (tmp_path / "store").write_bytes(b"no pickle")
    with pytest.raises(StoreError, match="store cannot be read"):
        store.space()
