"""Asks the WebAssembly module what src/main.rs asks the library, line by line, and prints the answers in the same way."""

import sys

import wasmtime

BASE = b"http://a/b/c/d;p?q"
LEVELS = 5


class Module:
    """The module, its memory, and where in it texts and answers stand."""

    def __init__(self, path: str) -> None:
        self.store = wasmtime.Store()
        module = wasmtime.Module.from_file(self.store.engine, path)
        assert not module.imports, "it needs nothing of its host"
        self.exports = wasmtime.Instance(self.store, module, []).exports(self.store)
        self.text = self.exports["text"](self.store)

    def call(self, name: str, *arguments: "bytes | int") -> bytes:
        """Texts are put one behind the other, and given by their lengths."""
        memory, at, given = self.exports["memory"], self.text, []
        for argument in arguments:
            if isinstance(argument, bytes):
                memory.write(self.store, argument, at)
                at += len(argument)
            given.append(len(argument) if isinstance(argument, bytes) else argument)
        size = self.exports[name](self.store, *given)
        assert size >= 0, f"no room for the answer of {name}"
        return bytes(memory.read(self.store, self.text, self.text + size))


def main(path: str, *lists: str) -> None:
    module, out = Module(path), []
    for name in lists:
        before = BASE
        with open(name, "rb") as file:
            lines = file.read().split(b"\n")
        for line in lines:
            out.append(module.call("parse", line))
            out += (module.call("normalize", line, level) for level in range(LEVELS))
            out += (module.call("resolve", base, line) for base in (BASE, before))
            before = line
    sys.stdout.buffer.write(b"".join(answer + b"\n" for answer in out))


main(*sys.argv[1:])
