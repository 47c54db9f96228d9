"""Measuring how much is remembered."""

import click

from bethink.cli.app import Group


@click.group(
    cls=Group,
    package=__name__,
    default="--help",
    lines={
        "learn": "Measure what is learnt from what people say, without a model.",
        "recall": "Measure how well what answers a question is found.",
        "summaries": "Measure what summaries keep of the answers to questions.",
    },
    examples=["bethink bench recall locomo", "bethink bench learn mine.jsonl"],
)
def command() -> None:
    """Measure how much is remembered, on your data.

    The data is a directory that holds corpus.jsonl.gz, with what was said, and
    questions.jsonl.gz, with questions about it, their answers and the turns that hold them; to
    measure what is learnt, it is a file of utterances.
    """
