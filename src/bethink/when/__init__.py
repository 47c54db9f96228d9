"""English time expressions, read relative to a moment.

`periods` finds them, `absolute` writes them as dates, `anchored` finds what is told from an event.
It takes English only, needs nothing but the calendar, and never asks a model. Where English has
more than one reading, these are the ones chosen:

- **Which Friday, which March?** On its own, the last one or the coming one, as `prefer` says; a
  month or a feast that is going on counts as both, a weekday is never today. After *until*, *till*
  and *by* it is always the coming one.
- **Last, this, next.** The last Friday, March or summer is the latest that is over; the next is
  the first that has yet to begin. This Friday is today or the first after it; this March is this
  year's. Weeks (Monday to Sunday), weekends, months, quarters and years are counted from the
  present one.
- **The last, the past, the next** week, month or so many of them run up to today, or from tomorrow.
- **Two weeks ago** is the seven days around that day; months and years are those of the calendar;
  days are exact. A couple is one to three, a few are two to five, several are three to eight.
- **03/05/2023** is the third of May; the month comes first only where the second number cannot be
  one.
- **Winter 2025** begins in December 2025; seasons are whole months, and the northern ones unless
  `southern` is said.
- **Early, mid and late** are thirds; the beginning and the end are a sixth.
- **Recently**, lately and the other day are the last 30 days. Shortly before is two weeks before.
- **Since** runs up to today, **after** as well, unless it is yet to come; **before** begins with
  the calendar, and **until** and **by** with today.
- **Morning** is 5 to 12, afternoon to 18, evening to 24; night is 18 to 6 of the next day.
- Christmas is three days, Easter four (Friday to Monday), New Year two. Thanksgiving is that of
  the United States.

A word that is mostly something else (May, March, Sun, fall) is a time only where the words beside
it say so, and a number is a year only after a word such as *in*.
"""

from bethink.when.anchor import Anchored, anchored
from bethink.when.days import Grain
from bethink.when.periods import Period, periods
from bethink.when.words import Prefer
from bethink.when.write import absolute

__all__ = ["Anchored", "Grain", "Period", "Prefer", "absolute", "anchored", "periods"]
