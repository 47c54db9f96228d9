from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bethink import UsageError
from bethink.when import Anchored, absolute, anchored, periods
from bethink.when.days import easter, thanksgiving

AT = datetime(2026, 11, 15, 12, tzinfo=UTC)  # a Sunday


def told(text, at=AT, **how):
    """The periods of a text as their words, first day and last day."""
    return [
        (
            period.text,
            str(period.start.date()),
            str((period.end - timedelta(microseconds=1)).date()),
        )
        for period in periods(text, at, **how)
    ]


# A sentence, the words in it that tell a time, the first day and the last.
DAYS = [
    ("What did I eat today?", "today", "2026-11-15", "2026-11-15"),
    ("I met Anna yesterday.", "yesterday", "2026-11-14", "2026-11-14"),
    ("Call me tomorrow", "tomorrow", "2026-11-16", "2026-11-16"),
    ("the day before yesterday", "the day before yesterday", "2026-11-13", "2026-11-13"),
    ("The day after tomorrow I fly", "The day after tomorrow", "2026-11-17", "2026-11-17"),
    ("I saw him last Friday", "last Friday", "2026-11-13", "2026-11-13"),
    ("last Sunday", "last Sunday", "2026-11-08", "2026-11-08"),
    ("this Friday", "this Friday", "2026-11-20", "2026-11-20"),
    ("this Sunday", "this Sunday", "2026-11-15", "2026-11-15"),
    ("next Friday", "next Friday", "2026-11-20", "2026-11-20"),
    ("next sunday", "next sunday", "2026-11-22", "2026-11-22"),
    ("this past Friday", "this past Friday", "2026-11-13", "2026-11-13"),
    ("this coming Monday", "this coming Monday", "2026-11-16", "2026-11-16"),
    ("on Friday", "Friday", "2026-11-13", "2026-11-13"),
    ("What happened Tuesday?", "Tuesday", "2026-11-10", "2026-11-10"),
    ("on Sunday", "Sunday", "2026-11-08", "2026-11-08"),
    ("on Sat we went", "Sat", "2026-11-14", "2026-11-14"),
    ("last tues", "last tues", "2026-11-10", "2026-11-10"),
    ("Friday of last week", "Friday of last week", "2026-11-06", "2026-11-06"),
    ("Tuesday next week", "Tuesday next week", "2026-11-17", "2026-11-17"),
    ("next week Tuesday", "next week Tuesday", "2026-11-17", "2026-11-17"),
    ("Friday the 13th", "Friday the 13th", "2026-11-13", "2026-11-13"),
    ("on the 15th, I think", "the 15th", "2026-10-15", "2026-10-15"),
    ("on the 3rd of May", "the 3rd of May", "2026-05-03", "2026-05-03"),
    ("the second of June 2021", "the second of June 2021", "2021-06-02", "2021-06-02"),
    ("on the 4th of July", "the 4th of July", "2026-07-04", "2026-07-04"),
]
DATES = [
    ("on 3 May 2023", "3 May 2023", "2023-05-03", "2023-05-03"),
    ("May 3rd, 2023", "May 3rd, 2023", "2023-05-03", "2023-05-03"),
    ("May 3, 2023", "May 3, 2023", "2023-05-03", "2023-05-03"),
    ("3rd of May 2023", "3rd of May 2023", "2023-05-03", "2023-05-03"),
    ("Apr. 5, 2020", "Apr. 5, 2020", "2020-04-05", "2020-04-05"),
    ("on may 3", "may 3", "2026-05-03", "2026-05-03"),
    ("December 24", "December 24", "2025-12-24", "2025-12-24"),
    ("29 February", "29 February", "2024-02-29", "2024-02-29"),
    ("Friday, 3 May 2024", "Friday, 3 May 2024", "2024-05-03", "2024-05-03"),
    ("2023-05-03", "2023-05-03", "2023-05-03", "2023-05-03"),
    ("2023/05/03", "2023/05/03", "2023-05-03", "2023-05-03"),
    ("at 2023-05-03T10:00:00Z", "2023-05-03T10:00:00Z", "2023-05-03", "2023-05-03"),
    ("03/05/2023", "03/05/2023", "2023-05-03", "2023-05-03"),
    ("05/13/2023", "05/13/2023", "2023-05-13", "2023-05-13"),
    ("13/05/2023", "13/05/2023", "2023-05-13", "2023-05-13"),
    ("3.5.2023", "3.5.2023", "2023-05-03", "2023-05-03"),
    ("1/2/23", "1/2/23", "2023-02-01", "2023-02-01"),
    ("2023-05", "2023-05", "2023-05-01", "2023-05-31"),
    ("in May 2023", "May 2023", "2023-05-01", "2023-05-31"),
    ("in May of 2023", "May of 2023", "2023-05-01", "2023-05-31"),
    ("in May '23", "May '23", "2023-05-01", "2023-05-31"),
    ("in may", "may", "2026-05-01", "2026-05-31"),
    ("in March", "March", "2026-03-01", "2026-03-31"),
    ("in November", "November", "2026-11-01", "2026-11-30"),
    ("in December", "December", "2025-12-01", "2025-12-31"),
    ("december was cold", "december", "2025-12-01", "2025-12-31"),
    ("last March", "last March", "2026-03-01", "2026-03-31"),
    ("last November", "last November", "2025-11-01", "2025-11-30"),
    ("next March", "next March", "2027-03-01", "2027-03-31"),
    ("this December", "this December", "2026-12-01", "2026-12-31"),
    ("in May last year", "May last year", "2025-05-01", "2025-05-31"),
    ("in 2023", "2023", "2023-01-01", "2023-12-31"),
    ("2023", "2023", "2023-01-01", "2023-12-31"),
    ("the year 2023", "the year 2023", "2023-01-01", "2023-12-31"),
    ("my trip (2023)", "2023", "2023-01-01", "2023-12-31"),
    ("in 2019-2021", "2019-2021", "2019-01-01", "2021-12-31"),
    ("in the 90s", "the 90s", "1990-01-01", "1999-12-31"),
    ("in the '90s", "the '90s", "1990-01-01", "1999-12-31"),
    ("the 1980s", "the 1980s", "1980-01-01", "1989-12-31"),
    ("in the nineties", "the nineties", "1990-01-01", "1999-12-31"),
    ("the 20s", "the 20s", "2020-01-01", "2029-12-31"),
    ("in Q3 2024", "Q3 2024", "2024-07-01", "2024-09-30"),
]
COUNTED = [
    ("three days ago", "three days ago", "2026-11-12", "2026-11-12"),
    ("3 days ago", "3 days ago", "2026-11-12", "2026-11-12"),
    ("a day ago", "a day ago", "2026-11-14", "2026-11-14"),
    ("two nights ago", "two nights ago", "2026-11-13", "2026-11-13"),
    ("twenty-five days ago", "twenty-five days ago", "2026-10-21", "2026-10-21"),
    ("two weeks ago", "two weeks ago", "2026-10-29", "2026-11-04"),
    ("a fortnight ago", "a fortnight ago", "2026-10-29", "2026-11-04"),
    ("a week ago today", "a week ago today", "2026-11-08", "2026-11-08"),
    ("a couple of days ago", "a couple of days ago", "2026-11-12", "2026-11-14"),
    ("a few weeks ago", "a few weeks ago", "2026-10-08", "2026-11-04"),
    ("a few months ago", "a few months ago", "2026-06-01", "2026-09-30"),
    ("several years ago", "several years ago", "2018-01-01", "2023-12-31"),
    ("two months ago", "two months ago", "2026-09-01", "2026-09-30"),
    ("half a year ago", "half a year ago", "2026-05-01", "2026-05-31"),
    ("10 years ago", "10 years ago", "2016-01-01", "2016-12-31"),
    ("a decade ago", "a decade ago", "2016-01-01", "2016-12-31"),
    ("an hour ago", "an hour ago", "2026-11-15", "2026-11-15"),
    ("in two days", "in two days", "2026-11-17", "2026-11-17"),
    ("in three weeks", "in three weeks", "2026-12-03", "2026-12-09"),
    ("in three weeks' time", "in three weeks' time", "2026-12-03", "2026-12-09"),
    ("in three months", "in three months", "2027-02-01", "2027-02-28"),
    ("in a year", "in a year", "2027-01-01", "2027-12-31"),
    ("five days from now", "five days from now", "2026-11-20", "2026-11-20"),
    ("two days from today", "two days from today", "2026-11-17", "2026-11-17"),
    ("a week from tomorrow", "a week from tomorrow", "2026-11-23", "2026-11-23"),
    ("two weeks before Christmas", "two weeks before Christmas", "2025-12-08", "2025-12-14"),
    ("3 days after 1 May 2024", "3 days after 1 May 2024", "2024-05-04", "2024-05-04"),
    ("the day after Christmas 2024", "the day after Christmas 2024", "2024-12-27", "2024-12-27"),
    ("the week after Easter", "the week after Easter", "2026-04-07", "2026-04-13"),
    ("the past two weeks", "the past two weeks", "2026-11-01", "2026-11-15"),
    ("over the past month", "the past month", "2026-10-15", "2026-11-15"),
    ("in the last 3 days", "the last 3 days", "2026-11-12", "2026-11-15"),
    ("the past few days", "the past few days", "2026-11-10", "2026-11-15"),
    ("the next three days", "the next three days", "2026-11-16", "2026-11-18"),
    ("this time last year", "this time last year", "2025-11-01", "2025-11-30"),
    ("this time last week", "this time last week", "2026-11-08", "2026-11-08"),
    ("I recently moved", "recently", "2026-10-16", "2026-11-15"),
    ("What have I read lately?", "lately", "2026-10-16", "2026-11-15"),
    ("the other day", "the other day", "2026-10-16", "2026-11-15"),
]
UNITS = [
    ("last week", "last week", "2026-11-02", "2026-11-08"),
    ("this week", "this week", "2026-11-09", "2026-11-15"),
    ("next week", "next week", "2026-11-16", "2026-11-22"),
    ("last weekend", "last weekend", "2026-11-07", "2026-11-08"),
    ("this weekend", "this weekend", "2026-11-14", "2026-11-15"),
    ("next weekend", "next weekend", "2026-11-21", "2026-11-22"),
    ("over the weekend", "the weekend", "2026-11-14", "2026-11-15"),
    ("last month", "last month", "2026-10-01", "2026-10-31"),
    ("next month", "next month", "2026-12-01", "2026-12-31"),
    ("last quarter", "last quarter", "2026-07-01", "2026-09-30"),
    ("next quarter", "next quarter", "2027-01-01", "2027-03-31"),
    ("last year", "last year", "2025-01-01", "2025-12-31"),
    ("this year", "this year", "2026-01-01", "2026-12-31"),
    ("next year", "next year", "2027-01-01", "2027-12-31"),
    ("last decade", "last decade", "2010-01-01", "2019-12-31"),
    ("the week before last", "the week before last", "2026-10-26", "2026-11-01"),
    ("the year after next", "the year after next", "2028-01-01", "2028-12-31"),
    ("the week of 3 May", "the week of 3 May", "2026-04-27", "2026-05-03"),
    ("last spring", "last spring", "2026-03-01", "2026-05-31"),
    ("last autumn", "last autumn", "2025-09-01", "2025-11-30"),
    ("this winter", "this winter", "2026-12-01", "2027-02-28"),
    ("next summer", "next summer", "2027-06-01", "2027-08-31"),
    ("in the summer of 2022", "the summer of 2022", "2022-06-01", "2022-08-31"),
    ("winter 2025", "winter 2025", "2025-12-01", "2026-02-28"),
    ("winter 2025/26", "winter 2025/26", "2025-12-01", "2026-02-28"),
    ("in the spring", "the spring", "2026-03-01", "2026-05-31"),
    ("fall 2023", "fall 2023", "2023-09-01", "2023-11-30"),
    ("the summer before last", "the summer before last", "2025-06-01", "2025-08-31"),
    ("the Friday before last", "the Friday before last", "2026-11-06", "2026-11-06"),
    ("last year in May", "last year in May", "2025-05-01", "2025-05-31"),
    ("two years ago at Christmas", "two years ago at Christmas", "2024-12-24", "2024-12-26"),
    ("the winter of 2022-23", "the winter of 2022-23", "2022-12-01", "2023-02-28"),
    ("summer last year", "summer last year", "2025-06-01", "2025-08-31"),
]
FEASTS = [
    ("at Christmas", "Christmas", "2025-12-24", "2025-12-26"),
    ("for xmas", "xmas", "2025-12-24", "2025-12-26"),
    ("next Christmas", "next Christmas", "2026-12-24", "2026-12-26"),
    ("this Christmas", "this Christmas", "2026-12-24", "2026-12-26"),
    ("Christmas Eve", "Christmas Eve", "2025-12-24", "2025-12-24"),
    ("on Christmas Day 2020", "Christmas Day 2020", "2020-12-25", "2020-12-25"),
    ("on Boxing Day", "Boxing Day", "2025-12-26", "2025-12-26"),
    ("at New Year", "New Year", "2025-12-31", "2026-01-01"),
    ("New Year’s Eve", "New Year’s Eve", "2025-12-31", "2025-12-31"),
    ("on New Year's Day", "New Year's Day", "2026-01-01", "2026-01-01"),
    ("last Halloween", "last Halloween", "2026-10-31", "2026-10-31"),
    ("Valentine's Day", "Valentine's Day", "2026-02-14", "2026-02-14"),
    ("at Easter", "Easter", "2026-04-03", "2026-04-06"),
    ("Easter 2024", "Easter 2024", "2024-03-29", "2024-04-01"),
    ("Easter Sunday", "Easter Sunday", "2026-04-05", "2026-04-05"),
    ("Good Friday", "Good Friday", "2026-04-03", "2026-04-03"),
    ("Thanksgiving 2024", "Thanksgiving 2024", "2024-11-28", "2024-11-28"),
    ("on Black Friday", "Black Friday", "2025-11-28", "2025-11-28"),
]
PARTS = [
    ("in early May", "early May", "2026-05-01", "2026-05-10"),
    ("mid-May", "mid-May", "2026-05-11", "2026-05-20"),
    ("late May 2023", "late May 2023", "2023-05-21", "2023-05-31"),
    ("mid 2023", "mid 2023", "2023-05-02", "2023-08-31"),
    ("early this year", "early this year", "2026-01-01", "2026-05-01"),
    ("the late 90s", "the late 90s", "1996-08-31", "1999-12-31"),
    ("at the beginning of June", "the beginning of June", "2026-06-01", "2026-06-05"),
    ("the end of the month", "the end of the month", "2026-11-26", "2026-11-30"),
    ("the end of the year", "the end of the year", "2026-11-01", "2026-12-31"),
    ("end of 2023", "end of 2023", "2023-11-01", "2023-12-31"),
    ("the first week of May", "the first week of May", "2026-05-01", "2026-05-07"),
    ("the last week of May", "the last week of May", "2026-05-25", "2026-05-31"),
    ("the second half of 2023", "the second half of 2023", "2023-07-02", "2023-12-31"),
    ("earlier this year", "earlier this year", "2026-01-01", "2026-11-15"),
    ("later this year", "later this year", "2026-11-15", "2026-12-31"),
    ("between May and July 2023", "between May and July 2023", "2023-05-01", "2023-07-31"),
    ("between 2019 and 2021", "between 2019 and 2021", "2019-01-01", "2021-12-31"),
    ("May to July 2023", "May to July 2023", "2023-05-01", "2023-07-31"),
    ("from 3 to 7 June", "from 3 to 7 June", "2026-06-03", "2026-06-07"),
    ("3-7 June 2023", "3-7 June 2023", "2023-06-03", "2023-06-07"),
    ("June 3 to 7", "June 3 to 7", "2026-06-03", "2026-06-07"),
    ("from November to February", "from November to February", "2025-11-01", "2026-02-28"),
    ("from Monday to Wednesday", "from Monday to Wednesday", "2026-11-09", "2026-11-11"),
    ("from May 2023 until last week", "from May 2023 until last week", "2023-05-01", "2026-11-08"),
    ("since March", "since March", "2026-03-01", "2026-11-15"),
    ("since 2019", "since 2019", "2019-01-01", "2026-11-15"),
    ("from 2020 onwards", "from 2020 onwards", "2020-01-01", "2026-11-15"),
    ("before 2020", "before 2020", "0001-01-01", "2019-12-31"),
    ("after Easter", "after Easter", "2026-04-07", "2026-11-15"),
    ("after tomorrow", "after tomorrow", "2026-11-17", "9999-12-31"),
    ("until Friday", "until Friday", "2026-11-15", "2026-11-20"),
    ("by the end of next month", "by the end of next month", "2026-11-15", "2026-12-31"),
    ("by the end of the week", "by the end of the week", "2026-11-15", "2026-11-15"),
    ("until 2020", "until 2020", "0001-01-01", "2020-12-31"),
    ("shortly before Christmas", "shortly before Christmas", "2025-12-10", "2025-12-23"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "words", "first", "last"),
    [*DAYS, *DATES, *COUNTED, *UNITS, *FEASTS, *PARTS],
)
def test_an_expression_is_the_days_that_people_mean(text, words, first, last):
    assert told(text) == [(words, first, last)]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("on Friday", "2026-11-20", "2026-11-20"),
        ("on Sunday", "2026-11-22", "2026-11-22"),
        ("in March", "2027-03-01", "2027-03-31"),
        ("in November", "2026-11-01", "2026-11-30"),
        ("3 May", "2027-05-03", "2027-05-03"),
        ("at Christmas", "2026-12-24", "2026-12-26"),
        ("in the summer", "2027-06-01", "2027-08-31"),
        ("on the 20th", "2026-11-20", "2026-11-20"),
        ("from November to February", "2026-11-01", "2027-02-28"),
        ("from Wednesday to Monday", "2026-11-18", "2026-11-23"),
        ("yesterday", "2026-11-14", "2026-11-14"),
        ("29 February", "2028-02-29", "2028-02-29"),
    ],
)
def test_of_what_comes_again_the_coming_one_is_meant_if_preferred(text, first, last):
    assert [found[1:] for found in told(text, prefer="future")] == [(first, last)]


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("this morning", "2026-11-15T05", "2026-11-15T12"),
        ("tomorrow afternoon", "2026-11-16T12", "2026-11-16T18"),
        ("on Friday evening", "2026-11-13T18", "2026-11-14T00"),
        ("tonight", "2026-11-15T18", "2026-11-16T06"),
        ("last night", "2026-11-14T18", "2026-11-15T06"),
        ("3 May 2023 evening", "2023-05-03T18", "2023-05-04T00"),
    ],
)
def test_a_part_of_a_day_is_some_hours(text, start, end):
    (period,) = periods(text, AT)
    assert (period.start, period.end, period.grain) == (
        datetime.fromisoformat(f"{start}:00+00:00"),
        datetime.fromisoformat(f"{end}:00+00:00"),
        "hours",
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "May I ask you something?",
        "It may rain, and I may be late",
        "this may be it",
        "We march along",
        "They march 3 miles",
        "3 may be enough",
        "may 3 people come?",
        "Give me a second",
        "when I last sat down",
        "on sun and moon",
        "the sun and the mon",
        "Do not fall over",
        "the fall of Rome",
        "What springs to mind? A spring to mind",
        "the monastery in a marching band",
        "open 24/7",
        "version 2023.1 and v2023",
        "call 555-2023 or +44 2023 199912",
        "it costs $2023 or 2023 dollars",
        "in 2000 steps",
        "since 2000 people came",
        "I read 1984",
        "the 15th century, on the 15th floor",
        "in my 30s",
        "every Friday, every other Tuesday",
        "Happy New Year!",
        "3 years and 2 months ago",
        "Fridays are long",
        "I work Monday to Friday",
        "my last year at school, her next week",
        "in the last year of school",
        "at the end of the day",
        "April and June are sisters; August met May",
        "a Christmas tree and Easter eggs",
        "a new year",
        "ready in 20 minutes",
        "it took two weeks",
        "two weeks before the wedding",
        "31/02/2023, 2023-13-01, 99/99/2023",
        "9999-12-31 and 9999 years ago",
        "user_may émay 5pm",
        "next to me, the next of kin, at last",
        "1.10.2.2023",
    ],
)
def test_what_only_looks_like_a_time_is_left_alone(text):
    assert periods(text, AT) == []
    assert absolute(text, AT) == text


