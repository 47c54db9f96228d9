"""A network that misbehaves on demand: whatever is sent through it can be held up or cut off."""

import socket
import threading
from contextlib import suppress


class Proxy:
    """Passes bytes between its own port and another, until told otherwise."""

    def __init__(self, port):
        self._to = port
        self._flowing = threading.Event()
        self._flowing.set()
        self._fatal = None
        self._sockets = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._start(self._accept)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.resume()
        for some in (self._listener, *self._sockets):
            with suppress(OSError):
                some.shutdown(socket.SHUT_RDWR)
            some.close()

    def stall(self):
        """From now on nothing arrives, and nothing is refused."""
        self._flowing.clear()

    def resume(self):
        self._flowing.set()

    def cut_after(self, words):
        """Close the next connection that sends these words, once they have been passed on."""
        self._fatal = words

    def _start(self, work, *arguments):
        threading.Thread(target=work, args=arguments, daemon=True).start()

    def _accept(self):
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self._start(self._connect, client)

    def _connect(self, client):
        self._flowing.wait()
        server = socket.create_connection(("127.0.0.1", self._to))
        self._sockets += [client, server]
        self._start(self._pass, server, client)
        self._pass(client, server, watched=True)

    def _pass(self, source, target, *, watched=False):
        with suppress(OSError):
            while data := source.recv(65536):
                self._flowing.wait()
                if watched and self._fatal and self._fatal in data:
                    self._fatal = None
                    source.shutdown(socket.SHUT_RDWR)  # before the answer can arrive
                target.sendall(data)
        for some in (source, target):
            with suppress(OSError):
                some.shutdown(socket.SHUT_RDWR)
