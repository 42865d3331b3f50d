"""What laws are tried with, where an example of the component does not say it.

strategies        hypothesis strategies for texts, completions, samples and groups
search            the search for the smallest failing example, within a time limit
default_examples  examples for specs that declare none
"""
