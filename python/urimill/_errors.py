"""urimill's own exceptions."""

from __future__ import annotations

from ._urimill import masked


class RejectError(ValueError):
    """A text is not a URI reference, or the requested operation on it gives none.

    >>> import urimill
    >>> try:
    ...     urimill.URI("http://example.com/a b")
    ... except urimill.RejectError as error:
    ...     print(error.code, error.component, error.offset)
    path_invalid_char path 20

    Functions on columns do not raise it: there a bad text is a row with its code in the column ``error``.
    """

    #: The text, with U+FFFD for bytes that are not UTF-8.
    text: str
    #: A stable code: a key of ``urimill.CODES``.
    code: str
    #: The component that holds the fault.
    component: str
    #: The offset in bytes of the first byte that cannot be right; the length if something is missing.
    offset: int

    def __init__(self, text: str, code: str, component: str, offset: int, sentence: str) -> None:
        super().__init__(text, code, component, offset, sentence)
        self.text = text
        self.code = code
        self.component = component
        self.offset = offset
        self._sentence = sentence

    def __str__(self) -> str:
        # Messages end up in logs, so passwords are masked; `text` is unchanged.
        shown = masked(self.text)
        shown = shown if len(shown) <= 200 else shown[:199] + "…"
        return f"{shown!r} is refused: {self._sentence} ({self.code}, byte {self.offset})"


RejectError.__module__ = "urimill"
