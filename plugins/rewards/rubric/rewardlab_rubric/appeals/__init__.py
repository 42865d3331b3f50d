"""Appeals: a judge looks again at what a rule rejects, and the rule's errors are estimated, and taken off."""
