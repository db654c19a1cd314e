"""Wrong arguments are told by name, with what can be chosen; a bad URI is a row."""

from __future__ import annotations

import pyarrow
import pytest

import urimill

TABLE = pyarrow.table({"a": ["x:y"], "b": ["/c"], "n": [1]})

WRONG = [
    (lambda: urimill.normalize("http://a/"), TypeError, "data is a str.*urimill.URI"),
    (lambda: urimill.normalize(b"http://a/"), TypeError, "data is a bytes"),
    (lambda: urimill.normalize(7), TypeError, "data is a int: give a column"),
    (lambda: urimill.normalize({"a": 1}), TypeError, "data is a dict"),
    (lambda: urimill.normalize(["a:b", 5]), TypeError, r"data\[1\] is a int"),
    (lambda: urimill.normalize(pyarrow.array([1, 2])), TypeError, "of type Int64"),
    (lambda: urimill.normalize(pyarrow.array([["a"]])), TypeError, "of type List"),
    (lambda: urimill.normalize(TABLE), ValueError, "which one .* a, b, n"),
    (lambda: urimill.normalize(pyarrow.table({})), ValueError, "no columns"),
    (lambda: urimill.normalize(TABLE, uri="url"), ValueError, '"url".*choose from a, b, n'),
    (lambda: urimill.normalize(TABLE, uri="n"), TypeError, '"n" of type Int64'),
    (lambda: urimill.normalize(TABLE["a"], uri="a"), ValueError, "one column without others"),
    (lambda: urimill.normalize(TABLE, uri="a", keep=["z"]), ValueError, '"z" to keep: choose from a, b, n'),
    (lambda: urimill.normalize(TABLE, uri="a", base="z"), ValueError, "neither a URI with a scheme nor a column"),
    (lambda: urimill.normalize(TABLE, uri="a", base="n"), TypeError, '"n" of type Int64'),
    (lambda: urimill.normalize(["a"], base="/b"), ValueError, "has no scheme"),
    (lambda: urimill.normalize(["a"], base="a b:"), ValueError, "is no URI reference"),
    (lambda: urimill.normalize(["a"], base=["x:y", "x:y"]), ValueError, "base has 2 rows, and the data 1"),
    (lambda: urimill.normalize(["a", "b"], base=["x:y"]), ValueError, "base has 1 rows, fewer than the data"),
    (lambda: urimill.normalize(["a"], base=TABLE), ValueError, "base is a table: give one of its columns, a, b, n"),
    (lambda: urimill.normalize(["a"], spec="rfc1808"), ValueError, '"rfc1808": use rfc3986, rfc3986-errata, rfc2396 or whatwg'),
    (lambda: urimill.normalize(["a"], spec="whatwg", repair=True), ValueError, "is for the RFCs"),
    (lambda: urimill.normalize(["a"], on_disagreement="fail"), ValueError, "use one of keep, reject"),
    (lambda: urimill.resolve(["a"], "http://h/", spec="whatwg", level="case"), ValueError, "level, compat and repair are for the RFCs"),
    (lambda: urimill.relativize(["a"], "http://h/", spec="whatwg"), ValueError, '"whatwg": use rfc3986'),
    (lambda: urimill.normalize(["a"], level="all"), ValueError, '"all": use none, case'),
    (lambda: urimill.normalize(["a"], level=3), TypeError, "level must be a str, not int"),
    (lambda: urimill.normalize(["a"], repair="yes"), TypeError, "repair must be True or False, not str"),
    (lambda: urimill.normalize(["a"], columns="uri,hots"), ValueError, '"hots".*choose from record, uri'),
    (lambda: urimill.normalize(["a"], columns=["uri", "source"]), ValueError, "source is about files"),
    (lambda: urimill.normalize(["a"], columns=3), TypeError, "columns must be a str or a list of str, not int"),
    (lambda: urimill.normalize(["a"], columns="+canonical"), ValueError, 'canonical="wayback", "crawler-commons" or "w3lib"'),
    (lambda: urimill.normalize(["a"], canonical="google"), ValueError, '"google": use wayback'),
    (lambda: urimill.normalize(["a"], drop_tracking=True), ValueError, "give canonical too"),
    (lambda: urimill.normalize(["a"], default_scheme="http"), ValueError, "repair=True"),
    (lambda: urimill.normalize(["a"], repair=True, default_scheme="mailto"), ValueError, '"mailto"'),
    (lambda: urimill.normalize(["a"], compat=True), ValueError, "there is no base"),
    (lambda: urimill.normalize(["a"], psl="x"), ValueError, "psl is for columns"),
    (lambda: urimill.normalize(["a"], port_rules="x", columns="uri"), ValueError, "port_rules is for the column flags"),
    (lambda: urimill.normalize(["a"], strings="utf8"), ValueError, "string, large_string or string_view"),
    (lambda: urimill.normalize(["a"], threads=0), ValueError, "threads is 0: give a number from 1 to 1024"),
    (lambda: urimill.normalize(["a"], threads="two"), TypeError, "threads must be an int, not str"),
    (lambda: urimill.normalize(["a"], max_record=0), ValueError, "max_record=0 is out of range"),
    (lambda: urimill.normalize(["a"], levle="case"), TypeError, "levle"),
    (lambda: urimill.normalize(["a"], show_passwords=True), TypeError, "show_passwords"),
    (lambda: urimill.encode("a", "anchor"), ValueError, '"anchor": use one of userinfo'),
    (lambda: urimill.encode(["a"], "anchor"), ValueError, '"anchor": use one of userinfo'),
    (lambda: urimill.extract(["a"], default_scheme="h:"), ValueError, "without the colon"),
    (lambda: urimill.resolve(["a"], "b"), ValueError, "has no scheme"),
    (lambda: urimill.resolve(["a"], None), TypeError, "base is missing"),
    (lambda: urimill.compare(["a"], ["b", "c"]), ValueError, "b has 2 rows, and the data 1"),
    (lambda: urimill.normalize(["a"])["hots"], KeyError, "the columns are record, uri"),
    (lambda: urimill.normalize(["a"])[99], IndexError, "99"),
    (lambda: urimill.read([]), ValueError, "there are no inputs"),
    (lambda: urimill.read("/dev/null", "cvs"), ValueError, 'format="cvs" is unknown .did you mean "csv".*: use one of lines'),
    (lambda: urimill.read("/dev/null", levle="case"), TypeError, "levle"),
    (lambda: urimill.read("/dev/null", level=1.5), TypeError, "level must be .* not float"),
    (lambda: urimill.read("/dev/null", on_invalid="lose"), ValueError, "on_invalid is .*keep, reject"),
    (lambda: urimill.read("/dev/null", memory="5T"), ValueError, 'memory is 5T: give a number of bytes, such as 65536, "64K"'),
    (lambda: urimill.read("/dev/null", memory=1), ValueError, "memory=1 is out of range"),
    (lambda: urimill.read("/dev/null", header="maybe"), ValueError, "header is .*auto, yes, no"),
    (lambda: urimill.read("/dev/null", "csv"), ValueError, "uri_field"),
    (lambda: urimill.read("/dev/null", on_invalid="reject"), ValueError, "give rejects=FILE"),
    (lambda: urimill.read("/dev/null", output="x.csv"), ValueError, "writes no file"),
    (lambda: urimill.convert("/dev/null", "-"), ValueError, "output is a file"),
    (lambda: urimill.convert("/dev/null", "/tmp/no.extension"), ValueError, "to=FORMAT"),
]


