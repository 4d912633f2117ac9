from pathlib import Path

import pytest

from reviewer.reports import rendering
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
