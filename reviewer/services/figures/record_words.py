"""Whose scores a figure is made of, in words: which version, on how many, and what is left out."""

from collections.abc import Sequence

from reviewer.services.figures.auto_columns import RunRecord

MOST_NAMED = 3
"""Runs that are told one by one; of more only how many there are."""


def coverage(found: RunRecord) -> str:
    """Say which version counts in a run and on how many, empty where none does."""
    if found.version is None or found.reason is not None:
        return ""
    return f"{_name(found)} on {span([found.n], found.of)}"


def not_counted(found: RunRecord) -> str:
    """Say what else scored there and on how many, empty where nothing did."""
    return ", ".join(f"{version.name} on {n:,}" for version, n in found.not_counted)


def span(counts: Sequence[int], of: int) -> str:
    """Say on how many of all, from the fewest to the most where counts differ."""
    low, high = min(counts), max(counts)
    return f"{low:,} of {of:,}" if low == high else f"{low:,} to {high:,} of {of:,}"


def together(found: Sequence[tuple[str, RunRecord]]) -> str:
    """Say whose scores count in a run, the metrics of a version together.

    Args:
        found: Headings of metrics of one run, each with whose scores count for it.
    """
    alike: dict[str, list[tuple[str, RunRecord]]] = {}
    for heading, one in found:
        alike.setdefault(_name(one), []).append((heading, one))
    told = []
    for name, mine in alike.items():
        counts = [one.n for _, one in mine]
        many = f" on {span(counts, mine[0][1].of)}" if any(counts) else ""
        single = len(alike) == 1 and len(found) > 1
        metrics = "" if single else f" for {', '.join(heading for heading, _ in mine)}"
        told.append(f"{name}{many}{metrics}")
    return "; ".join(told)


def line(records: Sequence[RunRecord]) -> str:
    """Say of a metric's runs which version counts and on how many, and what does not count.

    Runs that one version covers are told together, others run by run; empty where nothing was
    scored.
    """
    scored = [x for x in records if x.version is not None or x.not_counted]
    if not scored:
        return ""
    parts = [_counting(scored)]
    if not all(x.is_of_record for x in scored):
        parts.append("chosen here, not of record")
    rest = _left_out(scored)
    if rest:
        parts.append(f"not counted: {rest}")
    return "; ".join(parts)


def _counting(records: Sequence[RunRecord]) -> str:
    if len(records) == 1:
        return coverage(records[0]) or f"Nothing counts: {records[0].reason}"
    alike = {(x.version and x.version.key, x.with_repeats, x.reason) for x in records}
    if len(alike) == 1 and records[0].version is not None and records[0].reason is None:
        n, of = sum(x.n for x in records), sum(x.of for x in records)
        return f"{_name(records[0])} on {span([n], of)} in {len(records)} runs"
    told = [f"{coverage(x) or _name(x)} in {x.run}" for x in records[-MOST_NAMED:]]
    more = len(records) - len(told)
    rest = f"; {more} more {'run' if more == 1 else 'runs'}" if more else ""
    return f"{', '.join(told)}{rest}"


def _name(found: RunRecord) -> str:
    if found.version is None or found.reason is not None:
        return f"nothing ({found.reason})"
    return f"{found.version.name} with its repeats" if found.with_repeats else found.version.name


def _left_out(records: Sequence[RunRecord]) -> str:
    """Say what scored in these runs and does not count there."""
    counting = {None if x.version is None else x.version.key for x in records}
    if len(counting) > 1:
        # what is left out in one run may count in another
        told = [f"{not_counted(x)} in {x.run}" for x in records if x.not_counted]
        return ", ".join(told[-MOST_NAMED:])
    counts: dict[str, int] = {}
    for record in records:
        for version, n in record.not_counted:
            counts[version.name] = counts.get(version.name, 0) + n
    return ", ".join(f"{name} on {n:,}" for name, n in counts.items())
