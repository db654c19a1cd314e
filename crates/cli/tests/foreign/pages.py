"""The links of pages as BeautifulSoup and html5lib see them, resolved by RFC 3986 as its section 5.2 is written.

Reads a plan from standard input: the program's rows of some inputs as JSON Lines, made with --level none. Every page must
have the same references: element, attribute, text as written, base and target. Prints what it compared."""

import collections
import json
import re
import sys

import bs4
import tinycss2
import webencodings
from warcio.archiveiterator import ArchiveIterator

# The attributes with URLs: the index of the HTML Standard, then what it calls obsolete, then SVG.
ONE = {
    "a": "href", "area": "href", "link": "href", "base": "href", "form": "action", "button": "formaction",
    "blockquote": "cite", "q": "cite", "ins": "cite", "del": "cite", "track": "src",
    "audio": "src", "script": "src", "source": "src", "embed": "src",
    "input": "src formaction", "img": "src longdesc lowsrc dynsrc", "iframe": "src longdesc",
    "frame": "src longdesc", "video": "src poster", "object": "data codebase classid", "body": "background",
    "table": "background", "td": "background", "th": "background", "tr": "background", "tbody": "background",
    "thead": "background", "tfoot": "background", "applet": "code codebase", "bgsound": "src", "use": "href",
    "image": "href", "lineargradient": "href", "radialgradient": "href", "pattern": "href", "mpath": "href",
    "textpath": "href", "animate": "href", "set": "href", "filter": "href", "feimage": "href",
}
# An empty value of these is the document itself.
EMPTY = {("a", "href"), ("area", "href"), ("base", "href"), ("form", "action"), ("button", "formaction"),
         ("input", "formaction"), ("blockquote", "cite"), ("q", "cite"), ("ins", "cite"), ("del", "cite"),
         ("a", "xlink:href")}
LISTS = {"a": "ping", "area": "ping", "head": "profile", "object": "archive"}
SETS = {"img": "srcset", "source": "srcset", "link": "imagesrcset"}
SPACE = "\t\n\f\r "


def strip(text):
    return re.sub(r"[\t\n\r]", "", text.strip(SPACE))


def candidates(text):
    """HTML, 4.8.4.2.1, without descriptors."""
    found, rest = [], text.lstrip(SPACE + ",")
    while rest:
        url = re.match(r"[^\t\n\f\r ]+", rest).group()
        rest = rest[len(url):]
        if url.endswith(","):
            url = url.rstrip(",")
        else:
            rest = re.sub(r"^(\([^)]*\)?|[^,(])*", "", rest)
        found.append(url)
        rest = rest.lstrip(SPACE + ",")
    return found


def css(text):
    """The url(…) and @import of a style sheet."""
    def values(nodes, is_import):
        for node in nodes:
            if node.type == "url":
                yield is_import, node.value
            elif node.type == "string" and is_import:
                yield is_import, node.value
            elif node.type == "function" and node.lower_name == "url":
                yield from ((is_import, one.value) for one in node.arguments if one.type == "string")
            elif node.type == "at-keyword":
                is_import = node.lower_value == "import"
                continue
            for inner in ("arguments", "content"):
                if inner == "content" or node.type == "function" and node.lower_name != "url":
                    yield from values(getattr(node, inner, None) or (), False)
            if node.type not in ("whitespace", "comment"):
                is_import = False

    yield from values(tinycss2.parse_component_value_list(text), False)


def refresh(text):
    match = re.match(r"\s*[\d.]+\s*[;,\s]\s*(?:url\s*=\s*)?(?:\"([^\"]*)|'([^']*)|(.+))", text, flags=re.I | re.S)
    return next((group for group in match.groups() if group), None) if match else None


