"""Whether something that should not matter moves the judge: length, order, family, language.

Each probe asks how the gap between people and judge changes: people's own taste for length or
language is thereby left out. Figures of all probes are tested together (Benjamini and Hochberg).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from reviewer.domain.errors import Progress, heed
from reviewer.domain.rubric import TIE
from reviewer.domain.wording import upper_first
from reviewer.scoring.language import UNKNOWN, language_name
from reviewer.services.audits import families
from reviewer.services.audits.families import Families
from reviewer.services.audits.probe_values import (
    Kind,
    Probe,
    Probes,
    Row,
    family_sentence,
    language_sentence,
    length_sentence,
    order_sentence,
    tested_sentence,
)
from reviewer.services.audits.segment_values import NO_TEXT, TextColumns, TextFacts
from reviewer.services.figures.figure_table import MetricTable
from reviewer.services.figures.human_columns import Flags, Floats, Ints
from reviewer.services.figures.statistics_gaps import Frame
from reviewer.services.project.figure_rules import furthest_gaps
from reviewer.services.project.session import Session
from reviewer.stats.agreement import coefficient_interval, coefficient_or_reason
from reviewer.stats.contrast import Contrast, mean_contrast, slope
from reviewer.stats.intervals import IntervalPolicy
from reviewer.stats.paired_shares import changed_verdicts
from reviewer.stats.pairs import array_evidence, in_conversations
from reviewer.stats.reasons import NO_OVERLAP, UNORDERED
from reviewer.stats.segments import SHOWN_FROM, benjamini_hochberg, level_left
from reviewer.store import evaluation_columns, figures

PER = 100
"""Characters that a slope is given for."""
NO_RESPONSE = "no labelled response has a text of its own"
NO_COMPARISON = "these are no comparisons of candidates"
NO_CHOICES = "no comparison has both a judge and people who chose a candidate"
NO_JUDGE_FAMILY = "the judge's name belongs to no known model family"
NO_MODEL = "no labelled evaluation names the model that answered"
ONE_FAMILY = "all evaluated models are of one kind: own family or other"
ONE_LANGUAGE = "all labelled responses are of one language, or of none that is known"
FEW = f"fewer than {SHOWN_FROM} evaluations"


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """Evaluations with auto and human score of one metric.

    Attributes:
        gaps: Human minus auto; categories have none.
        furthest: How far two mean gaps can be apart on the scale.
    """

    keys: Ints
    auto: Floats
    human: Floats
    clusters: Ints | None
    level: float
    furthest: float

    @property
    def gaps(self) -> Floats:
        return self.human - self.auto

    def at(self, rows: Flags | Ints) -> "_Pairs":
        return replace(
            self,
            keys=self.keys[rows],
            auto=self.auto[rows],
            human=self.human[rows],
            clusters=None if self.clusters is None else self.clusters[rows],
        )

    def contrast(self, second: Flags) -> Contrast:
        """Hold the mean gap of some against that of the others."""
        return mean_contrast(self.gaps, second, self.clusters, self.level).held(self.furthest)


def probe(
    session: Session,
    frame: Frame,
    metric: str,
    *,
    facts: TextFacts,
    level: float = 0.95,
    progress: Progress | None = None,
) -> Probes:
    """Probe the judge of one metric; call it beside the window.

    Args:
        session: The project.
        frame: The columns of the scope, and which of them count.
        metric: One of its metrics.
        facts: What is known of texts already.
        level: Of all intervals together.
        progress: Asked whether to stop.

    Raises:
        CancelledError: Nobody waits for it any more.
    """
    table = frame.table.metrics[metric]
    pairs = _pairs(frame, table, level)
    made: tuple[Probe, ...]
    if not pairs.keys.size:
        made = tuple(_nothing(kind, NO_OVERLAP) for kind in _KINDS)
    else:
        made = _made(session, table, pairs, facts, partial(heed, progress))
    tested = [row.p for one in made for row in one.rows]
    each = level_left(tested, level)
    if each > level:
        # what is looked at together is told together: every interval at the level left for it
        made = _made(session, table, replace(pairs, level=each), facts, partial(heed, progress))
    adjusted = iter(benjamini_hochberg(tested))
    found = tuple(
        replace(
            one,
            rows=tuple(replace(row, adjusted=next(adjusted), level=each) for row in one.rows),
            higher_is_better=table.metric.higher_is_better,
        )
        for one in made
    )
    found = tuple(_spoken(one) for one in found)
    count = sum(p is not None for p in tested)
    return Probes(found, count, tested_sentence(count, found))


_KINDS: tuple[Kind, ...] = ("length", "order", "family", "language")


def _pairs(frame: Frame, table: MetricTable, level: float) -> _Pairs:
    whole = frame.table
    both = table.both & np.isfinite(table.human.score) & frame.counted
    return _Pairs(
        whole.keys[both],
        table.auto[both],
        table.human.score[both],
        None if whole.clusters is None else whole.clusters[both],
        level,
        furthest_gaps(table.metric),
    )


def _made(
    session: Session,
    table: MetricTable,
    pairs: _Pairs,
    facts: TextFacts,
    go_on: Callable[[], None],
) -> tuple[Probe, ...]:
    known = families.read_families(session.project)
    own = _judge_family(session, table, known)
    if not table.metric.is_numeric:
        picks = _Picks(session, table, pairs)
        return (
            _nothing("length", UNORDERED),
            _order(picks),
            _picked_family(picks, known, own),
            _nothing("language", UNORDERED),
        )
    texts = facts.read(session.project, pairs.keys, go_on)
    go_on()
    models = _models(session, pairs.keys, go_on)
    return (
        _length(pairs, texts),
        _nothing("order", NO_COMPARISON),
        _family(pairs, [known.of(name) for name in models], own, named=any(models)),
        _language(pairs, texts),
    )


def _nothing(kind: Kind, reason: str) -> Probe:
    return Probe(kind=kind, sentence=upper_first(reason), reason=reason)


def _spoken(one: Probe) -> Probe:
    if one.reason is not None:
        return one
    said = {
        "length": length_sentence,
        "order": order_sentence,
        "family": family_sentence,
        "language": language_sentence,
    }[one.kind]
    return replace(one, sentence=said(one))


def _length(pairs: _Pairs, texts: TextColumns) -> Probe:
    there = np.asarray(texts.lengths != NO_TEXT)
    if not there.any():
        return _nothing("length", NO_RESPONSE)
    kept, lengths = pairs.at(there), texts.lengths[there].astype(np.float64)
    line = slope(lengths / PER, kept.gaps, kept.clusters, pairs.level)
    if line.low is not None and line.n < SHOWN_FROM:
        line = replace(line, low=None, high=None, p=None, reason=FEW)
    evidence = array_evidence(lengths, kept.gaps, None)
    if kept.clusters is not None:
        evidence = in_conversations(evidence, lengths, kept.gaps, kept.clusters)
    rank, why = coefficient_or_reason(evidence, "spearman")
    around = coefficient_interval(evidence, "spearman", IntervalPolicy(level=pairs.level))
    rows = (
        Row(
            f"gap per {PER} characters",
            "slope",
            line.n,
            line.value,
            line.low,
            line.high,
            p=line.p,
            reason=line.reason,
            keys=kept.keys,
            source=line,
        ),
        Row(
            "rank correlation of gap and length",
            "correlation",
            line.n,
            rank,
            around.low if around else None,
            around.high if around else None,
            reason=why or (None if around else FEW),
            keys=kept.keys,
            source=around,
        ),
    )
    left = int((~there).sum())
    note = f"{left:,} labelled evaluations have no response of their own." if left else ""
    return Probe(kind="length", sentence="", rows=rows, note=note)


def _models(session: Session, keys: Ints, go_on: Callable[[], None]) -> list[str | None]:
    fields = evaluation_columns.read_fields(session.project, (int(keys[0]), int(keys[-1])), go_on)
    known = dict(zip(fields.keys, fields.models, strict=True))
    return [known.get(key) for key in keys.tolist()]


def _judge_family(session: Session, table: MetricTable, families: Families) -> str | None:
    versions = {one.key: one for one in figures.scorer_versions(session.project)}
    judge = versions.get(table.score_set or -1)
    if judge is None:
        return families.of(table.scorer)
    return families.of(judge.model) or families.of(judge.scorer)


def _family(
    pairs: _Pairs, families: Sequence[str | None], own: str | None, *, named: bool
) -> Probe:
    if own is None or not named:
        return _nothing("family", NO_JUDGE_FAMILY if named else NO_MODEL)
    known = np.array([one is not None for one in families], dtype=np.bool_)
    same = np.array([one == own for one in families], dtype=np.bool_)
    if not (known & same).any() or not (known & ~same).any():
        return _nothing("family", ONE_FAMILY)
    kept = pairs.at(known)
    found = kept.contrast(same[known])
    left = int((~known).sum())
    note = f"{left:,} evaluations of models of no known family are left out." if left else ""
    row = _contrast_row(f"{own} against others", found, kept.keys[same[known]])
    return Probe(kind="family", sentence="", rows=(row,), note=note)


def _contrast_row(name: str, found: Contrast, keys: Ints) -> Row:
    return Row(
        name,
        "difference",
        found.n_second,
        found.difference,
        found.low,
        found.high,
        p=found.p,
        reason=found.reason,
        keys=keys,
        source=found,
    )


def _language(pairs: _Pairs, texts: TextColumns) -> Probe:
    codes = np.array(texts.languages, dtype=np.str_)
    known = codes != UNKNOWN
    named = sorted(set(codes[known].tolist()))
    if len(named) < 2:
        return _nothing("language", ONE_LANGUAGE)
    kept, codes = pairs.at(known), codes[known]
    rows = []
    for code in named:
        mine = np.asarray(codes == code)
        n = int(mine.sum())
        keys = kept.keys[mine]
        if n < SHOWN_FROM:
            rows.append(Row(language_name(code), "difference", n, None, reason=FEW, keys=keys))
            continue
        found = kept.contrast(mine)
        rows.append(_contrast_row(language_name(code), found, keys))
    rows.sort(key=lambda row: (row.value is None, -abs(row.value or 0.0), row.name))
    left = int((~known).sum())
    note = f"{left:,} labelled responses give their language away nowhere." if left else ""
    return Probe(kind="language", sentence="", rows=tuple(rows), note=note)


class _Picks:
    """Comparisons in which both judge and people chose a candidate."""

    def __init__(self, session: Session, table: MetricTable, pairs: _Pairs) -> None:
        self.level = pairs.level
        names = table.metric.values
        shown: dict[int, list[tuple[str, str | None]]] = {}
        for key, name, model in evaluation_columns.read_candidates(
            session.project, pairs.keys.tolist()
        ):
            shown.setdefault(key, []).append((name, model))
        rows = []
        for row, key in enumerate(pairs.keys.tolist()):
            judge, people = names[int(pairs.auto[row])], names[int(pairs.human[row])]
            there = {name for name, _ in shown.get(key, ())}
            if TIE not in (judge, people) and {judge, people} <= there:
                rows.append((row, judge, people))
        self.is_comparison = bool(shown)
        places = [row for row, _, _ in rows]
        self.keys = pairs.keys[places]
        self.clusters = None if pairs.clusters is None else pairs.clusters[places]
        self.chosen = [(judge, people) for _, judge, people in rows]
        self.shown = [shown[key] for key in self.keys.tolist()]

    def compared(self, counts: Sequence[set[str]], name: str, unit: str) -> Row:
        """Compare how often judge and people chose one of the candidates that count."""
        chosen = [
            (people in some, judge in some)
            for (judge, people), some in zip(self.chosen, counts, strict=True)
        ]
        by_people, by_judge = np.array(chosen, dtype=np.bool_).reshape(-1, 2).T
        found = changed_verdicts(by_people, by_judge, self.clusters, self.level)
        few = found.n < SHOWN_FROM
        return Row(
            name,
            unit,
            found.n,
            found.difference,
            None if few else found.low,
            None if few else found.high,
            p=None if few else found.mid,
            reason=found.reason or (FEW if few else None),
            keys=self.keys,
            source=found,
        )

    def share(self, counts: Sequence[set[str]], side: int, name: str) -> Row:
        """Give how often one side (0 judge, 1 people) chose a candidate that counts."""
        hits = sum(one[side] in some for one, some in zip(self.chosen, counts, strict=True))
        n = len(self.chosen)
        return Row(name, "share", n, hits / n if n else None, keys=self.keys)


def _order(picks: _Picks) -> Probe:
    if not picks.is_comparison:
        return _nothing("order", NO_COMPARISON)
    if not picks.chosen:
        return _nothing("order", NO_CHOICES)
    first = [{shown[0][0]} for shown in picks.shown]
    rows = (
        picks.compared(first, "judge more often than people", "share difference"),
        picks.share(first, 0, "judge takes the first"),
        picks.share(first, 1, "people take the first"),
    )
    note = ""
    if len({name for some in first for name in some}) == 1:
        note = (
            "The same candidate always stands first: a taste for the first place and one for "
            "that candidate look alike here."
        )
    return Probe(kind="order", sentence="", rows=rows, note=note)


def _picked_family(picks: _Picks, families: Families, own: str | None) -> Probe:
    if not picks.is_comparison:
        return _nothing("family", NO_COMPARISON)
    named = any(model for shown in picks.shown for _, model in shown)
    if own is None or not named:
        return _nothing("family", NO_JUDGE_FAMILY if named else NO_MODEL)
    mine = [{name for name, model in shown if families.of(model) == own} for shown in picks.shown]
    if not any(0 < len(x) < len(s) for x, s in zip(mine, picks.shown, strict=True)):
        return _nothing("family", ONE_FAMILY)
    row = picks.compared(mine, f"{own} chosen by the judge more often", "share difference")
    return Probe(kind="family", sentence="", rows=(row,))
