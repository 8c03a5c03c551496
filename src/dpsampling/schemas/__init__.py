"""What the project's own documents may say, as pydantic types: the one source of checks, JSON schemas and pages."""
