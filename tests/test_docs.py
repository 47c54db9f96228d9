"""Docs that cannot lie: every block of Python and every command in them is run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\((?!https?:)([^)#]+)")


def blocks(page, language):
    return [body for name, body in _BLOCK.findall(page.read_text()) if name == language]


def with_blocks(language):
    return [
        pytest.param(page, id=str(page.relative_to(ROOT)))
        for page in PAGES
        if blocks(page, language)
    ]


@pytest.mark.parametrize("page", with_blocks("python"))
def test_the_python_of_a_page_runs_from_top_to_bottom(page, tmp_path):
    script = tmp_path / "page.py"
    script.write_text("\n".join(blocks(page, "python")))
    run = subprocess.run(
        [sys.executable, "-W", "error", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("page", with_blocks("console"))
def test_the_commands_of_a_page_run_from_top_to_bottom(page, tmp_path):
    lines = "\n".join(blocks(page, "console")).splitlines()
    commands = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    run = subprocess.run(
        ["bash", "-euc", "\n".join(commands)],  # noqa: S607
        cwd=tmp_path,
        env={**os.environ, "PATH": path, "HOME": str(tmp_path), "XDG_CACHE_HOME": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page):
    for link in _LINK.findall(page.read_text()):
        assert (page.parent / link).exists(), link
