"""Voyage's API: embeddings and reranking."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from bethink.testing.providers.faults import Fault, Kind
from bethink.testing.providers.provider import (
    MISSING_MODEL,
    WRONG_KEY,
    Answer,
    Body,
    Call,
    Provider,
    Refusal,
    Route,
    bearer,
)
from bethink.testing.providers.replies import tokens
from bethink.testing.providers.vectors import in_base64, ranked

MOST_INPUTS = 1000

_EMBEDDING = {
    "input", "model", "input_type", "truncation", "output_dimension", "output_dtype",
    "encoding_format",
}  # fmt: skip
_RERANKING = {"query", "documents", "model", "top_k", "return_documents", "truncation"}


class Voyage(Provider):
    """Every problem is told in one sentence, and an argument that it does not know is one."""

    complaints: ClassVar[Mapping[Fault, str]] = {
        Fault.RATE_LIMIT: "You have exceeded your rate limit of requests per minute.",
        Fault.SERVER_ERROR: "Internal server error",
        Fault.OVERLOADED: "The server is overloaded or not ready yet.",
    }

    def routes(self) -> Mapping[str, Route]:
        return {
            "POST /v1/embeddings": (Kind.EMBEDDING, self.embeddings),
            "POST /v1/rerank": (Kind.RERANKING, self.rerank),
        }

    def admit(self, headers: Mapping[str, str]) -> None:
        if bearer(headers) in {"", WRONG_KEY}:
            raise Refusal(401, "Provided API key is invalid.")

    def error(self, refusal: Refusal, number: int) -> Body:  # noqa: ARG002 (it has none)
        return {"detail": refusal.message}

    def embeddings(self, call: Call) -> Answer:
        body = call.body
        _check(body, _EMBEDDING)
        given = body["input"]
        texts = [given] if isinstance(given, str) else given
        _check_texts("input", texts)
        if body.get("output_dtype") not in {None, "float"}:
            raise Refusal(400, "This server makes vectors of floats only.")
        if body.get("input_type") not in {None, "query", "document"}:
            raise _improper("input_type", "Input should be 'query' or 'document'")
        if call.is_poisoned(texts):
            raise _improper("input", "Value error, Input is invalid")
        vectors = call.vectors(texts, body.get("output_dimension"))
        encode = in_base64 if body.get("encoding_format") == "base64" else list[float]
        data = [
            {"object": "embedding", "embedding": encode(vector), "index": at}
            for at, vector in enumerate(vectors)
        ]
        return Answer.of(_list(data, body, tokens(*texts)))

    def rerank(self, call: Call) -> Answer:
        body = call.body
        _check(body, _RERANKING)
        query, documents = body["query"], body["documents"]
        _check_texts("query", [query])
        _check_texts("documents", documents)
        data: list[Body] = [
            {"relevance_score": score, "index": at}
            for at, score in ranked(query, documents, body.get("top_k"))
        ]
        if body.get("return_documents"):
            data = [{**one, "document": documents[one["index"]]} for one in data]
        return Answer.of(_list(data, body, tokens(query) * len(documents) + tokens(*documents)))


def _check(body: Body, known: set[str]) -> None:
    for name in body:
        if name not in known:
            raise Refusal(400, f"Argument '{name}' is not supported by our API")
    if not body.get("model"):
        raise _improper("model", "Field required")
    if body["model"] == MISSING_MODEL:
        raise Refusal(400, f"Model {body['model']} is not supported.")


def _check_texts(name: str, texts: Sequence[str]) -> None:
    if not texts or not all(texts):
        raise _improper(name, "Value error, Input cannot contain empty strings or empty lists")
    if len(texts) > MOST_INPUTS:
        raise _improper(name, f"The list should contain at most {MOST_INPUTS} items")


def _improper(name: str, problem: str) -> Refusal:
    return Refusal(
        400,
        "The request body is not valid JSON, or some arguments were not specified properly. In "
        f"particular, Error for argument '{name}': {problem}",
    )


def _list(data: list[Body], body: Body, used: int) -> Body:
    return {
        "object": "list",
        "data": data,
        "model": body["model"],
        "usage": {"total_tokens": used},
    }
