"""Cohere's API, the second version: embedding and reranking."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

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

MOST_TEXTS = 96

_INPUT_TYPES = {"search_document", "search_query", "classification", "clustering", "image"}
_ENCODINGS: Mapping[str, Callable[[list[float]], Any]] = {
    "float": list[float],
    "base64": in_base64,
}


class Cohere(Provider):
    """Vectors come by type, and each must say what it is for."""

    base: ClassVar[str] = ""
    complaints: ClassVar[Mapping[Fault, str]] = {
        Fault.RATE_LIMIT: "Please wait and try again later",
        Fault.SERVER_ERROR: "internal server error, this has been reported to our developers",
        Fault.OVERLOADED: "service unavailable, please try again later",
    }

    def routes(self) -> Mapping[str, Route]:
        return {
            "POST /v2/embed": (Kind.EMBEDDING, self.embed),
            "POST /v2/rerank": (Kind.RERANKING, self.rerank),
        }

    def admit(self, headers: Mapping[str, str]) -> None:
        key = bearer(headers)
        if not key:
            raise Refusal(401, "no api key supplied")
        if key == WRONG_KEY:
            raise Refusal(401, "invalid api token")

    def error(self, refusal: Refusal, number: int) -> Body:
        return {"id": _id(number), "message": refusal.message}

    def embed(self, call: Call) -> Answer:
        body = call.body
        _check_model(body)
        texts = _texts(body)
        if call.is_poisoned(texts):
            raise Refusal(400, "invalid request: texts contain an invalid entry")
        types = body.get("embedding_types") or ["float"]
        if not set(types) <= set(_ENCODINGS):
            raise Refusal(400, "invalid request: this server makes float and base64 only")
        vectors = call.vectors(texts, body.get("output_dimension"))
        return Answer.of(
            {
                "id": _id(call.number),
                "response_type": "embeddings_by_type",
                "embeddings": {kind: list(map(_ENCODINGS[kind], vectors)) for kind in types},
                "texts": texts,
                "meta": _meta({"input_tokens": tokens(*texts)}),
            }
        )

    def rerank(self, call: Call) -> Answer:
        body = call.body
        _check_model(body)
        if not body.get("query"):
            raise Refusal(400, "invalid request: query must not be empty or be only whitespace")
        if not body.get("documents"):
            raise Refusal(400, "invalid request: list of documents must not be empty")
        scores = ranked(body["query"], body["documents"], body.get("top_n"))
        return Answer.of(
            {
                "id": _id(call.number),
                "results": [{"index": at, "relevance_score": score} for at, score in scores],
                "meta": _meta({"search_units": 1}),
            }
        )


def _check_model(body: Body) -> None:
    model = body.get("model")
    if not model:
        raise Refusal(400, "invalid request: model must be specified")
    if model == MISSING_MODEL:
        raise Refusal(404, f"model '{model}' not found, make sure the correct model ID was used.")


def _texts(body: Body) -> list[str]:
    texts = body.get("texts")
    if not texts or not all(texts):
        raise Refusal(400, "invalid request: valid texts must be provided")
    if len(texts) > MOST_TEXTS:
        raise Refusal(
            400,
            f"invalid request: total number of texts must be at most {MOST_TEXTS} - received "
            f"{len(texts)}",
        )
    if body.get("input_type") not in _INPUT_TYPES:
        raise Refusal(400, "invalid request: valid input_type must be provided with this model")
    return list(texts)


def _id(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012}"


def _meta(billed: Body) -> Body:
    return {"api_version": {"version": "2"}, "billed_units": billed}
