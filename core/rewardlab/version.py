"""The version of the library, apart from its face, so that what lies under the face can read it."""

__version__ = "0.1.0"

PLUGINS = (
    *("checklist", "choice", "comet", "curriculum", "data", "embed", "format", "inspect", "language", "math"),
    *("normalize", "openai", "openrlhf", "pairwise", "reward_model", "rubric", "studies"),
    *("testing", "trl"),
)
"""the plugins of the same version, each with a distribution of its own: rewardlab-math has the plugin math"""
ENGINES = ("openrlhf", "trl")
"""those of them that train; each is an extra of the distribution rewardlab, too"""
