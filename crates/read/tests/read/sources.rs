//! The files that an argument on the command line means.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use urimill_base::error::ErrorKind;
use urimill_read::{GivenReader, Input, Source, expand, expand_inputs, open};

use urimill_testkit::stored::no_progress;

fn directory_with(files: &[&str]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for file in files {
        let path = dir.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, file).unwrap();
    }
    dir
}

/// The files that `args` mean, relative to `dir`.
fn files(dir: &Path, args: &[&str]) -> Vec<String> {
    let sources = expand(&args.iter().map(|a| in_dir(dir, a)).collect::<Vec<_>>()).unwrap();
    let relative = |source: Source| match source {
        Source::File(path) => path.strip_prefix(dir).unwrap().to_str().unwrap().to_owned(),
        other => format!("{other:?}"),
    };
    sources.into_iter().map(relative).collect()
}

fn in_dir(dir: &Path, arg: &str) -> String {
    if arg == "-" { arg.to_owned() } else { format!("{}/{arg}", dir.display()) }
}

#[test]
fn arguments_expand_to_files() {
    let dir = directory_with(&[
        "b.log",
        "a.log",
        "c.gz",
        ".d/z.log",
        ".d/.y.log",
        ".hidden.log",
        "d.log/inner.log",
        "e/x.log",
        "e/y.log",
        "odd[1].log",
        "odd1.log",
    ]);
    let table: &[(&[&str], &[&str])] = &[
        (&["b.log", "a.log"], &["b.log", "a.log"]),
        (&["a.log", "a.log"], &["a.log", "a.log"]),
        (&["[ab].log"], &["a.log", "b.log"]),
        (&["?.log"], &["a.log", "b.log"]),
        (&["*/*.log", "c.*"], &["d.log/inner.log", "e/x.log", "e/y.log", "c.gz"]),
        (&["**/x.log"], &["e/x.log"]),
        (&[".h*"], &[".hidden.log"]),
        (
            &["**/*.log"],
            &["a.log", "b.log", "d.log/inner.log", "e/x.log", "e/y.log", "odd1.log", "odd[1].log"],
        ),
        (&[".d/*.log"], &[".d/z.log"]),
        // The name of an existing file is not a pattern.
        (&["odd[1].log"], &["odd[1].log"]),
        (&["-", "a.log"], &["Stdin", "a.log"]),
    ];
    for (args, expected) in table {
        assert_eq!(files(dir.path(), args), *expected, "{args:?}");
    }
    assert_eq!(expand::<&str>(&[]).unwrap(), [Source::Stdin]);
}

#[test]
fn unreadable_inputs_are_errors_before_any_work() {
    let dir = directory_with(&["a.log", "logs/b.log", "dirs/only/c.log"]);
    let table: &[(&[&str], ErrorKind, &str)] = &[
        (&["a.log", "missing.log"], ErrorKind::Io, "cannot read DIR/missing.log: no such file"),
        (&["a.log/below"], ErrorKind::Io, "cannot read DIR/a.log/below: no such file"),
        (&["*.gz"], ErrorKind::Io, "cannot read DIR/*.gz: no file matches the pattern"),
        (&["dirs/*"], ErrorKind::Io, "cannot read DIR/dirs/*: no file matches the pattern"),
        (
            &["a.log", "logs"],
            ErrorKind::Usage,
            "cannot read DIR/logs: it is a directory; give DIR/logs/* to read the files in it",
        ),
        (
            &["a[.log"],
            ErrorKind::Usage,
            "cannot read DIR/a[.log: no such file, and as a pattern it is malformed (invalid range pattern)",
        ),
        (
            &["-", "a.log", "-"],
            ErrorKind::Usage,
            "standard input (-) is given twice, but can be read only once",
        ),
    ];
    for (args, kind, sentence) in table {
        let error = expand(&args.iter().map(|a| in_dir(dir.path(), a)).collect::<Vec<_>>()).unwrap_err();
        let text = error.to_string().replace(dir.path().to_str().unwrap(), "DIR");
        assert_eq!((error.kind(), text.as_str()), (*kind, *sentence), "{args:?}");
    }
    let error = expand(&[String::new()]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Usage);
}

