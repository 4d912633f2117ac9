"""The tables of a project file and the steps that bring an older file up to date.

Rules that every query keeps:

- `visible_evaluations` is what readers see. Rows of an import that is still loading carry ids
  above the counter `visible`, so that one update of that counter shows a whole import at once.
- `labels` and `marks` are histories: rows are added, never changed. `current_labels` and `states`
  are kept beside them in the same transaction, for queries that must not read the history.
- A person's label and decision are two streams: a lead's decision stands in `current_labels`
  beside their own label, with `decided` 1, until they take it back. A `comment` is in neither; of
  somebody who has only commented, that entry stands in the label's place and answers nothing.
- `labels.uid` and `marks.uid` name an entry in every copy of the project; an entry that an undo
  brought back names in `restores` the one whose place it takes: `current_labels.place`, whose time
  is `at_us`. `current_labels.comment` is the entry whose comment counts: the person's latest.
- Lists and filters read `evaluations_list` and never the texts.
- `scores.latest` is 1 on the value that counts of an evaluation, metric, turn and set: the first
  without error, of those given to the present text. Its index holds `latest` too: SQLite would
  else read the row, reasoning and all, to check it. `at_us` is `at` as a number; `job` made it.
- Where a record counts repeats, the value made of them stands beside them with the ordinal -1; it
  is never exported, and whoever reads single values leaves it out.
- `records` says which score set counts for a metric in a run; `record_log` is how it came to that.
  Only an import or a job that ends whole fixes one, once; every other change is a lead's.
- `discarded_scores` are scores of a job that was taken back; they count nowhere.
- `seq` orders every change of the project, whatever the clocks say.
- `states.repeat_from` above 0 says that the labeler answers an evaluation once more: their entries
  up to that `seq` stay hidden from them, and the state tells of the new round only.
- `queue_items` says who gets which evaluation of a queue, in which order and with which chance;
  `since` is the `repeat_from` of a repeat that has begun, and 0 until then.
- `packages` says for whom each work package was made and how its evaluations were drawn, so that
  people and queues may be renamed, or queues be deleted, while it is out.
- An evaluation in `exclusions` is seen but enters no figure.
- `tags` is what an evaluation has; `tag_changes` is how that differs from what its record brought.
- A journalled action in the state `doing` or `undoing` is half applied; its body says the rest.
- The counter `bulk` grows with every action on many evaluations, so that other windows read anew;
  `scores`, which stands in shared projects only, with scores that a hub brought.
- `job_sets` says where a job's scores go, `attempts` what came of each of its calls; `replies`
  keeps what was paid for, under a key of everything that decides the reply, so that no call is
  paid for twice. What came stands there as `unread` until it was read.
- A test case belongs to the versions of its set from `since` until before `until`.
- A monitor has looked at every evaluation up to `seen` under the rate and seed in `drawn`; its
  samples keep score and verdict as they were given, by which judge and scorer version. `owner`
  looks at this moment; `watched` is since when a monitor looks by itself, which `watcher` does.
- An evaluation keeps its part in `splits` for ever; `held_out_looks` counts a score set's figure
  once for each state (`stamp`) of its scores, and outlives both.
- A missing turn is stored as -1, so that it can be part of a key.
- `evaluation_versions.import` is the import that replaced the text which the row keeps.

Projects of format 1 were given out, and so are those of this one: whoever changes a table here
raises `FORMAT` and says in `upgrading` what brings an older file to it. A converted file has the
very tables of a new one. `reviewer doctor` tells of a file that lacks what its format has.
"""

import contextlib
import sqlite3

APPLICATION_ID = 0x52455657
FORMAT = 2
"""The number of the newest format, which a file keeps as its `user_version`."""
PROJECT_ID = "project_id"
"""The setting that names a project in every copy of it."""
HUB = "hub"
"""The setting with the address of a hub and the cursors; empty where nothing is shared."""
FORGOTTEN = "forgotten"
"""The setting with what was forgotten here and not on the hub yet."""
WHOLE = -1
"""The turn of a score or label that belongs to the whole evaluation."""

MADE = -1
"""The ordinal of a value that is made of repeats."""

