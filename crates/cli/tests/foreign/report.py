"""The figures of reports beside those that DuckDB counts in the tables of the same inputs.

A plan on standard input names the cases: NAME.json has the figures, NAME.parquet the table.
"""

import json
import pathlib
import sys
from collections import Counter
from string import ascii_lowercase, ascii_uppercase

import duckdb
from ua_parser import Parser, loaders
from ua_parser.basic import Resolver

AGENTS = pathlib.Path(__file__).resolve().parents[4] / "crates/report/src/agents/uap-core/regexes.yaml"
STATUS = ["status", "http_status", "fetch_status", "status_code"]
SIZE = ["size", "content_length", "length", "record_length", "bytes"]
TIME = ["time", "warc_date", "timestamp", "fetch_time", "date"]
MEDIA = ["mime_detected", "mime", "content_type", "payload_type", "warc_identified_payload_type"]


def first(columns, names):
    """What the first of these columns says that says anything."""
    found = [name for name in names if name in columns]
    return f"coalesce({', '.join(found)})" if found else None


def queries(columns):
    """A query for each figure: texts and what is added up."""
    status, size, media = (first(columns, names) for names in (STATUS, SIZE, MEDIA))
    micros = first(columns, ["duration_us", "request_us"])
    if micros is None and "fetch_ms" in columns:
        micros = "fetch_ms * 1000"
    amount = lambda value: f"greatest(coalesce({value}, 0), 0)" if value else "0"
    failed = f"({status} >= 400 or {status} <= 0)" if status else "false"
    found = {
        name: f"select {name}, 1 from t"
        for name in ("host", "registered_domain", "public_suffix", "scheme", "host_kind", "port")
    }
    found["first_segment"] = "select regexp_extract(path, '^/[^/]*/?'), 1 from t where path like '/%'"
    found["file_type"] = r"""select lower(extension), 1 from
        (select regexp_extract(path, '[^/]\.([A-Za-z0-9]{1,8})$', 1) extension from t) where extension <> ''"""
    found["parameter"] = """select name, 1 from (select split_part(part, '=', 1) as name from
        (select unnest(string_split(query, '&')) as part from t where query is not null)) where name <> ''"""
    found["flag"] = "select unnest(flag_names), 1 from t"
    found["disagreement"] = "select unnest(disagreement), 1 from t"
    found["trap"] = "select trap, 1 from t"
    if media:
        found["media_type"] = f"select lower(trim(split_part({media}, ';', 1))), 1 from t where {media} is not null"
    for figure, names in [
        ("status", STATUS),
        ("method", ["method"]),
        ("protocol", ["protocol"]),
        ("digest", ["digest", "warc_payload_digest", "content_digest", "signature"]),
        ("hop_path", ["hop_path"]),
        ("visitor", ["client", "remote_client"]),
        ("agent", ["user_agent"]),
    ]:
        if column := first(columns, names):
            found[figure] = f"select {column}, 1 from t"
    if column := first(columns, ["referer", "referrer"]):
        found["referrer"] = rf"""select translate(host, '{ascii_uppercase}', '{ascii_lowercase}'), 1
            from (select regexp_extract({column},
            '^[A-Za-z0-9+.-]*://(?:[^/?#]*@)?(\[[^/?#\]]*\]|[^/?#:]*)', 1) as host from t) where host <> ''"""
    if first(columns, ["client", "remote_client", "method"]):
        found["path"] = "select path, 1 from t"
        found["failed_path"] = f"select {status} || ' ' || path, 1 from t where {failed}"
        found["path_bytes"] = f"select path, {amount(size)} from t"
        found["path_time"] = f"select path, {amount(micros)} from t"
    else:
        found["host_failures"] = f"select host, 1 from t where {failed}"
        found["host_bytes"] = f"select host, {amount(size)} from t"
        found["host_time"] = f"select host, {amount(micros)} from t"
    return found


def named(db, columns):
    """A query for each figure of agents, by what ua-parser says of each with the list that urimill has."""
    if "user_agent" not in columns:
        return {}
    parser = Parser(Resolver(loaders.load_yaml(AGENTS)))
    rows = []
    for (agent,) in db.execute("select distinct user_agent from t where user_agent is not null").fetchall():
        found = parser.parse(cut(agent))
        family = found.user_agent.family if found.user_agent else "Other"
        system = found.os.family if found.os else "Other"
        rows.append((agent, family, system, bool(found.device and found.device.family == "Spider")))
    db.execute("create table agents (agent varchar, family varchar, system varchar, robot boolean)")
    if rows:
        db.executemany("insert into agents values (?, ?, ?, ?)", rows)
    joined = "from t join agents on user_agent = agent"
    return {
        "agent_family": f"select family, 1 {joined}",
        "operating_system": f"select system, 1 {joined}",
        "robot": f"select family, 1 {joined} where robot",
    }


def cut(text):
    """The first 256 bytes."""
    return text.encode()[:256].decode(errors="ignore")


