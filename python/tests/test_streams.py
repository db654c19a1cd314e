"""Streams stay streams: batches are made when they are asked for, and memory does not grow with them."""

from __future__ import annotations

import gc
import itertools
import os
import signal
import subprocess
import sys
import threading

import duckdb
import polars
import pyarrow
import pytest

import urimill

SCHEMA = pyarrow.schema([("link", pyarrow.string()), ("n", pyarrow.int64())])


def reader(batches: int, rows: int, taken: list[int] | None = None) -> pyarrow.RecordBatchReader:
    def make():
        for number in range(batches):
            if taken is not None:
                taken.append(number)
            links = [f"HTTP://h{number}.example.com/{row}/%7E?q={row}" for row in range(rows)]
            yield pyarrow.record_batch([links, [number] * rows], schema=SCHEMA)

    return pyarrow.RecordBatchReader.from_batches(SCHEMA, make())


@pytest.mark.parametrize("threads", [1, 3])
def test_what_is_asked_for_is_made(threads):
    taken: list[int] = []
    stream = urimill.normalize(reader(100, 10, taken), uri="link", threads=threads, columns="record,uri")
    assert isinstance(stream, urimill.Stream)
    assert taken == []
    first = next(stream)
    assert first.to_pylist()[9] == {"record": 10, "uri": "http://h0.example.com/9/~?q=9", "n": 0}
    assert len(taken) <= threads
    rest = stream.read_all()
    assert len(rest) == 990
    assert rest["record"].to_pylist() == list(range(11, 1001))
    assert rest["n"].to_pylist() == [number for number in range(1, 100) for _ in range(10)]
    assert list(stream) == []


def test_streams_are_read_once():
    stream = urimill.normalize(reader(3, 5), uri="link")
    assert stream.to_pyarrow().read_all().num_rows == 15
    with pytest.raises(ValueError, match="has been read"):
        stream.to_pyarrow()
    closed = urimill.normalize(reader(3, 5), uri="link")
    with closed:
        next(closed)
    for read in [lambda: list(closed), closed.read_all, closed.to_pyarrow, closed.to_pandas]:
        with pytest.raises(ValueError, match="closed before its end"):
            read()
    # After its last batch a stream has no rows left.
    whole = urimill.normalize(reader(1, 5), uri="link")
    with whole:
        assert len(list(whole)) == 1
    assert list(whole) == [] and len(whole.read_all()) == 0
    taken = urimill.normalize(reader(3, 5), uri="link")
    taken.to_pyarrow()
    with pytest.raises(ValueError, match="has been read"):
        taken.read_all()


class Broken(Exception):
    pass


def failing(error: BaseException) -> pyarrow.RecordBatchReader:
    def make():
        yield from reader(1, 5)
        raise error

    return pyarrow.RecordBatchReader.from_batches(SCHEMA, make())


@pytest.mark.parametrize("error", [Broken("of a reader"), KeyboardInterrupt()], ids=repr)
def test_exceptions_of_readers_come_back(error):
    def normalize(**options):
        return urimill.normalize(failing(error), uri="link", threads=1, **options)

    reads = [
        lambda: normalize(stream=False),
        lambda: list(normalize()),
        lambda: list(urimill.normalize(normalize(), uri="uri")),
        lambda: urimill.report(failing(error), uri="link"),
    ]
    for read in reads:
        with pytest.raises(type(error), match=str(error) or None):
            read()


def test_streams_of_python_pass_through_other_libraries():
    # Their code runs between two calls of urimill's, and releases the interpreter meanwhile.
    arrow = urimill.normalize(reader(5, 7), uri="link").to_pyarrow()
    again = urimill.normalize(arrow, uri="uri", columns="uri")
    assert [len(part) for part in again] == [7] * 5
    texts = urimill.normalize(iter(["a:b", "c:d"]), stream=True, columns="uri").to_pyarrow()
    assert len(urimill.normalize(texts, uri="uri", stream=False)) == 2
    for convert in [polars.DataFrame, duckdb.from_arrow]:
        assert len(convert(urimill.normalize(reader(5, 7), uri="link"))) == 35


