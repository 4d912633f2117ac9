"""How a call of a stranger's function failed, in words that follow the function's name."""

from reviewer.domain.errors import ReviewerError


class CallEndedError(ReviewerError):
    """Report that a function gave nothing back; the sentence follows its name."""


def why(error: Exception) -> str:
    """Say why a function gave nothing, such as "failed: ValueError: no pool here"."""
    if isinstance(error, CallEndedError):
        return str(error)
    return f"failed: {type(error).__name__}: {' '.join(str(error).split()) or 'no reason given'}"
