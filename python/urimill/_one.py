"""Functions on one text or value."""

from __future__ import annotations

from ._types import Explanation, Level, Path, Spec
from ._urimill import URI
from ._urimill import explain as _explain
from ._urimill import flags as _flags


def explain(
    text: str | bytes | URI,
    *,
    spec: Spec = "rfc3986",
    level: Level = "scheme",
    base: str | None = None,
    compat: bool = False,
    repair: bool = False,
    default_scheme: str | None = None,
    port_rules: Path | None = None,
) -> Explanation:
    """The explanation of a text, valid or not, as ``urimill explain --to json`` prints it.

    >>> import urimill
    >>> told = urimill.explain("http://example.com/a b")
    >>> told["valid"], told["error"]["offset"], told["mended"]
    (False, 20, 'http://example.com/a%20b')
    >>> told["error"]["rule"]["name"]
    'pchar'
    """
    return _explain(
        text,
        spec=spec,
        level=level,
        base=base,
        compat=compat,
        repair=repair,
        default_scheme=default_scheme,
        port_rules=port_rules,
    )


def flag_names(bits: int) -> list[str]:
    """The names of the flags in a value of the column ``flags``.

    >>> import urimill
    >>> urimill.flag_names(3)
    ['has_userinfo', 'has_password']
    """
    return [name for name, bit in _flags().items() if bits & bit]
