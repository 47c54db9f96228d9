"""Many texts through a remote reranker."""

import pytest

from bethink.errors import ModelRefused, TextsRefused, UsageError
from bethink.models.batches import Limits, tokens_in
from bethink.models.failures import StatusError
from bethink.models.keys import Key
from bethink.models.ranking import RemoteReranker, Scored
from tests.models.conftest import QUICK


def test_the_query_counts_for_every_text(connect, server):
    reranker = connect("reranking", "voyage")
    query, texts = "word " * 3000, ["some text here " * 20] * 1000
    assert len(reranker.score(query, texts)) == 1000
    assert len(server.requests) > 1
    for request in server.requests:
        sent = request.body["documents"]
        tokens = len(sent) * tokens_in(query) + sum(map(tokens_in, sent))
        assert tokens <= reranker.limits.tokens


class Picky:
    """A provider that refuses what has arsenic in it, and finds all else as good as it is long."""

    def __init__(self):
        self.requests = 0

    async def score(self, query, texts):
        self.requests += 1
        if any("arsenic" in text for text in (query, *texts)):
            raise StatusError(400, {}, "There is poison in it")
        return Scored({at: float(len(text)) for at, text in enumerate(texts)}, 1)

    async def close(self):
        pass


class PickyReranker(RemoteReranker):
    extra, packages = "voyage", ()
    limits = Limits(texts=50, tokens=100_000, window=1000)

    def __init__(self):
        self.client = Picky()
        super().__init__("picky", lambda: self.client, key=Key(None), policy=QUICK)


@pytest.fixture
def picky():
    with PickyReranker() as reranker:
        yield reranker


def test_a_refused_text_is_named_and_the_rest_is_scored(picky, side):
    with pytest.raises(TextsRefused, match="refused 1 of 5 texts. text 2: .* poison") as caught:
        side(picky, "score", "tea", ["a", "bb", "arsenic", "cc", "d"])
    assert list(caught.value.refused) == [2]
    assert caught.value.vectors == [1, 2, 0, 2, 1]


def test_refused_texts_are_named_across_requests(picky):
    texts = ["tea"] * 120
    texts[7] = texts[110] = "arsenic"
    with pytest.raises(TextsRefused) as caught:
        picky.score("tea", texts)
    assert list(caught.value.refused) == [7, 110]
    assert caught.value.vectors == [0 if text == "arsenic" else 3 for text in texts]
    assert picky.client.requests < 40


def test_a_single_refused_text_is_named(picky):
    with pytest.raises(TextsRefused, match="refused 1 of 1 texts. text 0: "):
        picky.score("tea", ["arsenic"])


def test_a_refused_query_is_not_blamed_on_the_texts(picky):
    with pytest.raises(ModelRefused) as caught:
        picky.score("arsenic", [f"text {n}" for n in range(50)])
    assert not isinstance(caught.value, TextsRefused)
    assert picky.client.requests == 2


def test_too_many_refused_texts_end_the_search(picky):
    with pytest.raises(ModelRefused, match="More than 16 texts were refused"):
        picky.score("tea", ["arsenic", "a"] * 100)


@pytest.mark.parametrize("texts", ["hello", [None]])
def test_what_is_no_list_of_texts_is_refused(connect, server, texts):
    with pytest.raises(UsageError, match="text"):
        connect("reranking", "voyage").score("tea", texts)
    assert server.requests == []
