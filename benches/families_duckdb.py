"""DuckDB's query for each family of logs: a row for each line, its fields typed, and the parts of its URL.

`families.py` runs this file as a program of its own: `families_duckdb.py FAMILY LOG OUTPUT SKIP RUNS`. It prints the
processor time of the fastest run, in seconds, without the import of DuckDB. Each statement was written for the lines of
its sample: what else a log of the family may hold, no one has asked it.

Lines that are CSV, with whatever separator, are read as that; where a field has the separator in it or the fields are
not always there, one expression with groups takes the line apart; objects are read as JSON with the types given.
"""

import resource
import sys

# Scheme, authority, path and query of a URL or of a path.
PARTS = "'^(?:([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*))?([^?#]*)(?:\\?([^#]*))?', ['scheme', 'authority', 'path', 'query']"
BYTE = "\\x01"


def quoted(text):
    return "'" + str(text).replace("'", "''") + "'"


def csv(names, delim=" ", quote='"', header=0):
    """Lines of so many fields; what a line lacks is null."""
    columns = ", ".join(f"{quoted(name)}: 'VARCHAR'" for name in names.split())

    def source(log, skip):
        options = f"delim = {quoted(delim)}, quote = {quoted(quote)}, escape = {quoted(quote)}, skip = {skip}, header = false"
        return (
            f"read_csv({quoted(log)}, {options}, auto_detect = false, null_padding = true, strict_mode = false,"
            f" nullstr = ['-', ''], columns = {{{columns}}})"
        )

    return source


def lines(expression, names):
    """Lines that an expression takes apart, a group a field."""
    groups = ", ".join(quoted(name) for name in names.split())

    def source(log, skip):
        options = f"delim = E'{BYTE}', quote = '', escape = '', skip = {skip}, header = false, auto_detect = false"
        rows = f"read_csv({quoted(log)}, {options}, columns = {{'line': 'VARCHAR'}})"
        return f"(SELECT unnest(regexp_extract(line, {quoted(expression)}, [{groups}])) FROM {rows})"

    return source


def objects(columns):
    """Objects with these members."""
    types = ", ".join(f"{quoted(name)}: {quoted(kind)}" for name, kind in columns.items())

    def source(log, skip):
        return f"read_json({quoted(log)}, format = 'newline_delimited', auto_detect = false, columns = {{{types}}})"

    return source


def number(*names, kind="BIGINT"):
    return {name: f"try_cast({name} AS {kind})" for name in names}


def clf_time(day="t0", zone="t1"):
    return f"strptime({day} || ' ' || {zone}, '[%d/%b/%Y:%H:%M:%S %z]')"


# The target of a request line, and what else is in it.
TARGET = "regexp_extract(request, '^[^ ]+ (.*) HTTP/', 1)"
AWS = "time elb client backend request_time target_time response_time status target_status request_size size request agent cipher protocol"
EDGE = (
    "date clock location size client method host path status referer agent query cookie result request_id host_header"
    " scheme request_size duration forwarded ssl cipher response_result protocol fle_status fle_fields port first_byte"
    " detailed type length start ending"
)
TEXT = "VARCHAR"


class Family:
    """`fields` are expressions in place of columns that have the same name, `target` is a URL or a path, and `host` the
    column that has it where the target does not."""

    def __init__(self, source, time, target=TARGET, host="NULL", scheme="NULL", **fields):
        self.source, self.time, self.target, self.host, self.scheme, self.fields = source, time, target, host, scheme, fields

    def select(self, log, skip):
        replaced = ", ".join(f"{expression} AS {name}" for name, expression in self.fields.items())
        star = f"* REPLACE ({replaced})" if replaced else "*"
        rows = f"SELECT {star}, {self.time} AS at, {self.target} AS target FROM {self.source(log, skip)}"
        parts = f"SELECT *, regexp_extract(target, {PARTS}) AS url_parts FROM ({rows})"
        host = f"regexp_replace(coalesce(nullif(url_parts.authority, ''), {self.host}), ':[0-9]*$', '')"
        scheme = f"coalesce(nullif(url_parts.scheme, ''), {self.scheme})"
        urls = f"{scheme} AS url_scheme, {host} AS url_host, url_parts.path AS url_path, nullif(url_parts.query, '') AS url_query"
        return f"SELECT * EXCLUDE (url_parts), {urls} FROM ({parts})"


