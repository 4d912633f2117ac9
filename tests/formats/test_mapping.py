from pathlib import Path

import pytest

from reviewer.domain.errors import FormatError
from reviewer.formats.mapping import Mapping, mapping_of, read_mapping

MAPPINGS = sorted((Path(__file__).resolve().parents[1] / "mappings").glob("*.toml"))


@pytest.mark.parametrize("path", MAPPINGS, ids=lambda path: path.stem)
def test_a_mapping_written_out_is_the_same_mapping(path: Path) -> None:
    mapping = read_mapping(path)
    assert mapping_of(mapping.to_toml()) == mapping


def test_plain_mappings_stay_plain() -> None:
    text = '[fields]\nid = "key"\n\n[[scores]]\nmetric = "m"\nvalue = "v"\n'
    written = mapping_of(text).to_toml()
    assert 'id = "key"' in written
    assert 'metric = "m"' in written
    assert "[\n" not in written


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nonsense", "is no TOML"),
        ('[fields]\nidd = "x"', "fields.idd: there is no such key in a mapping"),
        ("keep = 'rest'", "the mapping says nothing"),
        ('layout = "long"\n[fields]\ninput = "q"', 'layout "long" needs id'),
        ('[[scores]]\nvalue = "v"', "exactly one of metric, metric_column, metrics_in"),
        ('[[labels]]\nmetric = "m"\nvalue = "v"', "either labeler or labeler_column"),
        ('[[scores]]\nmetric = "m"\nvalue = "v"\nextract = "("', "is no pattern"),
        ('scale = { from = [1, 1], to = [0, 1] }\n[fields]\nid = "x"', "two different ends"),
        ('[fields]\nid = { map = { a = "b" } }', "a field needs from or constant"),
    ],
)
def test_mistakes_are_named(text: str, sentence: str) -> None:
    with pytest.raises(FormatError, match="the mapping") as caught:
        mapping_of(text)
    assert sentence in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read"):
        read_mapping(tmp_path / "none.toml")


def test_labels_alone_have_nothing_to_look_at() -> None:
    labels = '[fields]\nid = "i"\n[[labels]]\nmetric = "m"\nvalue = "v"\nlabeler = "a"\n'
    assert not mapping_of(labels).has_text
    assert Mapping.model_validate({"fields": {"response": "r"}}).has_text
