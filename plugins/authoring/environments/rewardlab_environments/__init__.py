"""Managed environments: a Python of its own for what cannot live beside the rest.

In goes a requirements file, or a definition of several steps; out comes the path of a Python that has exactly those
packages. The environment is built when it is first needed, with uv or pip, in the user's cache. Its folder is named by
a hash of what it was made from: an environment never changes, and other requirements make another folder.

    env            the command `rewardlab env`
    inventory      the environments on the disk: their size, their users, their removal
    managed        an environment that is there, or is built now by one of all the processes that want it
    building       a build: the virtual environment, then its packages step by step
    build_command  one command of a build, its log and its last lines
    child          runs that command and ends with its parent
    progress       the installer's last line on a terminal
    record         ready.json, written last: without it no environment is used
    identity       what an environment is made from, hashed, and the folder that follows from it
    requirements   requirements files: the lines that say what is installed
    distributions  the host's own distributions, as requirement lines
"""

from typing import TYPE_CHECKING

from rewardlab import hookimpl

if TYPE_CHECKING:
    from rewardlab.workers import EnvironmentDefinition

    from .managed import Environment


@hookimpl
def rewardlab_environment(definition: "EnvironmentDefinition") -> "Environment":
    from .managed import Environment

    return Environment(definition)
