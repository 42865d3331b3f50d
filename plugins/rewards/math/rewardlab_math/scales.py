"""Words for powers of ten, of many languages."""

SCALES = {
    **dict.fromkeys(
        [
            "thousand",
            "thousands",
            "ribu",
            "mil",
            "tausend",
            "mille",
            "mila",
            "тысяча",
            "тысяч",
            "тысячи",
            "nghìn",
            "千",
        ],
        10**3,
    ),
    **dict.fromkeys(["万", "萬", "만"], 10**4),
    **dict.fromkeys(["lakh", "lakhs", "লক্ষ", "লাখ", "लाख", "లక్షల"], 10**5),
    **dict.fromkeys(
        [
            *(
                "million",
                "millions",
                "juta",
                "millón",
                "millones",
                "milhão",
                "milhões",
                "millionen",
                "milione",
                "milioni",
            ),
            *("milyon", "triệu", "миллион", "миллиона", "миллионов"),
        ],
        10**6,
    ),
    **dict.fromkeys(["crore", "crores", "কোটি", "करोड़", "కోట్ల"], 10**7),
    **dict.fromkeys(["億", "亿", "억"], 10**8),
    **dict.fromkeys(
        [
            *("billion", "billions", "miliar", "milliarde", "milliarden", "milliard", "milliards", "bilhão", "bilhões"),
            *("miliardo", "miliardi", "milyar", "tỷ", "tỉ", "миллиард", "миллиарда", "миллиардов"),
        ],
        10**9,
    ),
    **dict.fromkeys(["trillion", "trillions", "triliun", "兆"], 10**12),
}
"""Words that may multiply the number before them: "3万" is 30,000, or 3 if the question counts in 万."""
