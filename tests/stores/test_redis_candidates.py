"""Whatever proposes candidates, it proposes what a look at every record would."""

import itertools
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from bethink import StoreError
from bethink.stores.base import Entry, Probe
from bethink.stores.redis import RedisStore
from bethink.testing.redisserver import RedisNodes, RedisServer
from bethink.text import hashed, pack, query_terms
from bethink.types import KINDS, SEARCHED, MemoryItem

SPACE, OTHER_SPACE = "letters/16", "other/8"
NOW = datetime(2100, 1, 1, tzinfo=UTC)
WORDS = [f"word{n}" for n in range(40)]

prefixes = (f"t{n}" for n in itertools.count())


@pytest.fixture(scope="module")
def server():
    with RedisServer(search=True) as server:
        yield server


@pytest.fixture(scope="module")
def nodes():
    nodes = RedisNodes()
    yield nodes
    nodes.close()


@pytest.fixture(params=["search", "sets", "none", "cluster"])
def store(request, server, nodes):
    if request.param == "cluster":
        store = RedisStore(nodes.url, prefix=next(prefixes))
    else:
        store = RedisStore(server.url, prefix=next(prefixes), engine=request.param)
    store.switch(None, SPACE)
    yield store
    assert store.check() == []
    store.close()


def unit(rng, size=16):
    vector = rng.standard_normal(size)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def record(rng, id_, kind="semantic", parts=1, **fields):
    text = fields.pop("text", None) or " ".join(rng.choice(WORDS, 4))
    known = {"user_id": "ann", "content": text, "kind": kind}
    item = MemoryItem(id=id_, **{**known, "created_at": NOW, **fields})
    vectors = np.stack([unit(rng) for _ in range(parts)]).astype("<f2").tobytes()
    return Entry(item, pack(text), vectors)


def many(rng, count, *, start=0):
    """Records of all kinds, agents and sessions."""
    for n in range(start, start + count):
        kind = str(rng.choice(["message", "message", *SEARCHED]))
        session = f"s {rng.integers(6)}" if kind == "message" else None
        yield record(
            rng, f"m{n:05}", kind,
            parts=int(rng.integers(1, 4)) if n % 7 == 0 else 1,
            session_id=session,
            agent_id=rng.choice([None, 'a"1', "{b}"]),
            created_at=NOW + timedelta(seconds=int(rng.integers(1000))),
            superseded_by="x" if n % 11 == 0 else None,
        )  # fmt: skip


def probe(rng, text="", **more):
    known = {"vector": unit(rng).tobytes(), "limit": 5, "kinds": SEARCHED}
    terms = hashed(query_terms(text)).tolist() if text else []
    return Probe(**{**known, "terms": terms, **more})


def expected(entries, asked):
    """The ids by vector, those by terms that must be there, and neighbours of the first."""
    current = [e for e in entries if e.item.superseded_by is None]
    fitting = [
        e.item.id
        for e in current
        if e.item.kind in asked.kinds
        and asked.agent_id in (None, e.item.agent_id)
        and asked.session_id in (None, e.item.session_id)
    ]
    query = np.frombuffer(asked.vector, "<f4")
    near = {
        e.item.id: (np.frombuffer(e.vectors, "<f2").reshape(-1, 16).astype("f4") @ query).max()
        for e in current
        if e.vectors
    }
    nearest = sorted((i for i in fitting if i in near), key=near.__getitem__, reverse=True)
    best = set(nearest[: asked.limit])
    said = sorted(
        (e.item.session_id, e.item.created_at, e.item.id)
        for e in current
        if e.item.kind == "message" and e.item.session_id
    )
    around = {
        said[other][2]
        for place, (session, _, id_) in enumerate(said)
        if id_ in best
        for other in range(max(place - asked.reach, 0), min(place + asked.reach + 1, len(said)))
        if said[other][0] == session
    }
    return best, around, set(fitting)


def holders(entries, term):
    return {e.item.id for e in entries if e.item.superseded_by is None and term in e.item.content}


PROBES = [
    {},
    {"kinds": ("fact",)},
    {"kinds": ("message", "episode"), "reach": 1},
    {"agent_id": 'a"1'},
    {"agent_id": "{b}", "session_id": "s 3"},
    {"session_id": "s 1", "reach": 0},
    {"limit": 40},
]


