"""The facts that a clause states outright: a key and its values."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bethink.learn.knowledge import Category
from bethink.learn.rules.words import (
    CAR,
    CHILD,
    DIET,
    LANGUAGE,
    NAME,
    PARTNER,
    PET,
    SIBLING,
    VEHICLE,
    compiled,
)

_A = (
    r"(?:(?:also|always|still|really|just|now|currently|actually|only|finally|recently|both"
    r"|all|mostly|already|originally|officially|never|no longer|formerly) )*+"
)
_END = (
    r"(?=$|[,.;!?]| (?:and|but|with|for|since|now|again|because|so|which|who|where|that"
    r"|until|till|as|from|in (?:\d+|january|february|march|april|may|june|july|august"
    r"|september|october|november|december|spring|summer|autumn|the|my|a )|on|at (?:the"
    r" )?(?:moment|end)|by|after|before|these|right|last|next|yesterday|today|tomorrow|two"
    r"|three|again|permanently|temporarily|full|part|alone|too|as|part-time|full-time"
    r"|nights|remotely|and|not|rather|instead|after|just|around|during|here|any|near|back"
    r"|have|full|through|under|when|while|over|once|anymore|every|to)\b)"
)
_ENDED = compiled(
    r"\b(?:no longer|not\b.*\b(?:any ?more|any longer)|used to|quit|left|gave up|given up"
    r"|stopped|sold|retired|broke up|broken up|separated|split up|divorced|died|passed away"
    r"|laid off|fired|resigned|got rid of|gave away|rehomed|moved out|made redundant|stolen"
    r"|traded|gave (?-i:[A-Z])\w+|cancelled|lost my)\b"
)


@dataclass(frozen=True, slots=True)
class Fact:
    key: str | None = None
    value: str | None = None

    @property
    def lasts(self) -> bool:
        """Whether it is so from one day to another; a birthday is always the same."""
        return self.key not in (None, "birthday")


_Make = Callable[[re.Match[str]], Iterator[Fact]]


def _one(key: str) -> _Make:
    def make(found: re.Match[str]) -> Iterator[Fact]:
        value = _trimmed(found["value"])
        if value:
            yield Fact(key, value)

    return make


def _many(key: str) -> _Make:
    def make(found: re.Match[str]) -> Iterator[Fact]:
        yield from (Fact(key, value) for value in _listed(found["value"]))

    return make


def _names(key: str) -> _Make:
    def make(found: re.Match[str]) -> Iterator[Fact]:
        yield from (
            Fact(key, value) for value in _listed(found["value"]) if re.match(r"[^\W\d_]", value)
        )

    return make


def _languages(found: re.Match[str]) -> Iterator[Fact]:
    spoken = compiled(rf"\b{LANGUAGE}\b").findall(found["value"])
    yield from (Fact("languages", one) for one in spoken)


def _car(found: re.Match[str]) -> Iterator[Fact]:
    value = _model(_trimmed(found["value"]))
    if value:
        yield Fact("car", value)


def _home(found: re.Match[str]) -> Iterator[Fact]:
    value = _trimmed(found["value"])
    inner = re.search(rf"\b(?:in|near|outside) ({NAME})", found["value"])
    if re.match(r"(?:a|an|the|my|our) (?=[a-z])", value):
        value = inner[1] if inner else ""
    if value and not re.match(
        r"(?:\w+ly$|here|there|it|this|that|fear|peace|alone|with|together)\b", value, re.IGNORECASE
    ):
        yield Fact("home", value)


def _age(found: re.Match[str]) -> Iterator[Fact]:
    if 3 <= int(found["value"]) <= 119:
        yield Fact("age", found["value"])


def _employer(found: re.Match[str]) -> Iterator[Fact]:
    value = _trimmed(found["value"])
    if " never " in found.string or (" with " in found[0] and not value[:1].isupper()):
        return
    called = re.search(rf"\b(?:called|named) ({NAME})", found.string)
    if called:
        value = called[1]
    if (
        value
        and not re.match(
            r"(?:a|an|the|my|our|home|night|nights|school|uni|least|times|this|that|here|different"
            r"|various|it|in|fun|myself|free|hours|weekends?|work|both|many|several|multiple|two"
            r"|three)\b(?! (?-i:[A-Z]))",
            value,
            re.IGNORECASE,
        )
        and not re.match(r"\d", value)
    ):
        yield Fact("work.employer", value)


def _role(found: re.Match[str]) -> Iterator[Fact]:
    value = re.split(
        r" (?:at|for|in|with|on|from|and|who|of (?=our|my|the)|mostly|since|now|again)\b|,",
        _trimmed(found["value"]),
    )[0]
    if value and len(value.split()) <= 5:
        yield Fact("work.role", value)


_RULES: tuple[tuple[Category | None, re.Pattern[str], _Make], ...] = (
    (
        "name",
        compiled(
            r"^my (?:full |legal |real |actual |first |given |preferred )?name is (?:now "
            r"|actually "
            rf"|legally |spelled |spelt )*(?P<value>.+?){_END}"
        ),
        _one("name"),
    ),
    (
        "name",
        compiled(
            rf"^(?:I am|am called|I go by|I am called|call me|I am known as) (?P<value>{NAME})"
        ),
        _one("name"),
    ),
    ("name", compiled(r"\bchanged (?:my name )?to (?P<value>(?-i:[A-Z])[\w' -]+)"), _one("name")),
    (
        "name",
        compiled(r"(?P<value>(?:she|he|they|it|xe|ze)/(?:her|him|them|its|they|she|he)(?:/\w+)?)"),
        _one("pronouns"),
    ),
    (
        None,
        compiled(
            r"^I (?:am|will be|will turn|turned|just turned|turn) (?:now |actually |only |almost "
            r"|(?:also|still|just) )*(?P<value>\d{1,3})(?= years? old|$|,| (?:on|today|yesterday"
            r"|last|not|now|in|next|this|and)\b)"
        ),
        _age,
    ),
    (
        None,
        compiled(
            r"^(?:my|our) birthday (?:is|falls on) (?:on |actually |now )*(?:the"
            r" )?(?P<value>.+?)(?=$|,| (?:and|but|not|so)\b)"
        ),
        _one("birthday"),
    ),
    (
        "home",
        compiled(
            rf"\b(?:I|we)\b {_A}(?:(?:have been |have |am |was |do not |used to |am no longer"
            rf" )?{_A}(?:live|lived|living|based|residing|reside|resided|settled)(?: alone,?|"
            rf" now)?,?(?: since \w+ years)? in|(?:have |am )?{_A}(?:moved|moving|relocated"
            r"|relocating|move) (?:back |over |here |out |down |up )?(?:to|into)|been (?:living"
            r" )?in|am (?:now )?(?:living )?in(?= (?-i:[A-Z])[\w -]+ since))"
            rf" (?P<value>.+?)(?:{_END})"
        ),
        _home,
    ),
    ("home", compiled(rf"^(?P<value>{NAME}) is (?:my |our )?home\b"), _one("home")),
    (
        None,
        compiled(
            rf"\b(?:I|we)\b {_A}(?:am |have )?{_A}(?:work|worked|working|started|starting|start"
            r"|employed|back|been working|intern|interning)(?: now| again| (?:part|full)[- ]time|"
            rf" remotely| nights)? (?:at|for|with|by) (?P<value>.+?)(?:{_END})"
        ),
        _employer,
    ),
    (
        None,
        compiled(
            rf"\b(?:I|we)\b {_A}(?:have )?{_A}(?:joined|joining|left|quit|was laid off from|was"
            r" fired from|got fired from|resigned from|am leaving|am joining)"
            rf" (?P<value>(?-i:[A-Z])[\w&' -]*?)(?:{_END})"
        ),
        _employer,
    ),
    (
        "work",
        compiled(
            rf"\b(?:I|we)\b {_A}(?:work as|am|am now|have been|became|was promoted to|got promoted"
            rf" to|am working as|am no longer|used to be|qualified as|am not|work {_A}as)(?:"
            rf" (?:now"
            r"|also|still|just|currently|actually|officially|finally))*+ (?:an? |the"
            rf" )(?P<value>[\w' /&-]+?)(?:{_END})"
        ),
        _role,
    ),
    ("work", compiled(r"\bpromoted to (?P<value>[\w' /&-]+)"), _role),
    (
        None,
        compiled(
            rf"^(?:my|our) (?:new |late |lovely |dear )*(?:{PARTNER})(?:'s name is|,| is called"
            rf"| is"
            r" named| is)? (?:called |named |now )*(?P<value>(?-i:[A-Z])[\w-]+)\b(?!'s)"
        ),
        _one("partner"),
    ),
    (
        "family",
        compiled(
            rf"^I and (?P<value>(?!my |our )[\w-]+) {_A}(?:have )?(?:broke|broken|separated|split"
            r"|divorced|are getting divorced)"
        ),
        _one("partner"),
    ),
    (
        None,
        compiled(
            rf"\b(?:I|we)\b {_A}(?:am|have been|went|am going|became|am not)(?: (?:now|also|still"
            r"|just|currently|actually|not|strictly|mostly))*+ (?:an? )?(?:strict |lifelong"
            rf" )?(?P<value>{DIET})\b"
        ),
        _one("diet"),
    ),
    (
        None,
        compiled(
            r"\b(?:phone|mobile|cell|telephone|number)\b(?: number)?(?: is|'s|:)?(?: now| still|"
            r" actually)* (?:is )?(?:now |still )*(?P<value>\+?\d[\d ()-]{4,20}\d)"
        ),
        _one("phone"),
    ),
    (
        None,
        compiled(r"(?:\be-?mail\b.*?|^)(?P<value>[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+)"),
        _one("email"),
    ),
    (
        None,
        compiled(
            rf"\b(?:I|we)\b {_A}(?:drive|own|have|bought|sold|traded|have got|got|have bought|have"
            r" sold)(?: now)? (?:an?|my|our|the|in our) (?P<value>(?:[\w-]+"
            rf" ){{0,3}}?{CAR}\b.*?)(?:"
            rf" in$|{_END})"
        ),
        _car,
    ),
    (None, compiled(rf"^my car is (?:now )?an? (?P<value>.+?)(?:{_END})"), _car),
    (
        "skills",
        compiled(
            rf"\b(?:I|we)\b {_A}(?:speak|know|am learning|am fluent in|am a native|get by in|can"
            rf" speak|do not speak|am (?:bilingual|trilingual) in)\b(?P<value>.*\b{LANGUAGE}\b.*)"
        ),
        _languages,
    ),
    (
        "skills",
        compiled(rf"\b(?:mother|native|first) (?:language|tongue) is (?P<value>.*{LANGUAGE}.*)"),
        _languages,
    ),
    (
        None,
        compiled(
            r"\b(?:I|we|My \w+|am)\b.*\ballergic (?:to|for) (?P<value>.+?)(?=$|,? not | since|"
            r" so )"
        ),
        _many("allergies"),
    ),
    (
        None,
        compiled(
            r"^(?:my|our) (?:main |favou?rite |new |only )*(?:hobby|hobbies) (?:is|are|include)"
            r" (?P<value>.+)"
        ),
        _many("hobby"),
    ),
    (
        None,
        compiled(
            rf"\b(?:I|we)\b {_A}(?:have )?{_A}(?:taken up|took up|gave up|given up|am taking"
            rf" up)(?:"
            r" on)? (?!smoking|drinking|vaping|alcohol|sugar|coffee|meat|caffeine"
            rf"|social)(?P<value>[\w -]+?)(?:{_END})"
        ),
        _one("hobby"),
    ),
    (
        "skills",
        compiled(rf"\bI\b {_A}(?:do not )?play (?:the )?(?P<value>[\w -]+?)(?:{_END})"),
        _one("hobby"),
    ),
    (
        None,
        compiled(
            rf"\b(?:{PET})\b(?: is)?,? (?:named|called|is called|is named)?"
            r" ?(?P<value>(?-i:[A-Z])[\w-]+(?:(?:,| and) (?-i:[A-Z])[\w-]+)*)"
        ),
        _names("pets"),
    ),
    ("pets", compiled(r"\b(?:gave|rehomed) (?P<value>(?-i:[A-Z])[\w-]+)"), _names("pets")),
    ("pets", compiled(r"^(?P<value>(?-i:[A-Z])[\w-]+) (?:died|passed away)"), _names("pets")),
    (
        None,
        compiled(
            rf"^(?:my|our) (?:\w+ )?(?:{CHILD})(?:'s name is|,| is called| is named)?"
            r" (?P<value>(?-i:[A-Z])[\w-]+(?: and (?-i:[A-Z])[\w-]+)?)\b(?!'s)"
        ),
        _names("children"),
    ),
    (
        None,
        compiled(
            rf"^(?:my|our) (?:\w+ )?(?:{SIBLING})(?:'s name is|,| is called| is named)?"
            r" (?P<value>(?-i:[A-Z])[\w-]+(?: and (?-i:[A-Z])[\w-]+)?)\b(?!'s)"
        ),
        _names("siblings"),
    ),
    (
        "family",
        compiled(
            rf"\bhave (?:\w+ )+?(?:{CHILD}),? (?:called |named"
            r" )?(?P<value>(?-i:[A-Z])[\w-]+(?:(?:,|"
            r" and) (?-i:[A-Z])[\w-]+)*)"
        ),
        _names("children"),
    ),
)
_SOLD_CAR = compiled(
    r"\b(?:sold|traded in|got rid of|crashed|scrapped) (?:my|our|the) (?:old"
    rf" )?(?:{VEHICLE})\b(?! van)"
)
_PARTED = compiled(
    rf"^I and (?:my|our) (?:\w+ )?{PARTNER} (?:have )?(?:broke|broken|separated|split"
    r"|divorced)|^(?:I|we) (?:broke up|split up|got divorced|separated)\b"
)
_QUIT = compiled(
    r"\bI (?:just |finally )?(?:quit(?:$| my job| work)|resigned|retired|was (?:laid off"
    r"|fired|made redundant)|got (?:laid off|fired)|lost my job|handed in my notice|left my"
    r" job)\b"
)


def ends(clause: str) -> bool:
    """Whether a clause says that something is no longer so."""
    return bool(_ENDED.search(clause))


def facts(clause: str, category: Category) -> list[Fact]:
    """What a clause says outright, at most one key; several values where they add up."""
    for only, pattern, make in _RULES:
        if only in (None, category) and (found := pattern.search(clause)):
            made = list(make(found))
            if made:
                return list(dict.fromkeys(made))
    if _SOLD_CAR.search(clause):
        return [Fact("car")]
    if _PARTED.search(clause):
        return [Fact("partner")]
    return [Fact("work.employer")] if _QUIT.search(clause) else []


def _trimmed(value: str) -> str:
    value = re.split(
        r",? not\b|,| (?:rn|now|again|too|as well|instead|anymore|any more|though|originally"
        r"|actually|lol)$",
        value,
    )[0]
    return value.strip(" .!?")


def _model(value: str) -> str:
    """A car without what is said of it: "an old red Fiat Panda"."""
    named = re.search(rf"\b{CAR}\b.*", value, re.IGNORECASE)
    return named[0] if named else value


def _listed(value: str) -> list[str]:
    parts = re.split(r",? (?:and|or|&) |, ", value)
    made = [re.sub(r"^(?:my|the|some|a|an|also|both) ", "", _trimmed(part)) for part in parts]
    return [part for part in made if part and len(part.split()) <= 4]