def test_periods_stand_in_order_with_their_places_and_grains():
    text = "Between Monday and today I slept; last year I did not, nor in spring 2020."
    found = periods(text, AT)
    assert [(period.text, period.grain) for period in found] == [
        ("Between Monday and today", "day"),
        ("last year", "year"),
        ("spring 2020", "season"),
    ]
    assert [text[period.first : period.last] for period in found] == [p.text for p in found]


def test_southern_seasons_are_the_other_way_round():
    assert told("last summer", southern=True) == [("last summer", "2025-12-01", "2026-02-28")]
    assert told("winter 2023", southern=True) == [("winter 2023", "2023-06-01", "2023-08-31")]
    assert absolute("last summer", AT, southern=True) == "in summer 2025/26"


def test_in_spring_it_is_still_this_winter():
    april = datetime(2026, 4, 2, tzinfo=UTC)
    assert told("this winter", april) == [("this winter", "2025-12-01", "2026-02-28")]


def test_days_are_those_of_the_zone_and_the_answer_is_in_utc():
    late = datetime(2026, 11, 15, 23, 30, tzinfo=timezone(timedelta(hours=-5)))
    (period,) = periods("yesterday", late)
    assert period.start == datetime(2026, 11, 14, 5, tzinfo=UTC)
    assert period.end == datetime(2026, 11, 15, 5, tzinfo=UTC)
    (summer,) = periods("1 July 2026", datetime(2026, 1, 1, tzinfo=ZoneInfo("Europe/Berlin")))
    assert summer.start == datetime(2026, 6, 30, 22, tzinfo=UTC)


