"""A model that translates rubrics and texts of questions: it answers with sentences of the language, whatever they say.

Each different text becomes a different one, and what has to stay as it is stays.
"""

import json
import re
from hashlib import sha256

from rewardlab_rubric.data_steps.translation_question import KEPT
from rewardlab_rubric.strategies.language_file import packaged_texts

OTHERS = {
    "eu": "Irakurri arretaz galdera eta erantzuna, alderatu maila bakoitzarekin, eta erabaki gero zein neurritan "
    "betetzen duen erantzunak eskatutakoa, arrazoiak laburki azalduz.",
    "ka": "ყურადღებით წაიკითხე შეკითხვა და პასუხი, შეადარე თითოეულ დონეს და შემდეგ გადაწყვიტე, რამდენად სრულად "
    "ასრულებს პასუხი მოთხოვნილს, და მოკლედ ახსენი მიზეზები.",
    "hy": "Ուշադիր կարդա հարցը և պատասխանը, համեմատիր յուրաքանչյուր մակարդակի հետ, ապա որոշիր, թե որքանով է "
    "պատասխանը կատարում պահանջվածը, և համառոտ բացատրիր պատճառները։",
    "mk": "Внимателно прочитај го прашањето и одговорот, спореди го со секое ниво, па потоа одлучи колку одговорот го "
    "исполнува бараното и накратко објасни ги причините.",
    "my": "မေးခွန်းနှင့် အဖြေကို သေချာစွာ ဖတ်ပါ၊ အဆင့်တစ်ခုစီနှင့် နှိုင်းယှဉ်ပါ၊ ထို့နောက် အဖြေသည် တောင်းဆိုချက်ကို မည်မျှ ပြည့်မီသည်ကို ဆုံးဖြတ်ပါ။",
}
"""languages without packaged texts"""
NAMES = {"Basque": "eu", "Georgian": "ka", "Armenian": "hy", "Macedonian": "mk", "Burmese": "my"} | {
    texts.language: code for code, texts in packaged_texts().items()
}
INTO = re.compile(r"JSON value below into ([^.]+)\.")


def sentence(code):
    return OTHERS[code] if code in OTHERS else packaged_texts()[code].thinking


def translated(value, code):
    """A JSON value with its texts in a language; a language that the translator does not know stays English."""
    if isinstance(value, dict):
        return {key: translated(one, code) for key, one in value.items()}
    if isinstance(value, list):
        return [translated(one, code) for one in value]
    if code is None:
        return value
    return " ".join([sentence(code), str(int(sha256(value.encode()).hexdigest()[:6], 16)), *KEPT.findall(value)])


def translation(request, fence):
    """The answer to a request for a translation, or None to any other. fence: the pattern of quoted texts."""
    text = request["messages"][-1]["content"]
    into = INTO.search(text)
    if into is None:
        return None
    shown = next(found for found in fence.finditer(text) if found["label"] == "TEXTS")
    return json.dumps(translated(json.loads(shown["text"]), NAMES.get(into[1])), ensure_ascii=False)
