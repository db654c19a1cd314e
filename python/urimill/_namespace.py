"""What the namespaces of Polars and pandas have in common: the methods, each with a value for each row."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from ._bulk import normalize
from ._pairs import resolve
from ._texts import decode, encode
from ._types import Component, Data, Form, Level, Standard
from ._urimill import Column, columns

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import RecordOptions

Values = TypeVar("Values")

#: The columns that a text has by itself; the others count rows, or say where a text is from.
COLUMNS = [name for name in columns() if name not in ("record", "offset", "source", "base")]


class Namespace(Generic[Values]):
    """The values of :func:`urimill.normalize` and other functions, column by column. A null is a null.

    Options are those of :func:`urimill.normalize`: ``spec``, ``level``, ``repair``, ….
    """

    def _made(self, call: Callable[[Data], Column]) -> Values:
        raise NotImplementedError

    def column(self, name: str, **options: Unpack[RecordOptions]) -> Values:
        """A column of the table: a name in ``urimill.COLUMNS``."""
        if name not in COLUMNS:
            raise ValueError(f"there is no column {name!r} of texts: choose from {', '.join(COLUMNS)}")
        return self._made(lambda data: normalize(data, columns=name, stream=False, **options)[name])

    def normalize(self, **options: Unpack[RecordOptions]) -> Values:
        """The normal form; a text that is no URI reference stays as it is."""
        return self.column("uri", **options)

    def scheme(self, **options: Unpack[RecordOptions]) -> Values:
        """The scheme; null where there is none."""
        return self.column("scheme", **options)

    def host(self, **options: Unpack[RecordOptions]) -> Values:
        """The host; null where there is none."""
        return self.column("host", **options)

    def registered_domain(self, **options: Unpack[RecordOptions]) -> Values:
        """The domain that was registered, by the public suffix list; null where there is none."""
        return self.column("registered_domain", **options)

    def port(self, **options: Unpack[RecordOptions]) -> Values:
        """The port as a number; null where there is none."""
        return self.column("port", **options)

    def path(self, **options: Unpack[RecordOptions]) -> Values:
        """The path; null in rejects alone."""
        return self.column("path", **options)

    def query(self, **options: Unpack[RecordOptions]) -> Values:
        """The query without its question mark; null where there is none."""
        return self.column("query", **options)

    def fragment(self, **options: Unpack[RecordOptions]) -> Values:
        """The fragment without its number sign; null where there is none."""
        return self.column("fragment", **options)

    def error(self, **options: Unpack[RecordOptions]) -> Values:
        """The code of a reject, a key of ``urimill.CODES``; null where the text is a URI reference."""
        return self.column("error", **options)

    def fingerprint(self, **options: Unpack[RecordOptions]) -> Values:
        """The hash of the normal form, a number of 64 bits."""
        return self.column("fingerprint", **options)

    def canonical(self, form: Form, **options: Unpack[RecordOptions]) -> Values:
        """The canonical form by the rules of another tool."""
        with_form: RecordOptions = {**options, "canonical": form}
        return self.column("canonical", **with_form)

    def resolve(
        self, base: str, *, spec: Standard = "rfc3986", level: Level = "none", compat: bool = False
    ) -> Values:
        """The target of each reference against one base; null in rejects."""
        return self._made(
            lambda data: resolve(data, base, spec=spec, level=level, compat=compat, stream=False)["target"]
        )

    def encode(self, component: Component = "unreserved") -> Values:
        """The data, percent-encoded for a component."""
        return self._made(lambda data: encode(data, component, stream=False)["encoded"])

    def decode(self, component: Component | None = None) -> Values:
        """The data that a component has; null in rejects, and where it is not UTF-8."""
        return self._made(lambda data: decode(data, component, stream=False)["decoded"])
