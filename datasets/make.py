#!/usr/bin/env python3
"""Makes access.log, crawl.log and crawl.warc.gz: a small site served by nginx, crawled by wget through warcprox, and
visited by a script that asks as browsers, robots and scanners do.

Everything happens in a network namespace of its own, in which the documentation's addresses (RFC 5737) and names
(RFC 2606) are this machine's: nothing leaves it. It takes Linux, root, Python 3, and of Debian nginx, wget, faketime
and iproute2; warcprox is a package of PyPI. `TZ=UTC unshare --mount --net --uts datasets/make.py FOLDER` writes the
files to FOLDER, in about three minutes.
"""

import random
import shutil
import socket
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path

SERVER = "198.51.100.80"
HOSTS = ["www.example.org", "example.org", "shop.example.org", "static.example.net"]
BOOKS = ["A Year of Tides", "The Salt Roads", "Knots and Bends", "Lighthouses of the North", "Café by the Harbour",
         "Small Boats", "The Cartographer's Daughter", "Fog Signals"]
MONTHS = ["2026/10", "2026/11", "2026/12"]


def page(title, body, head=""):
    return (f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
            f'<link rel="stylesheet" href="/css/site.css">\n'
            f'<link rel="alternate" type="application/rss+xml" href="/feed.xml">\n{head}</head>\n<body>\n'
            f'<nav><a href="/">Home</a> <a href="/books/">Books</a> <a href="/calendar/2026/11/">Calendar</a> '
            f'<a href="/about.html">About</a> <a href="HTTP://Shop.Example.org:80/basket">Basket</a></nav>\n'
            f"<h1>{title}</h1>\n{body}</body>\n</html>\n")


def picture(red, green, blue):
    """A PNG of eight times eight pixels."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes((red, green, blue)) * 8 for _ in range(8))
    head = struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def site(root):
    www, shop, static = root / "www", root / "shop", root / "static"
    def put(path, data):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
    put(www / "index.html", page("Tidewater Books", "<p>New: "
        '<a href="books/5.html#reviews">Café by the Harbour</a>, and <a href="./books/../books/2.html">The Salt '
        'Roads</a>.</p>\n<p><a href="search?q=sea+%26+salt&amp;page=1">Search</a>, '
        '<a href="https://www.example.com/reviews/caf%c3%a9">reviews</a>, '
        '<a href="mailto:books@example.org">mail</a></p>\n'
        '<img src="//static.example.net/img/logo.png" alt="Tidewater Books">\n'))
    put(www / "about.html", page("About", '<p>Since 1987. <a href="http://www.example.org/index.html">Home</a>, '
        '<a href="javascript:history.back()">back</a>, <a href="tel:+1-555-0100">phone</a>, '
        '<a href="http://www.example.org:80/%7Estaff/">staff</a>, '
        '<a href="http://intranet.example.org:port/">intranet</a>.</p>\n'))
    listed = "".join(f'<li><a href="{n}.html">{title}</a></li>\n' for n, title in enumerate(BOOKS, 1))
    put(www / "books/index.html", page("Books", f'<p><a href="?sort=price">By price</a> '
        f'<a href="?sort=title">by title</a></p>\n<ol>\n{listed}</ol>\n'))
    for n, title in enumerate(BOOKS, 1):
        around = "".join(f'<a rel="{word}" href="{m}.html">{word}</a> '
                         for word, m in (("prev", n - 1), ("next", n + 1)) if 0 < m <= len(BOOKS))
        put(www / f"books/{n}.html", page(title, f'<p>{around}</p>\n'
            f'<img src="http://static.example.net/img/covers/{n}.png" alt="cover">\n'
            f'<p><a href="http://shop.example.org/basket?add={n}&amp;sid=7f3a{n:04x}">Buy</a> '
            f'<a href="/books/{n}.html?print=1">print</a> <a href="/authors/ann%20{chr(96 + n)}/">author</a></p>\n'
            f'<h2 id="reviews">Reviews</h2>\n', f'<link rel="canonical" href="http://www.example.org/books/{n}.html">\n'))
        put(static / f"img/covers/{n}.png", picture(25 * n, 90, 250 - 25 * n))
    put(static / "img/logo.png", picture(12, 80, 140))
    for month in MONTHS:
        year, number = month.split("/")
        before, after = f"/calendar/{year}/{int(number) - 1:02}/", f"/calendar/{year}/{int(number) + 1:02}/"
        put(www / f"calendar/{month}/index.html", page(f"Readings in {month}",
            f'<p><a rel="prev" href="{before}">before</a> <a rel="next" href="{after}">after</a></p>\n'))
    put(www / "css/site.css", "body { font: 1rem/1.5 serif; background: url(../img/paper.png) }\n"
        "nav { background: url('http://static.example.net/img/logo.png') }\n")
    items = "".join(f"<item><title>{title}</title><link>http://www.example.org/books/{n}.html?utm_source=feed</link>"
                    f"</item>\n" for n, title in enumerate(BOOKS[:3], 1))
    put(www / "feed.xml", f'<?xml version="1.0"?>\n<rss version="2.0"><channel><title>Tidewater Books</title>\n'
        f"<link>http://www.example.org/</link><description>New books</description>\n{items}</channel></rss>\n")
    urls = "".join(f"<url><loc>http://www.example.org/books/{n}.html</loc></url>\n" for n in range(1, len(BOOKS) + 1))
    put(www / "sitemap.xml", '<?xml version="1.0" encoding="UTF-8"?>\n<urlset '
        f'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{urls}</urlset>\n')
    put(www / "robots.txt", "User-agent: *\nDisallow: /search\nSitemap: http://www.example.org/sitemap.xml\n")
    put(shop / "index.html", page("Shop", '<p><a href="/basket">Basket</a></p>\n'))
    return www, shop, static


def start_nginx(root, log, clock=()):
    www, shop, static = root / "www", root / "shop", root / "static"
    conf = root / "nginx.conf"
    conf.write_text(f"""user root; worker_processes 1; pid {root}/nginx.pid; error_log /dev/null; daemon off;
