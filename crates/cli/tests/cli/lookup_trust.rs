//! `urimill lookup` gives the right answer, or an error where a search cannot trust the index.

use std::io::Write;
use std::path::Path;

use super::run::{dir, urimill, write};

/// A sorted index of this many pages, with two captures of each.
fn index(pages: usize) -> Vec<String> {
    let mut lines: Vec<String> = (0..pages)
        .flat_map(|page| {
            ["20240101000000", "20250101000000123"].map(|time| {
                let pad = "x".repeat(page % 90);
                format!("com,h{:03})/{page} {time} {{\"url\": \"http://h/\", \"pad\": \"{pad}\"}}", page % 97)
            })
        })
        .collect();
    lines.sort();
    lines
}

fn text(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The exit code and the number of lines of an answer, and the message.
fn answer(dir: &Path, line: &str) -> (Option<i32>, usize, String) {
    let done = urimill(&format!("lookup {line}")).within(dir).go();
    (done.code, done.text().lines().count(), done.stderr.clone())
}

#[test]
fn what_is_no_line_of_the_index_hides_none() {
    let dir = dir();
    let lines = index(3000);
    let place = |of: usize| lines.len() * of / 10;
    // (a line in the middle, whether it is passed)
    for (inserted, is_passed) in [
        ("", true),
        ("   ", true),
        ("\r", true),
        ("# a comment", true),
        ("!meta 0 {\"a\": 1}", true),
        ("@context [\"a\"]", true),
        (" CDX N b a m s k r M S V g", true),
        ("a line of prose", false),
        ("com,h050)/1 20240101000000 http://h/ text/html 200 - - - 1 2 a.warc", false),
    ] {
        for at in [0, place(3), place(5), place(9), lines.len()] {
            let mut with = lines.clone();
            with.insert(at, inserted.to_owned());
            write(dir.path(), "i.cdxj", text(&with));
            for host in ["com,h003", "com,h050", "com,h096"] {
                let expected = lines.iter().filter(|line| line.starts_with(&format!("{host})"))).count();
                assert!(expected > 50);
                let (code, found, said) = answer(dir.path(), &format!("{host})/ --match host -i i.cdxj"));
                match is_passed && !(inserted.starts_with(" CDX") && at == 0) {
                    true => {
                        assert_eq!((code, found), (Some(0), expected), "{inserted:?} {at} {host}: {said}")
                    }
                    false if at == 0 => assert_eq!((code, found), (Some(2), 0), "{inserted:?}: {said}"),
                    false => {
                        assert_eq!((code, found), (Some(3), 0), "{inserted:?} {at} {host}: {said}");
                        assert!(said.contains("is no line of CDXJ"), "{said}");
                    }
                }
            }
        }
    }
}

/// A mark at the beginning of the text is not part of the first key.
#[test]
fn a_byte_order_mark_hides_no_line() {
    let dir = dir();
    let lines = index(200);
    let first = lines[0].split(' ').next().expect("a key");
    for lines in [&lines[..2], &lines] {
        write(dir.path(), "i.cdxj", format!("\u{feff}{}", text(lines)));
        for options in ["", "--scan"] {
            let (code, found, said) = answer(dir.path(), &format!("{first} -i i.cdxj {options}"));
            assert_eq!((code, found), (Some(0), 2), "{options}: {said}");
        }
    }
}

#[test]
fn lines_out_of_order_are_an_error_or_are_all_read() {
    let dir = dir();
    let lines = index(2000);
    let (one, other): (Vec<_>, Vec<_>) = lines.iter().cloned().enumerate().partition(|(at, _)| at % 3 == 0);
    let [one, other] = [one, other].map(|half| half.into_iter().map(|(_, line)| line).collect::<Vec<_>>());
    let mut reversed = lines.clone();
    reversed.reverse();
    let mut swapped = lines.clone();
    swapped.swap(700, 1900);
    let joined = [&one[..], &other].concat();
    for (what, lines_of) in [("joined", joined), ("reversed", reversed), ("two lines swapped", swapped)] {
        write(dir.path(), "i.cdxj", text(&lines_of));
        for host in ["com,h000", "com,h034", "com,h096"] {
            let expected = lines.iter().filter(|line| line.starts_with(&format!("{host})"))).count();
            let query = format!("{host})/ --match host -i i.cdxj");
            let (code, found, said) = answer(dir.path(), &query);
            assert_eq!((code, found), (Some(3), 0), "{what} {host}: {said}");
            assert!(said.contains("i.cdxj cannot be searched") && said.contains("--scan"), "{said}");
            let (code, found, said) = answer(dir.path(), &format!("{query} --scan"));
            assert_eq!((code, found), (Some(0), expected), "{what} {host} --scan: {said}");
        }
        assert_eq!(answer(dir.path(), "com,nothing)/ -i i.cdxj").0, Some(3), "{what}");
        assert_eq!(answer(dir.path(), "com,nothing)/ -i i.cdxj --scan").0, Some(1), "{what}");
    }
    // Times of one page may be in any order.
    write(dir.path(), "t.cdxj", "com,h)/ 20250101000000 {}\ncom,h)/ 20240101000000 {}\n");
    assert_eq!(answer(dir.path(), "h.com -i t.cdxj").1, 2);
}

/// ZipNum with blocks of this many lines, in two shards.
fn blocks(dir: &Path, lines: &[String], size: usize) -> Vec<String> {
    std::fs::create_dir_all(dir.join("z")).expect("a folder");
    let (mut list, mut shards) = (Vec::new(), [Vec::new(), Vec::new()]);
    let all = lines.len().div_ceil(size);
    for (number, block) in lines.chunks(size).enumerate() {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        block.iter().for_each(|line| writeln!(encoder, "{line}").expect("memory"));
        let packed = encoder.finish().expect("memory");
        let shard = usize::from(number >= all / 2);
        let first: Vec<&str> = block[0].splitn(3, ' ').take(2).collect();
        let offset = shards[shard].len();
        list.push(format!("{}\tpart-{shard}\t{offset}\t{}\t{}", first.join(" "), packed.len(), number + 1));
        shards[shard].extend(packed);
    }
    write(dir, "z/cdx.idx", text(&list));
    write(dir, "z/cdx.loc", "part-0\tpart-0.gz\npart-1\tpart-1.gz\n");
    write(dir, "z/part-0.gz", &shards[0]);
    write(dir, "z/part-1.gz", &shards[1]);
    list
}

#[test]
fn a_list_of_blocks_has_all_of_them_in_order() {
    let dir = dir();
    let lines = index(2000);
    let list = blocks(dir.path(), &lines, 50);
    let hosts = ["com,h000", "com,h034", "com,h050", "com,h096"];
    let expected =
        hosts.map(|host| lines.iter().filter(|line| line.starts_with(&format!("{host})"))).count());
    let check = |what: &str, list: &[String], is_right: bool| {
        write(dir.path(), "z/cdx.idx", text(list));
        for (host, expected) in hosts.into_iter().zip(expected) {
            let query = format!("{host})/ --match host -i z");
            let (code, found, said) = answer(dir.path(), &query);
            match is_right {
                true => assert_eq!((code, found), (Some(0), expected), "{what} {host}: {said}"),
                false => assert_eq!((code, found), (Some(3), 0), "{what} {host}: {said}"),
            }
            let scanned = answer(dir.path(), &format!("{query} --scan"));
            assert_eq!((scanned.0, scanned.1), (Some(0), expected), "{what} {host} --scan: {}", scanned.2);
        }
    };
    check("whole", &list, true);
    let mut with_blank = list.clone();
    with_blank.insert(list.len() / 2, String::new());
    check("a blank line", &with_blank, true);
    check("reversed", &list.iter().rev().cloned().collect::<Vec<_>>(), false);
    for missing in [0, 1, list.len() / 2 - 1, list.len() / 2, list.len() - 1] {
        let mut list = list.clone();
        list.remove(missing);
        check(&format!("without block {missing}"), &list, false);
    }
    let mut doubled = list.clone();
    doubled.insert(5, list[5].clone());
    check("a block twice", &doubled, false);
    check("the first shard alone", &list[..list.len() / 2], false);
}

/// The list of blocks and the blocks fit together.
#[test]
fn a_list_that_does_not_fit_its_blocks_is_an_error() {
    let dir = dir();
    let lines = index(2000);
    let list = blocks(dir.path(), &lines, 50);
    // The list has a later key of the block than its first one: lines before it would be lost.
    let at = 20;
    let (first, rest) = list[at].split_once(' ').expect("a key");
    let later = lines[at * 50 + 30].split(' ').next().expect("a key");
    assert!(later > first);
    let mut wrong = list.clone();
    wrong[at] = format!("{later} {rest}");
    write(dir.path(), "z/cdx.idx", text(&wrong));
    let (code, found, said) = answer(dir.path(), &format!("{first} -i z"));
    assert_eq!((code, found), (Some(3), 0), "{said}");
    assert!(said.contains("do not fit together"), "{said}");
    // A byte of a block is another one.
    write(dir.path(), "z/cdx.idx", text(&list));
    let mut shard = std::fs::read(dir.path().join("z/part-0.gz")).expect("a shard");
    for at in (30..shard.len()).step_by(shard.len() / 7) {
        shard[at] ^= 1;
        write(dir.path(), "z/part-0.gz", &shard);
        let codes: Vec<_> = lines
            .iter()
            .step_by(50)
            .map(|line| answer(dir.path(), &format!("{} -i z", line.split(' ').next().expect("a key"))).0)
            .collect();
        assert!(codes.contains(&Some(3)) && !codes.contains(&Some(1)), "{at}: {codes:?}");
        shard[at] ^= 1;
    }
}

/// The list that cdxj-indexer makes, and WACZ files have.
#[test]
fn a_list_of_objects_is_searched_too() {
    let dir = dir();
    let lines = index(500);
    let (mut list, mut shard) = (
        vec!["!meta 0 {\"format\": \"cdxj-gzip-1.0\", \"filename\": \"index.cdx.gz\"}".to_owned()],
        Vec::new(),
    );
    for block in lines.chunks(30) {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        block.iter().for_each(|line| writeln!(encoder, "{line}").expect("memory"));
        let packed = encoder.finish().expect("memory");
        let first: Vec<&str> = block[0].splitn(3, ' ').take(2).collect();
        list.push(format!(
            "{} {{\"offset\": {}, \"length\": {}}}",
            first.join(" "),
            shard.len(),
            packed.len()
        ));
        shard.extend(packed);
    }
    write(dir.path(), "index.idx", text(&list));
    write(dir.path(), "index.cdx.gz", shard);
    for line in lines.iter().step_by(37) {
        let key = line.split(' ').next().expect("a key");
        let (code, found, said) = answer(dir.path(), &format!("{key} -i index.idx"));
        assert_eq!((code, found), (Some(0), 2), "{key}: {said}");
    }
}

#[test]
fn times_have_up_to_seventeen_digits() {
    let dir = dir();
    let time = ["20240101000000", "20240101000000500", "20240630235959999", "20250101000000"];
    write(dir.path(), "i.cdxj", time.iter().map(|time| format!("com,h)/ {time} {{}}\n")).collect::<String>());
    // (range, how many)
    for (range, expected) in [
        ("", 4),
        ("--from 2024 --to 2024", 3),
        ("--to 20240630235959", 3),
        ("--to 20240630235959998", 2),
        ("--from 20240101000000500 --to 20240101000000500", 1),
        ("--from 20240101000000", 4),
        ("--from 20240101000000001", 3),
    ] {
        assert_eq!(answer(dir.path(), &format!("h.com -i i.cdxj {range}")).1, expected, "{range}");
    }
    urimill("lookup h.com -i i.cdxj --from 202401010000000000").within(dir.path()).fails(2, &["is no time"]);
}

#[test]
fn a_line_that_index_writes_is_a_line_that_lookup_reads() {
    let dir = dir();
    let table = [
        format!("http://h.example/{}", "a".repeat(600_000)),
        format!("http://h.example/?{}", "\u{e9}".repeat(300_000)),
        format!("http://h.example/{}", "%0".repeat(300_000)),
    ];
    for target in table {
        let block = "HTTP/1.1 200 OK\r\n\r\n";
        let archive = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {target}\r\nWARC-Date: 2026-11-20T10:00:00Z\r\n\
             Content-Type: application/http\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        );
        write(dir.path(), "a.warc", archive);
        for (index, options) in [("a.cdxj", ""), ("a.parquet", ""), ("z", "--to zipnum")] {
            urimill(&format!("index a.warc {options} -o {index} --force --summary none"))
                .within(dir.path())
                .ok();
            let (code, found, said) = answer(dir.path(), &format!("h.example --match host -i {index}"));
            assert_eq!((code, found), (Some(0), 1), "{index}: {said}");
        }
    }
}

