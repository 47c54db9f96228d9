"""A thread that works while there is something to do, and ends when there is not."""

import threading
from collections.abc import Sized

from bethink.forks import Forkable


class Worker(Forkable):
    """What works in the background has in common: beginning, ending, and being waited for.

    Whoever builds on it keeps what is to be done in `_waiting`, does it in `_work`, and sets
    `_working` to False, under the lock, once nothing is left: who adds something then starts anew.
    """

    thread = "bethink"
    """What the thread is called."""
    _waiting: Sized

    def _rest(self) -> None:
        """Begin with nothing under way."""
        self._changed = threading.Condition()
        self._working = False

    def finish(self) -> None:
        """Wait until everything has been tried."""
        with self._changed:
            self._changed.wait_for(lambda: not self._working)

    def _start(self) -> None:
        with self._changed:
            if self._working or not self._waiting:
                return
            self._working = True
        try:
            threading.Thread(target=self._run, name=self.thread).start()
        except RuntimeError:  # the process is about to end
            self._stop()

    def _stop(self) -> None:
        with self._changed:
            self._working = False
            self._changed.notify_all()

    def _run(self) -> None:
        try:
            self._work()
        except BaseException:
            self._stop()  # or whoever waits for it would wait forever
            raise

    def _work(self) -> None:
        """Do what is to be done."""
        raise NotImplementedError
