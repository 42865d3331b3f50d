"""whether a response is in the language it should be in"""