def test_a_day_that_a_zone_left_out_is_no_period():
    samoa = datetime(2012, 1, 1, tzinfo=ZoneInfo("Pacific/Apia"))
    assert periods("on 2011-12-30", samoa) == []


def test_a_moment_without_a_zone_is_refused():
    naive = datetime(2026, 11, 15)  # noqa: DTZ001 (the point of it)
    for call in (periods, absolute):
        with pytest.raises(UsageError, match="at has no time zone"):
            call("yesterday", naive)


def test_only_the_past_or_the_future_can_be_preferred():
    with pytest.raises(UsageError, match="'past' or 'future'"):
        periods("yesterday", AT, prefer="now")  # type: ignore[arg-type]  # the point of it


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("next Friday", "on 2026-11-20"),
        ("on next Friday", "on 2026-11-20"),
        ("last spring", "in spring 2026"),
        ("two weeks ago", "around 2026-11-01"),
        ("in March", "in March 2026"),
        ("yesterday", "on 2026-11-14"),
        ("last year", "in 2025"),
        ("tomorrow at 5pm", "on 2026-11-16 at 5pm"),
        ("in three months", "around February 2027"),
        ("three days ago", "on 2026-11-12"),
        ("a few years ago", "around 2023"),
        ("about two weeks ago", "about 2026-11-01"),
        ("last week", "in the week of 2026-11-02"),
        ("last weekend", "on the weekend of 2026-11-07"),
        ("over the weekend", "over the weekend of 2026-11-14"),
        ("last quarter", "in Q3 2026"),
        ("last decade", "in the 2010s"),
        ("in the spring", "in spring 2026"),
        ("this winter", "in winter 2026/27"),
        ("last Christmas", "at Christmas 2025"),
        ("for Christmas", "for Christmas 2025"),
        ("on New Year's Eve", "on New Year's Eve 2025"),
        ("tonight", "on the night of 2026-11-15"),
        ("on Friday evening", "on the evening of 2026-11-13"),
        ("since March", "since March 2026"),
        ("until Friday", "until 2026-11-20"),
        ("by tomorrow", "by 2026-11-16"),
        ("between May and July", "between May 2026 and July 2026"),
        ("from 3 to 7 June", "from 2026-06-03 to 2026-06-07"),
        ("in early May", "in early May 2026"),
        ("mid-May", "in mid-May 2026"),
        ("by the end of next month", "by the end of December 2026"),
        ("at the end of the year", "at the end of 2026"),
        ("by the end of the week", "by the end of the week of 2026-11-09"),
        ("last year in May", "in May 2025"),
        ("earlier this year", "earlier in 2026"),
        ("this time last year", "around November 2025"),
        ("for the past two weeks", "from 2026-11-01 to 2026-11-15"),
        ("shortly before Christmas", "shortly before Christmas 2025"),
        ("I recently moved", "I recently (November 2026) moved"),
        ("yesterday's meeting", "the 2026-11-14 meeting"),
        ("last year's budget", "the 2025 budget"),
        ("Last year was hard.", "2025 was hard."),
        ("Yesterday I swam. Tomorrow I rest.", "On 2026-11-14 I swam. On 2026-11-16 I rest."),
        (
            "The talk on Tuesday was moved to Thursday",
            "The talk on 2026-11-10 was moved to 2026-11-12",
        ),
        ("I moved here from Rome last May.", "I moved here from Rome in May 2026."),
    ],
)
def test_relative_expressions_are_written_as_dates_that_read_well(text, written):
    assert absolute(text, AT) == written
    assert absolute(written, AT + timedelta(days=1000)) == written


