//! Words with a meaning for the rules, in alphabetical order.

/// Whether a list has a word.
pub(super) fn has(list: &[&str], word: &str) -> bool {
    // The lists are short, and most words differ in length already.
    list.contains(&word)
}

/// Whether a parameter of this name holds a session.
pub(crate) fn is_session(name: &str) -> bool {
    if !matches!(name.len(), 3..=12) {
        return false;
    }
    let mut lower = [0; 16];
    let Some(lower) = lower.get_mut(..name.len()) else { return false };
    lower.copy_from_slice(name.as_bytes());
    lower.make_ascii_lowercase();
    std::str::from_utf8(lower).is_ok_and(|lower| has(SESSIONS, lower))
}

/// Languages (ISO 639-1) in which sites have versions, without codes that are English words in paths (`to`, `my`).
#[rustfmt::skip]
pub(super) const LANGUAGES: &[&str] = &[
    "ar", "bg", "ca", "cs", "cy", "da", "de", "el", "en", "es", "et", "eu", "fa", "fi", "fr", "gl", "he", "hi", "hr",
    "hu", "hy", "it", "ja", "ka", "ko", "lt", "lv", "mk", "ms", "nb", "nl", "nn", "no", "pl", "pt", "ro", "ru", "sk",
    "sl", "sq", "sr", "sv", "th", "tr", "uk", "ur", "vi", "zh",
];

/// Names of months, and their first three letters.
#[rustfmt::skip]
pub(super) const MONTHS: &[&str] = &[
    "apr", "april", "aug", "august", "dec", "december", "feb", "february", "jan", "january", "jul", "july", "jun",
    "june", "mar", "march", "may", "nov", "november", "oct", "october", "sep", "september",
];

/// Names with digits that are no values.
#[rustfmt::skip]
pub(super) const NAMES_WITH_DIGITS: &[&str] = &[
    "base64", "bootstrap3", "bootstrap4", "bootstrap5", "css3", "error404", "h264", "h265", "html5", "http2", "i18n",
    "ie10", "ie11", "jpeg2000", "l10n", "log4j", "md5", "mp3", "mp4", "oauth2", "php5", "php7", "php8", "rfc3986",
    "sha1", "sha256", "sha512", "utf8", "web20", "win32", "win64", "x64", "x86",
];

/// Words before a number that count something: `p2` is one of many, `v2` is not.
#[rustfmt::skip]
pub(super) const COUNTERS: &[&str] = &[
    "ch", "chapter", "day", "episode", "img", "item", "lesson", "p", "page", "part", "pg", "photo", "s", "season",
    "slide", "step", "vol", "volume", "week",
];

/// Parameters whose value names what a script does.
#[rustfmt::skip]
pub(super) const DISPATCHERS: &[&str] = &[
    "_route", "act", "action", "cmd", "controller", "do", "feed", "func", "function", "method", "mod", "module", "op",
    "option", "page", "rest_route", "route", "service", "task", "view",
];

/// Parameters that take anything that people type.
#[rustfmt::skip]
pub(super) const SEARCHES: &[&str] = &[
    "filter", "find", "k", "key", "keyword", "keywords", "name", "q", "query", "s", "search", "term", "text", "title",
    "v",
];

/// Parameters that hold a session, in lower case.
#[rustfmt::skip]
pub(super) const SESSIONS: &[&str] = &[
    "aspsessionid", "cfid", "cftoken", "jsessionid", "oscsid", "phpsessid", "s_id", "sessid", "session", "session_id",
    "sessionid", "sid", "zenid",
];

/// Parameters of campaigns, which record where a visitor came from, besides `utm_…`.
#[rustfmt::skip]
pub(super) const CAMPAIGNS: &[&str] = &[
    "_ga", "_gl", "dclid", "fbclid", "gbraid", "gclid", "igshid", "mc_cid", "mc_eid", "msclkid", "ref_src", "wbraid",
    "yclid",
];

/// Segments that name a route, never a value: they always stay.
#[rustfmt::skip]
pub(super) const ROUTES: &[&str] = &[
    "about", "account", "actions", "admin", "album", "albums", "all", "api", "app", "apps", "archive", "archives",
    "article", "articles", "assets", "auth", "author", "authors", "badges", "blob", "blog", "blogs", "board", "boards",
    "book", "books", "branches", "browse", "build", "c", "calendar", "cart", "catalog", "categories", "category",
    "channel", "channels", "checkout", "collection", "collections", "comment", "comments", "commit", "commits",
    "community", "company", "compare", "contact", "contributors", "courses", "css", "customers", "d", "dashboard",
    "data", "dist", "doc", "docs", "download", "downloads", "edit", "en", "entry", "event", "events", "explore",
    "faq", "favicon.ico", "features", "feed", "feeds", "file", "files", "follow", "followers", "following", "fonts",
    "forks", "forum", "forums", "gallery", "graphs", "group", "groups", "guide", "guides", "help", "history", "home",
    "hot", "image", "images", "img", "inbox", "include", "includes", "index.html", "index.php", "info", "issue",
    "issues", "item", "items", "jobs", "js", "labels", "latest", "legal", "lib", "library", "list", "lists", "live",
    "login", "logout", "maps", "media", "member", "members", "messages", "milestones", "modules", "movies", "music",
    "new", "news", "newsletter", "notifications", "o", "order", "orders", "org", "orgs", "p", "package", "packages",
    "page", "pages", "people", "person", "photo", "photos", "playlist", "plugins", "policies", "popular", "post",
    "posts", "pricing", "privacy", "product", "products", "profile", "profiles", "project", "projects", "public",
    "pull", "pulls", "q", "question", "questions", "r", "raw", "register", "release", "releases", "reports",
    "resources", "review", "reviews", "robots.txt", "rss", "s", "search", "section", "security", "services",
    "settings", "shop", "show", "shows", "signin", "signup", "site", "sitemap.xml", "sites", "src", "stargazers",
    "stars", "static", "stats", "status", "stories", "story", "style", "styles", "submit", "support", "t", "tag",
    "tagged", "tags", "team", "teams", "terms", "test", "theme", "themes", "thread", "threads", "title", "top",
    "topic", "topics", "tree", "tutorial", "tutorials", "u", "upload", "uploads", "user", "users", "v1", "v2", "v3",
    "vendor", "video", "videos", "view", "w", "watch", "watchers", "wiki", "wp-admin", "wp-content", "wp-includes",
    "wp-json", "xmlrpc.php",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        let lists = [
            LANGUAGES,
            MONTHS,
            NAMES_WITH_DIGITS,
            COUNTERS,
            SEARCHES,
            SESSIONS,
            CAMPAIGNS,
            ROUTES,
            DISPATCHERS,
        ];
        for list in lists {
            let wrong: Vec<_> = list.windows(2).filter(|pair| pair[0] >= pair[1]).collect();
            assert!(wrong.is_empty(), "not in order: {wrong:?}");
        }
    }
}
