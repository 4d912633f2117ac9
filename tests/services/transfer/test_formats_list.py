from reviewer.services.transfer import record_schema


def test_formats_are_listed_with_unique_names_ours_first() -> None:
    listed = [record_schema.to_json(entry) for entry in record_schema.formats()]
    names = [entry["name"] for entry in listed]
    assert names[0] == "native"
    assert len(set(names)) == len(names)
    for entry in listed:
        assert entry["reads"] or entry["writes"]
        assert entry["recognised_by"]
        assert all(suffix.startswith(".") for suffix in entry["suffixes"])
