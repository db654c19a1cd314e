"""The keywords of the functions on columns but ``stream``, for their overloads in ``_bulk``; a test compares the two."""

from typing import TypedDict

from ._options import RecordOptions
from ._types import Data, Keep, Level, Names, Path, Spec, Standard, Strings
from ._urimill import URI

class Call(TypedDict, total=False):
    uri: str | None
    threads: int | None

class Kept(Call, total=False):
    keep: Keep

class Texts(Kept, total=False):
    strings: Strings | None

class Normalize(RecordOptions, Texts, total=False):
    base: str | URI | Data | None
    columns: Names | None

class Components(TypedDict, total=False):
    keep: Keep
    strings: Strings | None
    threads: int | None

class Fingerprint(Kept, total=False):
    base: str | URI | Data | None
    spec: Standard
    level: Level
    repair: bool

class Canonical(Texts, total=False):
    base: str | URI | Data | None
    spec: Standard
    repair: bool
    drop_params: Names
    drop_tracking: bool

class HostParts(Texts, total=False):
    base: str | URI | Data | None
    spec: Standard
    repair: bool
    default_scheme: str | None
    psl: Path | None
    psl_unlisted: bool

class Resolve(Texts, total=False):
    compat: bool
    spec: Standard
    level: Level
    repair: bool

class Relativize(Texts, total=False):
    spec: Spec

class Compare(Texts, total=False):
    base: str | None
    spec: Spec
    level: Level
    ignore_fragments: bool
    absolute_only: bool

class Extract(Call, total=False):
    strings: Strings | None
    spec: Spec
    level: Level
    default_scheme: str
    no_suffix: bool
    refang: bool

class Encode(Texts, total=False):
    keep_triplets: bool
    spec: Spec

class Decode(Texts, total=False):
    lenient: bool
    spec: Spec
