"""A labelled list: URIs of the routes that well-known programs and sites have, each with the name of its route.

The values are made from words by a generator with a fixed seed. Routes are in two halves by their sites: `tuned` was
looked at while the rules were written, `held_out` was not.
"""

import random

EACH = 36

WORDS = """river stone market garden winter summer music history science energy water light forest mountain ocean city
train coffee bread camera window orange silver planet animal doctor school travel budget design kitchen engine signal
bridge castle desert island jungle lemon mirror needle office pepper quartz ribbon saddle tunnel umbrella velvet wallet
yellow zebra anchor basket candle dragon eagle falcon guitar hammer insect jacket kettle ladder magnet napkin olive
pencil rabbit salmon temple violin walnut ballet cotton dinner empire flower ginger harbor impact junior knight legend
memory nature option palace record season theory update vision wonder active bright circle direct exotic future global
hidden income jungle kindly lively modern narrow oxygen public quiet rapid simple trusty urgent vivid wooden""".split()
NAMES = """anna bob carla daniel eve fritz greta hans irene jack karl lena maria nils otto paula quentin rosa stefan
tina ulrich vera walter xenia yusuf zoe alice bruno chiara dmitri elena felix gustav helga ivan julia kenji lucia marco
nadia omar petra ravi sofia tomas ursula viktor wanda yara zeno amir beate cyril dora emil fiona""".split()


