//! The wrappers that are a text before the line. A row of [`ROWS`] gives the name, how the text is told, and an example;
//! its pieces say where time and host are.

use urimill_columns::batch::is_address;

use super::around::{Around, moment};
use super::syslog;
use crate::host::is_domain;

/// A wrapper of this kind.
#[derive(Debug)]
pub(crate) struct Row {
    /// Its name in options and summaries; several rows may have one.
    pub(crate) name: &'static str,
    /// Who writes it.
    pub(crate) about: &'static str,
    /// A text before a line.
    pub(crate) example: &'static str,
    find: Find,
    /// Whether it is looked for in each line of an input, whichever wrapper most of its lines have.
    pub(super) is_sure: bool,
}

/// How its beginning is told.
#[derive(Debug)]
enum Find {
    /// By its pieces, from the beginning of the line on.
    Form(&'static [Piece]),
    /// By a function.
    By(fn(&[u8]) -> Option<Around>),
}

/// A piece of a text. One with a class of bytes ends before the first byte of the text after it.
#[derive(Debug, Clone, Copy)]
enum Piece {
    /// This text.
    Text(&'static str),
    /// A moment: see [`moment`].
    Time,
    /// A time of day: `16:19:38`.
    Clock,
    /// A name, which is the host.
    Host,
    /// Letters, digits and `-_./@:`.
    Name,
    /// Digits.
    Digits,
    /// Spaces, one or more.
    Spaces,
    /// The labels of Loki: `{app="x"}`.
    Labels,
}

use Piece::*;

const fn row(name: &'static str, about: &'static str, example: &'static str, form: &'static [Piece]) -> Row {
    Row { name, about, example, find: Find::Form(form), is_sure: false }
}

const fn by(
    name: &'static str,
    about: &'static str,
    example: &'static str,
    find: fn(&[u8]) -> Option<Around>,
) -> Row {
    Row { name, about, example, find: Find::By(find), is_sure: false }
}

/// Every row, the surer ones first.
pub(crate) const ROWS: &[Row] = &[
    Row {
        is_sure: true,
        ..by(
            "syslog",
            "syslog: RFC 3164, RFC 5424, a time in ISO 8601; journalctl",
            "<134>Feb 25 16:19:38 web1 nginx[7]: ",
            syslog::find,
        )
    },
    Row {
        is_sure: true,
        ..by(
            "cri",
            "the files of Kubernetes' runtimes",
            "2016-10-06T00:17:09.669794202Z stdout F ",
            super::parts::whole,
        )
    },
    Row { is_sure: true, ..by("compose", "docker compose logs, docker service logs", "web-1  | ", compose) },
    Row {
        is_sure: true,
        ..by(
            "uwsgi-memory",
            "uWSGI with memory-report",
            "{address space usage: 3 bytes/0MB} {rss usage: 3 bytes/0MB} ",
            memory,
        )
    },
    row(
        "heroku",
        "heroku logs",
        "2023-01-01T00:00:00.123456+00:00 app[web.1]: ",
        &[Time, Text(" "), Name, Text("["), Name, Text("]: ")],
    ),
    row(
        "fly",
        "fly logs",
        "2021-11-08T21:52:05Z app[1ae5ed1d] iad [info]",
        &[Time, Text(" "), Name, Text("["), Host, Text("] "), Name, Text(" ["), Name, Text("]")],
    ),
    row(
        "gcloud",
        "gcloud app logs",
        "2024-01-01 00:00:00 default[20240101t000000]  ",
        &[Time, Text(" "), Name, Text("["), Name, Text("]  ")],
    ),
    row(
        "cf",
        "cf logs",
        "2024-01-01T00:00:00.00+0000 [APP/PROC/WEB/0] OUT ",
        &[Time, Text(" ["), Name, Text("] OUT ")],
    ),
    row(
        "cf",
        "cf logs",
        "2024-01-01T00:00:00.00+0000 [RTR/0] ERR ",
        &[Time, Text(" ["), Name, Text("] ERR ")],
    ),
    row(
        "kubectl",
        "kubectl logs --prefix",
        "[pod/web-7d9c/nginx] ",
        &[Text("[pod/"), Host, Text("/"), Name, Text("] ")],
    ),
    row("kail", "kail", "default/web-7d9c[nginx]: ", &[Name, Text("/"), Host, Text("["), Name, Text("]: ")]),
    row("pm2", "pm2 logs", "0|web  | ", &[Digits, Text("|"), Name, Spaces, Text("| ")]),
    row(
        "foreman",
        "foreman, honcho, overmind",
        "16:19:38 web.1  | ",
        &[Clock, Text(" "), Name, Spaces, Text("| ")],
    ),
    row("logcli", "logcli", "2024-01-01T00:00:00Z {app=\"web\"} ", &[Time, Text(" "), Labels, Text(" ")]),
    row(
        "logcli",
        "promtail --dry-run",
        "2024-01-01T00:00:00.1+0000{app=\"web\"}\t",
        &[Time, Labels, Text("\t")],
    ),
    row("journalctl", "journalctl -o json-sse", "data: ", &[Text("data: ")]),
    row("journalctl", "journalctl -o json-seq", "\u{1e}", &[Text("\u{1e}")]),
    by(
        "address",
        "a time and an address, an address before syslog",
        "2024-01-01T00:00:00Z 192.0.2.7 ",
        address,
    ),
    row(
        "kiwi",
        "Kiwi Syslog Server",
        "2024-01-01 00:00:00\tLocal7.Info\t192.0.2.7\t",
        &[Time, Text("\t"), Name, Text("\t"), Host, Text("\t")],
    ),
    Row {
        is_sure: true,
        ..by(
            "time",
            "a time alone: exports of CloudWatch, kubectl logs --timestamps, docker logs -t",
            "2018-02-16T00:00:00.000Z ",
            time,
        )
    },
    row("time", "a time in brackets: Jenkins", "[2024-01-01T00:00:00.000Z] ", &[Text("["), Time, Text("] ")]),
    row(
        "time",
        "a time and a tab: gcloud logging read --format 'value(timestamp, textPayload)'",
        TAB,
        &[Time, Text("\t")],
    ),
    by("syslog", "syslog without the name of a program", "Feb 25 16:19:38 web1 ", syslog::without_tag),
    by("time", "ts", "Feb 25 16:19:38 ", syslog::month_alone),
    by("time", "multilog, s6-log", "@4000000037c219bf2ef02e94 ", tai64n),
    by("aws", "aws logs tail", "2022-10-05T08:32:51+00:00 ecs/web/0123456789abcdef ", aws),
    by("stern", "stern", "web-7d9c-abcde nginx ", stern),
    by(
        "grep",
        "grep, with the name of the file and perhaps the number of the line",
        "/var/log/access.log:7:",
        grep,
    ),
    by("console", "a time and words before an object: zap's console, fluentd's files", CONSOLE, console),
];

const CONSOLE: &str = "2021/03/12 08:57:48.541\tinfo\thttp.log.access.log0\thandled request\t";
const TAB: &str = "2024-01-01T00:00:00Z\t";

impl Row {
    /// Finds the wrapper at the beginning of a line, with a line in it.
    pub(crate) fn find(&self, line: &[u8]) -> Option<Around> {
        let around = match self.find {
            Find::Form(pieces) => form(pieces, line),
            Find::By(find) => find(line),
        };
        around.filter(|around| around.line < line.len())
    }
}

fn form(pieces: &[Piece], line: &[u8]) -> Option<Around> {
    let mut around = Around::default();
    let mut at = 0;
    for (number, piece) in pieces.iter().enumerate() {
        let stop = match pieces.get(number + 1) {
            Some(Text(text)) => text.as_bytes()[0],
            _ => b' ',
        };
        let rest = line.get(at..)?;
        let run = |is: fn(&u8) -> bool| {
            let len = rest.iter().take_while(|&&b| b != stop && is(&b)).count();
            (len > 0).then_some(len)
        };
        let len = match piece {
            Text(text) => rest.starts_with(text.as_bytes()).then_some(text.len()),
            Time => moment(rest),
            Clock => is_clock(rest).then_some(8),
            Host | Name => run(is_of_name),
            Digits => run(u8::is_ascii_digit),
            Spaces => {
                let spaces = rest.iter().take_while(|&&b| b == b' ').count();
                (spaces > 0).then_some(spaces)
            }
            Labels => labels(rest),
        }?;
        match piece {
            Time => around.time = Some((at, at + len)),
            Host => around.host = Some((at, at + len)),
            _ => {}
        }
        at += len;
    }
    around.line = at;
    Some(around)
}

fn is_of_name(b: &u8) -> bool {
    b.is_ascii_alphanumeric() || b"-_./@:".contains(b)
}

fn is_clock(text: &[u8]) -> bool {
    let form = b"dd:dd:dd";
    let fits = |(&b, &form): (&u8, &u8)| if form == b'd' { b.is_ascii_digit() } else { b == form };
    text.len() >= form.len() && text.iter().zip(form).all(fits)
}

/// `{app="web",path="/a b"}`
fn labels(text: &[u8]) -> Option<usize> {
    if text.first() != Some(&b'{')
        || !text.get(1).is_some_and(|b| *b == b'}' || b.is_ascii_alphabetic() || *b == b'_')
    {
        return None;
    }
    let mut is_quoted = false;
    let mut at = 1;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' if is_quoted => at += 1,
            b'"' => is_quoted = !is_quoted,
            b'}' if !is_quoted => return Some(at + 1),
            b'=' | b',' | b' ' | b'_' => {}
            _ if !is_quoted && !byte.is_ascii_alphanumeric() => return None,
            _ => {}
        }
        at += 1;
    }
    None
}