TABLES = """
CREATE TABLE counters(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO counters VALUES ('seq', 0), ('visible', 0), ('bulk', 0);
CREATE TABLE settings(name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE rubrics(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE rubric_versions(
    id INTEGER PRIMARY KEY, rubric INTEGER NOT NULL REFERENCES rubrics(id),
    version TEXT NOT NULL,
    body TEXT NOT NULL, created_at TEXT NOT NULL, seq INTEGER NOT NULL, UNIQUE(rubric,
    version));
CREATE TABLE metrics(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE labelers(
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, colour TEXT,
    role TEXT NOT NULL DEFAULT 'labeler' CHECK (role IN ('labeler', 'lead')), uid BLOB);
CREATE TABLE imports(
    id INTEGER PRIMARY KEY, source TEXT NOT NULL, size INTEGER, format TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('loading', 'done', 'undone', 'failed')),
    started_at TEXT NOT NULL, finished_at TEXT, counts TEXT, owner TEXT, seq INTEGER NOT NULL);
CREATE TABLE runs(
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
    rubric INTEGER NOT NULL REFERENCES rubrics(id),
    imported_at TEXT NOT NULL, source TEXT, import INTEGER REFERENCES imports(id));
CREATE TABLE score_sets(
    id INTEGER PRIMARY KEY, scorer TEXT NOT NULL, version TEXT, model TEXT, prompt_hash TEXT,
    parameters TEXT, rubric_version TEXT, status TEXT NOT NULL DEFAULT 'imported',
    started_at TEXT, finished_at TEXT);
CREATE UNIQUE INDEX score_sets_identity ON score_sets(
    scorer, ifnull(version, ''), ifnull(model, ''), ifnull(prompt_hash, ''), ifnull(parameters,
    ''));
CREATE TABLE evaluations(
    id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs(id), ext_id TEXT NOT NULL,
    case_id TEXT, category TEXT, complexity TEXT, title TEXT, input TEXT, response TEXT,
    expected TEXT,
    error TEXT, model TEXT, latency_ms, cost_usd, tokens_in, tokens_out, occurred_at TEXT,
    evaluated_at TEXT, dated INTEGER, extra TEXT, turns INTEGER NOT NULL DEFAULT 0,
    revision INTEGER NOT NULL DEFAULT 1, import INTEGER REFERENCES imports(id),
    hidden INTEGER NOT NULL DEFAULT 0);
CREATE UNIQUE INDEX evaluations_identity ON evaluations(run, ext_id);
CREATE INDEX evaluations_list ON evaluations(hidden, run, id, category, dated);
CREATE INDEX evaluations_of_scores ON evaluations(id)
    WHERE evaluated_at IS NULL AND occurred_at IS NULL AND dated IS NOT NULL;
CREATE INDEX evaluations_clustered ON evaluations(id) WHERE instr(extra, '"cluster"') > 0;
CREATE INDEX evaluations_case ON evaluations(case_id, run) WHERE case_id IS NOT NULL;
CREATE TABLE evaluation_versions(
    evaluation INTEGER NOT NULL REFERENCES evaluations(id), revision INTEGER NOT NULL,
    body TEXT NOT NULL,
    replaced_at TEXT NOT NULL, import INTEGER,
    PRIMARY KEY (evaluation, revision)) WITHOUT ROWID;
CREATE INDEX evaluation_versions_by_import ON evaluation_versions(import);
CREATE TABLE turns(
    evaluation INTEGER NOT NULL REFERENCES evaluations(id), position INTEGER NOT NULL,
    role TEXT NOT NULL,
    body TEXT NOT NULL, PRIMARY KEY (evaluation, position)) WITHOUT ROWID;
CREATE TABLE tags(
    tag TEXT NOT NULL, evaluation INTEGER NOT NULL REFERENCES evaluations(id),
    PRIMARY KEY (tag, evaluation)) WITHOUT ROWID;
CREATE TABLE tag_changes(
    evaluation INTEGER NOT NULL REFERENCES evaluations(id), tag TEXT NOT NULL,
    present INTEGER NOT NULL, uid BLOB, PRIMARY KEY (evaluation, tag)) WITHOUT ROWID;
CREATE TABLE attachments(
    id INTEGER PRIMARY KEY, sha256 TEXT NOT NULL UNIQUE, name TEXT, content BLOB NOT NULL);
CREATE TABLE attachment_uses(
    evaluation INTEGER NOT NULL REFERENCES evaluations(id), path TEXT NOT NULL,
    attachment INTEGER NOT NULL REFERENCES attachments(id), PRIMARY KEY (evaluation,
    path)) WITHOUT ROWID;
CREATE TABLE scores(
    evaluation INTEGER NOT NULL REFERENCES evaluations(id),
    metric INTEGER NOT NULL REFERENCES metrics(id),
    score_set INTEGER NOT NULL REFERENCES score_sets(id), turn INTEGER NOT NULL DEFAULT -1,
    ordinal INTEGER NOT NULL DEFAULT 0, value, reasoning TEXT, at TEXT, extra TEXT,
    latest INTEGER NOT NULL DEFAULT 0, import INTEGER, at_us INTEGER,
    job INTEGER,
    PRIMARY KEY (evaluation, metric, score_set, turn, ordinal)) WITHOUT ROWID;
CREATE INDEX scores_latest ON scores(metric, score_set, value, evaluation, latest)
    WHERE latest = 1 AND turn = -1;
CREATE INDEX scores_dated ON scores(metric, score_set, evaluation, at_us)
    WHERE latest = 1 AND turn = -1 AND at_us IS NOT NULL;
CREATE TABLE discarded_scores(
    evaluation INTEGER NOT NULL REFERENCES evaluations(id),
    metric INTEGER NOT NULL REFERENCES metrics(id),
    score_set INTEGER NOT NULL REFERENCES score_sets(id), turn INTEGER NOT NULL,
    ordinal INTEGER NOT NULL, value, reasoning TEXT, at TEXT, extra TEXT,
    import INTEGER, at_us INTEGER, job INTEGER NOT NULL,
    PRIMARY KEY (job, evaluation, metric, score_set, turn, ordinal)) WITHOUT ROWID;
CREATE TABLE record_log(
    id INTEGER PRIMARY KEY, uid BLOB NOT NULL UNIQUE, seq INTEGER NOT NULL,
    run INTEGER NOT NULL, metric INTEGER NOT NULL REFERENCES metrics(id),
    score_set INTEGER REFERENCES score_sets(id), with_repeats INTEGER NOT NULL DEFAULT 0,
    kind TEXT NOT NULL CHECK (kind IN ('fixed', 'named', 'undone')),
    labeler INTEGER REFERENCES labelers(id), at TEXT NOT NULL,
    before INTEGER REFERENCES record_log(id));
CREATE INDEX record_log_of ON record_log(run, metric, id);
CREATE TABLE records(
    run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
    metric INTEGER NOT NULL REFERENCES metrics(id),
    score_set INTEGER NOT NULL REFERENCES score_sets(id),
    with_repeats INTEGER NOT NULL DEFAULT 0,
    entry INTEGER NOT NULL REFERENCES record_log(id), PRIMARY KEY (run, metric)) WITHOUT ROWID;
CREATE TABLE labels(
    id INTEGER PRIMARY KEY, seq INTEGER NOT NULL,
    evaluation INTEGER NOT NULL REFERENCES evaluations(id),
    metric INTEGER NOT NULL REFERENCES metrics(id),
    labeler INTEGER NOT NULL REFERENCES labelers(id),
    turn INTEGER NOT NULL DEFAULT -1, value, kind TEXT NOT NULL DEFAULT 'label'
        CHECK (kind IN ('label', 'adjudication', 'not_applicable', 'withdrawn', 'comment')),
    comment TEXT, at TEXT, at_us INTEGER, blind INTEGER, seconds,
    revision INTEGER NOT NULL DEFAULT 1,
    rubric_version TEXT, judge_version TEXT, selection_reason TEXT, selection_prob,
    aggregate INTEGER, extra TEXT, import INTEGER, uid BLOB NOT NULL,
    of TEXT CHECK (of IN ('label')), restores BLOB);
CREATE INDEX labels_by_evaluation ON labels(evaluation, metric, labeler);
CREATE INDEX labels_by_seq ON labels(seq);
CREATE TABLE current_labels(
    evaluation INTEGER NOT NULL REFERENCES evaluations(id), metric INTEGER NOT NULL,
    labeler INTEGER NOT NULL, turn INTEGER NOT NULL DEFAULT -1,
    decided INTEGER NOT NULL DEFAULT 0, label INTEGER NOT NULL REFERENCES labels(id),
    value, kind TEXT NOT NULL, blind INTEGER, aggregate INTEGER, at_us INTEGER,
    place INTEGER NOT NULL, comment INTEGER NOT NULL,
    PRIMARY KEY (evaluation, metric, labeler, turn, decided)) WITHOUT ROWID;
CREATE INDEX current_labels_by_metric
    ON current_labels(metric, evaluation, labeler, turn, value, kind);
CREATE INDEX current_labels_decided ON current_labels(metric, evaluation) WHERE decided = 1;
CREATE TABLE marks(
    id INTEGER PRIMARY KEY, seq INTEGER NOT NULL,
    evaluation INTEGER NOT NULL REFERENCES evaluations(id),
    kind TEXT NOT NULL CHECK (kind IN ('skip', 'flag', 'highlight', 'cause', 'question',
    'reveal', 'unsure')),
    labeler INTEGER NOT NULL REFERENCES labelers(id), at TEXT,
    metric INTEGER REFERENCES metrics(id),
    turn INTEGER, span_start INTEGER, span_end INTEGER, note TEXT, value, extra TEXT,
    import INTEGER, uid BLOB, restores BLOB);
CREATE INDEX marks_by_evaluation ON marks(evaluation, kind);
CREATE INDEX marks_by_seq ON marks(seq);
CREATE INDEX marks_decided ON marks(kind, evaluation) WHERE kind IN ('cause', 'question');
CREATE TABLE states(
    labeler INTEGER NOT NULL REFERENCES labelers(id),
    evaluation INTEGER NOT NULL REFERENCES evaluations(id),
    answered INTEGER NOT NULL DEFAULT 0, complete INTEGER NOT NULL DEFAULT 0,
    skipped INTEGER NOT NULL DEFAULT 0, flagged INTEGER NOT NULL DEFAULT 0,
    revealed INTEGER NOT NULL DEFAULT 0, repeat_from INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (labeler, evaluation)) WITHOUT ROWID;
CREATE INDEX states_by_evaluation ON states(evaluation);
CREATE TABLE journal(
    id INTEGER PRIMARY KEY, seq INTEGER NOT NULL, labeler INTEGER REFERENCES labelers(id),
    at TEXT NOT NULL,
    kind TEXT NOT NULL, title TEXT NOT NULL, body TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'done'
        CHECK (state IN ('done', 'undone', 'dropped', 'doing', 'undoing')));
CREATE INDEX journal_by_state ON journal(labeler, state, id);
CREATE INDEX journal_unfinished ON journal(state) WHERE state IN ('doing', 'undoing');
CREATE TABLE queues(
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, recipe TEXT NOT NULL, plan TEXT NOT NULL,
    reason TEXT NOT NULL, blind INTEGER NOT NULL DEFAULT 1,
    state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'closed')),
    labeler INTEGER REFERENCES labelers(id), created_at TEXT NOT NULL, seq INTEGER NOT NULL);
CREATE TABLE queue_items(
    queue INTEGER NOT NULL REFERENCES queues(id),
    labeler INTEGER NOT NULL REFERENCES labelers(id), position INTEGER NOT NULL,
    evaluation INTEGER NOT NULL REFERENCES evaluations(id),
    kind TEXT NOT NULL DEFAULT 'label' CHECK (kind IN ('label', 'repeat', 'gold')), prob,
    since INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (queue, labeler, position)) WITHOUT ROWID;
CREATE INDEX queue_items_by_evaluation ON queue_items(evaluation);
CREATE INDEX queue_items_waiting ON queue_items(queue, labeler)
    WHERE kind = 'repeat' AND since = 0;
CREATE INDEX queue_items_begun ON queue_items(evaluation, labeler, since) WHERE since > 0;
CREATE TABLE packages(
    id TEXT PRIMARY KEY, labeler INTEGER NOT NULL REFERENCES labelers(id),
    queue INTEGER NOT NULL, queue_made TEXT NOT NULL, made_at TEXT NOT NULL, draws TEXT NOT NULL)
    WITHOUT ROWID;
CREATE TABLE exclusions(
    evaluation INTEGER PRIMARY KEY REFERENCES evaluations(id), reason TEXT NOT NULL,
    labeler INTEGER REFERENCES labelers(id), at TEXT, seq INTEGER NOT NULL, extra TEXT,
    import INTEGER, uid BLOB);
CREATE TABLE endpoints(
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, body TEXT NOT NULL,
    seq INTEGER NOT NULL);
CREATE TABLE prompts(
    id INTEGER PRIMARY KEY, rubric TEXT NOT NULL, metric TEXT NOT NULL, hash TEXT NOT NULL,
    version INTEGER NOT NULL, body TEXT NOT NULL, note TEXT, created_at TEXT NOT NULL,
    seq INTEGER NOT NULL, UNIQUE (rubric, metric, hash));
CREATE TABLE judges(
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, body TEXT NOT NULL, seq INTEGER NOT NULL);
CREATE TABLE bots(
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, body TEXT NOT NULL, seq INTEGER NOT NULL);
CREATE TABLE prices(
    model TEXT PRIMARY KEY, input_per_million, output_per_million, note TEXT) WITHOUT ROWID;
CREATE TABLE jobs(
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL CHECK (kind IN ('scorer', 'judge', 'bot')),
    title TEXT NOT NULL, plan TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN
        ('waiting', 'running', 'paused', 'done', 'failed', 'cancelled')),
    owner TEXT, wish TEXT CHECK (wish IN ('pause', 'cancel')),
    run INTEGER REFERENCES runs(id), total INTEGER NOT NULL DEFAULT 0,
    done INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0,
    calls INTEGER NOT NULL DEFAULT 0, cached INTEGER NOT NULL DEFAULT 0,
    cost_usd NOT NULL DEFAULT 0, tokens_in INTEGER NOT NULL DEFAULT 0,
    tokens_out INTEGER NOT NULL DEFAULT 0, sentence TEXT, created_at TEXT NOT NULL,
    started_at TEXT, finished_at TEXT, seq INTEGER NOT NULL);
CREATE TABLE attempts(
    job INTEGER NOT NULL REFERENCES jobs(id),
    evaluation INTEGER NOT NULL REFERENCES evaluations(id), metric INTEGER NOT NULL DEFAULT 0,
    repeat INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL CHECK (state IN ('done', 'failed', 'excluded')), kind TEXT,
    sentence TEXT, raw TEXT, at TEXT NOT NULL,
    PRIMARY KEY (job, evaluation, metric, repeat)) WITHOUT ROWID;
CREATE INDEX attempts_failed ON attempts(job, kind) WHERE state = 'failed';
CREATE TABLE job_sets(
    job INTEGER NOT NULL REFERENCES jobs(id), metric INTEGER NOT NULL REFERENCES metrics(id),
    score_set INTEGER NOT NULL REFERENCES score_sets(id), PRIMARY KEY (job, metric)) WITHOUT ROWID;
CREATE TABLE replies(
    key TEXT PRIMARY KEY, reply TEXT NOT NULL, trace TEXT, tokens_in INTEGER,
    tokens_out INTEGER, cost_usd, latency_ms, at TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE splits(
    evaluation INTEGER PRIMARY KEY REFERENCES evaluations(id),
    part TEXT NOT NULL CHECK (part IN ('dev', 'held_out')));
CREATE TABLE held_out_looks(
    id INTEGER PRIMARY KEY, at TEXT NOT NULL, labeler INTEGER REFERENCES labelers(id),
    score_set INTEGER NOT NULL, metric INTEGER NOT NULL, run INTEGER NOT NULL,
    stamp TEXT NOT NULL, UNIQUE (metric, run, score_set, stamp));
CREATE TABLE test_sets(
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, rubric TEXT, seq INTEGER NOT NULL);
CREATE TABLE test_set_versions(
    test_set INTEGER NOT NULL REFERENCES test_sets(id), version INTEGER NOT NULL,
    created_at TEXT NOT NULL, note TEXT, PRIMARY KEY (test_set, version)) WITHOUT ROWID;
CREATE TABLE test_cases(
    test_set INTEGER NOT NULL REFERENCES test_sets(id), position INTEGER NOT NULL,
    since INTEGER NOT NULL, until INTEGER, id TEXT NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (test_set, position, since)) WITHOUT ROWID;
CREATE UNIQUE INDEX test_cases_current ON test_cases(test_set, id) WHERE until IS NULL;
CREATE TABLE monitors(
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, body TEXT NOT NULL,
    drawn TEXT NOT NULL DEFAULT '', seen INTEGER NOT NULL DEFAULT 0, status TEXT,
    owner TEXT, since TEXT, watched TEXT, watcher TEXT, watcher_at TEXT, seq INTEGER NOT NULL);
CREATE TABLE monitor_jobs(
    job INTEGER PRIMARY KEY REFERENCES jobs(id),
    monitor INTEGER NOT NULL REFERENCES monitors(id), taken INTEGER NOT NULL DEFAULT 0);
CREATE INDEX monitor_jobs_of ON monitor_jobs(monitor);
CREATE TABLE monitor_samples(
    monitor INTEGER NOT NULL REFERENCES monitors(id),
    evaluation INTEGER NOT NULL REFERENCES evaluations(id), score, passed INTEGER, judge TEXT,
    scorer TEXT, rubric_version TEXT, tries INTEGER NOT NULL DEFAULT 0, note TEXT,
    at TEXT NOT NULL, PRIMARY KEY (monitor, evaluation)) WITHOUT ROWID;
CREATE TABLE monitor_files(
    folder TEXT NOT NULL, name TEXT NOT NULL, size INTEGER NOT NULL, changed INTEGER NOT NULL,
    sha256 TEXT NOT NULL, state TEXT NOT NULL CHECK (state IN ('imported', 'same', 'failed')),
    sentence TEXT, at TEXT NOT NULL, PRIMARY KEY (folder, name)) WITHOUT ROWID;
CREATE INDEX monitor_files_content ON monitor_files(sha256);
CREATE TABLE saved_filters(name TEXT PRIMARY KEY, expression TEXT NOT NULL,
    sort TEXT NOT NULL DEFAULT 'file') WITHOUT ROWID;
CREATE VIRTUAL TABLE search USING fts5(
    input, response, conversation, content='', tokenize='unicode61 remove_diacritics 2');
INSERT INTO search(search, rank) VALUES ('automerge', 0), ('crisismerge', 1000), ('usermerge', 16);
CREATE VIEW visible_evaluations AS
    SELECT * FROM evaluations
    WHERE hidden = 0 AND id <= (SELECT value FROM counters WHERE name = 'visible');
"""


_COLUMNS = (
    # the tables behind the text search belong to SQLite
    "SELECT t.name, c.name FROM sqlite_master t JOIN pragma_table_info(t.name) c "
    "WHERE t.type = 'table' AND t.name NOT LIKE 'search\\_%' ESCAPE '\\' "
    "UNION ALL SELECT name, '' FROM sqlite_master WHERE type = 'view'"
)


def make(conn: sqlite3.Connection) -> None:
    """Make every table of the newest format."""
    for statement in statements():
        conn.execute(statement)


def statements() -> list[str]:
    """Give what makes the tables, indexes and first rows of the newest format, one by one."""
    return [x.strip() for x in TABLES.split(";\n") if x.strip()]


def is_project(conn: sqlite3.Connection) -> bool:
    """Tell whether a file says of itself that it is a project."""
    return bool(conn.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID)


def columns(conn: sqlite3.Connection) -> frozenset[tuple[str, str]]:
    """Give every table with each of its columns, and every view, whose columns follow from it."""
    return frozenset(conn.execute(_COLUMNS))


def shape() -> frozenset[tuple[str, str]]:
    """Give the tables and columns of the newest format."""
    with contextlib.closing(sqlite3.connect(":memory:")) as conn:
        make(conn)
        return columns(conn)