def test_a_failed_stream_never_ends_in_silence():
    stream = urimill.normalize(failing(Broken("of a reader")), uri="link", threads=1)
    assert len(next(stream)) == 5
    for read in [lambda: next(stream), lambda: list(stream), stream.read_all, stream.to_pyarrow]:
        with pytest.raises(Broken, match="of a reader"):
            read()
    # Another consumer gets the text of the failure, again and again.
    consumer = urimill.normalize(failing(Broken("of a reader")), uri="link", threads=1).to_pyarrow()
    consumer.read_next_batch()
    for _ in range(2):
        with pytest.raises(Exception, match="of a reader"):
            consumer.read_next_batch()


def run(script: str) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.skipif(os.name != "posix", reason="signals and limits of POSIX")
def test_iterators_without_an_end():
    # Of a stream the first batches are there.
    stream = urimill.normalize(itertools.repeat("HTTP://a/"), stream=True, columns="record,uri", threads=2)
    assert next(stream)["uri"].to_pylist()[-1] == "http://a/"
    assert next(stream)["record"].to_pylist()[0] == 8193
    stream.close()
    # A table ends at Ctrl-C, although no code of Python runs,
    beginning = "import itertools, resource, urimill; texts = itertools.repeat('http://example.com/'); "
    limit = "resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)); "
    job = run(beginning + limit + "print('reading', flush=True); urimill.normalize(texts)")
    assert job.stdout.readline() == "reading\n"
    job.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in job.communicate(timeout=60)[1]
    # or where memory ends.
    limit = "resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)); "
    job = run(beginning + limit + "urimill.normalize(texts)")
    told = job.communicate(timeout=120)[1]
    assert "MemoryError: there is no memory for data[" in told and job.returncode == 1


def test_files_are_read_by_lines(tmp_path):
    file = tmp_path / "links.txt"
    file.write_bytes(b"HTTP://a/\r\nhttp://b/x\n\nhttp://c/ \r")
    expected = ["http://a/", "http://b/x", "", "http://c/ \r"]
    for mode, options in [("rb", {}), ("r", {"newline": ""})]:
        with file.open(mode, **options) as lines:
            assert urimill.normalize(lines, columns="uri")["uri"].to_pylist() == expected
        with file.open(mode, **options) as lines:
            assert urimill.normalize(lines, columns="uri", stream=True).read_all()["uri"].to_pylist() == expected
    with file.open() as lines:
        assert urimill.encode(lines)["encoded"].to_pylist()[:2] == ["HTTP%3A%2F%2Fa%2F", "http%3A%2F%2Fb%2Fx"]


def test_streams_and_tables_by_wish():
    assert isinstance(urimill.normalize(reader(2, 5), uri="link", stream=False), urimill.Table)
    stream = urimill.normalize(["a:b"], stream=True)
    assert isinstance(stream, urimill.Stream) and stream.schema == urimill.schema()
    assert stream.column_names == urimill.schema().names
    assert len(stream.to_polars()) == 1
    assert len(urimill.normalize(["a:b"], stream=True).to_pandas()) == 1


@pytest.mark.parametrize("threads", [1, 2])
def test_bytes_are_a_stream_of_their_lines(threads):
    data = b"HTTP://a/\n\nhttp://b/x\r\n/a b\n" * 20_000
    table = urimill.normalize(data, threads=threads)
    stream = urimill.normalize(data, threads=threads, stream=True)
    first = next(stream)
    assert first.slice(0, 9).to_pylist() == table.slice(0, 9).to_pylist() and len(first) < 10_000
    rest = stream.read_all()
    assert len(first) + len(rest) == 60_000 and rest.to_pydict() == table.slice(len(first)).to_pydict()
    assert rest["record"][-1] == 80_000
    # Another library reads it in threads of its own.
    assert urimill.normalize(data, threads=threads, stream=True).to_pyarrow().read_all().equals(table.to_pyarrow())


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from Linux")
def test_a_stream_of_bytes_does_not_make_the_table():
    script = """
import resource, urimill
data = b"/a\\n" * 20_000_000
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
rows = sum(len(table) for _, table in zip(range(100), urimill.normalize(data, stream=True, threads=2)))
assert rows > 100_000, rows
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
"""
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)
    assert int(done.stdout) < 100


