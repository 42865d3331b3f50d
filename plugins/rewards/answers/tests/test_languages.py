"""Languages as people name them."""

from helpers.each_case import each_case
from rewardlab_answers import named_language

NAMED = {
    "de": ["Deutsch", "German", "ドイツ語", "德语", "allemand", "TEDESCO", "немецкий"],
    "ja": ["日本語", "Japanisch", "Japanese", " japonés ", "日语"],
    "zh": ["中文", "Chinese (Simplified)", "Chinesisch（vereinfacht）", "mandarin", "中国語"],
    "ar": ["العربية", "Arabic", "arabe"],
    "hi": ["हिन्दी", "Hindi"],
    "fa": ["فارسی", "Farsi", "Persian"],
    "no": ["norsk", "Norwegisch"],
    "nb": ["norsk bokmål", "Norwegian Bokmål"],
    "vi": ["tiếng  Việt", "Vietnamese"],
    "sw": ["Kiswahili", "Swahili"],
    "fil": ["Filipino"],
}


@each_case("name, code", [(name, code) for code, names in NAMED.items() for name in names])
def test_a_name_in_some_language_is_a_code(name, code):
    assert named_language(name) == code


@each_case("name", ["", "de", "eng_Latn", "zh-CN", "Klingon", "math", "no", "Deutschland", "(Simplified)"])
def test_codes_and_other_words_are_no_names(name):
    assert named_language(name) is None
