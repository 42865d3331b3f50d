"""Write the pages of the reference, which follow from the code and are not in git: `python docs/reference`."""

from pathlib import Path

import api_page
import commands_page
import components_page
import openrlhf_arguments_page
import settings_page
import trl_arguments_page

FOLDER = Path(__file__).parent
PAGES = {
    "settings": settings_page.page,
    "components": components_page.page,
    "commands": commands_page.page,
    "api": api_page.page,
    "trl_arguments": trl_arguments_page.page,
    "openrlhf_arguments": openrlhf_arguments_page.page,
}


def main():
    """Write each page beside this file."""
    for name, page in PAGES.items():
        path = FOLDER / f"{name}.md"
        path.write_text(page(), encoding="utf-8")
        print(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


if __name__ == "__main__":
    main()
