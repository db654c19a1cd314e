//! The forms that format strings become, and the places of their errors. `tests/logs/described.rs` has the rows of logs.

use super::*;
use crate::pattern::Reach;

/// The form in the notation of definitions; `…` after a field that may have separators, `|` after one that ends where
/// the next begins.
fn shown(form: &LineForm) -> String {
    let part = |part: &Part| {
        let reach = match part.reach {
            Reach::Words => "…",
            Reach::Word | Reach::Pair => "",
            Reach::Before(_) => "|",
            Reach::Quotable => "?",
        };
        format!("{}{{{}}}{reach}", part.lead, part.field)
    };
    form.parts.iter().map(part).collect::<String>() + &form.tail
}

fn forms(text: &str) -> Vec<String> {
    let described = describe(text, false).unwrap_or_else(|error| panic!("{text}: {error}"));
    described.forms.iter().map(shown).collect()
}

#[test]
fn format_strings_are_forms() {
    // (format string, the form)
    let cases: &[(&str, &str)] = &[
        ("common", r#"{client} {ident} {user} [{time:time}] "{:request}" {status:int=status} {size:long}"#),
        (
            r#"%v:%p %h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-agent}i\" %D"#,
            "{:host}:{server_port:port} {client} {ident} {user} [{time:time}] \"{:request}\" {status:int=status} \
             {sent:long} \"{referer}\" \"{user_agent}\" {duration_us:us}",
        ),
        (r"%a\t%m\t%U%%\t%!200,304{X-Id}i", "{client:addr}\t{:method}\t{:path}%\t{request_x_id}"),
        ("%{%Y-%m-%dT%T}t %U", "{moment} {:path}"),
        (
            r#"$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "${http_referer}""#,
            "{client:addr} - {user} [{time:time}] \"{:request}\" {status:int=status} {size:long} \"{referer}\"",
        ),
        ("$host|$request_uri|$my_Var", "{:host}|{:url}|{my_var}"),
        // A host ends where the path begins; a path and a query are one target.
        ("$scheme://$host$request_uri $status", "{:scheme}://{:host}|{:url} {status:int=status}"),
        ("$host:$server_port$uri$is_args$args", "{:host}:{server_port:port}|{:url}"),
        ("\"https://$http_host$request_uri\" $status", "\"{:scheme}://{:host}|{:url}\" {status:int=status}"),
        ("%v%U%q", "{:host}|{:url}"),
        (r#"%h "%m %U%q %H" %>s"#, "{client} \"{:request}\" {status:int=status}"),
        ("%{REQUEST_SCHEME}e://%{Host}i%U%q %b", "{:scheme}://{:host}|{:url} {size:long}"),
        ("$remote_addr:$remote_port $request_uri", "{client:endpoint} {:url}"),
        // Fields that are not wanted.
        ("%h %^ %^ %t \"%r\" %^", "{client} {} {} [{time:time}] \"{:request}\" {}"),
        ("$remote_addr %^ $request_uri", "{client:addr} {} {:url}"),
        ("%h %r …", "{client} {:request} {rest:rest}"),
        ("%h %r ...\n", "{client} {:request} {rest:rest}"),
        ("$request_uri $status…", "{:url} {status:int=status} {rest:rest}"),
        ("%^FB %U", "{first_byte_us:us} {:path}"),
        // The last of the words, and those between other separators.
        ("\"$request\" $status $reason", "\"{:request}\" {status:int=status} {reason}…"),
        ("$request_uri $one $two", "{:url} {one} {two}"),
        ("$time_local | $http_user_agent | $request_uri", "{time:time}… | {user_agent}… | {:url}"),
        // The first of two fields with one name.
        ("%h %a %U %s %>s", "{client_2} {client:addr} {:path} {status_2:int} {status:int=status}"),
        ("%p %{local}p %{remote}p %U", "{server_port_2:int} {server_port:port} {client_port:int} {:path}"),
        // A string of several lines.
        ("%h\n    %U", "{client} {:path}"),
        ("apache:%h %U", "{client} {:path}"),
        ("nginx:$uri", "{:path}"),
    ];
    for (text, form) in cases {
        assert_eq!(forms(text), [*form], "{text}");
    }
}

#[test]
fn notations_of_other_servers() {
    // (format string, the forms)
    let cases: &[(&str, &[&str])] = &[
        // Escapes and widths.
        (
            r#"squid:%"6{User-Agent}>h %-10rm %03>Hs %{X-A:;b}<h %http::>ru"#,
            &["{user_agent} {:method} {status:int=status} {response_x_a} {:proxied}"],
        ),
        (
            "squid:%>a %>h{Host} %tls::>sni %ssl::bump_mode %>rp",
            &["{client:addr} {:host} {server_name} {ssl_bump_mode} {:url}"],
        ),
        (
            "squid:%>rs://%>rd:%>rP%>rp %>Hs",
            &["{:scheme}://{:host}:{server_port:port}|{:url} {status:int=status}"],
        ),
        ("squid:[%{%Y-%m-%dT%H:%M:%S%z}tl] [%{%c}tl] %ru", &["[{time:time}] [{moment}] {:proxied}"]),
        // Only one server has these.
        ("%ts.%tu %{X-Forwarded-For}>h %ru", &["{time:time} {forwarded_for:list} {:proxied}"]),
        ("%<cqtq> %<{Referer}cqh> %<pqu>", &["{time:time} {referer} {:proxied}"]),
        ("%HM %HU", &["{:method} {:url}"]),
        ("%REQ(:METHOD)% %PATH(NQ)%", &["{:method} {:path}"]),
        // HAProxy's flags, names and expressions.
        (
            r#"haproxy:%{+Q}o\ %{-Q}ci\ %HM\ %ST\ %[ssl_fc_sni]\ %{-Q}HU"#,
            &["{client:addr} \"{:method}\" {status:int=status} \"{server_name}\" {:url}"],
        ),
        (
            "haproxy:%(agent)[capture.req.hdr(0)] %[req.hdr(Host),lower]%[pathq] %(x:int)ST",
            &["{agent} {:host}|{:url} {status:int=status}"],
        ),
        (
            "haproxy:%[capture.req.hdr(1)] %[var(txn.id)] %[src,map_ip(/a[b])] %{+X}Ts %HP%HQ",
            &["{capture_req_hdr_1} {txn_id} {src_map_ip__a_b} {time_hexadecimal} {:url}"],
        ),
        (
            "haproxy:%HU   %hr \\\n   %ST",
            &["{:url} {{request_headers}} {status:int=status}", "{:url} {status:int=status}"],
        ),
        (
            "haproxy:%hr %hs \"%r\"",
            &[
                "{{request_headers}} {{response_headers}} \"{:request}\"",
                "\"{:request}\"",
                "{{headers}} \"{:request}\"",
            ],
        ),
        (
            r#"haproxy:%r %{+Q}hr %ST"#,
            &["{:request} \"{{request_headers}}\" {status:int=status}", "{:request} {status:int=status}"],
        ),
        (
            "tomcat:%D %{us}T %{xxx}s %{JSESSIONID}c &quot;%r&quot;",
            &["{duration_us_2:us} {duration_us:us} {session_xxx} {cookie_jsessionid} \"{:request}\""],
        ),
        ("tomcat9:%{begin:msec}t %D %v%U%q", &["{time:time} {duration_us:ms} {:host}|{:url}"]),
        (
            r#"varnish:%{Varnish:hitmiss}x %{VCL_Log:backend}x %{%Y-%m-%dT%H:%M:%S%z}t %U%q\n"#,
            &["{cache_status} {vcl_log_backend} {time:time} {:url}"],
        ),
        (
            r#"trafficserver:%<cqtd> %<cqtt> url="%<pquc>" %<{X-A}cqh??{X-B}cqh??"none"> %<cquuc[0:30]>"#,
            &["{:date=date} {:clock=clock} url=\"{:proxied}\" {request_x_a} {cquuc}"],
        ),
        (
            r#"trafficserver:%<cqus>://%<cquuh>/ %<{TS_MILESTONE_UA_CLOSE-TS_MILESTONE_SM_START}msdms> %<cqu>"#,
            &["{:scheme}://{:host}/ {ts_milestone_ua_close_ts_milestone_sm_start:long=signed} {:proxied}"],
        ),
        (
            r#"envoy:%START_TIME(%s.%3f)% %START_TIME(%Y/%m/%d)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH):100% %CEL(a.contains('b'))%\n"#,
            &["{time:time} {moment} {:url} {cel_a_contains__b__}"],
        ),
        (
            "envoy:%DOWNSTREAM_REMOTE_ADDRESS% %REQUEST_HEADER(:SCHEME)%://%REQ(:AUTHORITY)%%PATH% 100%%",
            &["{client:endpoint} {:scheme}://{:host}|{:url} 100%"],
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(forms(text), *expected, "{text}");
    }
}

#[test]
fn an_error_has_its_place() {
    // (format string, the wrong byte, the message)
    let wrong: &[(&str, usize, &str)] = &[
        ("%h %Q %r", 3, "no directive %Q"),
        ("%h %{a}Q %r", 3, "no directive %{a}Q"),
        ("%h %{Referer i", 4, "not closed"),
        ("%h %r %", 6, "which directive"),
        ("%h%r", 2, "between two fields"),
        ("%h \\x %r", 4, "backslash"),
        ("%h %r \\", 6, "backslash"),
        ("%h %t", 5, "no request"),
        ("$remote_addr$request", 12, "between two fields"),
        ("$remote_addr ${request", 14, "not closed"),
        ("$remote_addr $ $request", 13, "no variable"),
        ("no names", 0, "no variable"),
        ("$remote_addr $status", 20, "no request"),
        ("", 0, "no variable"),
        ("squid:", 6, "no format code"),
        ("squid:%ru %Qx", 10, "Squid has no format code %Qx"),
        ("squid:%ru %byte{10}", 10, "no field"),
        ("squid:%>a %>Hs", 14, "as %ru"),
        ("squid:%>a%ru", 9, "between two fields"),
        ("haproxy:%ci %Tx", 12, "HAProxy has no alias %Tx"),
        ("haproxy:%{+json}o %HU", 9, "JSON"),
        ("haproxy:%[src", 9, "not closed"),
        ("haproxy:%HU %{+Z}r", 13, "no such flag"),
        ("haproxy:%hrl %HU", 13, "rest of the line"),
        ("tomcat:%r %Z", 10, "Tomcat has no pattern %Z"),
        ("trafficserver:%<cqh> %<pqu>", 14, "Traffic Server has no log field %<cqh>"),
        ("trafficserver:%<pqu", 15, "not closed"),
        ("envoy:%PATH% %RESPONSE_COD%", 13, "did you mean \"RESPONSE_CODE\""),
        ("envoy:%PATH% %REQ(:PATH%", 17, "not closed"),
        ("envoy:%path%", 6, "in capitals"),
        ("varnish:%r %p", 11, "varnishncsa has no formatter %p"),
    ];
    for (text, at, what) in wrong {
        let error = describe(text, false).expect_err(text);
        assert!(error.to_string().contains(what), "{text}: {error}");
        assert_eq!(error.marked(), Some((*text, *at)), "{text}: {error}");
    }
}

/// Strings of pieces that mean something to a server: each is an error with its place, or a form of lines.
#[test]
fn any_string_is_a_form_or_an_error() {
    const PIECES: &[&str] = &[
        "%",
        "$",
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        "<",
        ">",
        " ",
        "\"",
        "\\",
        "\t",
        "\n",
        "|",
        ":",
        "://",
        "?",
        "-",
        "é",
        "…",
        "...",
        "%^",
        "%r",
        "%>ru",
        "%HU",
        "%<pqu>",
        "%PATH%",
        "%[src]",
        "%{+Q}o",
        "%{+Q}hr",
        "%hs",
        "%hrl",
        "%ts",
        ".",
        "%tu",
        "%h",
        "%v",
        "%U",
        "%q",
        "$host",
        "$request_uri",
        "$uri$is_args$args",
        "https://",
        "HTTP/",
        "%rv",
        "%6tr",
        "%{Referer}i",
        "%{Host}>h",
        "%REQ(:PATH):9%",
        "%<{Host}cqh>",
        "%a:%{remote}p",
        "%t",
        "%m",
        "%H",
        "REQ",
        "0",
    ];
    let mut random = urimill_testkit::moves::Random(7);
    let mut described = 0;
    for number in 0..6_000 {
        let server = SERVERS[number % SERVERS.len()];
        let mut text = if number % 4 == 0 { String::new() } else { format!("{}:", server.name) };
        for _ in 0..=random.below(9) {
            text.push_str(PIECES[random.below(PIECES.len())]);
        }
        match describe(&text, number % 3 == 0) {
            Ok(found) => {
                described += 1;
                for form in &found.forms {
                    let mut shape = crate::shape::Shape::described();
                    let pattern =
                        crate::pattern::Pattern::of(&form.parts, &form.tail, &[], found.writer, &mut shape);
                    assert!(pattern.is_some(), "{text}");
                }
            }
            Err(error) => {
                let (marked, at) = error.marked().unwrap_or_else(|| panic!("{text}: {error}"));
                assert!(marked == text && text.is_char_boundary(at), "{text}: {error}");
            }
        }
    }
    assert!(described > 200, "{described}");
}

#[test]
fn every_row_of_a_table_is_a_field() {
    for server in SERVERS {
        let mut seen = std::collections::HashSet::new();
        for (name, field) in server.directives.iter().copied().flatten() {
            assert!(seen.insert(*name) || server.name == "squid", "{}: {name} twice", server.title);
            if field.starts_with(['!', '@', '?', '[']) {
                continue;
            }
            let mut shape = crate::shape::Shape::described();
            let _ = shape.field(&field.replace('*', "name"));
        }
        for (name, _) in server.nicknames {
            let text = format!("{}:{name}", server.name);
            assert!(describe(&text, false).is_ok(), "{text}");
        }
    }
}

#[test]
fn columns_have_the_types_of_the_dictionary() {
    let typed = |field: &str| {
        let mut shape = crate::shape::Shape::described();
        let slot = shape.field(field);
        shape.columns[slot].kind.data_type()
    };
    let mut wrong = Vec::new();
    for server in SERVERS {
        for (name, field) in server.directives.iter().copied().flatten() {
            if field.starts_with(['!', '@', '?', '[', ':']) || field.is_empty() {
                continue;
            }
            let column = field.split([':', '=']).next().unwrap_or_default();
            let Some(common) = crate::dictionary::find(column).filter(|common| !common.starts_with(':'))
            else {
                continue;
            };
            if typed(field) != typed(&format!("{column}:{common}")) {
                wrong.push(format!("{} {name}: {field}, not {common}", server.title));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
