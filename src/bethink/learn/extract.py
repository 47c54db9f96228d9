"""What a message says that is worth knowing, found by rules."""

import re
from dataclasses import dataclass, field
from datetime import datetime

from bethink.learn.knowledge import Category, Change, Forget, Learnt
from bethink.learn.rules import corrections, requests
from bethink.learn.rules.clauses import clauses, sentences, trimmed
from bethink.learn.rules.cues import IMPORTANCE, judged, pair
from bethink.learn.rules.dates import dated, prefers, span
from bethink.learn.rules.doubts import earnest, is_doubtful, is_joke, is_private, is_unreal
from bethink.learn.rules.facts import ends, facts
from bethink.learn.rules.gates import is_own, may_ask, words
from bethink.learn.rules.subjects import Topic, placed
from bethink.learn.rules.third import LONGEST, third
from bethink.learn.rules.tidy import spelt, tidied
from bethink.learn.rules.words import compiled
from bethink.types import Role

_SIGNED = re.compile(
    r"(?:[Kk]ind |[Bb]est |[Ww]arm )?(?:[Rr]egards|[Ss]incerely|[Bb]est wishes|[Cc]heers"
    r"|[Yy]ours(?: truly| sincerely| faithfully)?|[Tt]hanks|[Mm]any thanks"
    r"|[Ll]ove),\s+((?:[A-Z][\w'-]+)(?: (?:de|van|von|der|den|la|le|da|dos"
    r"|[A-Z][\w'-]+))*)\s*$"
)
_INTRODUCED = compiled(
    r"^(?:hi|hello|hey|hiya|yo|good \w+)(?: there| all| everyone)?[,!. ]+(?:i'?m|i am|it'?s"
    r"|this is|my name'?s|my name is) (?P<name>[^\W\d_]+)(?: here| btw| by the way|"
    r" again)?[.!]*$"
)
_THIS_IS = re.compile(
    r"^(?:[Tt]his is |It's )(?P<name>(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?[A-Z][\w'-]+(?:"
    r" [A-Z][\w'-]+)+)(?: here| speaking| again)?[.!]*$"
)
_MOODS = frozenset(
    [
        "good",
        "fine",
        "ok",
        "okay",
        "back",
        "here",
        "bored",
        "sorry",
        "new",
        "tired",
        "hungry",
        "lost",
        "stuck",
        "sad",
        "happy",
        "sick",
        "busy",
        "ready",
        "curious",
        "just",
        "not",
        "so",
        "in",
        "at",
        "on",
        "home",
        "done",
        "confused",
        "looking",
        "trying",
        "wondering",
        "writing",
        "great",
        "well",
        "alright",
        "fed",
        "cold",
        "hot",
        "late",
        "early",
        "angry",
        "mad",
        "worried",
        "nervous",
        "excited",
        "single",
        "alive",
        "dying",
        "dead",
        "free",
        "off",
        "out",
        "up",
    ]
)
_FINITE = compiled(
    r"\b(?:is|are|was|were|am|has|have|had|will|can|cannot|do|does|lives?|works?|takes?"
    r"|likes?|loves?|hates?|needs?|prefers?|eats?|drinks?|starts?|ends?|goes|comes?|get"
    r"|gets|always|never|'s|use|uses|moved|bought|changed|expires?|speaks?|drives?|plays?"
    r"|keeps?|wants?)\b"
)
_GRIEF = compiled(
    r"\b(?:heartbroken|devastated|miss (?:him|her|them)|rip|rest in peace|gutted|so sad|in"
    r" tears|in bits|crying)\b"
)
_DIED = re.compile(r"^(?P<name>[A-Z][\w-]+) (?:died|passed away)\b.*")


def extract(
    text: str, *, at: datetime, role: Role = "user", asked: str | None = None
) -> list[Learnt | Forget]:
    """What the user states in a message about themselves and their world, in its order.

    Only what the user says counts: not questions, not what is supposed, quoted or meant
    ironically, and nothing about strangers. Nothing is made up; what is doubtful is left out.
    `asked` is the message before it, by which a short answer is understood.
    """
    if role != "user" or is_private(text) or is_joke(text):
        return []
    reader = _Reader(at)
    plain = tidied(text)
    for sentence in earnest(sentences(_answered(plain, asked))):
        reader.read(sentence, plain)
    if signed := _SIGNED.search(plain):
        reader.add(
            Learnt(
                content=f"The user's name is {signed[1]}.",
                category="name",
                importance=IMPORTANCE["name"],
                key="name",
                value=signed[1],
            )
        )
    return reader.found


