"""What must happen when the process forks: neither threads nor locks held by them come along."""

import os
import threading
import weakref


class Forkable:
    """Something with locks, threads or files that a forked child must not share.

    It is told of every fork once it has called `_follow_forks`.
    """

    def _follow_forks(self) -> None:
        with _one_at_a_time:
            _all.add(self)

    def _before_fork(self) -> None:
        """Come to rest, and stay so."""

    def _after_fork_in_parent(self) -> None:
        """Go on."""

    def _after_fork_in_child(self) -> None:
        """Begin anew."""


_all: "weakref.WeakSet[Forkable]" = weakref.WeakSet()
_resting: list[Forkable] = []
_one_at_a_time = threading.Lock()


def _before_fork() -> None:
    _one_at_a_time.acquire()
    _resting.extend(_all)
    for thing in _resting:
        thing._before_fork()  # noqa: SLF001 (of a class of this module)


def _after_fork_in_parent() -> None:
    for thing in _resting:
        thing._after_fork_in_parent()  # noqa: SLF001 (of a class of this module)
    _resting.clear()
    _one_at_a_time.release()


def _after_fork_in_child() -> None:
    for thing in _resting:
        thing._after_fork_in_child()  # noqa: SLF001 (of a class of this module)
    _resting.clear()
    _one_at_a_time.release()


if hasattr(os, "register_at_fork"):  # there are no forks on Windows
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork_in_parent,
        after_in_child=_after_fork_in_child,
    )
