"""Managed environments: a Python of its own for what cannot live beside the rest.

`interpreter` is the door: the path of a Python that has exactly the packages of a requirements file. It is built
the first time, with uv or pip, in the user's cache; its folder is named by a hash of what it was made from, so what
is there never changes, and other requirements are another folder.

requirements, distributions  what an environment is made from
definition                   the same, hashed; where it stands
managed                      there, or built now by one of all the processes that want it
building, command            venv, then pip or uv; a process that dies with its parent
record                       ready.json, written last: without it nothing is used
wanted                       what the installed plugins ask for
inventory                    what is on the disk
"""

from rewardlab.environments.managed import interpreter

__all__ = ["interpreter"]