def links(soup):
    for tag in soup.find_all(True):
        name = tag.name.lower().split(":")[-1] if tag.name.lower().startswith("svg:") else tag.name.lower()
        for key, value in tag.attrs.items():
            key, value = str(key).lower(), " ".join(value) if isinstance(value, list) else value
            if key in ONE.get(name, "").split() or key in ("itemid", "xlink:href"):
                if strip(value) or (name, key) in EMPTY or key == "itemid":
                    yield name, key, strip(value)
            elif key == LISTS.get(name):
                yield from ((name, key, strip(one)) for one in value.split())
            elif key == "itemtype":
                names = (strip(one) for one in value.split())
                yield from ((name, key, one) for one in names if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", one))
            elif key == SETS.get(name):
                yield from ((name, key, strip(one)) for one in candidates(value))
            elif key == "style":
                yield from ((name, key, strip(one)) for _, one in css(value))
            elif key == "content" and name == "meta" and str(tag.get("http-equiv", "")).lower() == "refresh":
                one = refresh(value)
                if one:
                    yield name, key, strip(one)
        if name == "style":
            for is_import, one in css("".join(map(str, tag.contents))):
                yield name, "@import" if is_import else "url()", strip(one)


# RFC 3986, appendix B
PARTS = re.compile(r"^(?:([^:/?#]+):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$", re.S)


def split(text):
    scheme, *others = PARTS.match(text).groups()
    if scheme is not None and not re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*", scheme):
        _, *others = PARTS.match("x://h/").groups()
        return None
    return scheme, *others


def without_dots(path):
    """RFC 3986, 5.2.4."""
    out = ""
    while path:
        if path.startswith("../"):
            path = path[3:]
        elif path.startswith("./"):
            path = path[2:]
        elif path.startswith("/./"):
            path = path[2:]
        elif path == "/.":
            path = "/"
        elif path.startswith("/../") or path == "/..":
            path = "/" + path[4:]
            out = out[:out.rfind("/")] if "/" in out else ""
        elif path in (".", ".."):
            path = ""
        else:
            segment = re.match(r"/?[^/]*", path).group()
            out, path = out + segment, path[len(segment):]
    return out


def resolve(base, reference):
    """RFC 3986, 5.2.2 and 5.3."""
    found = split(reference)
    if found is None:
        return None
    scheme, authority, path, query, fragment = found
    b_scheme, b_authority, b_path, b_query, _ = split(base)
    if scheme is not None or authority is not None:
        path = without_dots(path)
    else:
        authority = b_authority
        if path == "":
            path, query = b_path, b_query if query is None else query
        elif path.startswith("/"):
            path = without_dots(path)
        else:
            merged = "/" + path if b_authority is not None and b_path == "" else b_path[:b_path.rfind("/") + 1] + path
            path = without_dots(merged)
    scheme = b_scheme if scheme is None else scheme
    text = scheme + ":" + ("" if authority is None else "//" + authority)
    text += "/." + path if authority is None and path.startswith("//") else path
    return text + ("" if query is None else "?" + query) + ("" if fragment is None else "#" + fragment)


def pages(path):
    """The pages of an input: number of the record, URI, bytes, encoding that the transfer says."""
    if path.endswith((".html", ".htm")):
        with open(path, "rb") as page:
            yield 1, None, page.read(), None
        return
    with open(path, "rb") as archive:
        for number, record in enumerate(ArchiveIterator(archive, arc2warc=True), 1):
            http = record.http_headers
            kind = (http.get_header("Content-Type") if http else record.content_type) or ""
            if record.rec_type not in ("response", "resource") or "html" not in kind:
                continue
            charset = re.search(r"charset\s*=\s*[\"']?([^\s;\"',]+)", kind, flags=re.I)
            uri = record.rec_headers.get_header("WARC-Target-URI")
            yield number, uri, record.content_stream().read(), charset.group(1) if charset else None


def explained(link, sign, others):
    """Why a link is only in the tree, or only in the tags."""
    if sign == "-" and link[0] == "a" and link in others:
        # An anchor without an end is opened again in the elements behind it (HTML, 13.2.4.3).
        return "repeated by the tree builder"
    if sign == "+" and link[0] in ("head", "body", "html", "frame"):
        # Tags of elements that are there already, or cannot be there (13.2.6.4).
        return "ignored by the tree builder"
    return "different"


def encoding(body):
    """The encoding that a page says of itself (HTML, 13.2.3.2); the last is the default of the program."""
    for mark, name in ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be")):
        if body.startswith(mark):
            return name
    head = re.sub(rb"<!--.*?-->", b"", body[:65536], flags=re.S)
    for meta in re.findall(rb"<meta[\s/][^>]*>", head, flags=re.I):
        label = re.search(rb"charset\s*=\s*[\"']?\s*([^\s\"';/>]+)", meta, flags=re.I)
        if label and webencodings.lookup(label.group(1).decode("ascii", "replace")):
            return label.group(1).decode()
    declared = re.match(rb"<\?xml[^>]*encoding\s*=\s*[\"']([^\"']+)", body)
    return declared.group(1).decode() if declared else "windows-1252"


def main():
    plan = json.load(sys.stdin)
    counts = collections.Counter()
    for case in plan["cases"]:
        rows = collections.defaultdict(list)
        with open(case["rows"], encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                # What stands in the header fields of a response html5lib does not see.
                is_property = row["element"] == "meta" and row["rel"] is not None
                # Properties of pages are none of HTML, and these attributes have a base of their own.
                if row["element"] is not None and not is_property and row["attribute"] not in ("manifest", "usemap"):
                    rows[row["page_record"]].append(row)
        for number, uri, body, charset in pages(case["input"]):
            counts["pages"] += 1
            found = rows.get(number, [])
            soup = bs4.BeautifulSoup(body, "html5lib", from_encoding=charset or encoding(body))
            outer = uri or case["base"]
            base = soup.find("base", href=True)
            document = resolve(outer, strip(base["href"])) if base else outer
            document = re.sub("#.*", "", document, flags=re.S)
            expected = collections.Counter()
            for name, key, raw in links(soup):
                against = re.sub("#.*", "", outer) if name == "base" else document
                expected[name, key, raw, against, resolve(against, raw)] += 1
            ours = collections.Counter()
            for row in found:
                raw = row["uri"] if row["raw"] is None else row["raw"]
                # A text that is no URI reference has no target: the oracle resolves whatever it gets.
                base = row["base"] or document
                target = row["uri"] if row["error"] is None else resolve(base, raw)
                counts["rejects"] += row["error"] is not None
                ours[row["element"], row["attribute"], raw, base, target] += 1
            counts["links"] += sum(expected.values())
            for difference, others, sign in ((expected - ours, ours, "-"), (ours - expected, expected, "+")):
                for link, times in difference.items():
                    reason = explained(link, sign, others)
                    counts[reason] += times
                    if reason == "different":
                        print(f"{sign}{times} {case['input']} {number} {uri}: {link}")
    print(", ".join(f"{count} {name}" for name, count in sorted(counts.items())))
    allowed = plan.get("differences", 0)
    if counts["different"] > allowed or counts["links"] < plan.get("least", 1):
        sys.exit("the links differ, or there are too few")


main()