/// `{address space usage: 3 bytes/0MB} {rss usage: 3 bytes/0MB} `
fn memory(line: &[u8]) -> Option<Around> {
    let mut at = 0;
    while line[at..].starts_with(b"{") && !line[at..].starts_with(b"{\"") {
        let end = at + memchr::memchr(b'}', &line[at..])?;
        let has_usage = memchr::memmem::find(&line[at..end], b" usage: ").is_some();
        if !has_usage || !line[at..end].ends_with(b"MB") || line.get(end + 1) != Some(&b' ') {
            return None;
        }
        at = end + 2;
    }
    (at > 0).then(|| Around::at(at))
}

/// `name-1  | `; of services `name.1.id@host    | `.
fn compose(line: &[u8]) -> Option<Around> {
    let is_name = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'@');
    let name = line.iter().take_while(is_name).count();
    let pad = line[name..].iter().take_while(|&&b| b == b' ').count();
    let bar = name + pad;
    let host = memchr::memchr(b'@', &line[..name]).map(|at| (at + 1, name));
    let is_whole = name > 0 && pad > 0 && line[bar..].starts_with(b"| ");
    is_whole.then_some(Around { line: bar + 2, time: None, host })
}

/// `2018-02-16T00:00:00.000Z `, or with a space between date and time.
fn time(line: &[u8]) -> Option<Around> {
    let end = moment(line).filter(|&end| line[end] == b' ')?;
    Some(Around { line: end + 1, time: Some((0, end)), host: None })
}

