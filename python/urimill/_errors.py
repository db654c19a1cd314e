"""The exceptions of urimill's own."""

from __future__ import annotations

from ._urimill import masked


class RejectError(ValueError):
    """A text is no URI reference, or what it is asked for makes none.

    >>> import urimill
    >>> try:
    ...     urimill.URI("http://example.com/a b")
    ... except urimill.RejectError as error:
    ...     print(error.code, error.component, error.offset)
    path_invalid_char path 20

    In bulk nothing is raised: a bad text is a row with its code in the column ``error``.
    """

    #: The text, with U+FFFD for what is not UTF-8.
    text: str
    #: A stable code: a key of ``urimill.CODES``.
    code: str
    #: The component in which it is wrong.
    component: str
    #: The first byte that no reference has there; the length where something is missing.
    offset: int

    def __init__(self, text: str, code: str, component: str, offset: int, sentence: str) -> None:
        super().__init__(text, code, component, offset, sentence)
        self.text = text
        self.code = code
        self.component = component
        self.offset = offset
        self._sentence = sentence

    def __str__(self) -> str:
        # Messages end up in logs, which are not to tell passwords; `text` is as it was given.
        shown = masked(self.text)
        shown = shown if len(shown) <= 200 else shown[:199] + "…"
        return f"{shown!r} is refused: {self._sentence} ({self.code}, byte {self.offset})"


RejectError.__module__ = "urimill"
