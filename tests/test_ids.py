import os
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from uuid import UUID

from bethink.ids import new_id

NOW = datetime(2024, 5, 17, tzinfo=UTC)


def test_ids_made_one_after_the_other_are_in_order_even_if_the_clock_goes_back():
    ids = [new_id(NOW - timedelta(seconds=n)) for n in range(10_000)]
    assert ids == sorted(ids)
    assert len(set(ids)) == len(ids)


def test_ids_are_uuids_of_version_seven():
    made = UUID(new_id(datetime.now(UTC)))
    assert (made.version, made.variant) == (7, "specified in RFC 4122")


def test_a_forked_process_makes_other_ids():
    read, write = os.pipe()
    if os.fork() == 0:
        os.write(write, new_id(NOW).encode())
        os._exit(0)
    child = os.read(read, 100).decode()
    os.wait()
    assert UUID(child).int & (1 << 62) - 1 != UUID(new_id(NOW)).int & (1 << 62) - 1


def test_threads_never_make_the_same_id():
    with ThreadPoolExecutor(8) as pool:
        batches = pool.map(lambda _: [new_id(NOW) for _ in range(2000)], range(8))
    ids = [id_ for batch in batches for id_ in batch]
    assert len(set(ids)) == len(ids)