#: Options that do not go together: what is given, and the keywords that the error names.
RULES = [
    ({"format": "csv"}, ["format", "uri_field"]),
    ({"format": "lines", "uri_field": "1"}, ["uri_field", 'format="csv"']),
    ({"format": "clf", "base_field": "1"}, ["base_field", 'format="csv"']),
    ({"header": True}, ["header", 'format="csv"']),
    ({"no_quotes": True}, ["no_quotes", 'format="csv"']),
    ({"format": "clf", "log_format": "combined"}, ["log_format", "format"]),
    ({"delimiter": ";"}, ["delimiter", 'format="csv"']),
    ({"format": "csv", "uri_field": "1", "uri_template": "{1}"}, ["uri_template", "uri_field"]),
    ({"format": "clf", "request_line": "1"}, ["request_line", 'format="clf"']),
    ({"format": "clf", "comment": "#"}, ["comment", 'format="lines", "csv" or "tsv"']),
    ({"format": "warc", "encoding": "latin1"}, ["encoding", 'format="warc"']),
    ({"format": "lines", "keep": ["a"]}, ["keep", "format"]),
    ({"format": "lines", "records": "response"}, ["records", 'format="warc", "wat" or "wacz"']),
    ({"default_scheme": "https"}, ["default_scheme", "repair=True"]),
    ({"default_scheme": "https", "repair": True, "base": "x:y"}, ["default_scheme", "base"]),
    ({"compat": True}, ["compat", "base=URI", "base_field=FIELD"]),
    ({"psl": "list"}, ["psl", 'columns="+registered_domain"']),
    ({"psl_unlisted": True}, ["psl_unlisted", 'columns="+registered_domain"']),
    ({"port_rules": "rules", "columns": "uri"}, ["port_rules", 'columns="+flags"']),
    ({"columns": "+canonical"}, ["columns", 'canonical="wayback"']),
    ({"drop_params": ["a"]}, ["drop_params", "canonical"]),
    ({"mask_passwords": True, "drop_userinfo": True}, ["mask_passwords", "drop_userinfo"]),
    ({"fill": True}, ["fill", 'schema="cc-index"']),
    ({"crawl": "x"}, ["crawl", 'schema="cc-index"']),
    ({"schema": "cc-index", "level": "case"}, ["schema", "level"]),
    ({"on_invalid": "reject"}, ['on_invalid="reject"', "rejects=FILE"]),
    ({"on_invalid": "keep", "rejects": "r.csv"}, ["rejects", "on_invalid"]),
    ({"temp_dir": "/tmp"}, ["temp_dir", "sort_by"]),
    ({"max_partitions": 3}, ["max_partitions", "partition_by"]),
    ({"csv_safe": True}, ["csv_safe", 'to="csv"']),
    ({"to": "uris", "columns": "host"}, ["to", "columns"]),
    ({"to": "uris", "sort_by": ["host"]}, ["to", "sort_by"]),
]


