"""The languages that lingua 2.1 knows, and what a row may call them. Imports nothing of lingua."""

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass

# ISO 639-1, ISO 639-3, English name, scripts (ISO 15924; Jpan and Hans stand for what they are made of).
_TABLE = """
af afr Afrikaans Latn|ar ara Arabic Arab|az aze Azerbaijani Latn|be bel Belarusian Cyrl|bg bul Bulgarian Cyrl
bn ben Bengali Beng|bs bos Bosnian Latn|ca cat Catalan Latn|cs ces Czech Latn|cy cym Welsh Latn
da dan Danish Latn|de deu German Latn|el ell Greek Grek|en eng English Latn|eo epo Esperanto Latn
es spa Spanish Latn|et est Estonian Latn|eu eus Basque Latn|fa fas Persian Arab|fi fin Finnish Latn
fr fra French Latn|ga gle Irish Latn|gu guj Gujarati Gujr|he heb Hebrew Hebr|hi hin Hindi Deva
hr hrv Croatian Latn|hu hun Hungarian Latn|hy hye Armenian Armn|id ind Indonesian Latn|is isl Icelandic Latn
it ita Italian Latn|ja jpn Japanese Hani+Kana|ka kat Georgian Geor|kk kaz Kazakh Cyrl|ko kor Korean Hang
la lat Latin Latn|lg lug Ganda Latn|lt lit Lithuanian Latn|lv lav Latvian Latn|mi mri Maori Latn
mk mkd Macedonian Cyrl|mn mon Mongolian Cyrl|mr mar Marathi Deva|ms msa Malay Latn|nb nob Bokmal Latn
nl nld Dutch Latn|nn nno Nynorsk Latn|pa pan Punjabi Guru|pl pol Polish Latn|pt por Portuguese Latn
ro ron Romanian Latn|ru rus Russian Cyrl|sk slk Slovak Latn|sl slv Slovene Latn|sn sna Shona Latn
so som Somali Latn|sq sqi Albanian Latn|sr srp Serbian Cyrl|st sot Sotho Latn|sv swe Swedish Latn
sw swa Swahili Latn|ta tam Tamil Taml|te tel Telugu Telu|th tha Thai Thai|tl tgl Tagalog Latn
tn tsn Tswana Latn|tr tur Turkish Latn|ts tso Tsonga Latn|uk ukr Ukrainian Cyrl|ur urd Urdu Arab
vi vie Vietnamese Latn|xh xho Xhosa Latn|yo yor Yoruba Latn|zh zho Chinese Hani|zu zul Zulu Latn
"""
_ENTRIES = [entry.split() for entry in _TABLE.replace("\n", "|").split("|") if entry]

SCRIPTS: Mapping[str, frozenset[str]] = {code: frozenset(s.split("+")) for code, _, _, s in _ENTRIES}
"""ISO 639-1 code of each language that lingua knows -> the scripts of its model."""

_NAMES = {name.lower(): code for _, iso3, code_name, _ in () for name, code in ()}
