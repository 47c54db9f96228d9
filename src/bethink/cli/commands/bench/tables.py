"""Figures as tables."""

from collections.abc import Mapping

from rich.table import Table

from bethink.bench.compare import Comparison
from bethink.bench.measures import NAMES
from bethink.bench.report import Ends, Figures, Report
from bethink.cli.phrases import shortened
from bethink.cli.tables import table

_WORDS = {
    "turn_recall": "turn recall",
    "session_any": "sessions any",
    "session_all": "sessions all",
    "mrr": "MRR",
    "ndcg": "nDCG@10",
}
_MEASURES = tuple("@".join((_WORDS[name], *k)) for name, *k in NAMES)
_SHORT = {
    "recall@10": "turn recall@10",
    "any@5": "sessions any@5",
    "all@5": "sessions all@5",
    "MRR": "MRR",
    "nDCG@10": "nDCG@10",
}
"""What a table by category shows, each under a heading that fits beside the others."""
_COMPARED = ("turn recall@10", "sessions all@5")
_LONGEST = 25


def report_table(report: Report) -> Table:
    made = table("measure", ">mean", ">95% interval")
    for name, mean, ends in zip(_MEASURES, report.all.means, report.all.ends, strict=True):
        made.add_row(name, f"{mean:.3f}", _between(ends, ".3f"))
    return made


def categories_table(categories: Mapping[str, Figures]) -> Table:
    made = table("category", ">n", *(f">{heading}" for heading in _SHORT))
    for name, some in categories.items():
        means = (f"{some.means[_MEASURES.index(measure)]:.3f}" for measure in _SHORT.values())
        made.add_row(shortened(name, _LONGEST), f"{some.n:,}", *means)
    return made


def comparison_table(found: Comparison) -> Table:
    made = table("measure", ">A", ">B", ">difference", ">95% interval")
    for name, first, second, more, ends in zip(
        _MEASURES, found.all.first, found.all.second, found.all.more, found.all.ends, strict=True
    ):
        made.add_row(
            name,
            f"{first:.3f}",
            f"{second:.3f}",
            f"{more:+.3f}",
            _between(ends, "+.3f"),
            style=_style(ends),
        )
    return made


def compared_categories_table(found: Comparison) -> Table:
    made = table("category", ">n", "measure", ">difference", ">95% interval")
    for name, some in found.categories.items():
        for measure in _COMPARED:
            place = _MEASURES.index(measure)
            first = measure == _COMPARED[0]
            made.add_row(
                shortened(name, _LONGEST) if first else "",
                f"{some.n:,}" if first else "",
                measure,
                f"{some.more[place]:+.3f}",
                _between(some.ends[place], "+.3f"),
                style=_style(some.ends[place]),
            )
    return made


def _between(ends: Ends, digits: str) -> str:
    low, high = ends
    return f"{low:{digits}} to {high:{digits}}"


def _style(ends: Ends) -> str:
    """A difference that is more than chance stands out."""
    low, high = ends
    return "bold" if low > 0 or high < 0 else ""