events {{}}
http {{
  types {{ text/html html; text/css css; image/png png; application/xml xml; text/plain txt; }}
  access_log {log} combined; client_body_temp_path {root}; proxy_temp_path {root}; fastcgi_temp_path {root};
  uwsgi_temp_path {root}; scgi_temp_path {root}; merge_slashes off;
  server {{ listen {SERVER}:80 default_server; server_name www.example.org; root {www};
    location = /search {{ default_type text/html; return 200 "<title>Search</title><a href='?page=2'>more</a>"; }}
    location /admin {{ return 401; }} location /broken {{ return 500; }} }}
  server {{ listen {SERVER}:80; server_name example.org; return 301 http://www.example.org$request_uri; }}
  server {{ listen {SERVER}:80; server_name shop.example.org; root {shop};
    location = /basket {{ return 302 /login?next=$request_uri; }}
    location = /login {{ default_type text/html; return 200 "<title>Log in</title>"; }} }}
  server {{ listen {SERVER}:80; server_name static.example.net; root {static}; }}
}}
""")
    server = subprocess.Popen([*clock, "nginx", "-c", conf], stderr=subprocess.DEVNULL)
    for _ in range(50):
        with socket.socket() as probe:
            if probe.connect_ex((SERVER, 80)) == 0:
                return server
        time.sleep(0.1)
    raise SystemExit("nginx does not start")


def send(source, data):
    """Sends bytes from an address, and waits for the answer's end."""
    with socket.socket() as link:
        link.bind((source, 0))
        link.settimeout(3)
        link.connect((SERVER, 80))
        link.sendall(data)
        try:
            while link.recv(65536):
                pass
        except (TimeoutError, ConnectionResetError):
            pass


FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"
CHROME = ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 "
          "Safari/537.36")
PHONE = ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 "
         "Mobile/15E148 Safari/604.1")
GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
BINGBOT = "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)"
SCANS = [b"GET /wp-login.php HTTP/1.1", b"GET /.env HTTP/1.1", b"GET //phpmyadmin/ HTTP/1.1",
         b"GET /cgi-bin/.%2e/.%2e/.%2e/bin/sh HTTP/1.1", b"GET /index.php?id=1'%20or%20'1'='1 HTTP/1.1",
         b"GET http://other.example.com/ HTTP/1.1", b"CONNECT mail.example.com:25 HTTP/1.1",
         b"GET /?q=<script>alert(1)</script> HTTP/1.1", b"GET /%ff%fe HTTP/1.1", b"GET /a|b HTTP/1.1",
         b"GET /search?q=50%+off HTTP/1.1", b"OPTIONS * HTTP/1.1", b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03"]


def requests():
    """(address, request line, referer, user agent), in the order in which they are sent."""
    chance = random.Random(3986)
    browsers = [(f"203.0.113.{n}", agent) for n, agent in
                ((7, FIREFOX), (21, CHROME), (22, CHROME), (40, PHONE), (41, PHONE), (90, FIREFOX))]
    made = []
    for visit in range(44):
        client, agent = chance.choice(browsers)
        origin = chance.choice(["-", "https://www.google.com/", "https://news.example.com/item?id=4021",
                                "android-app://com.google.android.gm/"])
        mark = chance.choice(["", "", "?utm_source=newsletter&utm_medium=email", "?fbclid=IwAR0nqV7x2c"])
        book = chance.randint(1, len(BOOKS))
        paths = [f"/{mark}", "/css/site.css", "/books/", f"/books/{book}.html"]
        words = chance.choice(["tide", "sea+%26+salt", "caf%C3%A9", "Knots"])
        paths += chance.sample([f"/books/{book}.html?print=1", f"/search?q={words}&page={visit % 4}", "/about.html",
                                "/%7Estaff/", "/Books/%32.html", "/calendar/2026/11/", "/favicon.ico"], 2)
        at = origin
        for step, path in enumerate(paths[:chance.randint(2, 6)]):
            made.append((visit * 10 + step / 4, client, f"GET {path} HTTP/1.1".encode(), at, agent))
            at = f"http://www.example.org{path}"
    for step, month in enumerate(f"{2026 + n // 12}/{n % 12 + 1:02}" for n in range(9, 33)):
        made.append((30 + step * 15, "192.0.2.66", f"GET /calendar/{month}/ HTTP/1.1".encode(), "-", GOOGLEBOT))
    for step in range(1, 17):
        line = "GET /robots.txt" if step == 1 else f"GET /books/{step % 8 + 1}.html?sid={step * 2654435761 % 2**32:08x}"
        made.append((20 + step * 20, "192.0.2.77", f"{line} HTTP/1.1".encode(), "-", BINGBOT))
    for step, line in enumerate(SCANS):
        made.append((200 + step * 1.5, "192.0.2.200", line, "-", "-" if step % 2 else "Mozilla/5.0 zgrab/0.x"))
    return [request[1:] for request in sorted(made)]


def crawl(root, out):
    log = root / "log"
    proxy = subprocess.Popen(["warcprox", "-b", "127.0.0.1", "-p", "8000", "-z", "-d", root / "warcs", "-n", "crawl",
                              "--base32", "--crawl-log-dir", log, "-j", "/dev/null", "--stats-db-file", "/dev/null",
                              "-c", root / "ca.pem", "--certs-dir", root / "ca", "-q"], cwd=root)
    time.sleep(4)
    subprocess.run(["wget", "--quiet", "--recursive", "--level=4", "--span-hosts", "--page-requisites", "--wait=0.01",
                    "--domains=example.org,example.net", "--delete-after", "-e", "use_proxy=yes",
                    "-e", "http_proxy=127.0.0.1:8000", "-e", "robots=on", "--tries=1",
                    "http://example.org/", "http://www.example.org/sitemap.xml", "http://www.example.org/feed.xml"],
                   cwd=root)
    time.sleep(3)
    proxy.terminate()
    proxy.wait()
    (archive,) = (root / "warcs").glob("*.warc.gz*")
    shutil.copy(archive, out / "crawl.warc.gz")
    shutil.copy(max(log.glob("*.log"), key=lambda p: p.stat().st_size), out / "crawl.log")


def main():
    out = Path(sys.argv[1]).resolve()
    root = out / "making"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    for address in [SERVER, *{request[0] for request in requests()}]:
        subprocess.run(["ip", "address", "add", f"{address}/32", "dev", "lo"], check=True)
    # warcprox looks its own address up by a route to this one.
    subprocess.run(["ip", "route", "add", "10.255.255.255/32", "dev", "lo"], check=True)
    socket.sethostname("crawler.example.org")
    hosts = root / "hosts"
    hosts.write_text("127.0.0.1 localhost crawler.example.org\n" + "".join(f"{SERVER} {name}\n" for name in HOSTS))
    subprocess.run(["mount", "--bind", hosts, "/etc/hosts"], check=True)
    site(root)

    server = start_nginx(root, root / "crawled.log")
    crawl(root, out)
    server.terminate()
    server.wait()

    # A week in some minutes of this machine, from the evening of a Sunday on.
    clock = ["faketime", "-f", "@2026-11-22 18:00:00 x1200"]
    server = start_nginx(root, out / "access.log", clock)
    all_of_them = requests()
    began = time.monotonic()
    for at, (client, line, referer, agent) in enumerate(all_of_them):
        rest = f"\r\nHost: www.example.org\r\nReferer: {referer}\r\nUser-Agent: {agent}\r\nConnection: close\r\n\r\n"
        rest = "".join(part + "\r\n" for part in rest.split("\r\n")[:-2] if not part.endswith(": -")) + "\r\n"
        send(client, line + rest.encode() if line[0] != 22 else line)
        time.sleep(max(0, began + at * 144 / len(all_of_them) - time.monotonic()))
    server.terminate()
    server.wait()


main()
