"""Nothing here talks to the network: not our code, and not the native code under it.

Each test runs a child process that the kernel kills as soon as it asks for a socket of any kind,
which every connection and every look-up of a name begins with. The children run side by side.
"""

import os
import platform
import signal
import subprocess
import sys

import pytest

ALIVE = 60  # seconds: left to itself, onnxruntime reports after some ten, and again later

SYSCALLS = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
"""By machine: what the kernel calls it, and the number of its system call `socket`."""

CONNECTIONS = {"x86_64": (0xC000003E, 42), "aarch64": (0xC00000B7, 203)}
"""The same for `connect`: some clients' libraries make a socket to see whether there is IPv6."""

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux") or platform.machine() not in SYSCALLS,
    reason="the trap is made of Linux system calls",
)

TRAP = """
import ctypes, platform, struct

ARCH, SOCKET = {syscalls}[platform.machine()]
KILL, ALLOW = 0x80000000, 0x7FFF0000
LOAD, IF_EQUAL, RETURN = 0x20, 0x15, 0x06  # the instructions of the kernel's packet filter
program = b"".join(
    struct.pack("HBBI", *instruction)
    for instruction in [
        (LOAD, 0, 0, 4),  # the architecture
        (IF_EQUAL, 1, 0, ARCH),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, 0),  # the number of the system call
        (IF_EQUAL, 0, 1, SOCKET),
        (RETURN, 0, 0, KILL),
        (RETURN, 0, 0, ALLOW),
    ]
)
content = ctypes.create_string_buffer(program)
filter = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(content))
libc = ctypes.CDLL(None, use_errno=True)
NO_NEW_PRIVILEGES, SECCOMP, BY_FILTER = 38, 22, 2
assert libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0
assert libc.prctl(SECCOMP, BY_FILTER, filter) == 0
"""

REMEMBER = f"""
import tempfile, time
from bethink import Memory

with tempfile.TemporaryDirectory() as directory, Memory(f"{{directory}}/agent.db") as memory:
    memory.add("Moved to Lisbon", user_id="ann")
    memory.add_many(["Has a sister in Oslo", "Plays the cello"], user_id="ann")
    time.sleep({ALIVE})
    [hit] = memory.search("music", user_id="ann", limit=1)
    assert hit.item.content == "Plays the cello"
"""

OTHER_MODELS = """
import pathlib, tempfile
import bethink
from bethink.models.cache import CachedEmbedder
from bethink.models.url import PROVIDERS, open_embedder

for name in (f"onnx:{pathlib.Path(bethink.__file__).parent / 'models' / 'minilm'}", "wordllama:"):
    with tempfile.TemporaryDirectory() as directory:
        cached = CachedEmbedder(open_embedder(name), f"{directory}/vectors.db")
        assert len(cached.embed(["Plays the cello"])) == 1
        cached.close()
for provider in PROVIDERS.values():
    for job, model in provider.models.items():
        settings = {"api_key": "none"} if provider.variables else {}
        opened = provider.open(job, model, settings)
        if provider.remote:
            opened.prepare()  # all clients are imported and made
"""

CONNECT = """
import socket
socket.socket().connect(("127.0.0.1", 9))
"""

OPEN_A_SOCKET = """
import socket
socket.socket()
"""

UNGUARDED = f"""
import os, time
import bethink.models.local as local
import onnxruntime

assert "ORT_DISABLE_TELEMETRY" not in os.environ
model = os.path.join(os.path.dirname(local.__file__), "minilm", "model.onnx")
session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
time.sleep({ALIVE})
"""


def start(body, syscalls=SYSCALLS):
    # On CI machines onnxruntime keeps quiet by itself, which would hide what this is about.
    kept = {k: v for k, v in os.environ.items() if k not in ("CI", "ORT_DISABLE_TELEMETRY")}
    return subprocess.Popen(
        [sys.executable, "-c", TRAP.format(syscalls=syscalls) + body],
        env=kept | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture(scope="module")
def children():
    started = {body: start(body) for body in (REMEMBER, OPEN_A_SOCKET, UNGUARDED)}
    started |= {body: start(body, CONNECTIONS) for body in (OTHER_MODELS, CONNECT)}
    yield started
    for child in started.values():
        child.kill()
        child.communicate()


def test_adding_and_searching_ask_for_no_socket_within_a_minute(children):
    _, errors = children[REMEMBER].communicate(timeout=4 * ALIVE)
    assert (children[REMEMBER].returncode, errors) == (0, "")


def test_other_local_models_and_the_clients_of_all_providers_connect_to_nothing(children):
    _, errors = children[OTHER_MODELS].communicate(timeout=4 * ALIVE)
    assert (children[OTHER_MODELS].returncode, errors) == (0, "")
    children[CONNECT].communicate(timeout=4 * ALIVE)
    assert children[CONNECT].returncode == -signal.SIGSYS


def test_the_trap_kills_a_process_that_asks_for_a_socket(children):
    children[OPEN_A_SOCKET].communicate(timeout=4 * ALIVE)
    assert children[OPEN_A_SOCKET].returncode == -signal.SIGSYS


def test_without_the_guard_onnxruntime_does_ask_for_one(children):
    children[UNGUARDED].communicate(timeout=4 * ALIVE)
    assert children[UNGUARDED].returncode == -signal.SIGSYS
