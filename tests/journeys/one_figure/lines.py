"""How printed tables are read: by their headings, as a person does."""

import re
from collections.abc import Sequence

Row = dict[str, str]
_RULE = re.compile(r"^[\s─━-]+$")


def table(text: str, title: str) -> list[Row]:
    """Read the table under a title on standard output, a row by its columns' headings."""
    lines = iter(text.splitlines())
    for line in lines:
        if line.strip().casefold().startswith(title.casefold()):
            break
    # the first column often has no heading
    heads = [*_spans(next(lines, "")), ("", 1, 1)]
    rows = []
    for line in lines:
        if _RULE.match(line):
            continue
        if not line.strip() or not line.startswith(" "):
            break
        rows.append(_row(line, heads))
    return rows


def _spans(line: str) -> list[tuple[str, int, int]]:
    return [(x[0], x.start(), x.end()) for x in re.finditer(r"\S+(?: \S+)*", line)]


def _row(line: str, heads: Sequence[tuple[str, int, int]]) -> Row:
    """Put each cell under the heading that starts or ends where it does."""
    found = {}
    for words, start, end in _spans(line):
        name = min(heads, key=lambda x: min(abs(x[1] - start), abs(x[2] - end)))[0]
        found[name] = words
    return found


def html_tables(text: str) -> list[list[Row]]:
    """Read every table of a page, each row by the headings of its table."""
    return [_html_rows(x) for x in re.findall(r"<table.*?</table>", text, re.DOTALL)]


def _html_rows(text: str) -> list[Row]:
    heads = [plain(x) for x in re.findall(r"<th[^>]*>(.*?)</th>", text, re.DOTALL)]
    rows = []
    for row in re.findall(r"<tr[^>]*>(.*?)</tr>", text, re.DOTALL):
        cells = [plain(x) for x in re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL)]
        if cells:
            rows.append(dict(zip(heads, cells, strict=False)))
    return rows


def plain(text: str) -> str:
    """Take the marks out of a piece of a page."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text)).strip()


def markdown_tables(text: str) -> list[list[Row]]:
    """Read every table of a Markdown text, each row by the headings of its table."""
    found = []
    for block in re.findall(r"(?:^\|.*\|[ ]*\n)+", text, re.MULTILINE):
        head, _, *rows = [_cells(line) for line in block.splitlines()]
        found.append([dict(zip(head, row, strict=False)) for row in rows])
    return found


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split(" | ")]