@dataclass(slots=True)
class _Reader:
    at: datetime
    found: list[Learnt | Forget] = field(default_factory=list)
    topic: Topic = field(default_factory=Topic)
    _may_ask: bool = True
    _announced: bool = False

    def add(self, one: Learnt | Forget) -> None:
        if one not in self.found:
            self.found.append(one)

    def read(self, sentence: str, text: str) -> None:
        said = words(sentence)
        known = bool(self.topic.someone or self.topic.attribute)
        if not is_own(sentence, said, spoken_of=known) or is_doubtful(sentence):
            return
        whole = spelt(sentence)
        plain, announced = corrections.unframed(whole)
        corrected, self._announced = announced or self._announced, announced
        before = len(self.found)
        self._may_ask = may_ask(said)
        if self._asked(whole.strip(" ,.!")) or (
            plain != whole and self._asked(plain.strip(" ,.!"))
        ):
            return
        if self._named(plain) or self._greeted(sentence, whole):
            return
        if found := corrections.bare(plain, announced=corrected):
            if not self.topic.attribute or corrected or found.was:
                self.add(
                    Learnt(
                        content=found.content,
                        category="other",
                        importance=0.6,
                        value=found.value,
                        change="corrects",
                        was=found.was,
                    )
                )
                return
        if (died := _DIED.match(plain)) and _GRIEF.search(text):
            self._take(died[0].rstrip(" .!"), "pets", plain, corrected=False)
            return
        self._clauses(plain, corrected=corrected)
        self.topic.note(whole)
        self._announced = self._announced and len(self.found) == before

    def _named(self, sentence: str) -> bool:
        """Whether it says how a name is written."""
        found = re.match(
            r"^(?:it is|it's) (?P<name>[A-Z][\w-]+),? (?:pronounced|with (?:a|an|two|one)|spelled"
            r"|spelt)\b",
            sentence,
            re.IGNORECASE,
        )
        if found:
            what = self.topic.attribute if self.topic.attribute.endswith("name") else "name"
            self.add(
                Learnt(
                    content=f"The user's {what} is {sentence[found.start('name') :].rstrip(' .!')}.",
                    category="name",
                    importance=0.9,
                    key="name" if what == "name" else None,
                    value=found["name"] if what == "name" else None,
                )
            )
        return bool(found)

    def _greeted(self, sentence: str, whole: str) -> bool:
        """Whether it is an introduction, such as "hi, im ann"."""
        found = _INTRODUCED.match(sentence) or _THIS_IS.match(whole)
        if found and found["name"].lower() not in _MOODS:
            name = found["name"] if found["name"][0].isupper() else found["name"].capitalize()
            self.add(
                Learnt(
                    content=f"The user's name is {name}.",
                    category="name",
                    importance=IMPORTANCE["name"],
                    key="name",
                    value=name,
                )
            )
            return True
        return False

    def _asked(self, sentence: str) -> bool:
        """Whether the sentence is a request; then it is taken in."""
        if not self._may_ask:
            return False
        if what := requests.forgotten(sentence):
            self.add(Forget(what))
            return True
        if what := requests.remembered(sentence):
            self._remembered(what)
            return True
        if wish := requests.ordered(sentence):
            name = requests.called(sentence)
            if name and not re.match(r"(?:stop|never|do not)", wish):
                self._call(name)
                return True
            spoken = requests.language(sentence)
            content = third(wish)
            content = f"The user asks: {content[0].lower()}{content[1:]}"
            self.add(
                Learnt(
                    content=content,
                    category="requests",
                    importance=IMPORTANCE["requests"],
                    key="answer language" if spoken else None,
                    value=spoken,
                )
            )
            mail = facts(sentence, "possessions")
            if mail and mail[0].key == "email":
                self.found[-1] = Learnt(
                    content=content,
                    category="requests",
                    importance=0.85,
                    key="email",
                    value=mail[0].value,
                )
            return True
        if name := requests.called(sentence):
            self._call(name)
            return not re.search(r"\bI am\b", sentence)
        return False

    def _call(self, name: str) -> None:
        self.add(
            Learnt(
                content=f"The user wants to be called {name}.",
                category="name",
                importance=IMPORTANCE["name"],
                key="name",
                value=name,
            )
        )

    def _remembered(self, what: str) -> None:
        if (
            re.match(r"(?:to|about|the time|not to|it|this)\b", what)
            or re.search(r"\byou(?:r|rs)?\b", what)
            or (not _FINITE.search(what) and not what.startswith("my "))
        ):
            return
        noun = re.fullmatch(r"my ((?:(?!is\b|are\b)[\w-]+ ?){1,4}?)\??", what.strip(" .!"))
        if noun:
            self.topic.attribute = noun[1]
            return
        before = len(self.found)
        clause = trimmed(what)
        placed_ = placed(clause, Topic(), first=True)
        category = judged(placed_) or pair(placed_) or "requests"
        self._take(placed_, category, what, corrected=False, asked=True)
        if len(self.found) == before:
            return

    def _clauses(self, sentence: str, *, corrected: bool) -> None:
        unreal = False
        last = None
        for place, clause in enumerate(clauses(sentence)):
            if is_unreal(clause):
                unreal = unreal or clause.lower().startswith(
                    ("if ", "suppose", "imagine", "say ", "were ", "had ")
                )
                continue
            if unreal and not re.search(r"\b(?:but|for now|in reality|actually)\b", sentence):
                continue
            clause = placed(clause, self.topic, first=place == 0)
            if self._asked(clause):
                continue
            category = judged(clause) or pair(clause)
            if category:
                self._take(clause, category, sentence, corrected=corrected, before=last)
            self.topic.note(clause)
            last = clause

    def _take(
        self,
        clause: str,
        category: Category,
        sentence: str,
        *,
        corrected: bool,
        asked: bool = False,
        before: str | None = None,
    ) -> None:
        prefer = prefers(clause)
        content = dated(third(_verdict(clause)), self.at, prefer)
        if not content or len(content) > LONGEST or len(content.split()) < 3:
            return
        was = corrections.replaced(clause)
        change: Change = "ends" if ends(clause) else "corrects" if corrected or was else "states"
        start, end = span(clause, self.at, prefer)
        if start is None and before and re.search(r"\b(?:now|no longer)\b", clause):
            start, _ = span(before, self.at, prefers(before))
        if change == "ends":
            end = start
        found = facts(clause, category) or [None]
        if found[0] is None or found[0].key == "birthday":
            start = end = None
        importance = max(IMPORTANCE[category], 0.8 if asked else 0.0)
        for fact in found:
            self.add(
                Learnt(
                    content=content,
                    category="requests" if asked and category == "other" else category,
                    importance=importance,
                    key=fact and fact.key,
                    value=fact and fact.value,
                    change=change if change != "ends" or fact else "states",
                    was=was if fact else None,
                    valid_from=start,
                    valid_to=end,
                )
            )