@pytest.mark.parametrize("more", PROBES, ids=str)
def test_the_nearest_and_their_neighbours_are_proposed(store, more):
    rng = np.random.default_rng(7)
    entries = list(many(rng, 300))
    store.put("ann", entries, space=SPACE)
    store.put("bob", [record(rng, f"b{n}", user_id="bob") for n in range(20)], space=SPACE)
    for _ in range(3):
        asked = probe(rng, **more)
        nearest, around, _ = expected(entries, asked)
        rows = {row.id: row for row in store.candidates("ann", asked, space=SPACE)}
        assert rows.keys() == nearest | around
    whole = {row.id: row for row in store.scan("ann", space=SPACE).rows}
    assert all(whole[id_] == row for id_, row in rows.items())


def test_those_with_the_rarest_terms_are_proposed(store):
    rng = np.random.default_rng(8)
    entries = [record(rng, f"{n:03}", text="tea and milk") for n in range(60)]
    entries += [record(rng, f"r{n}", text="tea with saffron") for n in range(3)]
    entries += [record(rng, f"f{n}", "fact", text="tea with nutmeg") for n in range(4)]
    store.put("ann", entries, space=SPACE)
    asked = probe(rng, "saffron nutmeg tea unknown", vector=b"", limit=6)
    found = {row.id for row in store.candidates("ann", asked, space=SPACE)}
    assert holders(entries, "saffron") < found
    assert len(found) == 6
    assert found < holders(entries, "saffron") | holders(entries, "nutmeg")
    asked = probe(rng, "saffron nutmeg tea", vector=b"", limit=6, kinds=("fact",))
    found = {row.id for row in store.candidates("ann", asked, space=SPACE)}
    assert found == holders(entries, "nutmeg")


def test_proposals_follow_every_change(store):
    rng = np.random.default_rng(9)
    entries = {e.item.id: e for e in many(rng, 120)}
    store.put("ann", list(entries.values()), space=SPACE)

    def agree():
        asked = probe(rng, "word3 word5", limit=8)
        nearest, around, fitting = expected(entries.values(), asked)
        found = {row.id for row in store.candidates("ann", asked, space=SPACE)}
        assert nearest | around <= found
        assert found <= {i for i, e in entries.items() if e.item.superseded_by is None}
        rarest = holders(entries.values(), "word3") | holders(entries.values(), "word5")
        assert len(found & rarest & fitting) >= min(8, len(rarest & fitting))

    agree()
    for round_ in range(6):
        changed = list(many(rng, 10, start=100 + 5 * round_))  # some new, some there
        entries |= {e.item.id: e for e in changed}
        store.put("ann", changed, space=SPACE)
        for id_ in rng.choice(sorted(entries), 5, replace=False):
            del entries[str(id_)]
            store.delete("ann", [str(id_)])
        agree()
    store.clear("ann")
    entries.clear()
    agree()
    entries |= {e.item.id: e for e in many(rng, 30)}
    store.put("ann", list(entries.values()), space=SPACE)
    agree()


def test_proposals_follow_a_switch(store):
    rng = np.random.default_rng(10)
    store.put("ann", [record(rng, str(n)) for n in range(10)], space=SPACE)
    assert len(store.candidates("ann", probe(rng, limit=3), space=SPACE)) == 3
    vectors = {str(n): (1, unit(rng, 8).astype("<f2").tobytes()) for n in range(5)}
    store.attach("ann", vectors, space=OTHER_SPACE)
    store.switch(SPACE, OTHER_SPACE)
    asked = probe(rng, limit=9, vector=unit(rng, 8).tobytes())
    found = {row.id: row.vectors for row in store.candidates("ann", asked, space=OTHER_SPACE)}
    assert found == {id_: blob for id_, (_, blob) in vectors.items()}


def test_vectors_that_fit_no_index_are_kept_and_passed_over(store):
    rng = np.random.default_rng(11)
    odd = [
        Entry(record(rng, "short").item, b"no terms", b"abc"),
        Entry(record(rng, "zero").item, b"", bytes(32)),
        Entry(record(rng, "nan").item, b"", b"\xff\x7f" * 16),
        Entry(record(rng, "none").item, pack("saffron"), b""),
    ]
    store.put("ann", [*odd, record(rng, "good", text="tea")], space=SPACE)
    found = {row.id for row in store.candidates("ann", probe(rng, "saffron"), space=SPACE)}
    assert found == {"good", "none"}
    assert len(store.scan("ann", space=SPACE).rows) == 5


