"""What is still to be learnt: read in a thread of its own, while others go on."""

from collections.abc import Callable

from bethink.worker import Worker

_MOST = 1000
"""Notes that may wait in this process; whoever brings more does the work at once."""


class Backlog(Worker):
    """Learns what notes in the store say is to be learnt.

    The notes outlive this process: whatever it does not get to is read by the next one. The
    thread ends when there is nothing to do.
    """

    thread = "bethink-backlog"

    def __init__(self, learn: Callable[[str, str], object]) -> None:
        self._learn = learn
        self._after_fork_in_child()
        self._follow_forks()

    def _after_fork_in_child(self) -> None:
        """Begin with nothing to do: the parent does it."""
        self._rest()
        self._waiting: dict[tuple[str, str], None] = {}
        self._left: dict[tuple[str, str], None] = {}
        """What could not be learnt."""
        self._known: set[str] = set()
        """The users whose notes were looked for."""
        self._failed: Exception | None = None

    def looked_at(self, user_id: str) -> bool:
        """Whether this process has looked for notes of a user that others left."""
        return user_id in self._known

    def look_at(self, user_id: str) -> None:
        self._known.add(user_id)

    def add(self, user_id: str, note_id: str) -> None:
        """Learn what a note says: soon, or at once if too many are waiting."""
        with self._changed:
            room = len(self._waiting) < _MOST
            if room:
                self._waiting[user_id, note_id] = None
        if room:
            self._start()
        else:
            self._learn(user_id, note_id)

    def flush(self) -> None:
        """Wait until all is learnt, what failed before included; raises what kept it from it."""
        with self._changed:
            self._waiting |= self._left
            self._left, self._failed = {}, None
        self._start()
        self.finish()
        if self._left and self._failed is not None:
            raise self._failed

    def _work(self) -> None:
        while (note := self._next()) is not None:
            try:
                self._learn(*note)
            except Exception as error:  # noqa: BLE001 (it is kept, and raised by `flush`)
                with self._changed:
                    self._failed = error
                    self._left[note] = None

    def _next(self) -> tuple[str, str] | None:
        with self._changed:
            for note in self._waiting:
                del self._waiting[note]
                return note
            self._working = False  # under the lock: whoever adds something now starts anew
            self._changed.notify_all()
            return None
