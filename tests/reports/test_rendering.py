import os
import time
from functools import partial
from pathlib import Path

import psutil
import pytest

from reviewer.confined.calling import Confined
from reviewer.confined.process import MEGABYTE
from reviewer.reports import rendering
from reviewer.reports.document import Rows
from reviewer.reports.rendering import ReportTemplateError


def test_the_shipped_templates_are_found() -> None:
    assert rendering.shipped("html") == ("report",)
    assert rendering.shipped("pdf") == ("report",)
    assert rendering.shipped("md") == (
        "agent-rubric", "faq-bot", "guest-response", "harness", "report", "virtual-agent",
    )  # fmt: skip


def test_a_system_without_a_template_of_its_own_takes_the_general_one() -> None:
    assert rendering.template("md", None, "guest-response")[0] == "guest-response"
    assert rendering.template("md", None, "my-own")[0] == "report"
    assert rendering.template("md", "report", "guest-response")[0] == "report"


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.j2"
    file.write_text("{{ runs | join }}: {{ rate | percent }}", encoding="utf-8")
    found = rendering.template("md", str(file))
    assert rendering.render("md", found, {"runs": ["v7"], "rate": 0.5}) == "v7: 50.0%"


def test_html_is_escaped_whatever_the_template_does() -> None:
    made = rendering.render("html", ("t", "<p>{{ x }}</p>"), {"x": "<script>1</script>"})
    assert made == "<p>&lt;script&gt;1&lt;/script&gt;</p>"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("\n{% if %}", "line 2"),
        ("\n\n{{ nothing }}", r"line 3, cannot .* 'nothing' is undefined. Known names: pass_rate"),
        ("{{ pas_rate }}", "'pas_rate' is undefined. Did you mean pass_rate"),
        ("{{ ''.__class__.__mro__ }}", "unsafe"),
        ("{{ 1 | magic }}", "No filter named 'magic'. Known filters: abs"),
        ("{{ 1 | percnt }}", "line 1: No filter named 'percnt'. Did you mean percent"),
        ("{{ 1 // 0 }}", "cannot be filled in"),
        ("{% set x = 1e999 %}{{ x }}", "cannot be filled in"),
        ("{{ {} | shown }}", "there is no 'value'"),
        ("{% include 'nowhere' %}", "nowhere"),
        ("{% for _ in range(10 ** 9) %}{% endfor %}", "cannot be filled in"),
        ("{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}", "recursion"),
    ],
)
def test_a_wrong_template_is_a_sentence(text: str, words: str) -> None:
    with pytest.raises(ReportTemplateError, match=words) as error:
        rendering.render("md", ("mine", text), {"pass_rate": 1})
    assert "mine" in str(error.value)


@pytest.mark.parametrize("name", ["absent", "../rubrics/harness", "a\0b"])
def test_no_such_template(name: str) -> None:
    with pytest.raises(ReportTemplateError, match="There is no template"):
        rendering.template("html", name)


NESTED = "{% for a in range(99999) %}" * 5 + "x" + "{% endfor %}" * 5


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{{ 'x' * 10**10 }}", "needs more than 1,024 MB of memory"),
        (
            "{% set x = ['x' * 10**8] %}{{ (x * 99) | join }}",
            "needs more than|gives more than|gave no answer",
        ),
        ("{{ '%9999999999d' % 1 }}", "needs more than 1,024 MB of memory"),
        ("{{ '{:>9999999999}'.format(1) }}", "needs more than 1,024 MB of memory"),
        ("{{ 'x' | center(10**10) }}", "needs more than 1,024 MB of memory"),
        ("{{ 'x' * (70 * 2**20) }}", "gives more than 64 MB|gave no answer"),
        ("{% for a in [1] %}" * 25 + "{% endfor %}" * 25, "too many statically nested blocks"),
        ("{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}", "recursion"),
        ("{{ 10 ** (10 ** 10) }}", "gave no answer within 2 s"),
        (NESTED, "gave no answer within 2 s"),
        ("{{ range(99999) | map('string') | sum(start='') }}{{ range(10**5) }}", "cannot be"),
        ("{% for a in rows %}{{ rows | min }}{% endfor %}", "gave no answer within 2 s"),
    ],
)
def test_a_hostile_template_ends_in_time(
    monkeypatch: pytest.MonkeyPatch, text: str, words: str
) -> None:
    monkeypatch.setattr(
        rendering, "_WORK", Confined(rendering.work, seconds=2.0, memory=rendering.MEMORY)
    )
    fields = {"rows": list(range(50_000))}
    before, room = time.monotonic(), psutil.Process().memory_info().rss
    with pytest.raises(ReportTemplateError, match=words) as error:
        rendering.render("md", ("mine.j2", text), fields)
    assert "mine.j2" in str(error.value)
    assert len(str(error.value)) < 1000
    assert time.monotonic() - before < 2 + 1 + START
    assert psutil.Process().memory_info().rss - room < 64 * MEGABYTE


START = 12
"""Seconds in which a process is started on a machine that has other work, too."""


def test_what_is_read_late_is_handed_over() -> None:
    rows = Rows(2, lambda: iter([{"id": "a"}, {"id": "b"}]))
    text = "{% for row in case.rows %}{{ row.id }}{% endfor %}{{ case.rows | length }}{{ two() }}"
    fields = {"case": {"rows": rows}, "two": partial(str, 2), "unread": os}
    assert rendering.render("md", ("mine", text), fields) == "ab22"
