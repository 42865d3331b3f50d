"""`python -m rewardlab COMMAND ...` is `rewardlab COMMAND ...`, with this Python."""

import sys

from rewardlab.cli import main

sys.exit(main())
