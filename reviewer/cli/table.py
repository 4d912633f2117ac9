"""The table of commands, which costs nothing to load."""

DONE, NOT_HELD, WRONG, STOPPED = 0, 1, 2, 130

COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("window", "make_demo"),
    "import": ("transfer", "import_files"),
    "undo": ("transfer", "undo"),
    "formats": ("formats", "list_formats"),
    "runs": ("runs", "list_runs"),
    "stats": ("stats", "show_stats"),
    "evaluate": ("evaluating", "evaluate"),
    "jobs": ("evaluating", "list_jobs"),
    "compare": ("comparing", "compare_sides"),
    "tests": ("testing", "manage"),
    "monitor": ("monitoring", "watch_production"),
    "judges": ("judges", "manage"),
    "package": ("parcels", "package"),
    "merge": ("parcels", "merge_files"),
    "export": ("transfer", "export_file"),
    "report": ("reports", "write_report"),
    "packet": ("packets", "write_packet"),
    "check": ("checking", "check_project"),
    "backup": ("upkeep", "back_up"),
    "doctor": ("upkeep", "examine"),
    "tour": ("window", "paint_tour"),
    "schema": ("formats", "print_schema"),
}
"""The commands by name: module of this package and function; only what is asked for is loaded."""

EXAMPLES: dict[str, str] = {
    "demo": "reviewer demo --system faq-bot",
    "import": "reviewer import chats.review results.jsonl --rubric harness",
    "undo": "reviewer undo chats.review 3 --keep labelled",
    "formats": "reviewer formats --json",
    "runs": "reviewer runs chats.review",
    "stats": 'reviewer stats chats.review --run "agent v7" --blind-only --json',
    "evaluate": "reviewer evaluate chats.review --judge careful --only labelled --max-cost 0.50",
    "jobs": "reviewer jobs chats.review discard 3",
    "compare": 'reviewer compare chats.review --run "agent v6" --run "agent v7"',
    "monitor": "reviewer monitor chats.review --watch incoming --sample-rate 0.05 --window 7d",
    "tests": "reviewer tests chats.review add questions.yaml",
    "judges": "reviewer judges chats.review add careful --endpoint deepseek --model deepseek-chat",
    "package": 'reviewer package chats.review for-2.review --queue Pool --labeler "labeler 2"',
    "merge": "reviewer merge chats.review for-2.review --dry-run",
    "export": "reviewer export chats.review labels.csv --what labels",
    "report": 'reviewer report chats.review report.html --run "agent v7"',
    "packet": 'reviewer packet chats.review audit.zip --run "agent v7" --as-of 2026-11-20',
    "check": "reviewer check chats.review --min-pass-rate 0.8 --min-coverage 0.95 --lower",
    "backup": "reviewer backup chats.review chats-copy.review",
    "doctor": "reviewer doctor chats.review",
    "tour": "reviewer tour pictures --project chats.review",
    "schema": "reviewer schema > record.schema.json",
}