@pytest.mark.parametrize(
    "text",
    [
        "on 2023-05-03, 3 May 2023 and May 3rd, 2023",
        "in May 2023, since 2019, before 2020, in the 90s",
        "between May and July 2023",
        "Easter 2024 and the summer of 2022",
        "the end of 2023, early May 2023",
        "two weeks before Christmas 2024",
        "My birthday is on 12 July",
        "I always swim on Fridays, and usually on Sunday",
    ],
)
def test_what_says_its_date_to_anyone_is_left_as_it_is(text):
    assert absolute(text, AT) == text


def test_plans_are_dated_ahead_if_that_is_preferred():
    assert absolute("The exam is on Friday", AT, prefer="future") == "The exam is on 2026-11-20"


@pytest.mark.parametrize(
    ("text", "earliest", "latest", "event"),
    [
        ("two weeks before the wedding", -17, -11, "the wedding"),
        ("What did I buy the day after my exam?", 1, 1, "my exam"),
        ("3 days before Anna's birthday party, I fell", -3, -3, "Anna's birthday party"),
        ("The week before the wedding I bought shoes", -7, 0, "the wedding"),
        ("a few days after our trip to Japan", 2, 5, "our trip to Japan"),
        ("two months after I moved to Rome", 45, 75, "I moved to Rome"),
        ("shortly after my 30th birthday", 0, 14, "my 30th birthday"),
        ("a week before the Christmas party", -10, -4, "the Christmas party"),
    ],
)
def test_a_time_told_from_an_event_has_its_distance_and_the_event(text, earliest, latest, event):
    assert anchored(text) == Anchored(timedelta(days=earliest), timedelta(days=latest), event)


