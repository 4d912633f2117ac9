"""What things are: rubrics, evaluations, labels, runs, change reports and errors.

Frozen values without behaviour towards the outside: `msgspec.Struct`, of which a window can be
built in a moment, and dataclasses where pydantic checks what comes from outside, as in rubrics.
May import pydantic and msgspec; nothing of the house.
"""