def routes(r):
    """The sites of both halves: a host, and its routes by name, each a function that makes a path."""
    word = lambda: r.choice(WORDS)
    name = lambda: r.choice(NAMES) + r.choice(["", "", word(), str(r.randint(1, 99))])
    slug = lambda least=3, most=8: "-".join(word() for _ in range(r.randint(least, most)))
    short = lambda: "-".join(word() for _ in range(r.randint(1, 3)))
    title = lambda: "_".join(word().capitalize() if i == 0 else word() for i in range(r.randint(1, 4)))
    n = lambda digits=7: str(r.randint(10 ** r.randint(1, digits - 1), 10**digits))
    hexes = lambda count: "".join(r.choice("0123456789abcdef") for _ in range(count))
    b36 = lambda count: "".join(r.choice("0123456789abcdefghijklmnopqrstuvwxyz") for _ in range(count))
    b62 = lambda count: "".join(
        r.choice("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_") for _ in range(count))
    ymd = lambda: (str(r.randint(2005, 2025)), f"{r.randint(1, 12):02}", f"{r.randint(1, 28):02}")
    uuid = lambda: "-".join(hexes(k) for k in (8, 4, 4, 4, 12))
    lang = lambda: r.choice("en de fr es it nl pl pt ru ja".split())
    path = lambda: "/".join(word() for _ in range(2)) + "." + r.choice(["py", "rs", "md"])
    tuned = {
        "blog.example.com": {  # WordPress
            "post": lambda: "/%s/%s/%s/" % (*ymd()[:2], slug()),
            "day": lambda: "/%s/%s/%s/" % ymd(),
            "month": lambda: "/%s/%s/" % ymd()[:2],
            "category": lambda: f"/category/{short()}/",
            "category_page": lambda: f"/category/{short()}/page/{n(2)}/",
            "tag": lambda: f"/tag/{short()}/",
            "author": lambda: f"/author/{name()}/",
            "upload": lambda: "/wp-content/uploads/%s/%s/%s.jpg" % (*ymd()[:2], slug(1, 4)),
            "json_post": lambda: f"/wp-json/wp/v2/posts/{n()}",
            "preview": lambda: f"/?p={n()}&preview=true",
            "search": lambda: f"/?s={word()}",
        },
        "en.wiki.example.org": {  # MediaWiki
            "page": lambda: f"/wiki/{title()}",
            "talk": lambda: f"/wiki/Talk:{title()}",
            "user": lambda: f"/wiki/User:{name().capitalize()}",
            "category": lambda: f"/wiki/Category:{title()}",
            "file": lambda: f"/wiki/File:{title()}.jpg",
            "edit": lambda: f"/w/index.php?title={title()}&action=edit",
            "history": lambda: f"/w/index.php?title={title()}&action=history",
            "oldid": lambda: f"/w/index.php?title={title()}&oldid={n(9)}",
        },
        "git.example.com": {  # GitHub
            "user": lambda: f"/{name()}",
            "repo": lambda: f"/{name()}/{short()}",
            "issues": lambda: f"/{name()}/{short()}/issues",
            "issue": lambda: f"/{name()}/{short()}/issues/{n(5)}",
            "pull": lambda: f"/{name()}/{short()}/pull/{n(5)}",
            "commit": lambda: f"/{name()}/{short()}/commit/{hexes(40)}",
            "releases": lambda: f"/{name()}/{short()}/releases",
        },
        "shop.example.com": {  # Shopify
            "product": lambda: f"/products/{short()}",
            "collection": lambda: f"/collections/{short()}",
            "in_collection": lambda: f"/collections/{short()}/products/{short()}",
            "sorted": lambda: f"/collections/{short()}?page={n(2)}&sort_by={r.choice(['price', 'best-selling'])}",
            "article": lambda: f"/blogs/news/{slug()}",
            "page": lambda: f"/pages/{short()}",
            "image": lambda: f"/cdn/shop/products/{short()}_{n(4)}.jpg?v={n(9)}",
        },
        "forum.example.com": {  # Discourse
            "topic": lambda: f"/t/{slug()}/{n(6)}",
            "post": lambda: f"/t/{slug()}/{n(6)}/{n(3)}",
            "user": lambda: f"/u/{name()}",
            "summary": lambda: f"/u/{name()}/summary",
            "category": lambda: f"/c/{short()}/{n(2)}",
            "tag": lambda: f"/tag/{short()}",
            "search": lambda: f"/search?q={word()}",
        },
        "links.example.com": {  # Reddit
            "subreddit": lambda: f"/r/{word()}{word()}/",
            "comments": lambda: f"/r/{word()}{word()}/comments/{b36(6)}/{slug().replace('-', '_')}/",
            "new": lambda: f"/r/{word()}{word()}/new/",
            "user": lambda: f"/user/{name()}/",
            "top": lambda: f"/r/{word()}{word()}/top/?t={r.choice(['day', 'week', 'year'])}",
        },
        "answers.example.com": {  # Stack Overflow
            "question": lambda: f"/questions/{n(8)}/{slug()}",
            "tagged": lambda: f"/questions/tagged/{short()}",
            "user": lambda: f"/users/{n()}/{short()}",
            "answer": lambda: f"/a/{n(8)}",
            "listing": lambda: f"/questions?tab={r.choice(['newest', 'active'])}&page={n(4)}",
        },
        "news.example.com": {  # a newspaper
            "article": lambda: "/%s/%s/%s/%s/%s.html" % (
                *ymd(), r.choice(["world", "us", "business", "sports", "arts", "science", "health"]), slug()),
            "by_language": lambda: f"/{lang()}/news/{'-'.join(ymd())}/{slug()}",
            "topic": lambda: f"/topic/{short()}",
            "author": lambda: f"/by/{r.choice(NAMES)}-{word()}",
            "live": lambda: f"/live/{slug()}-{n(8)}",
            "video": lambda: f"/video/{n(12)}/{slug()}.html",
            "amp": lambda: f"/news/amp/{word()}-{word()}-{n(8)}",
        },
        "video.example.com": {  # YouTube
            "watch": lambda: f"/watch?v={b62(11)}",
            "channel": lambda: f"/channel/UC{b62(22)}",
            "handle": lambda: f"/@{name()}",
            "playlist": lambda: f"/playlist?list=PL{b62(32)}",
            "search": lambda: f"/results?search_query={word()}+{word()}",
        },
        "code.example.org": {  # GitLab
            "issue": lambda: f"/{name()}/{short()}/-/issues/{n(4)}",
            "blob": lambda: f"/{name()}/{short()}/-/blob/main/{path()}",
            "tree": lambda: f"/{name()}/{short()}/-/tree/main/{word()}",
            "commit": lambda: f"/{name()}/{short()}/-/commit/{hexes(40)}",
            "pipeline": lambda: f"/{name()}/{short()}/-/pipelines/{n(8)}",
        },
        "archive.example.org": {  # archives and applications
            "capture": lambda: "/web/%s%s%s120000/http://%s.example/%s" % (*ymd(), word(), word()),
            "details": lambda: f"/details/{word()}{word()}{n(4)}",
            "order": lambda: f"/account/orders/{uuid()}",
            "session": lambda: f"/catalog/item.jsp;jsessionid={hexes(32).upper()}?id={n(5)}",
        },
    }
    held_out = {
        "drupal.example.com": {  # Drupal
            "node": lambda: f"/node/{n(6)}",
            "term": lambda: f"/taxonomy/term/{n(4)}",
            "term_feed": lambda: f"/taxonomy/term/{n(4)}/feed",
            "file": lambda: f"/sites/default/files/styles/large/public/{'-'.join(ymd()[:2])}/{short()}.png",
            "article": lambda: f"/articles/{slug()}",
        },
        "board.example.com": {  # phpBB
            "topic": lambda: f"/viewtopic.php?f={n(2)}&t={n(6)}",
            "topic_page": lambda: f"/viewtopic.php?f={n(2)}&t={n(6)}&start={n(3)}",
            "forum": lambda: f"/viewforum.php?f={n(3)}",
            "member": lambda: f"/memberlist.php?mode=viewprofile&u={n(5)}",
            "avatar": lambda: f"/download/file.php?avatar={n(5)}_{n(8)}.jpg",
        },
        "mall.example.com": {  # Amazon
            "product": lambda: f"/{short().title()}/dp/B0{b36(8).upper()}",
            "short": lambda: f"/dp/B0{b36(8).upper()}",
            "reviews": lambda: f"/product-reviews/B0{b36(8).upper()}?pageNumber={n(2)}",
            "search": lambda: f"/s?k={word()}+{word()}&page={n(2)}",
            "image": lambda: f"/images/I/{r.randint(31, 91)}{b62(9).replace('_', 'x')}._AC_SL1500_.jpg",
        },
        "stories.example.com": {  # Medium
            "story": lambda: f"/@{name()}/{slug()}-{hexes(12)}",
            "profile": lambda: f"/@{name()}",
            "in_publication": lambda: f"/{word()}-{word()}/{slug()}-{hexes(12)}",
            "tag": lambda: f"/tag/{short()}/archive/{r.randint(2012, 2025)}",
        },
        "packages.example.org": {  # PyPI and npm
            "project": lambda: f"/project/{short()}/",
            "release": lambda: f"/project/{short()}/{r.randint(0, 9)}.{r.randint(0, 30)}.{r.randint(0, 9)}/",
            "package": lambda: f"/package/{short()}",
            "scoped": lambda: f"/package/@{word()}/{short()}",
            "user": lambda: f"/user/{name()}/",
        },
        "bugs.example.org": {  # Bugzilla, Jira, Trac
            "bug": lambda: f"/show_bug.cgi?id={n(7)}",
            "issue": lambda: f"/browse/{word()[:4].upper()}-{n(5)}",
            "ticket": lambda: f"/ticket/{n(5)}",
            "changeset": lambda: f"/changeset/{n(5)}",
            "attachment": lambda: f"/attachment.cgi?id={n(7)}&action=diff",
        },
        "films.example.com": {  # IMDb
            "title": lambda: f"/title/tt{n(7).zfill(7)}/",
            "credits": lambda: f"/title/tt{n(7).zfill(7)}/fullcredits",
            "person": lambda: f"/name/nm{n(7).zfill(7)}/",
            "list": lambda: f"/list/ls{n(9).zfill(9)}/?sort=rating&page={n(2)}",
        },
        "social.example.com": {  # Mastodon and Twitter
            "status": lambda: f"/@{name()}/{r.randint(10**17, 10**18)}",
            "tweet": lambda: f"/{name()}/status/{r.randint(10**17, 10**18)}",
            "hashtag": lambda: f"/hashtag/{word().title()}{word().title()}?src=hash",
            "api": lambda: f"/api/v1/statuses/{r.randint(10**17, 10**18)}/context",
        },
        "papers.example.org": {  # arXiv, DOI, Confluence
            "abstract": lambda: f"/abs/{r.randint(10, 25)}{r.randint(1, 12):02}.{r.randint(10000, 19999)}",
            "pdf": lambda: f"/pdf/{r.randint(10, 25)}{r.randint(1, 12):02}.{r.randint(10000, 19999)}.pdf",
            "doi": lambda: f"/doi/10.{n(4)}/{b36(8)}",
            "display": lambda: f"/display/{word().upper()}/{word().title()}+{word()}+{word()}",
        },
    }
    return {"tuned": tuned, "held_out": held_out}


def labelled(half):
    """Rows (URI, name of its route), in an order that does not tell the route."""
    r = random.Random(20261123)
    rows = {}
    for host, named in routes(r)[half].items():
        for route, make in named.items():
            made = (f"https://{host}{make()}" for _ in range(4 * EACH))
            rows.update((uri, f"{host} {route}") for uri in list(dict.fromkeys(made))[:EACH])
    rows = list(rows.items())
    r.shuffle(rows)
    return rows