def test_what_the_words_say_is_the_middle():
    found = anchored("two weeks before the wedding")
    assert found is not None
    assert found.offset == timedelta(days=-14)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "shortly before Christmas",
        "two weeks before Christmas",
        "the day before yesterday",
        "a week before last Friday",
        "3 days before 3 May",
        "two weeks before that",
        "before the wedding",
        "two weeks ago",
        "the week after",
    ],
)
def test_a_date_or_an_unsaid_distance_is_no_anchor(text):
    assert anchored(text) is None


@pytest.mark.parametrize(
    ("year", "sunday"),
    [
        (1583, "04-10"), (1818, "03-22"), (1943, "04-25"), (1954, "04-18"), (1961, "04-02"),
        (1981, "04-19"), (2000, "04-23"), (2008, "03-23"), (2011, "04-24"), (2019, "04-21"),
        (2024, "03-31"), (2025, "04-20"), (2038, "04-25"), (2049, "04-18"), (2076, "04-19"),
    ],
)  # fmt: skip
def test_easter_is_when_it_was_and_will_be(year, sunday):
    assert str(easter(year).date()) == f"{year}-{sunday}"


@given(st.integers(1, 9998))
def test_feasts_fall_on_their_weekdays(year):
    assert easter(year).weekday() == 6
    assert date(year, 3, 22) <= easter(year).date() <= date(year, 4, 25)
    assert thanksgiving(year).weekday() == 3
    assert 22 <= thanksgiving(year).day <= 28


