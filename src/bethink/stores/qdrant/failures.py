"""What the client raises, as Bethink's errors: sentences that say what to do and show no key."""

import sqlite3
import traceback

import grpc
import httpx
from qdrant_client.common.client_exceptions import QdrantException
from qdrant_client.http.exceptions import (
    ApiException,
    ResponseHandlingException,
    UnexpectedResponse,
)

from bethink.errors import StoreError, StoreUnavailable

DRIVER_ERRORS = (
    QdrantException,
    ApiException,
    httpx.HTTPError,
    grpc.RpcError,
    sqlite3.Error,
    OSError,
    ValueError,
    KeyError,
    RuntimeError,
)
"""What the client, or its local mode, may raise."""

_HIDDEN = "[key]"
_BUSY = (408, 425, 429, 500, 502, 503, 504)
_GRPC = {
    grpc.StatusCode.UNAUTHENTICATED: 401,
    grpc.StatusCode.PERMISSION_DENIED: 403,
    grpc.StatusCode.NOT_FOUND: 404,
    grpc.StatusCode.RESOURCE_EXHAUSTED: 429,
    grpc.StatusCode.INTERNAL: 500,
    grpc.StatusCode.UNAVAILABLE: 503,
    grpc.StatusCode.DEADLINE_EXCEEDED: 504,
}
"""The statuses of the other protocol, as the numbers of this one."""


class Struck(Exception):
    """What the client said, where it said it with the key: the key is struck out."""


def translated(error: Exception, where: str, key: str | None) -> StoreError:
    """The client's error as Bethink's, with the former as its cause."""
    cause = _without(key, error)
    failure = _failure(error, where, _said(cause))
    failure.__cause__ = cause
    return failure


def _without(key: str | None, error: Exception) -> Exception:
    """An error, if neither it nor what led to it would show the key in a log."""
    shown = "".join(traceback.format_exception(error)) + repr(vars(error))
    if not key or key not in shown:
        return error
    return Struck(str(error).replace(key, _HIDDEN))


def _said(error: Exception) -> str:
    return " ".join(str(error).split())


def _failure(error: Exception, where: str, said: str) -> StoreError:
    if isinstance(error, ResponseHandlingException):
        return _unreachable(error.source, where)
    if isinstance(error, QdrantException):  # it asks to be left alone for a while
        return StoreUnavailable(f"{where} has too much to do. Try again later.")
    if "already accessed by another instance" in said:
        return StoreUnavailable(
            f"{where} is in use already, by another process or for another collection. Close it "
            "there, or use a server."
        )
    status = _status(error)
    return StoreError(f"{where}: {said[:300]}") if status is None else _by(status, where, said)


def _unreachable(source: Exception, where: str) -> StoreError:
    if isinstance(source, httpx.TimeoutException):
        return StoreUnavailable(f"{where} did not answer in time. Try again, or give it longer.")
    if isinstance(source, httpx.TransportError):
        return StoreUnavailable(f"{where} cannot be reached: {source}. Check that it is running.")
    return StoreError(f"{where} answered what no Qdrant does. Check the address.")


def _status(error: Exception) -> int | None:
    if isinstance(error, UnexpectedResponse):
        return error.status_code
    if isinstance(error, grpc.RpcError) and isinstance(error, grpc.Call):
        return _GRPC.get(error.code(), 400)
    return None


def _by(status: int, where: str, said: str) -> StoreError:
    if status in (401, 403):
        return StoreError(
            f"{where} refused the key ({status}). Pass api_key, or set QDRANT_API_KEY."
        )
    if status == 404:
        return StoreError(
            f"{where} does not have what was asked for (404). Check that the collection is still "
            f"there, and the address. It said: {said[:200]}"
        )
    if status in _BUSY:
        return StoreUnavailable(f"{where} failed ({status}). Try again. It said: {said[:200]}")
    return StoreError(f"{where} refused a request ({status}). It said: {said[:300]}")
