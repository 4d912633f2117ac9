"""Reviewer: check automatic evaluations of chatbots and agents by labelling responses.

Imports only go down: `__main__`, then `cli` (later also `api` and `worker`), `gui`, `services`,
then `store`, `formats`, `scoring` and `reports`, which do not see each other, and at the bottom
`stats`, `domain` and `paths`, which import nothing of the house. Each room's docstring says what
it owns and what it may import; `pyproject.toml` holds the contracts and the tests break each once.
"""