# What as_utc refuses, a moment before the year 1 or after 9999 in UTC, is refused here as well.
MOMENTS = st.one_of(
    st.just(AT),
    st.datetimes(
        min_value=datetime(1, 1, 3),  # noqa: DTZ001 (the zone comes next)
        max_value=datetime(9999, 12, 29),  # noqa: DTZ001
        timezones=st.one_of(st.just(UTC), st.timezones()),
    ),
)
WORDS = st.sampled_from(
    """
    the a an of in on at by since until before after from to between and last this next past other
    day days week weeks weekend month months year years quarter decade hour today yesterday
    tomorrow tonight morning night ago now early mid late end beginning first second half time
    few couple several two three 3 7 15th 2023 1990s 90s 31 29 Friday Mon Sun May may march March
    June february spring summer fall winter Christmas Easter Eve New Year Day recently lately Q3
    2023-05-03 03/05/2023 3-7 2019-2021 2025/26 - – , . ? ( ) ' 's ’s I was people every my 9999
    """.split()  # noqa: SIM905 (to be read, not parsed)
)
TEXTS = st.one_of(st.text(), st.lists(WORDS, max_size=12).map(" ".join))
PREFER = st.sampled_from(["past", "future"])


@given(TEXTS, MOMENTS, PREFER, st.booleans())
@example(text="since today", at=AT, prefer="past", southern=False)
@example(text="İ yesterday", at=AT, prefer="past", southern=False)
def test_periods_are_in_the_text_in_order_and_never_empty(text, at, prefer, southern):
    end = 0
    for period in periods(text, at, prefer=prefer, southern=southern):
        assert period.start < period.end
        assert period.start.tzinfo is period.end.tzinfo is UTC
        assert text[period.first : period.last] == period.text
        assert end <= period.first < period.last
        end = period.last


@given(TEXTS, MOMENTS, PREFER)
def test_writing_dates_twice_is_writing_them_once(text, at, prefer):
    written = absolute(text, at, prefer=prefer)
    assert absolute(written, at, prefer=prefer) == written
    if not periods(text, at, prefer=prefer):
        assert written == text


@given(TEXTS)
def test_an_event_is_found_in_the_text_or_not_at_all(text):
    found = anchored(text)
    assert found is None or (found.event in text and found.earliest <= found.latest)


@given(st.lists(WORDS, min_size=1, max_size=4), st.sampled_from(["", " ", ", "]))
def test_long_texts_are_read_to_the_end(words, joint):
    text = joint.join(words * (10_000 // sum(map(len, words))))[:10_000]
    periods(text, AT)
    anchored(text)
    assert absolute("x" * 10_000 + " yesterday", AT).endswith("on 2026-11-14")


@given(st.text(min_size=1, max_size=3))
def test_any_characters_may_repeat(some):
    assert isinstance(absolute(some * 3000, AT), str)
