"""Words that the rules share, as alternatives of a pattern."""

import re
from typing import Final, TypeAlias

from bethink.learn.knowledge import Category

Rules: TypeAlias = tuple[tuple[Category, re.Pattern[str]], ...]


def either(text: str) -> str:
    """Any of these words; an underscore stands for a space. Longer ones come first."""
    words = sorted(set(text.split()), key=len, reverse=True)
    return "(?:" + "|".join(word.replace("_", " ") for word in words) + ")"


def listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


def told(*pairs: tuple[Category, str]) -> Rules:
    """Kinds of knowledge, each with the words that tell it."""
    return tuple((category, compiled(pattern)) for category, pattern in pairs)


def first(rules: Rules, text: str) -> Category | None:
    """The first kind whose words a text begins with."""
    return next((category for category, pattern in rules if pattern.match(text)), None)


def compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


PARTNER: Final = either(
    "wife husband partner girlfriend boyfriend fiance fiancee fiancé fiancée spouse hubby missus"
    " other_half better_half"
)
CHILD: Final = either(
    "son sons daughter daughters kid kids child children baby toddler stepson stepdaughter twins"
    " little_one eldest youngest oldest teenager teenagers boys girls boy girl newborn stepkids"
)
SIBLING: Final = either(
    "brother brothers sister sisters sibling siblings stepbrother stepsister half-brother"
    " half-sister twin bro sis"
)
_OTHER_KIN = either(
    "mother father mum mom mam dad mama papa mommy daddy mummy parents folks stepdad stepmum"
    " stepmom stepfather stepmother grandmother grandfather grandma grandpa gran nan nana granny"
    " grandad granddad grandparents grandson granddaughter grandkids grandchildren grandchild"
    " granddaughters grandsons nephew nephews niece nieces uncle aunt auntie aunty cousin cousins"
    " godson goddaughter godmother godfather in-laws mother-in-law father-in-law brother-in-law"
    " sister-in-law son-in-law daughter-in-law family ex ex-wife ex-husband ex-girlfriend"
    " ex-boyfriend great-aunt great-grandmother ma pa roommate flatmate housemate roommates"
    " flatmates housemates best_friend bestie best_mate co-founder cofounder business_partner"
    " late_husband late_wife foster_son foster_daughter"
)
KIN: Final = (
    r"(?:(?:twin|older|younger|little|big|elder|eldest|youngest|oldest|late|middle|new|step|baby"
    r"|adopted|own|lovely|dear|two|three|four|five|first|second|only|other|teenage|ex|long-term"
    rf"|half|great|foster) )*(?:{PARTNER}|{CHILD}|{SIBLING}|{_OTHER_KIN})"
)
BREED: Final = (
    r"(?:\w+ ?doodles?|\w*poos?|labradors?|lab|retrievers?|collies?|terriers?|greyhounds?"
    r"|whippets?|spaniels?|bulldogs?|pugs?|poodles?|dachshunds?|beagles?|hounds?|shepherds?"
    r"|husky|huskies|corgis?|chihuahuas?|rottweilers?|boxers?|mastiffs?|dalmatians?|setters?"
    r"|siamese|persians?|ragdolls?|maine coons?|sphynx|tabby|tabbies|shih tzus?|dobermans?)"
)
PET: Final = (
    r"(?:cats?|dogs?|pupp(?:y|ies)|pups?|kittens?|kitty|kitties|doggo|doggy|hamsters?|gerbils?"
    r"|rabbits?|bunny|bunnies|guinea pigs?|ferrets?|rats?|mice|parrots?|parakeets?|budgies?"
    r"|cockatiels?|macaws?|canary|canaries|birds?|goldfish|fish|tetras?|plecos?|bettas?"
    r"|geckos?|lizards?"
    r"|snakes?|pythons?|tortoises?|turtles?|iguanas?|bearded dragons?|axolotls?|tarantulas?"
    r"|horses?|pon(?:y|ies)|mares?|goats?|sheep|chickens?|hens?|ducks?|cows?|pigs?|alpacas?"
    r"|llamas?|donkeys?"
    rf"|bees|hives?|hedgehogs?|chinchillas?|pets?|aquarium|fish tank|{BREED})"
)
CAR: Final = either(
    "audi bmw chevrolet chevy citroen citroën cupra dacia fiat ford honda hyundai jaguar jeep kia"
    " lexus mazda mercedes mini nissan opel peugeot porsche renault saab seat skoda škoda subaru"
    " suzuki tesla toyota vauxhall volkswagen vw volvo rivian cadillac buick dodge gmc"
    " land_rover range_rover alfa_romeo mitsubishi polestar lada prius corolla civic"
)
VEHICLE: Final = either(
    "car van truck suv estate hatchback motorbike motorcycle scooter minivan pickup campervan jeep"
)
LANGUAGE: Final = either(
    "english spanish french german italian portuguese dutch russian polish ukrainian czech slovak"
    " hungarian romanian bulgarian greek turkish arabic hebrew persian farsi urdu hindi bengali"
    " punjabi tamil telugu gujarati marathi malayalam kannada nepali sinhala thai vietnamese khmer"
    " lao burmese indonesian malay tagalog filipino cebuano mandarin cantonese chinese japanese"
    " korean mongolian swahili amharic yoruba igbo hausa zulu xhosa afrikaans somali wolof twi"
    " welsh irish gaelic scots breton basque catalan galician valencian danish norwegian swedish"
    " finnish estonian latvian lithuanian icelandic serbian croatian bosnian slovene slovenian"
    " macedonian albanian armenian georgian azerbaijani kazakh uzbek latin esperanto maltese"
    " luxembourgish bsl asl sign_language british_sign_language american_sign_language quechua"
    " guarani maori hawaiian tibetan pashto kurdish creole haitian_creole flemish castilian"
    " brazilian_portuguese swiss_german moldovan belarusian tatar yiddish samoan"
)
DIET: Final = either(
    "vegan vegetarian pescatarian pescetarian veggie flexitarian keto halal kosher gluten-free"
    " carnivore omnivore plant-based teetotal dairy-free paleo fruitarian"
)
DAY: Final = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|mon|tues?|weds?|thurs?|thu|fri|sat|sun"
    r"|weekdays?|weekends?|mornings?|nights?|evenings?)"
)
NUMBER: Final = (
    r"(?:\d[\d,.]*|a|an|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen"
    r"|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty"
    r"|a couple of|a few|several|some|no|both|many|lots of)"
)
MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
NAME: Final = (
    r"(?-i:[A-Z][\w'’.-]*\w(?: (?:(?:de|van|von|der|den|la|le|el|bin|al|da|dos)"
    r" )*[A-Z][\w'’-]*\w)*)"
)
"""A proper name, by its capitals."""
