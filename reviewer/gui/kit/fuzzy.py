"""Fuzzy matching for the palette: the letters of the query in order, word starts preferred."""


def rank(query: str, text: str) -> float | None:
    """Say how well a text answers a query; higher is better, None where it does not.

    A text matches when every word of the query occurs, whole or as a subsequence of letters.
    """
    words = query.casefold().split()
    target = text.casefold()
    ranks = [_word_rank(word, target) for word in words]
    found = [x for x in ranks if x is not None]
    if len(found) < len(ranks):
        return None
    return sum(found) - len(target) / 1000


def _word_rank(word: str, target: str) -> float | None:
    start = target.find(word)
    if start >= 0:
        return 3.0 * len(word) + (2.0 if start == 0 or not target[start - 1].isalnum() else 0.0)
    return _subsequence_rank(word, target)


def _subsequence_rank(word: str, target: str) -> float | None:
    total, position = 0.0, -1
    for letter in word:
        found = target.find(letter, position + 1)
        if found < 0:
            return None
        starts_word = found == 0 or not target[found - 1].isalnum()
        total += 1.0 + (
            0.5 if found == position + 1 or starts_word else -0.05 * (found - position)
        )
        position = found
    return max(total, 0.0)
