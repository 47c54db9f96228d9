"""What a message says that is worth knowing, found by rules."""

import re
from dataclasses import dataclass, field, replace
from datetime import datetime

from bethink.learn.knowledge import Category, Change, Forget, Learnt
from bethink.learn.rules import corrections, requests
from bethink.learn.rules.alone import stands_alone
from bethink.learn.rules.answers import answered
from bethink.learn.rules.broad import broad, entire, headed
from bethink.learn.rules.clauses import clauses, sentences, trimmed
from bethink.learn.rules.cues import IMPORTANCE, judged, pair
from bethink.learn.rules.dates import dated, prefers, span
from bethink.learn.rules.doubts import earnest, is_doubtful, is_joke, is_private, is_unreal
from bethink.learn.rules.facts import Fact, ends, facts
from bethink.learn.rules.gates import is_own, may_ask, may_stand, words
from bethink.learn.rules.names import introduced, signed, spelt_out
from bethink.learn.rules.subjects import Topic, placed
from bethink.learn.rules.third import LONGEST, third
from bethink.learn.rules.tidy import spelt, tidied
from bethink.learn.rules.verdicts import judging, named_alone, owned_up
from bethink.learn.rules.words import compiled
from bethink.types import Role

_GRIEF = compiled(
    r"\b(?:heartbroken|devastated|miss (?:him|her|them)|rip|rest in peace|gutted|so sad|in tears"
    r"|in bits|crying)\b"
)
_MINE = compiled(r"\b(?:mine|ours)\b")
_DIED = re.compile(r"^[A-Z][\w-]+ (?:died|passed away)\b.*")
_SUPPOSED = ("if ", "suppose", "imagine", "say ", "were ", "had ")
_REALLY = compiled(r"\b(?:but|for now|in reality|actually)\b")
_SINCE_THEN = compiled(r"\b(?:now|no longer)\b")
_ASKED = 0.8
"""How important at least is what the user asks to remember."""


def extract(
    text: str, *, at: datetime, role: Role = "user", asked: str | None = None
) -> list[Learnt | Forget]:
    """What the user states in a message about themselves and their world, in its order.

    Only what the user says counts: not questions, not what is supposed, quoted or meant
    ironically, and nothing about strangers. Nothing is made up; what is doubtful is left out.
    `asked` is the message before it, by which a short answer is understood. A fact with several
    values is given once for each of them. Of what has ended, both `valid_from` and `valid_to` say
    since when, if that was said. A correction that names no fact has a value, but no key.
    """
    if role != "user" or is_private(text) or is_joke(text):
        return []
    plain = tidied(text)
    reader = _Reader(at, grieving=bool(_GRIEF.search(plain)), mine=bool(_MINE.search(plain)))
    for sentence in earnest(sentences(answered(plain, asked))):
        reader.read(sentence)
    if name := signed(plain):
        reader.name(name, f"The user's name is {name}.")
    return [
        one
        for one in reader.found
        if isinstance(one, Forget) or one.key or stands_alone(one.content)
    ]


