"""HTTP/1.1: as much of it as the clients of providers speak."""

import json
from asyncio import IncompleteReadError, LimitOverrunError, StreamReader, StreamWriter
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from bethink.testing.providers.provider import Answer


@dataclass(frozen=True, slots=True)
class Message:
    """A request, read to its end."""

    method: str
    path: str
    headers: Mapping[str, str]
    content: bytes

    @property
    def body(self) -> Any:
        """The parsed JSON; None if it is none."""
        try:
            return json.loads(self.content)
        except ValueError:
            return None


async def read(reader: StreamReader) -> Message | None:
    """The next request on a connection; None if there is none, or what came is no HTTP."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        line, *rest = head.decode("latin-1").strip().split("\r\n")
        headers = dict(_header(text) for text in rest)
        content = await _content(reader, headers)
        method, target, _ = line.split(" ")
    except (IncompleteReadError, LimitOverrunError, ValueError):
        return None
    return Message(method, target.partition("?")[0], headers, content)


def _header(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name.strip().lower(), value.strip()


async def _content(reader: StreamReader, headers: Mapping[str, str]) -> bytes:
    if headers.get("transfer-encoding", "").lower() != "chunked":
        return await reader.readexactly(int(headers.get("content-length", "0")))
    content = b""
    while size := int((await reader.readline()).partition(b";")[0], 16):
        content += await reader.readexactly(size)
        await reader.readline()
    await reader.readline()
    return content


async def write(writer: StreamWriter, answer: Answer, *, last: bool) -> None:
    """Send an answer, whole."""
    if answer.parts is None:
        writer.write(_head(answer, {"content-length": str(len(answer.body))}, last=last))
        writer.write(answer.body)
    else:
        await _write_parts(writer, answer, len(answer.parts), last=last)
        writer.write(b"0\r\n\r\n")
    await writer.drain()


async def write_half(writer: StreamWriter, answer: Answer) -> None:
    """Send the first half of an answer, as if the rest were to follow."""
    if answer.parts is None:
        writer.write(_head(answer, {"content-length": str(len(answer.body))}, last=False))
        writer.write(answer.body[: len(answer.body) // 2])
        await writer.drain()
    else:
        await _write_parts(writer, answer, len(answer.parts) // 2, last=False)


async def _write_parts(writer: StreamWriter, answer: Answer, count: int, *, last: bool) -> None:
    writer.write(_head(answer, {"transfer-encoding": "chunked"}, last=last))
    for part in (answer.parts or ())[:count]:
        writer.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
        await writer.drain()


def _head(answer: Answer, framing: Mapping[str, str], *, last: bool) -> bytes:
    headers = {"content-type": answer.content_type, **answer.headers, **framing}
    if last:
        headers["connection"] = "close"
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {answer.status} {_reason(answer.status)}\r\n{lines}\r\n".encode("latin-1")


def _reason(status: int) -> str:
    return HTTPStatus(status).phrase if status in set(HTTPStatus) else "Overloaded"
