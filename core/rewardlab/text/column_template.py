"""A text with the columns of a row as $name, as the files say it that describe benchmarks."""

import re
from string import Template


class ColumnTemplate(Template):
    """A text with columns as $name or ${any name}, in letters of any script."""

    idpattern = r"[^\W\d]\w*"
    braceidpattern = r"[^{}]+"
    flags = re.UNICODE
