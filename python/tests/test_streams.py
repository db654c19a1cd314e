"""Streams stay streams: batches are made when they are asked for, and memory does not grow with them."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading

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
    assert list(closed) == []


def test_streams_and_tables_by_wish():
    assert isinstance(urimill.normalize(reader(2, 5), uri="link", stream=False), urimill.Table)
    stream = urimill.normalize(["a:b"], stream=True)
    assert isinstance(stream, urimill.Stream) and stream.schema == urimill.schema()
    assert stream.column_names == urimill.schema().names
    assert len(stream.to_polars()) == 1
    assert len(urimill.normalize(["a:b"], stream=True).to_pandas()) == 1


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
