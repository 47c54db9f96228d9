"""A loopback server that speaks Qdrant's REST protocol and keeps points as local mode does.

It notes every request, and misbehaves when told to. What it cannot show is how a real server
behaves under load, with shards or with replicas.
"""

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from pydantic import TypeAdapter
from qdrant_client import QdrantClient, models

VERSION = "1.20.0"
_DONE = {"operation_id": 1, "status": "completed"}


@dataclass
class Request:
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any


@dataclass
class Fault:
    """How requests to a path go wrong: how many, after how many that go right."""

    path: str
    status: int = 500
    method: str = ""
    says: str = "out of order"
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    done: bool = False
    """Whether what was asked is done all the same, and only the answer is lost."""
    after: int = 0
    times: int = 1_000_000


class QdrantServer:
    """`url` is what a store is opened with; `requests` what it was asked so far."""

    def __init__(self, *, version: str = VERSION) -> None:
        self.requests: list[Request] = []
        self.faults: list[Fault] = []
        self.indexes: list[str] = []
        self.version = version
        self._client = QdrantClient(":memory:")
        self._one_at_a_time = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def __getattr__(self, name: str) -> Any:
                if name.startswith("do_"):
                    return lambda: server._handle(self)
                raise AttributeError(name)

            def log_message(self, *_: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=[0.05])
        self._thread.start()
        self.url = f"qdrant://127.0.0.1:{self._http.server_address[1]}"

    def close(self) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()
        self._client.close()

    def asked(self, method: str, path: str) -> list[Request]:
        return [r for r in self.requests if (r.method, r.path) == (method, path)]

    def _handle(self, http: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(http.path)
        sent = http.rfile.read(int(http.headers.get("Content-Length") or 0))
        request = Request(
            http.command,
            parts.path,
            dict(parse_qsl(parts.query)),
            {name.lower(): value for name, value in http.headers.items()},
            json.loads(sent) if sent else None,
        )
        self.requests.append(request)
        fault = self._fault(request)
        if fault:
            time.sleep(fault.delay)
            if fault.done:
                self._answer(request)
            status, headers = fault.status, fault.headers
            answer: Any = {"status": {"error": fault.says}, "time": 0.0}
        else:
            status, headers = 200, {}
            try:
                answer = {"result": self._answer(request), "status": "ok", "time": 0.0}
                if request.path == "/":
                    answer = {"title": "qdrant - vector search engine", "version": self.version}
            except (ValueError, KeyError) as error:
                status, answer = 400, {"status": {"error": str(error)}, "time": 0.0}
        self._send(http, status, headers, answer)

    def _fault(self, request: Request) -> Fault | None:
        for fault in self.faults:
            fits = request.path.endswith(fault.path) and request.method.startswith(fault.method)
            if fits and fault.times > 0:
                if fault.after > 0:
                    fault.after -= 1
                    continue
                fault.times -= 1
                return fault
        return None

    @staticmethod
    def _send(
        http: BaseHTTPRequestHandler, status: int, headers: dict[str, str], answer: Any
    ) -> None:
        written = json.dumps(answer).encode()
        try:
            http.send_response(status)
            for name, value in headers.items():
                http.send_header(name, value)
            http.send_header("Content-Type", "application/json")
            http.send_header("Content-Length", str(len(written)))
            http.end_headers()
            http.wfile.write(written)
        except OSError:
            pass  # whoever asked did not wait

    def _answer(self, request: Request) -> Any:
        if request.path == "/":
            return None
        _, _, collection, *rest = request.path.split("/")
        handlers: dict[str, Callable[[str, Any], Any]] = {
            "GET exists": self._exists,
            "GET ": self._describe,
            "PUT ": self._create,
            "PUT shards": lambda *_: True,
            "PUT index": self._index,
            "PUT points": self._upsert,
            "POST points": self._retrieve,
            "POST points/scroll": self._scroll,
            "POST points/query": self._query,
            "POST points/delete": self._delete,
            "POST points/payload/delete": self._forget,
        }
        with self._one_at_a_time:
            if rest[:1] == ["vectors"]:
                return self._vectors(collection, rest[1], request)
            return handlers[f"{request.method} {'/'.join(rest)}"](collection, request.body)

    def _exists(self, collection: str, _: Any) -> Any:
        return {"exists": self._client.collection_exists(collection)}

    def _describe(self, collection: str, _: Any) -> Any:
        schema = {key: {"data_type": "keyword", "points": 0} for key in self.indexes}
        return _plain(self._client.get_collection(collection)) | {"payload_schema": schema}

    def _create(self, collection: str, body: Any) -> Any:
        known = models.CreateCollection.model_validate(body)
        return self._client.create_collection(
            collection, vectors_config=known.vectors, sparse_vectors_config=known.sparse_vectors
        )

    def _index(self, _: str, body: Any) -> Any:
        self.indexes.append(body["field_name"])
        return _DONE

    def _vectors(self, collection: str, name: str, request: Request) -> Any:
        if request.method == "DELETE":
            self._client.delete_vector_name(collection, name)
        else:
            config = models.DenseVectorNameConfig.model_validate(request.body)
            self._client.create_vector_name(collection, name, config)
        return _DONE

    def _upsert(self, collection: str, body: Any) -> Any:
        wanted = models.PointsList.model_validate(body)
        self._client.upsert(
            collection,
            wanted.points,
            update_filter=wanted.update_filter,
            update_mode=wanted.update_mode,
        )
        return _DONE

    def _retrieve(self, collection: str, body: Any) -> Any:
        asked = models.PointRequest.model_validate(body)
        with_payload = asked.with_payload or False
        return _plain(self._client.retrieve(collection, asked.ids, with_payload=with_payload))

    def _scroll(self, collection: str, body: Any) -> Any:
        asked = models.ScrollRequest.model_validate(body)
        records, offset = self._client.scroll(
            collection,
            asked.filter,
            limit=asked.limit or 10,
            offset=asked.offset,
            with_payload=asked.with_payload or False,
        )
        return {"points": _plain(records), "next_page_offset": offset}

    def _query(self, collection: str, body: Any) -> Any:
        asked = models.QueryRequest.model_validate(body)
        query = asked.query.nearest if isinstance(asked.query, models.NearestQuery) else asked.query
        found = self._client.query_points(
            collection, query, using=asked.using, query_filter=asked.filter, limit=asked.limit or 10
        )
        return _plain(found)

    def _delete(self, collection: str, body: Any) -> Any:
        selector: Any = TypeAdapter(models.PointsSelector).validate_python(body)
        self._client.delete(collection, selector)
        return _DONE

    def _forget(self, collection: str, body: Any) -> Any:
        asked = models.DeletePayload.model_validate(body)
        self._client.delete_payload(
            collection, asked.keys, points=asked.filter or asked.points or []
        )
        return _DONE


def _plain(found: Any) -> Any:
    if isinstance(found, list):
        return [record.model_dump(mode="json") for record in found]
    return found.model_dump(mode="json")
