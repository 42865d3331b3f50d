"""The page of runs that go on, served on this machine and brought up to date by what is new.

live_page   the runs as they grow, and the documents that a browser asks for
server      who may ask, and for what
"""