STAMP = "try_cast(time AS TIMESTAMPTZ)"
SECONDS = number("request_time", "target_time", "response_time", kind="DOUBLE")
SIZES = number("status", "target_status", kind="INTEGER") | number("request_size", "size")
STATUS = number("status", kind="INTEGER") | number("size")
EDGES = STATUS | number("request_size", "port") | number("duration", "first_byte", kind="DOUBLE")
EDGE_TIME = "try_cast(date || ' ' || clock AS TIMESTAMP)"

FAMILIES = {
    "alb": Family(
        csv(
            f"type {AWS} group_arn trace domain cert priority created actions redirect error targets statuses class reason rest"
        ),
        STAMP,
        **SECONDS,
        **SIZES,
        created="try_cast(created AS TIMESTAMPTZ)",
    ),
    "elb": Family(csv(AWS), STAMP, **SECONDS, **SIZES),
    "s3": Family(
        csv(
            "owner bucket t0 t1 client requester request_id operation key request status error size object_size total"
            " turn_around referer agent version host_id signature cipher authentication host tls arn acl"
        ),
        clf_time(),
        host="host",
        scheme="CASE WHEN tls IS NULL THEN 'http' ELSE 'https' END",
        **STATUS,
        **number("object_size", "total", "turn_around"),
    ),
    "cloudfront": Family(
        csv(EDGE, "\t", ""), EDGE_TIME, "path || coalesce('?' || query, '')", "host_header", "scheme", **EDGES
    ),
    "cloudfront-realtime": Family(
        csv(
            "time client first_byte status size method scheme host uri request_size location request_id host_header duration"
            " protocol ip_version agent referer cookie query response_result forwarded ssl cipher result fle_fields fle_status"
            " type length start ending port detailed country accept_encoding accept behavior headers names count lag f0 f1 asn",
            "\t",
            "",
        ),
        "to_timestamp(try_cast(time AS DOUBLE))",
        "uri",
        "host_header",
        "scheme",
        **STATUS,
        **number("request_size", "port", "length"),
        **number("first_byte", "duration", kind="DOUBLE"),
    ),
    "gcs": Family(
        csv(
            "micros client kind region method uri status request_size size taken host referer agent request_id operation bucket object",
            ",",
        ),
        "make_timestamptz(try_cast(micros AS BIGINT))",
        "uri",
        "host",
        "'http'",
        **STATUS,
        **number("request_size", "taken"),
    ),
    "w3c": Family(
        csv(
            "date clock server method path query port user client agent referer host status substatus win32 size request_size taken",
            " ",
            "",
        ),
        EDGE_TIME,
        "path || coalesce('?' || query, '')",
        "host",
        "'http'",
        **STATUS,
        **number("substatus", "win32", "request_size", "taken", "port"),
    ),
    "zeek": Family(
        csv(
            "ts uid client client_port server server_port method host uri referer version agent request_size size status message tags",
            "\t",
            "",
        ),
        "to_timestamp(try_cast(ts AS DOUBLE))",
        "uri",
        "host",
        "'http'",
        **STATUS,
        **number("request_size", "client_port", "server_port"),
    ),
    "envoy": Family(
        csv(
            "time request status flags request_size size duration upstream_time forwarded agent request_id host upstream"
        ),
        "try_cast(time[2:-2] AS TIMESTAMPTZ)",
        host="host",
        scheme="'http'",
        **STATUS,
        **number("request_size", "duration", "upstream_time"),
    ),
    "istio": Family(
        csv(
            "time request status flags details termination failure request_size size duration upstream_time forwarded agent"
            " request_id host upstream cluster local downstream client server route"
        ),
        "try_cast(time[2:-2] AS TIMESTAMPTZ)",
        host="host",
        scheme="'http'",
        **STATUS,
        **number("request_size", "duration", "upstream_time"),
    ),
    "traefik": Family(
        csv("client ident user t0 t1 request status size referer agent number router upstream duration"),
        clf_time(),
        **STATUS,
        number="try_cast(number AS BIGINT)",
        duration="try_cast(rtrim(duration, 'ms') AS BIGINT)",
    ),
    "combined": Family(
        csv("client ident user t0 t1 request status size referer agent"),
        clf_time(),
        **STATUS,
    ),
    "squid-combined": Family(
        csv("client ident user t0 t1 request status size referer agent result"),
        clf_time(),
        **STATUS,
    ),
    "squid": Family(
        lines(
            "^(\\S+) +(\\S+) (\\S+) ([A-Z_]+)/(\\S+) (\\S+) (\\S+) (\\S+) (\\S+) ([^/]+)/(\\S+) (\\S+)",
            "time duration client result status size method url user hierarchy peer type",
        ),
        "to_timestamp(try_cast(time AS DOUBLE))",
        "url",
        **STATUS,
        **number("duration"),
    ),
    "haproxy": Family(
        lines(
            "^(.*?\\]: )(\\S+):(\\d+) \\[([^]]*)\\] (\\S+) ([^/ ]+)/(\\S+) (-?\\d+)/(-?\\d+)/(-?\\d+)/(-?\\d+)/\\+?(\\d+) (\\S+)"
            " \\+?(\\S+) (\\S+) (\\S+) (\\S+) (\\d+)/(\\d+)/(\\d+)/(\\d+)/\\+?(\\d+) (\\d+)/(\\d+) (?:\\{([^}]*)\\} )?"
            '(?:\\{([^}]*)\\} )?"([^"]*)"',
            "prefix client port time frontend backend server tq tw tc tr tt status size request_cookie response_cookie state"
            " c0 c1 c2 c3 c4 q0 q1 request_headers response_headers request",
        ),
        "strptime(time, '%d/%b/%Y:%H:%M:%S.%g')",
        **STATUS,
        **number("port", "tq", "tw", "tc", "tr", "tt", "c0", "c1", "c2", "c3", "c4", "q0", "q1"),
    ),
    "uwsgi": Family(
        lines(
            "^\\[pid: (\\d+)\\|app: (\\S+)\\|req: (\\d+)/(\\d+)\\] (\\S+) \\(([^)]*)\\) \\{([^}]*)\\} \\[([^]]*)\\] (\\S+) (\\S+)"
            " => generated (\\d+) bytes in (\\d+) (msecs|micros) \\((\\S+) (\\d+)\\) (.*)",
            "pid app app_request worker_request client user variables time method uri size duration unit protocol status rest",
        ),
        "strptime(time, '%a %b %d %H:%M:%S %Y')",
        "uri",
        **STATUS,
        **number("pid", "app_request", "worker_request", "duration"),
    ),
    "nginx-proxy-manager": Family(
        lines(
            "^\\[([^]]*)\\] (?:(\\S+) (\\S+) )?(\\d+) - (\\S+) (\\S+) (\\S+) \"([^\"]*)\" \\[Client ([^]]*)\\] \\[Length ([^]]*)\\]"
            ' \\[Gzip ([^]]*)\\] (?:\\[Sent-to ([^]]*)\\] )?"([^"]*)" "([^"]*)"',
            "time cache upstream_status status method scheme host uri client size ratio upstream agent referer",
        ),
        "strptime(time, '%d/%b/%Y:%H:%M:%S %z')",
        "uri",
        "host",
        "scheme",
        **STATUS,
        **number("upstream_status", kind="INTEGER"),
    ),
    "nginx-ingress": Family(
        lines(
            '^(\\S+) - (\\S+) \\[([^]]*)\\] "([^"]*)" (\\d+) (\\d+) "([^"]*)" "([^"]*)" (\\d+) (\\S+) \\[([^]]*)\\] \\[([^]]*)\\]'
            " ([^ ]+(?:, [^ ]+)*) ([^ ]+(?:, [^ ]+)*) ([^ ]+(?:, [^ ]+)*) ([^ ]+(?:, [^ ]+)*) (\\S+)",
            "client user time request status size referer agent request_size duration name alternative upstream upstream_size"
            " upstream_time upstream_status request_id",
        ),
        "strptime(time, '%d/%b/%Y:%H:%M:%S %z')",
        **STATUS,
        **number("request_size"),
        duration="try_cast(duration AS DOUBLE)",
    ),
    "caddy": Family(
        objects(
            {
                "level": TEXT, "ts": "DOUBLE", "logger": TEXT, "msg": TEXT, "bytes_read": "BIGINT", "user_id": TEXT,
                "duration": "DOUBLE", "size": "BIGINT", "status": "INTEGER", "resp_headers": "JSON",
                "request": "STRUCT(remote_ip VARCHAR, remote_port VARCHAR, client_ip VARCHAR, proto VARCHAR, method VARCHAR,"
                " host VARCHAR, uri VARCHAR, headers STRUCT(\"User-Agent\" VARCHAR[], Referer VARCHAR[]), tls STRUCT(proto VARCHAR))",
            }
        ),
        "to_timestamp(ts)",
        "request.uri",
        "request.host",
        "CASE WHEN request.tls IS NULL THEN 'http' ELSE 'https' END",
    ),
    "cloudflare": Family(
        objects(
            {
                "ClientIP": TEXT, "ClientRequestHost": TEXT, "ClientRequestMethod": TEXT, "ClientRequestScheme": TEXT,
                "ClientRequestURI": TEXT, "ClientRequestUserAgent": TEXT, "ClientRequestReferer": TEXT, "EdgeEndTimestamp": TEXT,
                "EdgeResponseBytes": "BIGINT", "EdgeResponseStatus": "INTEGER", "EdgeStartTimestamp": TEXT, "RayID": TEXT,
                "CacheCacheStatus": TEXT, "CacheTieredFill": "BOOLEAN",
            }
        ),
        "coalesce(try_cast(EdgeStartTimestamp AS TIMESTAMP), make_timestamp_ns(try_cast(EdgeStartTimestamp AS BIGINT)))",
        "ClientRequestURI",
        "ClientRequestHost",
        "coalesce(ClientRequestScheme, 'http')",
    ),
    "ecs": Family(
        objects(
            {
                "@timestamp": "TIMESTAMP", "ecs": "STRUCT(version VARCHAR)", "source": "STRUCT(ip VARCHAR, port INTEGER)",
                "url": "STRUCT(original VARCHAR, domain VARCHAR, scheme VARCHAR)",
                "http": "STRUCT(request STRUCT(method VARCHAR, referrer VARCHAR), response STRUCT(status_code INTEGER, body"
                " STRUCT(bytes BIGINT)), version VARCHAR)",
                "user_agent": "STRUCT(original VARCHAR)", "event": "STRUCT(duration BIGINT)",
            }
        ),
        '"@timestamp"',
        "url.original",
        "url.domain",
        "url.scheme",
    ),
    "envoy-json": Family(
        objects(
            {
                "start_time": "TIMESTAMP", "method": TEXT, "path": TEXT, "protocol": TEXT, "response_code": "INTEGER",
                "response_flags": TEXT, "bytes_received": "BIGINT", "bytes_sent": "BIGINT", "duration": "BIGINT",
                "upstream_service_time": TEXT, "x_forwarded_for": TEXT, "user_agent": TEXT, "request_id": TEXT,
                "authority": TEXT, "upstream_host": TEXT, "downstream_remote_address": TEXT,
            }
        ),
        "start_time",
        "path",
        "authority",
        "'http'",
    ),
    "fastly": Family(
        objects(
            {
                "timestamp": "TIMESTAMP", "client_ip": TEXT, "geo_country": TEXT, "geo_city": TEXT, "host": TEXT, "url": TEXT,
                "request_method": TEXT, "request_protocol": TEXT, "request_referer": TEXT, "request_user_agent": TEXT,
                "response_state": TEXT, "response_status": "INTEGER", "response_reason": TEXT, "response_body_size": "BIGINT",
                "fastly_server": TEXT, "fastly_is_edge": "BOOLEAN",
            }
        ),
        "timestamp",
        "url",
        "host",
        "'http'",
    ),
    "gcp": Family(
        objects(
            {
                "insertId": TEXT, "timestamp": "TIMESTAMP", "severity": TEXT, "logName": TEXT, "resource": "JSON",
                "httpRequest": "STRUCT(requestMethod VARCHAR, requestUrl VARCHAR, requestSize BIGINT, status INTEGER,"
                " responseSize BIGINT, userAgent VARCHAR, remoteIp VARCHAR, referer VARCHAR, latency VARCHAR, cacheHit BOOLEAN)",
            }
        ),
        "timestamp",
        "httpRequest.requestUrl",
    ),
    "nginx-json": Family(
        objects(
            {
                "time_iso8601": "TIMESTAMPTZ", "msec": TEXT, "remote_addr": TEXT, "remote_user": TEXT, "request": TEXT,
                "status": "INTEGER", "body_bytes_sent": "BIGINT", "request_time": "DOUBLE", "http_referer": TEXT,
                "http_user_agent": TEXT, "http_host": TEXT, "scheme": TEXT,
            }
        ),
        "time_iso8601",
        host="http_host",
        scheme="scheme",
    ),
    "traefik-json": Family(
        objects(
            dict.fromkeys(
                "ClientAddr ClientHost ClientPort ClientUsername RequestAddr RequestHost RequestMethod RequestPath RequestPort"
                " RequestProtocol RequestScheme RouterName ServiceAddr ServiceName level msg request_Referer request_User-Agent".split(),
                TEXT,
            )
            | dict.fromkeys(
                "DownstreamContentSize DownstreamStatus Duration OriginDuration OriginStatus RequestContentSize".split(), "BIGINT"
            )
            | {"StartUTC": "TIMESTAMP", "time": "TIMESTAMP"}
        ),
        "StartUTC",
        "RequestPath",
        "RequestHost",
        "RequestScheme",
    ),
    "zeek-json": Family(
        objects(
            {
                "ts": "DOUBLE", "uid": TEXT, "id.orig_h": TEXT, "id.orig_p": "INTEGER", "id.resp_h": TEXT, "id.resp_p": "INTEGER",
                "trans_depth": "INTEGER", "method": TEXT, "host": TEXT, "uri": TEXT, "version": TEXT, "user_agent": TEXT,
                "request_body_len": "BIGINT", "response_body_len": "BIGINT", "status_code": "INTEGER", "status_msg": TEXT,
                "tags": "VARCHAR[]",
            }
        ),
        "to_timestamp(ts)",
        "uri",
        "host",
        "'http'",
    ),
    "jsonl": Family(
        objects({"ts": TEXT, "url": TEXT, "status": TEXT, "size": TEXT, "agent": TEXT, "referer": TEXT}),
        "ts",
        "url",
    ),
}
FAMILIES["cloudfront-bare"] = FAMILIES["cloudfront"]


def main():
    import duckdb

    family, log, output, skip, runs = sys.argv[1:]
    database = duckdb.connect()
    database.execute("SET threads = 1; SET preserve_insertion_order = true; SET TimeZone = 'UTC'")
    select = FAMILIES[family].select(log, int(skip))
    copy = f"COPY ({select}) TO {quoted(output)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 3)"
    times = []
    for _ in range(int(runs)):
        before = resource.getrusage(resource.RUSAGE_SELF)
        database.execute(copy)
        after = resource.getrusage(resource.RUSAGE_SELF)
        times.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    print(min(times))


if __name__ == "__main__":
    main()
