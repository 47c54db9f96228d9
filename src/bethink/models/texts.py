"""What an embedder is given, looked at before a model sees it."""

from collections.abc import Sequence

from bethink.errors import UsageError


def checked_texts(texts: Sequence[str]) -> Sequence[str]:
    """The same texts, if they are a list of texts and not a single one or something else."""
    if isinstance(texts, str):
        raise UsageError("A single text was given: give a list of texts.")
    for at, text in enumerate(texts):
        if not isinstance(text, str):
            raise UsageError(f"Text {at} is no text: {text!r}.")
    return texts