/// Keys that begin as comments do, and keys of targets with control characters, which sort before a space.
#[test]
fn odd_keys_hide_no_line() {
    let dir = dir();
    let targets =
        ["http://!a/", "!meta 0 {}", "#x", "@x", "http://[bad/", "http://[bad/\u{1}", "http://h.example/"];
    let archive: String = targets
        .map(|target| {
            format!(
                "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: {target}\r\nWARC-Date: \
                 2026-11-20T10:00:00Z\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
            )
        })
        .concat();
    write(dir.path(), "a.warc", archive);
    for (index, options) in [
        ("a.cdxj", ""),
        ("a.parquet", ""),
        ("z", "--to zipnum --block-lines 1"),
        ("y", "--to zipnum --shards 60"),
    ] {
        urimill(&format!("index a.warc {options} -o {index} --summary none")).within(dir.path()).ok();
        for query in ["http://!a/", "http://h.example/"] {
            for options in ["", "--scan"] {
                let (code, found, said) = answer(dir.path(), &format!("{query} -i {index} {options}"));
                assert_eq!((code, found), (Some(0), 1), "{index} {query} {options}: {said}");
            }
        }
    }
    // Lines of other tools, as `LC_ALL=C sort` sorts them: the control character comes first.
    let lines: Vec<String> = (0..2000)
        .map(|line| format!("com,h)/\u{1}{line:04} 20240101000000 {{}}"))
        .chain(["com,h)/ 20240101000000 {}".to_owned()])
        .collect();
    write(dir.path(), "i.cdxj", text(&lines));
    let (code, found, said) = answer(dir.path(), "h.com -i i.cdxj");
    assert_eq!((code, found), (Some(0), 1), "{said}");
    let reversed: Vec<String> = lines.into_iter().rev().collect();
    write(dir.path(), "i.cdxj", text(&reversed));
    assert_eq!(answer(dir.path(), "h.com -i i.cdxj").0, Some(3));
}

