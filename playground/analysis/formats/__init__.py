"""Data in many formats: what each costs in tokens, where they go, and what was lost."""
