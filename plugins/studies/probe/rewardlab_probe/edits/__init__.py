"""Edits of an answer or a program that know no prompt and no kind of question, by kind and name.

answers         its numbers, pairs of numbers, words and members
json_edits      answers in JSON
notation_edits  other letters and digits
program_edits   programs, by their syntax
"""
