"""The formats that can be read and written; a file is of the first that recognises it."""

from reviewer.formats import native, own_csv, parquet, tables, workbooks
from reviewer.formats.format import Format
from reviewer.formats.tools import (
    argilla,
    atif,
    comparisons,
    deepeval,
    doccano,
    helm,
    inspect_log,
    inspect_tables,
    judge_bench,
    judged_sets,
    label_studio,
    langfuse,
    lm_eval,
    mlflow,
    mt_bench,
    openai_chat,
    openai_evals,
    potato,
    prometheus,
    promptfoo,
    promptfoo_tables,
    ragas,
    sharegpt,
    spans,
    swe_agent,
    tau_bench,
    ultrafeedback,
)
from reviewer.formats.writers import (
    annotation_tools,
    evaluation_tools,
    parquet_files,
    tuning,
    workbook,
)
from reviewer.formats.writing import Writer

FORMATS: tuple[Format, ...] = (
    native.FORMAT,
    own_csv.FORMAT,
    inspect_log.FORMAT,
    inspect_tables.FORMAT,
    promptfoo.FORMAT,
    promptfoo_tables.RESULTS,
    promptfoo_tables.RED_TEAM,
    lm_eval.FORMAT,
    openai_evals.FORMAT,
    deepeval.FORMAT,
    ragas.FORMAT,
    helm.FORMAT,
    sharegpt.FORMAT,
    label_studio.TASKS,
    label_studio.ROWS,
    argilla.FORMAT,
    doccano.FORMAT,
    potato.ANSWERS,
    potato.TABLE,
    openai_chat.FORMAT,
    langfuse.FORMAT,
    mlflow.FORMAT,
    spans.PHOENIX,
    spans.OTEL,
    tau_bench.FORMAT,
    swe_agent.FORMAT,
    atif.FORMAT,
    workbooks.RECORDS,
    judge_bench.FORMAT,
    prometheus.FORMAT,
    ultrafeedback.FORMAT,
    comparisons.ALPACA_EVAL,
    comparisons.LLMBAR,
    comparisons.PANDALM,
    comparisons.JUDGEBENCH,
    mt_bench.FORMAT,
    *judged_sets.FORMATS,
    workbooks.FORMAT,
    parquet.RECORDS,
    parquet.TABLE,
    tables.TABLE,
    tables.RECORDS,
)

WRITERS: tuple[Writer, ...] = (
    native.WRITER,
    own_csv.WRITER,
    workbook.WRITER,
    parquet_files.PARQUET,
    parquet_files.HUGGING_FACE,
    tuning.CHAT,
    tuning.JUDGE_CHAT,
    tuning.PAIRS,
    tuning.RUBRIC_DATA,
    annotation_tools.LABEL_STUDIO,
    annotation_tools.ARGILLA,
    evaluation_tools.INSPECT,
    evaluation_tools.PROMPTFOO,
)


def find(name: str) -> Format | None:
    """Give the format of a name, None where there is none."""
    return next((known for known in FORMATS if known.name == name), None)


def names() -> tuple[str, ...]:
    """Give the names of the formats in their order."""
    return tuple(known.name for known in FORMATS)


def writer(name: str | None, file_name: str) -> Writer | None:
    """Give what writes a format by name, else by suffix; None where neither is one."""
    lowered = file_name.lower()
    for known in WRITERS:
        if known.name == name if name is not None else lowered.endswith(known.suffixes):
            return known
    return None