@pytest.mark.parametrize("row", RULES, ids=[str(number) for number in range(len(RULES))])
def test_wrong_combinations(row, tmp_path):
    options, keywords = row
    with pytest.raises(ValueError) as caught:
        urimill.convert("/dev/null", tmp_path / "t.parquet", **options)
    sentence = str(caught.value)
    assert all(keyword in sentence for keyword in keywords) and "--" not in sentence, sentence
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("row", WRONG, ids=[str(number) for number in range(len(WRONG))])
def test_wrong_arguments(row):
    call, kind, sentence = row
    with pytest.raises(kind, match=sentence):
        call()


def test_files_that_are_not_there(tmp_path):
    missing = tmp_path / "no.txt"
    for call in [
        lambda: urimill.read(missing),
        lambda: urimill.convert(missing, tmp_path / "out.parquet"),
        lambda: urimill.normalize(["a:b"], columns="+tld,+public_suffix", psl=missing),
    ]:
        with pytest.raises(FileNotFoundError) as caught:
            call()
        assert (caught.value.errno, caught.value.filename) == (2, str(missing))
    assert list(tmp_path.iterdir()) == []


def test_damaged_files(tmp_path):
    (tmp_path / "a.gz").write_bytes(b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + b"\xff" * 20)
    with pytest.raises(OSError, match="a.gz"):
        urimill.read(tmp_path / "a.gz", "lines").read_all()
    with pytest.raises(OSError, match="a.gz"):
        urimill.convert(tmp_path / "a.gz", tmp_path / "out.parquet", format="lines")
    assert [path.name for path in tmp_path.iterdir()] == ["a.gz"]


def test_an_output_that_exists(tmp_path):
    (tmp_path / "a.txt").write_text("a:b\n")
    (tmp_path / "out.csv").write_text("mine")
    with pytest.raises(ValueError, match="force"):
        urimill.convert(tmp_path / "a.txt", tmp_path / "out.csv", format="lines")
    assert (tmp_path / "out.csv").read_text() == "mine"


def test_no_text_is_an_exception():
    texts = ["", " ", "\0", "\n", ":", "//", "%", "a" * 3_000_000, "http://[", "\ud800", "é", "http://a:b@c:d@e", b"\xff\xfe"]
    for options in [{}, {"repair": True}, {"spec": "rfc2396"}, {"base": "http://a/"}]:
        table = urimill.normalize(texts, columns="+surt,+host_parts,+query_params,+fingerprint", **options)
        assert len(table) == len(texts)
    assert urimill.normalize(texts)["error"].to_pylist()[7] == "too_long"


def test_a_stream_that_fails_is_an_exception():
    def batches():
        yield pyarrow.record_batch({"u": ["a:b"]})
        raise KeyError("the source is gone")

    reader = pyarrow.RecordBatchReader.from_batches(pyarrow.schema([("u", pyarrow.string())]), batches())
    stream = urimill.normalize(reader, threads=1)
    assert next(stream)["uri"].to_pylist() == ["a:b"]
    with pytest.raises(KeyError, match="the source is gone"):
        next(stream)
    # Over the protocol only the text comes.
    class Foreign:
        def __arrow_c_stream__(self, requested_schema=None):
            reader = pyarrow.RecordBatchReader.from_batches(pyarrow.schema([("u", pyarrow.string())]), batches())
            return reader.__arrow_c_stream__()

    with pytest.raises(RuntimeError, match="the stream that was read failed: .*the source is gone"):
        urimill.normalize(Foreign(), stream=False)


def test_tables_without_the_protocol_are_no_lists_of_names():
    class Frame:
        columns = ["a:b", "c:d"]

        def __iter__(self):
            return iter(self.columns)

    with pytest.raises(TypeError, match="data is a Frame"):
        urimill.normalize(Frame())

    class WithoutPyarrow(Frame):
        def __arrow_c_stream__(self, requested_schema=None):
            raise ImportError("pyarrow is missing")

    with pytest.raises(ImportError, match="pyarrow is missing"):
        urimill.normalize(WithoutPyarrow())

    class Series(list):
        __arrow_c_stream__ = WithoutPyarrow.__arrow_c_stream__

    assert len(urimill.normalize(Series(["a:b", None]))) == 2


def test_nulls_of_whole_rows():
    rows = pyarrow.StructArray.from_arrays([pyarrow.array(["a:b", "c:d"])], ["u"], mask=pyarrow.array([False, True]))
    with pytest.raises(TypeError, match="null as a whole"):
        urimill.normalize(rows)
