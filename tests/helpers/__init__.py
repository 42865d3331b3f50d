"""What tests share, imported as `helpers` from any folder of tests (pythonpath in pyproject.toml)."""
