"""A quick look at the words of a sentence, so that most of what is said costs next to nothing."""

import re
from typing import Final

_WORDS = re.compile(r"[a-z']+")


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_OWN: Final = _set(
    "i i'm im ive i've i'd i'll my me we we're we've we'll we'd our ours mine us myself"
)
_STARTS: Final = _set(
    """
    started moved bought sold adopted broke booked quit left joined signed graduated retired
    dropped switched turned lost finished married got became grew went took picked ordered rescued
    inherited upgraded enrolled qualified stopped gave tore sprained fractured passed landed
    accepted traded replaced crashed relocated had welcomed finally just moving going starting
    trying saving aiming working training learning studying living planning hoping taking flying
    getting having visiting expecting writing building leaving teaching running raising recovering
    switching quitting turning heading travelling traveling hosting joining attending renovating
    competing volunteering retiring applying staying been big huge massive not obsessed allergic
    lactose fluent single based born from currently between unemployed retired self diagnosed due
    native type diabetic pregnant coeliac celiac colour color left hard addicted terrified scared
    afraid brand new good bad terrible hopeless in love hate adore loathe detest prefer enjoy
    dislike live work speak drive play commute teach own rent can't cant cannot don't dont never
    used have vegan vegetarian pescatarian keto
    tea mum mom mam dad grandma grandpa gran nan granny grandad hubby wife husband kids daughter
    son partner the birthday bday nickname surname thesis dissertation rent school lease driving
    exam visa real full username email phone blood flight wedding pronouns address job hobby
    hobbies home hometown standup finals exams graduation fav fave favourite favorite least gym
    yoga pilates swimming football rugby tennis choir practice church therapy physio spin dance
    ballet karate judo climbing piano guitar rehearsal
    off did scan dentist mot exam renting absolutely really secretly always usually
    mostly normally also this it's still name use answer reply respond write keep give explain show
    include format stop avoid please note save wipe delete when whenever horror
    """
)
_ANYWHERE: Final = _set(
    """
    forget forgot delete erase wipe remove scrub remember note reminder always never here slaps
    rocks suck sucks worst meant sorry right correction wrong keep save store over birthday
    mind future reference emojis call address stop thing died passed not beats going
    disgusting gross vile overrated revolting foul
    """
)
_VERBAL: Final = re.compile(r"\w{3,}(?:ing|ed)$")
_POINTING: Final = _set("he she they it his her its their he's she's it's they're its")
_REQUEST: Final = _set(
    """
    forget delete erase wipe remove scrub drop clear purge remember remembering note keep bear save
    store write jot record future always never ever now default call calls address refer stop
    don't dont do time times whenever mind reference answers replies responses emojis give prefer
    make down forward ordered add remind no units whenever every want
    """
)
_PLAY: Final = _set(
    """
    roleplay role let's lets let pretend pretending argument hypothetically hypothetical character
    scenario imagine suppose assume assuming picture once story act novel book game dream campaign
    protagonist narrator persona example fictional made joke experiment now a translate proofread
    proof summarise summarize paraphrase rewrite rephrase reword edit fix correct check improve
    polish shorten review analyze analyse continue complete critique grade convert extract classify
    explain format tidy clean turn make here's here below following line
    """
) - {"a", "now", "made", "make", "let", "book", "game", "turn"}


def words(sentence: str) -> frozenset[str]:
    return frozenset(_WORDS.findall(sentence.lower().replace("’", "'")))


def is_own(sentence: str, said: frozenset[str], *, spoken_of: bool) -> bool:
    """Whether a sentence may tell something of the user, by its words alone.

    `spoken_of` says that someone of theirs was named before, so that "she" may be told of too.
    """
    if not said.isdisjoint(_OWN) or not said.isdisjoint(_ANYWHERE):
        return True
    first = _WORDS.search(sentence.lower())
    if first is None:
        return False
    opens = first[0] in _STARTS or first[0].removesuffix("'s") in _STARTS or _VERBAL.match(first[0])
    return bool(opens) or (spoken_of and (first[0] in _POINTING or sentence[:1].isupper()))


def may_ask(said: frozenset[str]) -> bool:
    return not said.isdisjoint(_REQUEST)


def may_stand(sentence: str, said: frozenset[str]) -> bool:
    """Whether a sentence may be read as a whole: it neither asks nor speaks to anyone."""
    fits = len(said) >= _FEWEST and len(sentence) <= _LONGEST and not sentence.endswith("?")
    if not fits or not said.isdisjoint(_SPOKEN_TO):
        return False
    return (
        not said.isdisjoint(_OWN)
        or sentence.partition(" ")[0].lower().strip(",!.") not in _NO_FIRST
    )


_FEWEST, _LONGEST = 2, 220
_NO_FIRST: Final = _set(
    """
    it it's this that that's these those he she they he's she's they're his her their you what
    what's who why how how's where which please if let let's wow yeah hey hi hello yes no sounds
    take keep good great nice awesome absolutely totally definitely looks congrats i'll thanks
    """
)
_SPOKEN_TO: Final = _set(
    "you you're your you've you'll ur thanks thank glad excited proud congrats"
)


def may_play(said: frozenset[str]) -> bool:
    return not said.isdisjoint(_PLAY)