/// A time and an address, or an address before what looks like syslog.
fn address(line: &[u8]) -> Option<Around> {
    let time = moment(line);
    let start = time.map_or(0, |end| end + 1);
    let rest = line.get(start..)?;
    let end = rest.iter().position(|b| b" \t".contains(b))?;
    let word = &rest[..end];
    let word = word.strip_suffix(b":").or_else(|| word.strip_suffix(b",")).unwrap_or(word);
    let is_enclosed = word.starts_with(b"[") && word.ends_with(b"]");
    let open = usize::from(is_enclosed);
    let host = (start + open, start + word.len() - open);
    let inner = &rest[end + 1..];
    let is_log = || inner.starts_with(b"<") || syslog::find(inner).is_some();
    (is_address(&line[host.0..host.1]) && (time.is_some() || is_log())).then_some(Around {
        line: start + end + 1,
        time: time.map(|end| (0, end)),
        host: Some(host),
    })
}

/// A time, then words, then an object.
fn console(line: &[u8]) -> Option<Around> {
    let time = moment(line)?;
    let mut from = time;
    loop {
        let at = from + memchr::memmem::find(&line[from..], b"{\"")?;
        if b" \t".contains(&line[at - 1]) {
            return Some(Around { line: at, time: Some((0, time)), host: None });
        }
        from = at + 1;
    }
}

/// `@` and 24 hexadecimal digits.
fn tai64n(line: &[u8]) -> Option<Around> {
    let digits = line.get(1..25)?;
    let is_whole = line[0] == b'@' && digits.iter().all(u8::is_ascii_hexdigit) && line.get(25) == Some(&b' ');
    is_whole.then(|| Around::at(26))
}

/// A time with a zone and the name of a stream. A word that may be a virtual host is not one.
fn aws(line: &[u8]) -> Option<Around> {
    let time = moment(line).filter(|&end| line[end] == b' ')?;
    let start = time + 1;
    let len = memchr::memchr(b' ', &line[start..])?;
    let word = &line[start..start + len];
    let is_stream = word.contains(&b'/')
        || len >= 8 && word.iter().any(u8::is_ascii_digit) && !word.contains(&b'.') && !word.contains(&b':');
    (is_stream && !is_address(word) && word[0] != b'"').then_some(Around {
        line: start + len + 1,
        time: Some((0, time)),
        host: None,
    })
}

/// The names of a pod, which has a dash, and of its container.
fn stern(line: &[u8]) -> Option<Around> {
    let is_of_name = |b: &&u8| b.is_ascii_lowercase() || b.is_ascii_digit() || **b == b'-' || **b == b'.';
    let word = |from: usize| {
        let len = line[from..].iter().take_while(is_of_name).count();
        let is_name = len > 0 && line[from].is_ascii_alphanumeric() && line.get(from + len) == Some(&b' ');
        is_name.then(|| (from, from + len))
    };
    let pod = word(0).filter(|pod| line[..pod.1].contains(&b'-') && !is_domain(&line[..pod.1]))?;
    let container = word(pod.1 + 1).filter(|&(from, to)| !line[from..to].contains(&b'.') && to > from + 1)?;
    Some(Around { line: container.1 + 1, time: None, host: Some(pod) })
}

/// The name of a file and a colon, perhaps a number and another one.
fn grep(line: &[u8]) -> Option<Around> {
    let end = memchr::memchr(b':', line)?;
    let name = &line[..end];
    let is_path = name.iter().all(|b| b.is_ascii_alphanumeric() || b"-_./~+@,=".contains(b))
        && (name.contains(&b'/') || memchr::memmem::find(name, b".log").is_some());
    if !is_path || name.starts_with(b"//") {
        return None;
    }
    let digits = line[end + 1..].iter().take_while(|b| b.is_ascii_digit()).count();
    let has_number = digits > 0 && line.get(end + 1 + digits) == Some(&b':');
    Some(Around::at(if has_number { end + 2 + digits } else { end + 1 }))
}