def _verdict(clause: str) -> str:
    """An opinion is the user's, and says so: "geography is the worst"."""
    if (
        re.match(r"(?:my|our|I|we|me)\b", clause)
        or re.search(r"\b(?:I|me|my|we|our|us)\b", clause)
        or re.match(r"[A-Z][\w-]+ (?:died|passed)", clause)
    ):
        return clause
    return (
        f"I find that {clause}"
        if re.search(r"\b(?:slaps?|rocks?|sucks?|the worst|the best|my)\b", clause)
        else clause
    )


_ANSWERS = (
    (compiled(r"\bwhere (?:do you live|are you based|is home)\b"), "I live {}", "I live in {}"),
    (compiled(r"\bwhere are you from\b"), "I am {}", "I am from {}"),
    (
        compiled(
            r"\bwhat(?:'s| is) your (?:full |first |last )?name\b|\bwhat should I call you\b|\bwho"
            r" am I (?:talking|speaking) (?:to|with)\b"
        ),
        "My name is {}",
        "My name is {}",
    ),
    (compiled(r"\bhow old are you\b|\bwhat(?:'s| is) your age\b"), "I am {}", "I am {}"),
    (
        compiled(
            r"\bwhat do you do(?: for (?:a living|work))?\b|\bwhat(?:'s| is) your (?:job|occupation"
            r"|profession)\b"
        ),
        "I am {}",
        "I am {}",
    ),
    (compiled(r"\bwhere do you work\b"), "I work {}", "I work at {}"),
    (compiled(r"\bwhen(?:'s| is) your birthday\b"), "My birthday is {}", "My birthday is {}"),
    (compiled(r"\ballerg(?:y|ies|ic)\b"), "I am allergic to {}", "I am allergic to {}"),
    (compiled(r"\bwhat(?:'s| is) your (favou?rite [\w ]{2,30})\?"), "My {q} is {}", "My {q} is {}"),
    (
        compiled(
            r"\bwhat(?:'s| is) your (phone number|email(?: address)?|address|pronouns|wife's name"
            r"|husband's name|partner's name|dog's name|cat's name)\b"
        ),
        "My {q} is {}",
        "My {q} is {}",
    ),
)
_NO_FRAGMENT = compiled(
    r"\b(?:i|i'm|im|my|we|it|that|no|none|nothing|not|why|what|yes|don't|dont|you|nope"
    r"|sorry|can|thanks|is|are)\b"
)


def _answered(text: str, asked: str | None) -> str:
    """A short answer as a sentence, with the words of the question."""
    answer = text.strip(" .!\n")
    if not asked or not answer or "\n" in answer or len(answer) > 60 or _NO_FRAGMENT.search(answer):
        return text
    for pattern, with_preposition, without in _ANSWERS:
        if found := pattern.search(asked[-300:]):
            shape = (
                with_preposition
                if re.match(r"(?:in|at|for|near|from)\b", answer, re.IGNORECASE)
                else without
            )
            question = found[1] if found.groups() else ""
            return shape.replace("{q}", question or "").replace(
                "{}",
                answer[:1].lower() + answer[1:]
                if re.match(r"(?:In|At|For|Near|From|A|An|The)\b", answer)
                else answer,
            )
    return text