#[test]
fn the_error_has_the_reason_of_the_system() {
    let error = expand(&["x".repeat(10_000)]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(error.to_string().contains("too long"), "{error}");

    let gone = Source::File(PathBuf::from("/no/such/file"));
    let error = open(&gone, &no_progress()).unwrap_err();
    assert!(error.to_string().starts_with("cannot read /no/such/file: "), "{error}");

    let dir = directory_with(&["logs/b.log"]);
    let error = open(&Source::File(dir.path().join("logs")), &no_progress()).unwrap_err();
    assert!(error.to_string().contains("logs/* to read the files in it"), "{error}");
}

#[test]
fn sources_have_names_and_sizes() {
    let dir = directory_with(&["a.log"]);
    let path = dir.path().join("a.log");
    let file = Source::File(path.clone());
    assert_eq!(file.name(), path.to_str().unwrap());
    assert_eq!(file.size(), Some("a.log".len() as u64));
    assert_eq!(Source::File(dir.path().to_owned()).size(), None);
    assert_eq!(Source::File(dir.path().join("missing")).size(), None);
    assert_eq!(Source::Stdin.name(), "standard input");
    let brought = Source::Reader(GivenReader::new("my bytes", &b"x"[..]));
    assert_eq!((brought.name().as_ref(), brought.size()), ("my bytes", None));
    let mut bytes = [0; 2];
    assert_eq!(open(&brought.clone(), &no_progress()).unwrap().read(&mut bytes).unwrap(), 1);
    let again = open(&brought, &no_progress()).unwrap_err();
    assert_eq!(again.kind(), ErrorKind::Usage);
    assert!(again.to_string().starts_with("cannot read my bytes again"), "{again}");
    assert_eq!(open(&Source::Table("rows".into()), &no_progress()).unwrap_err().kind(), ErrorKind::Usage);
}

/// (reads, the error): a reader that returns an error, panics or breaks its contract is an input that cannot be read.
#[test]
fn a_reader_of_the_callers_may_fail() {
    struct Failing(fn(&mut [u8]) -> io::Result<usize>, bool);
    impl Read for Failing {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if std::mem::replace(&mut self.1, true) {
                return (self.0)(buffer);
            }
            buffer[..5].copy_from_slice(b"/a\n/b");
            Ok(5)
        }
    }
    type Case = (fn(&mut [u8]) -> io::Result<usize>, ErrorKind, &'static str);
    let table: [Case; 5] = [
        (|_| Err(io::Error::other("the line is dead")), ErrorKind::Io, "the line is dead"),
        (|_| Err(io::ErrorKind::InvalidData.into()), ErrorKind::Data, "at byte 0"),
        (|_| panic!("no {}", 1), ErrorKind::Io, "its reader panicked: no 1"),
        (|buffer| Ok(buffer.len() + 1), ErrorKind::Io, "its reader was asked for at most"),
        (|_| Ok(usize::MAX), ErrorKind::Io, "its reader was asked for at most"),
    ];
    for (then, kind, what) in table {
        let source = Source::Reader(GivenReader::new("remote", Failing(then, false)));
        let opened = open(&source, &no_progress()).map(|mut reader| {
            loop {
                match reader.read(&mut [0; 100]) {
                    Ok(0) => break None,
                    Ok(_) => {}
                    Err(error) => break Some(error),
                }
            }
        });
        let error = opened.unwrap_or_else(Some).expect(what);
        assert_eq!(error.kind(), kind, "{error}");
        let sentence = error.to_string();
        assert!(sentence.starts_with("cannot read remote") && sentence.contains(what), "{sentence}");
    }
}

/// Readers keep their places among files.
#[test]
fn readers_are_inputs_among_others() {
    let dir = directory_with(&["a.log", "b.log"]);
    let named = |arg: &str| Input::Named(in_dir(dir.path(), arg).into());
    let reader = |name: &str| Input::Reader(GivenReader::new(name, io::empty()));
    let names = |inputs: &[Input]| {
        let sources = expand_inputs(inputs).map_err(|error| error.to_string())?;
        let name = |source: &Source| source.name().rsplit('/').next().unwrap().to_owned();
        Ok::<Vec<String>, String>(sources.iter().map(name).collect())
    };
    let cases: [(&[Input], &[&str]); 4] = [
        (&[], &["standard input"]),
        (&[reader("x")], &["x"]),
        (&[reader("x"), named("*.log"), reader("x")], &["x", "a.log", "b.log", "x"]),
        (&[named("-"), reader("-")], &["standard input", "-"]),
    ];
    for (inputs, expected) in cases {
        assert_eq!(names(inputs).unwrap(), expected);
    }
    assert!(names(&[named("-"), reader("x"), named("-")]).unwrap_err().contains("given twice"));
}

#[cfg(unix)]
mod unix {
    use std::ffi::{OsStr, OsString};
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    use std::os::unix::fs::symlink;

    use super::*;

    /// Paths below a directory that match a pattern.
    fn matches(dir: &Path, pattern: &[u8]) -> Vec<Vec<u8>> {
        let pattern = dir.join(OsStr::from_bytes(pattern));
        let sources = expand(&[pattern]).unwrap();
        let relative = |source| match source {
            Source::File(path) => path.strip_prefix(dir).unwrap().as_os_str().as_bytes().to_vec(),
            other => panic!("{other:?}"),
        };
        sources.into_iter().map(relative).collect()
    }

    fn file(dir: &Path, path: &[u8]) {
        let path = dir.join(OsStr::from_bytes(path));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x").unwrap();
    }

    #[test]
    fn a_pattern_matches_names_that_are_not_utf8() {
        let dir = tempfile::tempdir().unwrap();
        for path in [&b"a.txt"[..], b"\xff.txt", b"\xfe.txt", "\u{e9}.txt".as_bytes(), b"d\xff/x.txt"] {
            file(dir.path(), path);
        }
        let all: &[&[u8]] = &[b"a.txt", "\u{e9}.txt".as_bytes(), b"\xfe.txt", b"\xff.txt"];
        let table: &[(&[u8], &[&[u8]])] = &[
            (b"*.txt", all),
            // A character, or a byte that is not UTF-8.
            (b"?.txt", all),
            (b"\xff*", &[b"\xff.txt"]),
            (b"[\xfe].txt", &[b"\xfe.txt"]),
            (b"[!a].txt", &all[1..]),
            (b"\xff.txt", &[b"\xff.txt"]),
            (b"d*/*.txt", &[b"d\xff/x.txt"]),
            (b"*\xff/x.txt", &[b"d\xff/x.txt"]),
        ];
        for (pattern, expected) in table {
            assert_eq!(matches(dir.path(), pattern), *expected, "{:?}", OsStr::from_bytes(pattern));
        }
        let name = OsString::from_vec(b"\xff.txt".to_vec());
        assert!(matches!(&expand(&[dir.path().join(name)]).unwrap()[..], [Source::File(_)]));
    }

    /// A link, and where it leads.
    type Link = (&'static str, &'static str);

    /// (links, pattern, files)
    #[test]
    fn any_depth_enters_each_directory_once() {
        let table: &[(&[Link], &str, &[&str])] = &[
            (&[], "**/*.log", &["a/x.log", "b/c/y.log"]),
            (&[("a/loop", ".")], "**/*.log", &["a/x.log", "b/c/y.log"]),
            (&[("a/one", "."), ("a/two", ".")], "**/*.log", &["a/x.log", "b/c/y.log"]),
            (&[("a/up", ".."), ("b/c/up", "../..")], "**/*.log", &["a/x.log", "b/c/y.log"]),
            // Each link leads into the directory of the other.
            (&[("a/b", "../b"), ("b/a", "../a")], "**/*.log", &["a/x.log", "b/c/y.log"]),
            // From one side alone there is no other way.
            (&[("a/b", "../b")], "a/**/*.log", &["a/b/c/y.log", "a/x.log"]),
            (&[("a/b", "../b"), ("a/again", "../b")], "a/**/*.log", &["a/again/c/y.log", "a/x.log"]),
            // A component without a wildcard means the entry of that name.
            (&[("new", "b")], "**/new/*/*.log", &["new/c/y.log"]),
            (&[("new", "b")], "*/c/*.log", &["b/c/y.log", "new/c/y.log"]),
            // A link to a file is a file.
            (&[("a/z.log", "x.log")], "**/*.log", &["a/x.log", "a/z.log", "b/c/y.log"]),
            // A dangling link is not a directory.
            (&[("a/ring", "ring"), ("a/gone", "nowhere")], "a/*/*.log", &[]),
            (&[], "**", &["a/x.log", "b/c/y.log"]),
            (&[], "**/**/c/**", &["b/c/y.log"]),
            (&[], "**/y.log", &["b/c/y.log"]),
        ];
        for (links, pattern, expected) in table {
            let dir = tempfile::tempdir().unwrap();
            file(dir.path(), b"a/x.log");
            file(dir.path(), b"b/c/y.log");
            for (link, to) in *links {
                symlink(to, dir.path().join(link)).unwrap();
            }
            if expected.is_empty() {
                let error = expand(&[dir.path().join(pattern)]).unwrap_err();
                assert!(error.to_string().ends_with("no file matches the pattern"), "{pattern}: {error}");
                continue;
            }
            let expected: Vec<_> = expected.iter().map(|path| path.as_bytes().to_vec()).collect();
            assert_eq!(matches(dir.path(), pattern.as_bytes()), expected, "{links:?} {pattern}");
        }
    }

    /// A dangling link that a pattern matches is an error, not skipped.
    #[test]
    fn a_link_to_nothing_is_named() {
        let dir = tempfile::tempdir().unwrap();
        file(dir.path(), b"a.log");
        symlink("nowhere", dir.path().join("b.log")).unwrap();
        let error = expand(&[dir.path().join("*.log")]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io);
        assert!(error.to_string().contains("b.log"), "{error}");
    }
}

/// A named pipe is not opened to check whether it is readable: that would wait for its writer, and lose its bytes. It
/// is opened once, and every byte arrives.
#[cfg(unix)]
#[test]
fn named_pipes_are_read_once() {
    use std::io::Write;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let sources = expand(&[path.to_str().unwrap().to_owned()]).unwrap();
    assert_eq!(sources[0].size(), None);
    for text in ["x", "http://a/\nhttp://b/\n"] {
        let to = path.clone();
        let writer = std::thread::spawn(move || {
            let mut pipe = fs::OpenOptions::new().write(true).open(to).unwrap();
            text.bytes().for_each(|b| pipe.write_all(&[b]).unwrap());
        });
        let reader = open(&sources[0], &no_progress()).unwrap();
        assert_eq!(crate::read_all(reader).unwrap(), text.as_bytes());
        writer.join().unwrap();
    }
}
