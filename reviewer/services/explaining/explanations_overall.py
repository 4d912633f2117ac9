"""How the overall of one evaluation is made of its metrics, with the numbers filled in."""

from collections.abc import Mapping

from reviewer.domain.rubric import Rubric
from reviewer.services.explaining.explanations_words import Step, numeral
from reviewer.services.project.figure_rules import overall_rule
from reviewer.services.tallying.live_figures import CaseFigures, EvaluationFigures, MetricFigures
from reviewer.stats.satisfaction import OverallRule, Part

Values = Mapping[str, float | None]


def overall_steps(
    rubric: Rubric, figures: MetricFigures, case: EvaluationFigures | None
) -> list[Step]:
    """Explain the overall of an evaluation, on the judge's and on people's side."""
    rule = overall_rule(rubric, figures.made_by.options)
    title = figures.title
    steps = [Step(f"{title}: how it is made", _rule_words(rule))]
    if case is None:
        return steps
    autos = {name: one.auto for name, one in case.metrics.items()}
    found = case.overall
    if found.auto is None:
        steps.append(Step(f"{title} of this response, auto", _missing(rule, autos)))
    else:
        formula = _weighted(rule, autos, found.auto)
        steps.append(Step(f"{title} of this response, auto", "", formula))
    return [*steps, *_human(title, rule, case, autos)]


def _human(title: str, rule: OverallRule, case: EvaluationFigures, autos: Values) -> list[Step]:
    found = case.overall
    if found.human is None:
        words = "Nobody labelled a metric that counts, or a part is missing."
        return [Step(f"{title} of this response, human", words)]
    merged = {part.name: _said(case.metrics.get(part.name), autos, part) for part in rule.parts}
    borrowed = [
        part.name
        for part in rule.parts
        if part.weight
        and merged[part.name] is not None
        and _label(case.metrics.get(part.name)) is None
    ]
    words = f"{found.covered:.0%} of the weight is labelled."
    if borrowed:
        words += f" Without a label the auto score stands: {', '.join(borrowed)}."
    if found.mixed:
        words += " It is mixed: a labelled metric has no auto score."
    steps = [Step(f"{title} of this response, human", words, _weighted(rule, merged, found.human))]
    if found.gap is not None:
        gap = f"{numeral(found.human)} − {numeral(found.auto)} = {numeral(found.gap)}"
        steps.append(Step(f"{title} of this response, gap", "", f"human − auto = {gap}"))
    return steps


def _label(one: CaseFigures | None) -> float | None:
    return None if one is None else one.human


def _said(one: CaseFigures | None, autos: Values, part: Part) -> float | None:
    label = _label(one)
    return autos.get(part.name) if label is None else label


def _weighted(rule: OverallRule, values: Values, result: float) -> str:
    """Write the weighted mean of the values there are, each on the range of the overall."""
    terms, weights = [], []
    for part in rule.parts:
        value = values.get(part.name)
        if value is not None and part.weight:
            brought = rule.brought(part, value, rule.range)
            terms.append(f"{numeral(part.weight)} × {numeral(brought)}")
            weights.append(numeral(part.weight))
    return f"({' + '.join(terms)}) / ({' + '.join(weights)}) = {numeral(result)}"


def _missing(rule: OverallRule, values: Values) -> str:
    gone = [part.name for part in rule.parts if part.weight and values.get(part.name) is None]
    words = f"There is none: {', '.join(gone)} has no score." if gone else "There is none."
    return f"{words} The rubric says missing = {rule.missing}."


def _rule_words(rule: OverallRule) -> str:
    low, high = rule.range
    weights = ", ".join(f"{part.name} {numeral(part.weight)}" for part in rule.parts)
    words = (
        f"Mean of the metrics by weight ({weights}), from {numeral(low)} to {numeral(high)}. "
        "Where a metric is missing "
    )
    words += "there is no overall" if rule.missing == "null" else "the others share its weight"
    turned = [part.name for part in rule.parts if not part.higher_is_better]
    if turned:
        words += f"; lower is better for {', '.join(turned)}, which is turned round"
    there = [part for part in rule.parts if part.weight]
    other = [part.name for part in there if (part.low, part.high) != (low, high)]
    if other:
        words += f"; brought to that range (rescale = {rule.rescale}): {', '.join(other)}"
    return f"{words}."
