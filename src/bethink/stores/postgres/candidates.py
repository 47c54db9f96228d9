"""What the server's own indexes propose as answers, for users too large to hold in memory.

By vector: where few records are in question, all of them are compared, which is exact and quick;
where there are many, the index of the space is walked until enough of this user's are found. By
terms: those that have the rarest of the query's, the most and rarest of all first. And then the
messages around those found.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from math import log1p
from typing import Any

from bethink.stores.base import Probe, Row
from bethink.stores.postgres.connections import Connection
from bethink.stores.postgres.reading import User
from bethink.stores.postgres.rows import LIGHT, light_rows, user_terms
from bethink.stores.postgres.spaces import Space, named, query_half, spaces

EXACT = 10_000
"""Of so many records all are compared with the query's vector."""

_MOST_TERMS = 64  # of a query: of more, most are common, and the rest will do
_PLENTY = 8  # times as many as wanted are looked at for those with the most of the terms
_BROADEST = 1000  # that pgvector takes for ef_search
_FARTHEST = 1_000_000  # vectors of all users to walk past: from there on comparing all is quicker

# A joined text is nothing that the index by kind could give: the index by session is meant, and
# the server may know too little of new tables to see that by itself.
_AROUND = """
WITH found AS (
    SELECT id, kind, session_id, created_at FROM records
    WHERE owner = %(owner)s AND id = ANY(%(ids)s)
), around AS (
    SELECT id FROM found UNION
    SELECT near.id FROM found CROSS JOIN LATERAL ((
        SELECT id FROM records r WHERE owner = %(owner)s AND r.session_id = found.session_id
        AND kind || '' = 'message' AND superseded_by IS NULL
        AND (r.created_at, r.id) < (found.created_at, found.id)
        ORDER BY created_at DESC, id DESC LIMIT %(reach)s
    ) UNION ALL (
        SELECT id FROM records r WHERE owner = %(owner)s AND r.session_id = found.session_id
        AND kind || '' = 'message' AND superseded_by IS NULL
        AND (r.created_at, r.id) > (found.created_at, found.id)
        ORDER BY created_at, id LIMIT %(reach)s
    )) near WHERE kind = 'message'
)
"""


def propose(connection: Connection, user_id: str, probe: Probe, name: str) -> list[Row]:
    asked = connection.execute(
        "SELECT number, change, floor FROM users WHERE user_id = %s", [user_id]
    )
    space = named(spaces(connection), name)
    row = asked.fetchone()
    if row is None:
        return []
    owner = User._make(row).number
    ids = [
        *_by_vector(connection, owner, probe, space),
        *_by_terms(connection, owner, probe),
    ]
    return _with_neighbours(connection, owner, ids, probe.reach, space)


# --- by vector


def _by_vector(
    connection: Connection, owner: int, probe: Probe, space: Space | None
) -> Sequence[str]:
    half = query_half(probe.vector, space.dimension) if space else None
    if space is None or half is None:
        return []
    fits, values = _filters(owner, probe)
    values["vector"] = half
    found: Sequence[str] = []
    if _more_than(EXACT, connection, fits, values):
        found = _walked(connection, space, fits, values)
    if len(found) < probe.limit:  # few, or the walk was longer than it is worth
        found = _compared(connection, space, fits, values)
    return found


def _filters(owner: int, probe: Probe) -> tuple[str, dict[str, Any]]:
    """Which records are in question, as a condition and its values."""
    fits = "r.owner = %(owner)s AND kind = ANY(%(kinds)s) AND superseded_by IS NULL"
    if probe.agent_id is not None:
        fits += " AND agent_id = %(agent)s"
    if probe.session_id is not None:
        fits += " AND session_id = %(session)s"
    return fits, {
        "owner": owner,
        "kinds": list(probe.kinds),
        "agent": probe.agent_id,
        "session": probe.session_id,
        "limit": probe.limit,
    }