def test_streams_through_streams():
    stream = urimill.normalize(reader(5, 7), uri="link", columns="uri,host")
    again = urimill.normalize(stream, uri="uri", columns="uri,scheme", keep="none")
    assert isinstance(again, urimill.Stream)
    assert set(again.read_all()["scheme"]) == {"http"}


def resident() -> int:
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * 4096


@pytest.mark.parametrize("strings", ["string", "string_view"])
def test_memory_is_steady(strings):
    # The first hundred warm up what is kept from batch to batch.
    options = {"uri": "link", "strings": strings, "threads": 2}
    stream = urimill.normalize(reader(1100, 2000), **options)
    after = 0
    for number, table in enumerate(stream):
        assert len(table) == 2000
        if number == 100:
            gc.collect()
            after = resident()
    gc.collect()
    assert number == 1099
    assert resident() - after < 32 << 20
    # Calls keep memory within the same bound.
    batch = next(iter(reader(1, 2000)))
    for number in range(1100):
        urimill.normalize(batch, **options)
        if number == 100:
            after = resident()
    assert resident() - after < 32 << 20


def test_other_threads_go_on():
    links = pyarrow.array([f"HTTP://example.com/{n}/%7E" for n in range(300_000)])
    done = threading.Event()
    counted = 0

    def work():
        urimill.normalize(links, threads=1, columns="+surt,+fingerprint,+host_parts")
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        counted += 1
    thread.join()
    # With the interpreter locked the loop would stand still but for a few rounds.
    assert counted > 1000


def test_many_threads_at_once():
    links = pyarrow.array([f"HTTP://example.com/{n}" for n in range(40_000)])
    expected = urimill.normalize(links).to_pyarrow()
    results = []
    threads = [threading.Thread(target=lambda: results.append(urimill.normalize(links).to_pyarrow())) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 6 and all(result == expected for result in results)


def test_one_stream_in_many_threads():
    stream = urimill.normalize(reader(50, 100), uri="link", threads=2)
    rows = []

    def work():
        for table in stream:
            rows.append(len(table))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(rows) == 5000


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own():
    links = pyarrow.array([f"HTTP://example.com/{n}" for n in range(40_000)])
    assert len(urimill.normalize(links, threads=2)) == 40_000
    child = os.fork()
    if child == 0:
        # The alarm ends a child that hangs, as a failure.
        signal.alarm(30)
        os._exit(0 if len(urimill.normalize(links, threads=2)) == 40_000 else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_threads_by_environment():
    script = "import urimill, threading; urimill.normalize(['a:b'] * 100_000); print(len(__import__('os').listdir('/proc/self/task')))"
    if not sys.platform.startswith("linux"):
        pytest.skip("threads are counted on Linux alone")
    for threads in [1, 3]:
        environment = {**os.environ, "RAYON_NUM_THREADS": str(threads)}
        done = subprocess.run([sys.executable, "-c", script], env=environment, check=True, capture_output=True)
        # With one thread none is started.
        assert int(done.stdout) == (1 if threads == 1 else 1 + threads)
    # Nor are any for some thousand rows, in however many chunks they come.
    few = "chunks = pyarrow.chunked_array([[f'http://h/{n}'] * 100 for n in range(40)])"
    script = f"import os, pyarrow, urimill; {few}; urimill.normalize(chunks, threads=3); print(os.listdir('/proc/self/task'))"
    script += "; print({open(f'/proc/self/task/{task}/comm').read() for task in os.listdir('/proc/self/task')})"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert "urimill" not in done.stdout
