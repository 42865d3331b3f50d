"""An audit of public graders: each is installed in an environment of its own and probed as a function.

grader         what an entry says
entries        the entries of all sources, checked
installation   the environment of an entry's packages
probing        one grader: probed, and its findings' lines run
results        what is kept of each, and whether it is still true
checked        findings that somebody has looked at, and those to look at next
page           the table and the page
"""
