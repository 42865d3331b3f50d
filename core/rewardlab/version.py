"""The version of the library, apart from its face, so that what lies under the face can read it."""

__version__ = "0.1.0"
