"""Small samples in other languages than English, in the layout that ``bethink bench recall`` reads.

    python benchmarks/languages.py DIR     writes them
    bethink bench recall DIR               measures them, a category for each language

Each language has twelve things that somebody says about themselves, each in a session of its own,
and six questions: three that share a word with the answer, and three that do not.
"""

import argparse
import gzip
import json
from collections.abc import Iterable
from pathlib import Path

SAMPLES = Path(__file__).parent / "languages"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("directory", type=Path, help="where to write")
    directory = options.parse_args().directory
    directory.mkdir(parents=True, exist_ok=True)
    turns: list[dict[str, object]] = []
    asked: list[dict[str, object]] = []
    for file in sorted(SAMPLES.glob("*.json")):
        sample = json.loads(file.read_text(encoding="utf-8"))
        turns += [
            {
                "conv": file.stem,
                "session": f"s{place}",
                "turn": f"s{place}:1",
                "speaker": "user",
                "time": f"2024-05-{place:02}T12:00:00",
                "text": text,
            }
            for place, text in enumerate(sample["said"], 1)
        ]
        asked += [
            {
                "id": f"{file.stem}-{number}",
                "conv": file.stem,
                "question": question,
                "evidence": [f"s{place}:1"],
                "category": file.stem,
            }
            for number, (question, place) in enumerate(sample["asked"], 1)
        ]
    _write(directory / "corpus.jsonl.gz", turns)
    _write(directory / "questions.jsonl.gz", asked)


def _write(file: Path, rows: Iterable[dict[str, object]]) -> None:
    with gzip.open(file, "wt", encoding="utf-8") as lines:
        lines.writelines(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


if __name__ == "__main__":
    main()
