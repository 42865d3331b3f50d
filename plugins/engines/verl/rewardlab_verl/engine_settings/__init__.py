"""verl's own settings: which there are, by its composed configuration, and which a recipe may pass on.

VERSION.json.gz  names, types, values and descriptions, which `release/engine_settings.py` writes from verl's wheel
passed           what is wrong with `backend.engine.arguments`, and what they do
beside_us        settings that are the recipe's or that do nothing here, and what does their work
"""
