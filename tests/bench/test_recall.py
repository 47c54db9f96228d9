from datetime import UTC, datetime

import pytest

from bethink import FunctionEmbedder, Memory, MemoryItem
from bethink.bench.measures import shaped
from bethink.bench.recall import Memories, measure
from bethink.bench.survey import survey
from bethink.errors import UsageError
from tests.bench.conftest import ASKED, session, write_lines
from tests.conftest import letters

QUESTION = {"id": "q", "conv": "c1", "question": "Which colour has the boat?"}


@pytest.fixture
def memories(memory, quick):
    with Memory(memory.store, embedder=quick) as timed:
        yield Memories(memory, timed)


def answers(directory, memories, step=lambda _: None):
    return {answer.id: answer for answer in measure(survey(directory), memories, step)}


def written(directory, turns, *questions):
    write_lines(directory / "corpus.jsonl.gz", turns)
    write_lines(directory / "questions.jsonl.gz", questions)
    return directory


def test_evidence_that_comes_first_has_full_marks(asked_set, memories):
    found = answers(asked_set, memories)["key"]
    assert set(found.figures) == {1.0}
    assert (found.conversation, found.category) == ("ann", "things")


def test_only_sessions_before_the_one_it_is_asked_in_may_answer(asked_set, memories):
    found = answers(asked_set, memories)
    assert found["early"].figures == found["key"].figures  # the drawer is not yet known
    late = {**ASKED[0], "asked_in_session": "a3"}
    write_lines(asked_set / "questions.jsonl.gz", [late])
    assert set(answers(asked_set, memories)["key"].figures) == {0.0}


def test_in_the_first_session_nothing_can_be_found(asked_set, memories):
    write_lines(asked_set / "questions.jsonl.gz", [{**ASKED[0], "asked_in_session": "a1"}])
    found = answers(asked_set, memories)["key"]
    assert set(found.figures) == {0.0}
    assert found.relevance == 0


def test_questions_without_evidence_or_to_abstain_from_have_no_figures(asked_set, memories):
    found = answers(asked_set, memories)
    assert [id_ for id_, answer in found.items() if not answer.figures] == ["none", "false"]
    assert [id_ for id_, answer in found.items() if not answer.answerable] == ["none", "false"]


def test_sessions_that_are_named_count_beside_those_of_the_evidence(asked_set, memories):
    found = shaped(answers(asked_set, memories)["oslo"].figures)
    assert found["session_any"]["1"] == 1
    assert found["session_all"] == {"1": 0, "5": 1, "10": 1}


def test_what_names_only_sessions_is_answerable_but_not_measured(asked_set, memories):
    write_lines(asked_set / "questions.jsonl.gz", [{**ASKED[5], "evidence": []}])
    found = answers(asked_set, memories)["oslo"]
    assert (found.answerable, found.figures) == (True, ())


def test_another_conversations_question_is_asked_in_the_place_of_each(asked_set, memories):
    said = {**ASKED[5], "question": "Ann: The red key is under the mat."}
    write_lines(asked_set / "questions.jsonl.gz", [*ASKED[:5], said])
    found = answers(asked_set, memories)
    assert found["key"].foreign == pytest.approx(1, abs=1e-3)
    assert found["early"].foreign == pytest.approx(1, abs=1e-3)
    assert found["oslo"].foreign is not None
    assert [found[id_].foreign for id_ in ("none", "false")] == [None, None]


def test_a_conversation_alone_has_no_foreign_questions(data_set, memories):
    assert {answer.foreign for answer in answers(data_set, memories).values()} == {None}


def test_a_question_is_asked_at_its_own_time_and_a_time_without_a_zone_is_utc(asked_set, quick):
    moments: list[datetime | None] = []

    class Noting(Memory):
        def search(self, *words, at=None, **said):
            moments.append(at)
            return super().search(*words, at=at, **said)

        def recall(self, *words, at=None, **said):
            moments.append(at)
            return super().recall(*words, at=at, **said)

    naive = {**ASKED[0], "asked_at": "2024-06-01T09:00:00"}
    zoned = {**ASKED[5], "asked_at": "2024-06-01T09:00:00+02:00"}
    write_lines(asked_set / "questions.jsonl.gz", [naive, zoned])
    with Noting(":memory:", embedder=quick) as memory:
        answers(asked_set, Memories(memory, memory))
    asked = {datetime(2024, 6, 1, 9, tzinfo=UTC), datetime(2024, 6, 1, 7, tzinfo=UTC)}
    assert set(moments) == asked


