"""JSON Schemas for editors, generated from the models of recipes, rows and options.

json_schemas  the schemas: of recipes, of rows to score, and of each component's options
row_schema    that of a row to score
schema_text   how a schema is written: what it says twice refers to the first place
first_party   the plugins of this repository, among all that are installed
"""