#[test]
fn what_cannot_be_searched_says_what_to_do() {
    let dir = dir();
    write(dir.path(), "a.cdx", "com,h)/ 20240101000000 http://h/ text/html 200 - - - 1 2 a.warc\n");
    write(dir.path(), "a.wacz", "PK\x03\x04 and so on");
    write(dir.path(), "a.warc", "WARC/1.0\r\n\r\n");
    write(dir.path(), "broken.cdxj", "com,h)/ 20240101000000 {\"a\": }\n");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b"WARC/1.0\r\n\r\n").expect("memory");
    write(dir.path(), "a.warc.gz", packed.finish().expect("memory"));
    for (index, code, part) in [
        ("a.warc.gz", 2, "it is a web archive: make an index of it with urimill index"),
        ("a.cdx", 2, "it is CDX: make one of CDXJ with urimill index"),
        ("a.wacz", 2, "it is a zip archive, such as WACZ: make an index of it with urimill index"),
        ("a.warc", 2, "it is a web archive: make an index of it with urimill index"),
        ("broken.cdxj", 3, "is no line of CDXJ"),
    ] {
        urimill(&format!("lookup h.com -i {index}")).within(dir.path()).fails(code, &[part]);
    }
}

/// Opening a pipe waits for a writer, and there may be none.
#[cfg(unix)]
#[test]
fn a_pipe_where_a_file_is_needed_is_refused() {
    let dir = dir();
    let lines = index(100);
    blocks(dir.path(), &lines, 10);
    let pipe = |name: &str| {
        let path = dir.path().join(name);
        let _ = std::fs::remove_file(&path);
        assert!(std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
    };
    let first = lines[0].split(' ').next().expect("a key");
    for (name, index) in [
        ("i.cdxj", "i.cdxj"),
        ("i.idx", "i.idx"),
        ("z/part-0.gz", "z"),
        ("z/cdx.loc", "z"),
        ("z/cdx.idx", "z"),
    ] {
        pipe(name);
        let (code, found, said) = answer(dir.path(), &format!("{first} -i {index}"));
        assert_eq!((code, found), (Some(2), 0), "{name}: {said}");
        assert!(said.contains("write it to a file first"), "{name}: {said}");
    }
    urimill("lookup h.com -i /dev/null").within(dir.path()).fails(2, &["write it to a file first"]);
}

/// One bit of a table is another one: the answer is the same, or an error.
#[test]
fn a_table_with_a_wrong_bit_has_no_wrong_answer() {
    let dir = dir();
    let block = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    let archive: String = (0..3000)
        .map(|number| {
            // One host has several pages, and one of these many captures.
            let page = match number % 3 {
                0 => format!("one.example/{}", if number % 2 == 0 { 7 } else { number }),
                _ => format!("h{}.example/{number}", number % 97),
            };
            format!(
                "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://{page}\r\nWARC-Date: \
                 2026-11-20T10:{:02}:{:02}Z\r\nWARC-Payload-Digest: sha1:{number:032}\r\nContent-Type: \
                 application/http\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
                number / 60 % 60,
                number % 60,
                block.len()
            )
        })
        .collect();
    write(dir.path(), "a.warc", archive);
    urimill("index a.warc -o a.parquet --summary none").within(dir.path()).ok();
    let table = std::fs::read(dir.path().join("a.parquet")).expect("a table");
    let queries = ["one.example/7", "h90.example/187", "h5.example/nothing", "one.example/2997"];
    let ask = |index: &str, query: &str| {
        let done = urimill(&format!("lookup {query} -i {index}")).within(dir.path()).go();
        (done.code, done.text().to_owned())
    };
    let expected = queries.map(|query| ask("a.parquet", query));
    let codes: Vec<_> = expected.iter().map(|(code, _)| *code).collect();
    assert_eq!(codes, [Some(0), Some(0), Some(1), Some(0)]);
    // Half of them in the footer and the indexes of pages, which are at the end.
    let places = (0..60).map(|n| n * table.len() / 60).chain((0..60).map(|n| table.len() - 1 - n * 97));
    let mut errors = 0;
    for (number, at) in places.enumerate() {
        let mut wrong = table.clone();
        wrong[at] ^= 1 << (number % 8);
        write(dir.path(), "b.parquet", wrong);
        let query = number % queries.len();
        let (code, text) = ask("b.parquet", queries[query]);
        match code {
            Some(2 | 3) => errors += 1,
            _ => assert_eq!((code, text), expected[query], "bit {} of byte {at}", number % 8),
        }
    }
    assert!(errors > 20, "{errors}");
}