def test_what_has_expired_is_proposed_no_more(store):
    rng = np.random.default_rng(12)
    past = datetime.now(UTC) - timedelta(seconds=1)
    store.put("ann", [record(rng, "1"), record(rng, "2")], space=SPACE)
    assert len(store.candidates("ann", probe(rng), space=SPACE)) == 2
    store.put("ann", [record(rng, "2", expires_at=past)], space=SPACE)
    assert [row.id for row in store.candidates("ann", probe(rng), space=SPACE)] == ["1"]


def test_a_user_with_nothing_has_no_candidates(store):
    rng = np.random.default_rng(13)
    assert store.candidates("nobody", probe(rng, "tea", kinds=KINDS), space=SPACE) == []


def test_an_index_that_is_far_behind_is_made_bit_by_bit(store, monkeypatch):
    monkeypatch.setattr("bethink.stores.redis.index._BATCH", 10)
    monkeypatch.setattr("bethink.stores.redis.index._BUDGET", 0.0)
    rng = np.random.default_rng(14)
    entries = list(many(rng, 100))
    store.put("ann", entries, space=SPACE)
    for number in range(14):
        if number == 13:
            store.index("ann")
        asked = probe(rng)
        nearest, around, _ = expected(entries, asked)
        found = {row.id for row in store.candidates("ann", asked, space=SPACE)}
        assert found == nearest | around


def test_two_that_bring_the_index_up_to_date_at_once_do_not_get_in_each_other_s_way(server):
    rng = np.random.default_rng(15)
    prefix = next(prefixes)
    first, second = (RedisStore(server.url, prefix=prefix, engine="sets") for _ in range(2))
    first.switch(None, SPACE)
    entries = {e.item.id: e for e in many(rng, 250)}
    first.put("ann", list(entries.values()), space=SPACE)
    behind: Any = first._server
    run = behind.run

    def interrupted(script, keys, *told):
        answer = run(script, keys, *told)
        if script.reads and answer and answer[0] == b"rows" and answer[4]:
            id_ = answer[4][0][0].decode()
            entries[id_] = record(rng, id_, parts=2)
            second.put("ann", [entries[id_]], space=SPACE)
            second.candidates("ann", probe(rng), space=SPACE)
        return answer

    behind.run = interrupted
    first.candidates("ann", probe(rng), space=SPACE)
    behind.run = run
    for store in (first, second):
        asked = probe(rng, limit=20)
        nearest, around, _ = expected(entries.values(), asked)
        assert {row.id for row in store.candidates("ann", asked, space=SPACE)} == nearest | around
        store.close()


def test_an_index_that_another_process_dropped_is_made_anew(server):
    rng = np.random.default_rng(16)
    prefix = next(prefixes)
    store, other = (RedisStore(server.url, prefix=prefix, engine="search") for _ in range(2))
    store.switch(None, SPACE)
    entries = list(many(rng, 60))
    store.put("ann", entries, space=SPACE)
    for change in (lambda: None, lambda: other.switch(SPACE, SPACE), lambda: other.clear("bob")):
        change()
        for _ in range(3):
            asked = probe(rng)
            nearest, around, _ = expected(entries, asked)
            found = {row.id for row in store.candidates("ann", asked, space=SPACE)}
            assert found == nearest | around
    store.clear("ann")
    with server.client() as client:
        assert not list(client.scan_iter(f"{prefix}.seek.*"))
    for handle in (store, other):
        handle.close()


def test_the_engine_is_the_best_that_the_server_has(server, nodes):
    with RedisServer() as plain:
        for url, name in ((server.url, "search"), (plain.url, "sets"), (nodes.url, "sets")):
            store = RedisStore(url)
            assert store._index is not None
            assert store._index.engine.name == name
            store.close()
        with pytest.raises(StoreError, match="has no query engine. Use a server that does"):
            RedisStore(plain.url, engine="search")