def test_a_context_is_measured_by_its_tokens_and_the_evidence_in_it(asked_set, memories):
    found = answers(asked_set, memories)
    assert found["key"].shown == 1
    assert 0 < found["key"].tokens < 1000
    assert found["none"].shown is None
    assert found["none"].foreign_tokens is None


def test_evidence_that_may_not_answer_is_in_no_context(asked_set, memories):
    write_lines(asked_set / "questions.jsonl.gz", [{**ASKED[0], "asked_in_session": "a3"}])
    found = answers(asked_set, memories)["key"]
    assert found.shown == 0


def test_where_nothing_is_relevant_the_context_is_empty(asked_set, memories):
    write_lines(asked_set / "questions.jsonl.gz", [{**ASKED[0], "asked_in_session": "a1"}])
    found = answers(asked_set, memories)["key"]
    assert (found.tokens, found.shown) == (0, 0)


def test_turns_are_kept_as_messages_of_one_user(asked_set, memories):
    seen: list[MemoryItem] = []

    def look(_):
        if not seen:
            seen.extend(memories.memory.get_user_memories(user_id="ann", kinds=["message"]))

    answers(asked_set, memories, look)
    first = seen[-1]
    assert len(seen) == 7
    assert (first.content, first.speaker, first.session_id) == (
        "The red key is under the mat.",
        "Ann",
        "a1",
    )
    assert first.created_at == datetime(2024, 5, 17, 12, tzinfo=UTC)


def test_every_turn_and_question_is_a_step(asked_set, memories):
    steps: list[int] = []
    answers(asked_set, memories, steps.append)
    assert sum(steps) == survey(asked_set).steps


def test_the_store_is_left_as_it_was(asked_set, memories):
    memories.memory.add("Likes tea", user_id="eve")
    answers(asked_set, memories)
    assert memories.memory.store.users() == ["eve"]


def test_it_is_left_as_it_was_when_stopped_half_way(asked_set, memories):
    def stop(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        answers(asked_set, memories, stop)
    assert memories.memory.store.users() == []


def test_a_store_that_knows_one_of_the_users_is_refused(asked_set, memories):
    memories.memory.add("Likes tea", user_id="ann", kind="message")
    with pytest.raises(UsageError, match="memories of 'ann' already"):
        answers(asked_set, memories)
    assert memories.memory.store.users() == ["ann"]


def test_sessions_are_ranked_however_far_down_they_begin(data_set, memories):
    crowd = session("s1", [f"Which colour has the boat, again {n}?" for n in range(150)])
    quiet = session("s2", ["Green, I believe."])
    directory = written(data_set, [*crowd, *quiet], {**QUESTION, "evidence": ["s2:0"]})
    found = shaped(answers(directory, memories)["q"].figures)
    assert found["session_any"] == {"1": 0, "5": 1, "10": 1}
    assert found["mrr"] == 0


def test_turns_without_text_are_left_out_and_long_ones_cut(data_set, memories):
    turns = session("s1", ["The boat is green.", "", "  ", "boat " * 30_000])
    asked = {**QUESTION, "question": "boat " * 3000, "evidence": ["s1:0"]}
    assert answers(written(data_set, turns, asked), memories)["q"].figures


def test_times_and_speakers_may_be_missing(data_set, memories):
    turns = session("s1", ["The boat is green.", "Really?"])
    for turn in turns:
        turn |= {"speaker": "", "time": None}
    directory = written(data_set, turns, {**QUESTION, "evidence": ["s1:0"]})
    assert answers(directory, memories)["q"].figures


def test_a_search_is_timed_with_its_embedding(asked_set, memory):
    embedded = []

    def embed(texts):
        embedded.extend(texts)
        return letters(texts)

    embedder = FunctionEmbedder(embed, name="letters", dimension=16)
    with Memory(memory.store, embedder=embedder) as timed:
        found = answers(asked_set, Memories(memory, timed))
    assert {row["question"] for row in ASKED} <= set(embedded)
    assert all(answer.milliseconds > 0 for answer in found.values())
