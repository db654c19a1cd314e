"""The options of runs as keywords, generated from `src/run/options`; a test compares the two."""

from typing import Literal, TypedDict

from ._types import Names, Path

class RecordOptions(TypedDict, total=False):
    """Options for each record."""

    spec: Literal["rfc3986", "rfc3986-errata", "rfc2396", "whatwg"] | None
    on_disagreement: Literal["keep", "reject"] | None
    level: Literal["none", "case", "percent", "syntax", "scheme"] | None
    repair: bool | None
    default_scheme: str | None
    refang: bool | None
    psl: Path | None
    psl_unlisted: bool | None
    canonical: Literal["wayback", "crawler-commons", "w3lib"] | None
    drop_params: Names | None
    drop_tracking: bool | None
    port_rules: Path | None
    mask_passwords: bool | None
    drop_userinfo: bool | None
    max_record: int | str | None
    compat: bool | None

class ReadOptions(TypedDict, total=False):
    """Options of :func:`urimill.read`."""

    partition_by: Names | None
    file_size: int | str | None
    memory: int | str | None
    max_partitions: int | None
    sort_by: Names | None
    temp_dir: Path | None
    formats: Path | list[Path] | None
    log_format: str | None
    delimiter: str | None
    comment: str | None
    encoding: str | None
    uri_field: str | int | list[str] | None
    uri_template: str | None
    request_line: str | int | list[str] | None
    header: bool | Literal["auto", "yes", "no"] | None
    no_quotes: bool | None
    records: Names | None
    skip_bodies: bool | None
    last_line: Literal["mark", "keep", "drop"] | None
    skip_lines: int | None
    unwrap: str | None
    keep: Names | None
    save_format: Path | None
    base_field: str | int | list[str] | None
    base: str | None
    compat: bool | None
    schema: Literal["table", "cc-index"] | None
    fill: bool | None
    wide_offsets: bool | None
    crawl: str | None
    subset: str | None
    spec: Literal["rfc3986", "rfc3986-errata", "rfc2396", "whatwg"] | None
    level: Literal["none", "case", "percent", "syntax", "scheme"] | None
    repair: bool | None
    default_scheme: str | None
    refang: bool | None
    on_invalid: Literal["keep", "reject", "drop", "fail"] | None
    on_disagreement: Literal["keep", "reject"] | None
    rejects: Path | None
    columns: Names | None
    psl: Path | None
    psl_unlisted: bool | None
    canonical: Literal["wayback", "crawler-commons", "w3lib"] | None
    drop_params: Names | None
    drop_tracking: bool | None
    port_rules: Path | None
    on_damage: Literal["fail", "keep", "skip"] | None
    mask_passwords: bool | None
    drop_userinfo: bool | None
    max_record: int | str | None
    show_passwords: bool | None
    verify: bool | None
    time_stages: bool | None
    threads: int | None
    chunk: int | str | None

class ConvertOptions(ReadOptions, total=False):
    """Options of :func:`urimill.convert`."""

    to: Literal["parquet", "arrow", "arrow-stream", "csv", "tsv", "jsonl", "uris"] | None
    compression: str | None
    row_group_rows: int | None
    delta_texts: bool | None
    csv_safe: bool | None
    force: bool | None

class LinksOptions(TypedDict, total=False):
    """Options of :func:`urimill.links`."""

    to: Literal["parquet", "arrow", "arrow-stream", "csv", "tsv", "jsonl", "uris"] | None
    compression: str | None
    row_group_rows: int | None
    delta_texts: bool | None
    csv_safe: bool | None
    force: bool | None
    partition_by: Names | None
    file_size: int | str | None
    memory: int | str | None
    max_partitions: int | None
    sort_by: Names | None
    temp_dir: Path | None
    encoding: str | None
    compat: bool | None
    spec: Literal["rfc3986", "rfc3986-errata", "rfc2396", "whatwg"] | None
    level: Literal["none", "case", "percent", "syntax", "scheme"] | None
    repair: bool | None
    on_invalid: Literal["keep", "reject", "drop", "fail"] | None
    rejects: Path | None
    columns: Names | None
    psl: Path | None
    on_damage: Literal["fail", "keep", "skip"] | None
    mask_passwords: bool | None
    drop_userinfo: bool | None
    show_passwords: bool | None
    verify: bool | None
    max_record: int | str | None
    graph: bool | None
    threads: int | None
    chunk: int | str | None
    on_disagreement: Literal["keep", "reject"] | None
    default_scheme: str | None
    refang: bool | None
    psl_unlisted: bool | None
    canonical: Literal["wayback", "crawler-commons", "w3lib"] | None
    drop_params: Names | None
    drop_tracking: bool | None
    port_rules: Path | None

class IndexOptions(TypedDict, total=False):
    """Options of :func:`urimill.index`."""

    to: Literal["cdxj", "cdx", "cdx9", "zipnum", "parquet"] | None
    format: Literal["warc", "arc", "wacz"] | None
    records: Names | None
    no_post: bool | None
    unsorted: bool | None
    shards: int | None
    block_lines: int | None
    root: Path | None
    skip_bodies: bool | None
    on_damage: Literal["fail", "keep", "skip"] | None
    memory: int | str | None
    temp_dir: Path | None
    force: bool | None
    threads: int | None
    chunk: int | str | None

class ReportOptions(TypedDict, total=False):
    """Options of :func:`urimill.report`."""

    formats: Path | list[Path] | None
    log_format: str | None
    delimiter: str | None
    comment: str | None
    encoding: str | None
    uri_field: str | int | list[str] | None
    uri_template: str | None
    request_line: str | int | list[str] | None
    header: bool | Literal["auto", "yes", "no"] | None
    no_quotes: bool | None
    records: Names | None
    skip_bodies: bool | None
    last_line: Literal["mark", "keep", "drop"] | None
    skip_lines: int | None
    unwrap: str | None
    base_field: str | int | list[str] | None
    base: str | None
    compat: bool | None
    spec: Literal["rfc3986", "rfc3986-errata", "rfc2396", "whatwg"] | None
    level: Literal["none", "case", "percent", "syntax", "scheme"] | None
    repair: bool | None
    psl: Path | None
    max_record: int | str | None
    on_damage: Literal["fail", "keep", "skip"] | None
    memory: int | str | None
    threads: int | None
    chunk: int | str | None