def _more_than(most: int, connection: Connection, fits: str, values: Mapping[str, Any]) -> bool:
    row = connection.execute(
        f"SELECT count(*) FROM (SELECT 1 FROM records r WHERE {fits} LIMIT {most + 1}) x",  # noqa: S608
        values,
    ).fetchone()
    return row is not None and row[0] > most


def _walked(
    connection: Connection, space: Space, fits: str, values: Mapping[str, Any]
) -> Sequence[str]:
    """The nearest, from the index, as far as one needs to look for those of this user."""
    broad = min(_BROADEST, max(40, values["limit"]))
    connection.execute(
        "SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true), "
        "set_config('hnsw.ef_search', %s, true), set_config('hnsw.max_scan_tuples', %s, true)",
        [str(broad), str(_FARTHEST)],
    )
    return _nearest(connection, space, fits, values, "first <#> %(vector)s::halfvec")


def _compared(
    connection: Connection, space: Space, fits: str, values: Mapping[str, Any]
) -> Sequence[str]:
    """The nearest of all that are in question; a sum is nothing that the index could give."""
    return _nearest(connection, space, fits, values, "(first <#> %(vector)s::halfvec) + 0")


def _nearest(
    connection: Connection, space: Space, fits: str, values: Mapping[str, Any], distance: str
) -> Sequence[str]:
    rows = connection.execute(
        f"SELECT r.id FROM {space.table} v JOIN records r USING (owner, id) "  # noqa: S608
        f"WHERE v.owner = %(owner)s AND first IS NOT NULL AND {fits} "
        f"ORDER BY {distance} LIMIT %(limit)s",
        values,
        prepare=False,  # how it is done best depends on the user
    )
    return list(chain.from_iterable(rows.fetchall()))


# --- by terms


def _by_terms(connection: Connection, owner: int, probe: Probe) -> Sequence[str]:
    enough = _PLENTY * probe.limit
    counts = _counts(connection, user_terms(owner, probe.terms[:_MOST_TERMS]), enough)
    rarest: list[int] = []
    for term in sorted(counts, key=counts.__getitem__):
        if rarest and sum(counts[one] for one in rarest) >= probe.limit:
            break
        rarest.append(term)
    if not rarest:
        return []
    fits, values = _filters(owner, probe)
    values |= {
        "rarest": rarest,
        "terms": list(counts),
        "weights": [log1p(enough / count) for count in counts.values()],
        "enough": enough,
    }
    rows = connection.execute(
        "SELECT id FROM (SELECT id, words FROM records r "  # noqa: S608
        f"WHERE words && %(rarest)s::bigint[] AND {fits} LIMIT %(enough)s) x "
        "ORDER BY (SELECT sum(weight) FROM unnest(%(terms)s::bigint[], %(weights)s::float8[]) "
        "asked(term, weight) WHERE term = ANY(words)) DESC LIMIT %(limit)s",
        values,
    )
    return list(chain.from_iterable(rows.fetchall()))


def _counts(connection: Connection, terms: Sequence[int], most: int) -> dict[int, int]:
    """How many of this user's records have each of the terms that any has; counted up to `most`."""
    rows = connection.execute(
        "SELECT term, (SELECT count(*) FROM "
        "(SELECT 1 FROM records WHERE words && ARRAY[term] LIMIT %s) x) "
        "FROM unnest(%s::bigint[]) term",
        [most, list(terms)],
    )
    return {term: count for term, count in rows.fetchall() if count}


# --- and what is around them


def _with_neighbours(
    connection: Connection, owner: int, ids: Sequence[str], reach: int, space: Space | None
) -> list[Row]:
    kept = "first, rest" if space else "NULL, NULL"
    joined = f"LEFT JOIN {space.table} v USING (owner, id)" if space else ""
    rows = connection.execute(
        f"{_AROUND} SELECT {LIGHT}, {kept} FROM records r {joined} "  # noqa: S608
        "WHERE r.owner = %(owner)s AND r.id = ANY(ARRAY(SELECT id FROM around))",
        {"owner": owner, "ids": list(dict.fromkeys(ids)), "reach": reach},
        binary=True,
    )
    return light_rows(rows.fetchall())
