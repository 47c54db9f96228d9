"""Words of illness and of what is done about it."""

from typing import Final

from bethink.learn.rules.words import compiled

ILLNESS: Final = compiled(
    r"\b(?:diabet\w+|asthma|adhd|autis\w+|asperger\w*|allerg(?:y|ies)|intoleran\w+|coeliac|celiac"
    r"|crohn'?s|colitis|ibs|ibd|migraines?|epileps\w+|cancer|lupus|eczema|psoriasis|\w*thyroid\w*"
    r"|\w+itis|\w+algia|\w{3,}osis|\w+aemia|anemia|leukemia|\w{4,}pathy|\w+ (?:syndrome|disorder"
    r"|disease)|heart (?:condition|murmur|attack|failure)|medical condition|anxiety|depression"
    r"|ptsd"
    r"|ocd|bipolar|dyslexia|dyspraxia|insomnia|tinnitus|vertigo|apno?ea|hernia|pacemaker|copd|pcos"
    r"|hiv|hearing (?:aids?|loss)|glaucoma|cataracts?|(?:high|low) blood pressure|high cholesterol"
    r"|strokes?|headaches|bad (?:back|knees?|hip|shoulder)|panic attacks|seizures|long covid"
    r"|gout|acid reflux"
    r"|hay ?fever|sciatica|astigmatism|prosthe\w+|chronic \w+|no cartilage|stammer|stutter"
    r"|herniated|slipped disc|kidney stones?|gallstones?|ulcers?|cerebral palsy|down'?s syndrome"
    r"|rosacea|alopecia|scoliosis|multiple sclerosis|ms)\b"
)


STATE: Final = compiled(
    r"^(?:(?:not|an?|partially|severely|mildly|slightly|\d+|\w+ly|very|lactose|gluten|\w+ weeks"
    r"|\w+ months|currently|red-green|type|legally|in|on|also) )*(?:allergic|intolerant"
    r"|coeliac|celiac|diabetic"
    r"|asthmatic|(?:\w+ )?(?:weeks|months) pregnant|pregnant|deaf|blind|epileptic|dyslexic"
    r"|dyspraxic"
    r"|autistic|an?aemic|disabled|sober|immunocompromised|bipolar|(?:near|short|long|far)-?sighted"
    r"|hard of hearing|(?:[\w-]+ )?colou?r[- ]?blind|(?:the )?(?:autism )?spectrum"
    r"|remission|recovery"
    r"|wheelchair user|(?:recovering )?alcoholic|neurodivergent|hypermobile|cancer survivor"
    r"|sensitive to|prone to|dialysis|chemo\w*)\b"
)


BODY: Final = (
    r"(?:wrist|arm|leg|ankle|knees?|hips?|back|shoulder|foot|toe|finger|thumb|nose|collarbone"
    r"|ribs?"
    r"|elbow|acl|achilles|hamstring|meniscus|neck|jaw|tooth|teeth|hand|eyes?|heart|lungs?|kidneys?"
    r"|liver|spine|hearing|eyesight|vision|blood pressure|cholesterol|thyroid|bmi|blood sugar"
    r"|iron levels|stomach|ears?|skin|feet)"
)


DRUG: Final = compiled(
    r"\b(?!magazine|adrenaline)(?:\w{3,}(?:aline|etine|olol|pril|statin|cillin|mycin|azole|azepam|azolam"
    r"|solone|sone"
    r"|metformin|parin|oxetine|alopram|dipine|sartan|azine|tidine|trexate|gabalin|pentin|thyroxine"
    r"|formin|glutide)|insulin|statins?|antidepressants?|ssris?|blood thinners|beta blockers"
    r"|antibiotics|steroids|chemo\w*|the (?:mini)?pill|medication|meds|hrt|warfarin"
    r"|ibuprofen|lithium"
    r"|ritalin|adderall|ozempic|prozac|zoloft|aspirin|iron tablets|inhalers?|\d+ ?mg)\b"
)


TREATED: Final = compiled(
    r"\b(?:surgery|surgeries|operation|replacement|replaced|removed|transplant|bypass|c-section"
    r"|miscarriage|appendix|tonsils|wisdom teeth|gallbladder|stroke|heart attack|chemo\w*"
    r"|biopsy|dialysis)\b"
)