@dataclass(slots=True)
class _Reader:
    """Reads one message, sentence by sentence."""

    at: datetime
    grieving: bool
    found: list[Learnt | Forget] = field(default_factory=list)
    topic: Topic = field(default_factory=Topic)
    announced: bool = False
    """Whether the sentence before said that something was wrong, and no more."""
    may_ask: bool = False
    subject: str = ""
    """What the sentence before named, and no more: "Olives? Can't stand them."."""
    mine: bool = False
    """Whether the message says "mine", by which it means what it asked about."""

    def read(self, sentence: str) -> None:
        sentence, self.subject = judging(sentence, self.subject), named_alone(sentence)
        said = words(sentence)
        if self.mine and sentence.endswith("?"):
            self.topic.ask(sentence)
        spoken_of = bool(self.topic.someone or self.topic.attribute)
        own = is_own(sentence, said, spoken_of=spoken_of)
        alone = may_stand(sentence, said)
        if not (own or alone) or is_doubtful(sentence):
            return
        if not own:
            self._broad(spelt(sentence))
            return
        self.may_ask = may_ask(said)
        whole = spelt(sentence)
        plain, announced = corrections.unframed(whole)
        before = len(self.found)
        if not self._special(sentence, whole, plain, announced=announced):
            self._clauses(plain, corrected=announced or self.announced)
            self.topic.note(whole)
            if alone and len(self.found) == before:
                self._broad(plain)
        self.announced = announced and len(self.found) == before

    def _broad(self, sentence: str) -> None:
        """Takes the whole sentence, if its words tell something and its shape does not."""
        sentence = trimmed(headed(sentence))
        if category := broad(sentence):
            self._take(placed(sentence, self.topic), category)

    def name(self, name: str, content: str) -> None:
        self._add(
            Learnt(
                content=content,
                category="name",
                importance=IMPORTANCE["name"],
                key="name",
                value=name,
            )
        )

    def _special(  # noqa: PLR0911 (one for each kind)
        self, sentence: str, whole: str, plain: str, *, announced: bool
    ) -> bool:
        """Whether the sentence is a request, an introduction or a bare correction; it is taken."""
        if self._request(whole.strip(" ,.!")):
            return True
        if plain != whole and self._request(plain.strip(" ,.!")):
            return True
        if name := introduced(sentence) or introduced(whole):
            self.name(name, f"The user's name is {name}.")
            return True
        if spelling := spelt_out(plain):
            self._spelling(*spelling)
            return True
        if self.grieving and (died := _DIED.match(plain)):
            self._take(died[0].rstrip(" .!"), "pets")
            return True
        found = corrections.bare(plain, announced=announced)
        if found is None or (self.topic.attribute and not announced and not found.was):
            return False
        self._add(
            Learnt(
                content=found.content,
                category="other",
                importance=IMPORTANCE["dates"],
                value=found.value,
                change="corrects",
                was=found.was,
            )
        )
        return True

    def _spelling(self, name: str, spelling: str) -> None:
        what = self.topic.attribute if self.topic.attribute.endswith("name") else "name"
        self.name(name, f"The user's {what} is {spelling}.")
        last = self.found[-1]
        if what != "name" and isinstance(last, Learnt):  # a surname is no name to call someone by
            self.found[-1] = replace(last, key=None, value=None)

    def _request(self, sentence: str) -> bool:
        """Whether the user asks for something to be kept, forgotten or always done; it is taken."""
        if not self.may_ask:
            return False
        if what := requests.forgotten(sentence):
            self._add(Forget(what))
        elif what := requests.remembered(sentence):
            self._remember(what)
        elif (wish := requests.ordered(sentence)) and not requests.called(sentence):
            self._wish(wish)
        elif name := requests.called(sentence):
            self.name(name, f"The user wants to be called {name}.")
            return "I am" not in sentence
        else:
            return False
        return True

    def _wish(self, wish: str) -> None:
        content = third(wish)
        language = requests.language(wish)
        mail = next((fact for fact in facts(wish, "possessions") if fact.key == "email"), None)
        fact = Fact("answer language", language) if language else mail or Fact()
        self._add(
            Learnt(
                content=f"The user asks: {content[:1].lower()}{content[1:]}",
                category="requests",
                importance=IMPORTANCE["requests"],
                key=fact.key,
                value=fact.value,
            )
        )

    def _remember(self, what: str) -> None:
        if noun := requests.named(what):  # "Can you remember my bus pass number? It's …"
            self.topic.attribute = noun
        elif requests.is_statement(what):
            clause = placed(trimmed(what), Topic())
            self._take(clause, judged(clause) or pair(clause) or "requests", least=_ASKED)

    def _clauses(self, sentence: str, *, corrected: bool) -> None:
        supposed = False
        before = ""
        told: list[tuple[str, Category, str]] = []
        idle = False
        """Whether some clause tells nothing by itself; then the sentence may be kept whole."""
        for said in clauses(sentence):
            if is_unreal(said):
                supposed = supposed or said.lower().startswith(_SUPPOSED)
                continue
            if supposed and not _REALLY.search(sentence):
                continue
            clause = placed(said, self.topic)
            if self._request(clause):
                continue
            if category := judged(clause) or pair(clause):
                told.append((clause, category, before))
            else:
                idle = True
            self.topic.note(clause)
            before = clause
        whole = entire(sentence) if idle and told else ""
        for clause, category, earlier in told:
            self._take(clause, category, corrected=corrected, before=earlier, whole=whole)

    def _take(
        self,
        clause: str,
        category: Category,
        *,
        corrected: bool = False,
        before: str = "",
        least: float = 0.0,
        whole: str = "",
    ) -> None:
        content = dated(third(owned_up(whole or clause)), self.at, prefers(clause))
        if not content or len(content) > LONGEST or len(content.split()) < 3:
            return
        was = corrections.replaced(clause)
        for fact in facts(clause, category) or [Fact()]:
            change = _change(clause, fact, corrected=corrected or bool(was))
            start, end = self._span(clause, before) if fact.lasts else (None, None)
            self._add(
                Learnt(
                    content=content,
                    category=category,
                    importance=max(IMPORTANCE[category], least),
                    key=fact.key,
                    value=fact.value,
                    change=change,
                    was=was if fact.key else None,
                    valid_from=start,
                    valid_to=start if change == "ends" else end,
                )
            )

    def _span(self, clause: str, before: str) -> tuple[datetime | None, datetime | None]:
        """Since when and until when; a clause that says "now" may have its date before it."""
        found = span(clause, self.at, prefers(clause))
        if found == (None, None) and before and _SINCE_THEN.search(clause):
            return span(before, self.at, prefers(before))
        return found

    def _add(self, one: Learnt | Forget) -> None:
        if one not in self.found:
            self.found.append(one)


def _change(clause: str, fact: Fact, *, corrected: bool) -> Change:
    if fact.key and ends(clause):
        return "ends"
    return "corrects" if corrected else "states"