def check(name):
    """Holds the figures of one report against its table; returns how many sums were compared."""
    report = json.load(open(f"{name}.json"))
    db = duckdb.connect()
    db.execute("set timezone = 'UTC'")
    db.execute(f"create view t as select * from '{name}.parquet'")
    columns = [row[0] for row in db.execute("describe t").fetchall()]
    records, rejects = db.execute("select count(*), count(error) from t").fetchone()
    assert (report["accounts"]["records"], report["accounts"]["rejects"]) == (records, rejects), name
    codes = dict(db.execute("select error, count(*) from t where error is not null group by 1").fetchall())
    assert {code: found["records"] for code, found in report["rejects"].items()} == codes, name
    compared = 0
    seen = set()
    for figure, query in (queries(columns) | named(db, columns)).items():
        sums = Counter()
        for text, amount in db.execute(f"select a, sum(b) from ({query}) x(a, b) where a is not null group by 1").fetchall():
            if amount:
                sums[cut(str(text))] += int(amount)
        own = report["figures"].get(figure)
        if own is None:
            assert not sums, (name, figure, sums.most_common(3))
            continue
        seen.add(figure)
        assert own["error"] == 0, (name, figure)
        assert own["total"] == sum(sums.values()), (name, figure, own["total"], sum(sums.values()))
        # Passwords are masked, so that such texts may become one.
        plain = {text: amount for text, amount in sums.items() if "@" not in text}
        if len(plain) == len(sums):
            assert own["distinct"]["estimate"] == len(sums), (name, figure, own["distinct"], len(sums))
        top = {item["text"]: item["sum"] for item in own["top"] if "@" not in item["text"]}
        for text, amount in top.items():
            assert plain.get(text) == amount, (name, figure, text, amount, plain.get(text))
        least = min((item["sum"] for item in own["top"]), default=0)
        missing = {text for text, amount in plain.items() if amount > least} - set(top)
        assert not missing, (name, figure, missing)
        compared += len(top)
    # What many rows tell merges templates of the column: the sums are others, and come to the same.
    template = report["figures"]["template"]
    assert template["total"] == db.execute("select count(template) from t").fetchone()[0], (name, template["total"])
    seen.add("template")
    assert seen == set(report["figures"]), (name, set(report["figures"]) - seen)
    if size := first(columns, SIZE):
        of_sizes(db, report["sizes"], size, name)
    if time := first(columns, TIME):
        of_times(db, report["series"], time, name)
    is_server = first(columns, ["client", "remote_client", "method"])
    of_hosts(db, report["hosts_over_time"], (None if is_server else time, size), name)
    return compared


def of_hosts(db, own, columns, name):
    """When a crawl fetched from which hosts."""
    time, size = columns
    rows = db.execute(f"""select host, count(*), sum(bytes), strftime(min(time), '%Y-%m-%d %H:%M:%S'),
        strftime(max(time), '%Y-%m-%d %H:%M:%S'), max(gap), min(time) = max(time) from (
            select host, greatest(coalesce({size or 0}, 0), 0) as bytes, {time} as time,
                epoch_ms({time}) - lag(epoch_ms({time})) over (partition by host order by {time}) as gap
            from t where host is not null and {time} is not null)
        group by host order by 2 desc, encode(host)""").fetchall() if time else []
    if not rows:
        assert own is None, name
        return
    assert own["error"] == 0, name
    assert (own["records"], own["bytes"]) == (sum(row[1] for row in rows), sum(row[2] for row in rows)), name
    assert len(own["hosts"]) == min(len(rows), 1000), (name, len(own["hosts"]), len(rows))
    for found, (host, records, bytes, first, last, gap, is_one) in zip(own["hosts"], rows):
        told = [found[key] for key in ("host", "records", "bytes", "first", "last")]
        assert told == [host, records, bytes, first, last], (name, told, host)
        longest = found["longest_gap_ms"]
        assert is_one == (longest is None), (name, found)
        assert is_one or longest["lower"] <= gap <= longest["upper"], (name, found, gap)
    print(name, len(rows), "hosts over time")


def of_sizes(db, own, size, name):
    """The numbers of a histogram."""
    sizes = [row[0] for row in db.execute(f"select {size} from t where {size} >= 0 order by 1").fetchall()]
    if not sizes:
        assert own is None, name
        return
    assert (own["count"], own["sum"], own["least"], own["most"]) == (len(sizes), sum(sizes), sizes[0], sizes[-1]), name
    for percent, bounds in own["percentiles"].items():
        value = sizes[max(0, -(-len(sizes) * int(percent) // 100) - 1)]
        assert bounds["lower"] <= value <= bounds["upper"], (name, percent, bounds, value)
    for low, high, count in own["ranges"]:
        assert count == sum(low <= size <= high for size in sizes), (name, low, high)


def of_times(db, own, time, name):
    """Intervals, hours and both ends."""
    ends = db.execute(f"select strftime(min({time}), '%Y-%m-%d %H:%M:%S'), strftime(max({time}), '%Y-%m-%d %H:%M:%S') from t")
    assert ends.fetchone() == (own["first"], own["last"]), name
    hours = [[0] * 24 for _ in range(7)]
    query = f"select isodow({time}), hour({time}), count(*) from t where {time} is not null group by 1, 2"
    for day, hour, count in db.execute(query).fetchall():
        hours[day - 1][hour] = count
    assert own["hours_from_monday"] == hours, name
    minutes = own["minutes"]
    query = f"""select strftime(make_timestamp(epoch_us({time}) // (60000000 * {minutes}) * 60000000 * {minutes}),
        '%Y-%m-%d %H:%M:%S'), count(*) from t where {time} is not null group by 1 order by 1"""
    intervals = [(interval["begin"], interval["records"]) for interval in own["intervals"]]
    assert intervals == db.execute(query).fetchall(), name


plan = json.load(sys.stdin)
for case in plan["cases"]:
    print(case["name"], check(case["name"]), "sums")
assert plan["cases"]
