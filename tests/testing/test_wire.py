"""What any client of HTTP sees, official or not."""

import contextlib
import gc
import http.client
import json
import socket
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest

from bethink.testing.providers import ProviderServer


@pytest.fixture
def connection(server):
    connection = http.client.HTTPConnection(urlsplit(server.url("openai")).netloc, timeout=30)
    yield connection
    connection.close()


def post(connection, path, body, headers=None):
    connection.request("POST", path, body, headers or {})
    answer = connection.getresponse()
    return answer.status, answer.read()


KEY = {"authorization": "Bearer secret"}
BODY = json.dumps({"model": "m", "input": "tea"})


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("/openai/v1/embeddings", {"error": {"message": "You didn't provide an API key.", "type": "invalid_request_error", "param": None, "code": None}}),
        ("/anthropic/v1/messages", {"type": "error", "error": {"type": "authentication_error", "message": "x-api-key header is required"}, "request_id": "req_00000001"}),
        ("/voyage/v1/embeddings", {"detail": "Provided API key is invalid."}),
        ("/cohere/v2/embed", {"id": "00000000-0000-4000-8000-000000000001", "message": "no api key supplied"}),
    ],
)  # fmt: skip
def test_a_request_without_a_key_is_refused(connection, path, error):
    status, body = post(connection, path, BODY)
    assert (status, json.loads(body)) == (401, error)


def test_a_request_without_a_version_is_refused_by_anthropic(connection):
    status, body = post(connection, "/anthropic/v1/messages", BODY, {"x-api-key": "secret"})
    assert (status, json.loads(body)["error"]["message"]) == (
        400,
        "anthropic-version: header is required",
    )


@pytest.mark.parametrize("name", ["x-api-key", "authorization"])
def test_anthropic_takes_its_key_in_either_header(connection, name):
    body = json.dumps(
        {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "?"}]}
    )
    for key, expected in (("secret", 200), ("wrong", 401)):
        headers = {name: key, "anthropic-version": "2023-06-01"}
        assert post(connection, "/anthropic/v1/messages", body, headers)[0] == expected


@pytest.mark.parametrize("body", ["", "{", "[]", '"tea"'])
def test_a_body_that_is_no_object_is_refused(server, connection, body):
    status, answer = post(connection, "/openai/v1/embeddings", body, KEY)
    assert status == 400
    assert "not a JSON object" in json.loads(answer)["error"]["message"]
    assert len(server.requests) == 1


def test_a_body_may_come_in_chunks(server, connection):
    chunks = [part.encode() for part in (BODY[:9], BODY[9:])]
    connection.request("POST", "/openai/v1/embeddings", iter(chunks), KEY, encode_chunked=True)
    assert connection.getresponse().status == 200
    assert server.requests[0].body == json.loads(BODY)


def test_many_requests_go_over_one_connection(connection):
    post(connection, "/openai/v1/embeddings", BODY, KEY)
    before = connection.sock
    for _ in range(3):
        assert post(connection, "/openai/v1/embeddings", BODY, KEY)[0] == 200
    assert connection.sock is before


def test_a_client_may_ask_to_close_the_connection(connection):
    key = {**KEY, "connection": "close"}
    assert post(connection, "/openai/v1/embeddings", BODY, key)[0] == 200
    assert connection.sock is None


def test_an_address_without_a_provider_leads_nowhere(connection):
    assert post(connection, "/", BODY)[0] == 404


def test_a_query_in_the_address_is_no_part_of_the_path(server, connection):
    post(connection, "/openai/v1/embeddings?beta=true", BODY, KEY)
    assert server.requests[0].path == "/v1/embeddings"


@pytest.mark.parametrize(
    "what", [b"\x16\x03\x01\r\n\r\n", b"GET /\r\n\r\n", b"GET / HTTP/1.1\r\na:" + b"x" * 99_999]
)
def test_what_is_no_http_ends_the_connection_and_nothing_else(server, connection, what):
    address = ("127.0.0.1", urlsplit(server.url("openai")).port)
    with socket.create_connection(address, timeout=30) as stranger:
        stranger.sendall(what)
        assert stranger.recv(1) == b""
    assert post(connection, "/openai/v1/embeddings", BODY, KEY)[0] == 200


def test_closing_while_clients_come_and_go_leaves_nothing_behind():
    """Again and again, since it is a matter of moments."""
    for _ in range(30):
        server = ProviderServer()
        address = ("127.0.0.1", urlsplit(server.url("openai")).port)
        with ThreadPoolExecutor(4) as pool:
            for _ in range(16):
                pool.submit(_knock, address)
            server.close()
    gc.collect()  # whatever was left open would warn, which is an error here


def _knock(address):
    with contextlib.suppress(OSError), socket.create_connection(address, timeout=30) as client:
        client.sendall(b"GET /openai/v1/models HTTP/1.1\r\n\r\n")
        client.recv(9)
