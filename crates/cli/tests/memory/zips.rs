//! Zip archives that are made to take much: one twice as large takes no more memory.

use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;
use flate2::{Compress, Compression, Crc, FlushCompress};

use super::inputs::measure;

/// A file in the archive: its name, method, bytes as stored, and the size and checksum that are stated.
struct Member {
    name: String,
    method: u16,
    stored: Vec<u8>,
    size: u32,
    crc: u32,
}

fn plain(name: &str, text: &[u8]) -> Member {
    let mut crc = Crc::new();
    crc.update(text);
    Member {
        name: name.to_owned(),
        method: 0,
        stored: text.to_vec(),
        size: text.len() as u32,
        crc: crc.sum(),
    }
}

/// A text, and so many times another one, deflated.
fn deflated(name: &str, text: &[u8], (piece, times): (&[u8], usize)) -> Member {
    let blocks = |text: &[u8]| {
        let mut stored = Vec::with_capacity(text.len() + 1000);
        let mut compress = Compress::new(Compression::best(), false);
        compress.compress_vec(text, &mut stored, FlushCompress::Full).unwrap();
        assert_eq!(compress.total_in(), text.len() as u64);
        stored
    };
    let (mut crc, mut of_piece) = (Crc::new(), Crc::new());
    crc.update(text);
    of_piece.update(piece);
    (0..times).for_each(|_| crc.combine(&of_piece));
    // The last block has no bytes.
    let stored = [blocks(text), blocks(piece).repeat(times), b"\x03\0".to_vec()].concat();
    let size = (text.len() + times * piece.len()) as u32;
    Member { name: name.to_owned(), method: 8, stored, size, crc: crc.sum() }
}

/// What the place of a file and the directory say alike, with an extra field of so many bytes.
fn fields(of: &Member, extra: usize) -> Vec<u8> {
    let mut bytes = vec![20, 0, 0, 0];
    bytes.extend(of.method.to_le_bytes());
    bytes.extend([0; 4]);
    [of.crc, of.stored.len() as u32, of.size].iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    [of.name.len(), extra].iter().for_each(|&number| bytes.extend((number as u16).to_le_bytes()));
    bytes
}

fn head(of: &Member, extra: usize) -> Vec<u8> {
    [b"PK\x03\x04", &fields(of, extra)[..], of.name.as_bytes()].concat()
}

fn entry(of: &Member, place: usize) -> Vec<u8> {
    let place = (place as u32).to_le_bytes();
    [b"PK\x01\x02\x14\0", &fields(of, 0)[..], &[0; 10], &place, of.name.as_bytes()].concat()
}

/// The archive of these bytes and this directory.
fn archive(path: &Path, mut bytes: Vec<u8>, directory: &[Vec<u8>]) {
    let (place, entries) = (bytes.len() as u32, (directory.len() as u16).to_le_bytes());
    let directory = directory.concat();
    bytes.extend(&directory);
    bytes.extend([b"PK\x05\x06\0\0\0\0", &entries[..], &entries].concat());
    [directory.len() as u32, place].iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    bytes.extend([0; 2]);
    std::fs::write(path, bytes).unwrap();
}

/// A WACZ file of these files, one after the other.
fn in_order(path: &Path, members: Vec<Member>) {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for of in std::iter::once(plain("datapackage.json", b"{}")).chain(members) {
        directory.push(entry(&of, bytes.len()));
        bytes.extend(head(&of, 0));
        bytes.extend(&of.stored);
    }
    archive(path, bytes, &directory);
}

/// Many names for the same bytes: each head lies in the extra field of those before it.
fn overlapping(path: &Path, count: usize) {
    let first = plain("datapackage.json", b"");
    let shared = deflated("archive/0000.warc", &record().repeat(10_000), (b"", 0));
    let size = head(&shared, 0).len();
    let (mut bytes, mut directory) = (head(&first, 0), vec![entry(&first, 0)]);
    for number in 0..count {
        let name = format!("archive/{number:04}.warc");
        let of = Member { name, stored: shared.stored.clone(), ..shared };
        directory.push(entry(&of, bytes.len()));
        bytes.extend(head(&of, (count - 1 - number) * size));
    }
    bytes.extend(&shared.stored);
    archive(path, bytes, &directory);
}

/// A directory of so many files with names of so many bytes.
fn many(path: &Path, count: usize, name: usize) {
    let names = (1..count).map(|number| plain(&format!("{number:0name$}"), b""));
    in_order(path, names.collect());
}

/// Line feeds in gzip: a member for each mebibyte.
fn gzip(mebibytes: usize) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&[b'\n'; 1 << 20]).unwrap();
    encoder.finish().unwrap().repeat(mebibytes)
}

const HTTP: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=/x>y</a>";

/// A response that has so many bytes more.
fn response(more: usize) -> Vec<u8> {
    let length = HTTP.len() + more;
    format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h/\r\nWARC-Date: 2024-01-01T00:00:00Z\r\n\
         Content-Type: application/http\r\nContent-Length: {length}\r\n\r\n{HTTP}"
    )
    .into_bytes()
}

fn record() -> Vec<u8> {
    [&response(0)[..], b"\r\n\r\n"].concat()
}

/// (what it is, how one of a size is made, the command, exit code, what is said): of one of size 1 and of one of size 2
/// memory is less than the bound.
#[test]
fn zip_bombs_take_little_memory() {
    let dir = tempfile::tempdir().unwrap();
    let long = |size: usize| {
        let piece = [b'x'; 1 << 20];
        deflated("archive/a.warc", &response(size << 28), (&piece, size << 8))
    };
    let twice = |path: &Path, name: &str, size: usize| {
        in_order(path, vec![deflated(name, &gzip(size << 9), (b"", 0))]);
    };
    let within = |path: &Path, size: usize| {
        in_order(path, vec![long(size)]);
        let inner = std::fs::read(path).unwrap();
        in_order(
            path,
            vec![deflated("archive/a.warc", &inner, (b"", 0)), plain("archive/b.warc", &record())],
        );
    };
    type Make<'m> = &'m dyn Fn(&Path, usize);
    let shared: Make<'_> = &|path, size| overlapping(path, 500 * size);
    let table: [(&str, Make<'_>, &str, i32, &str); 9] = [
        ("files that share their bytes", shared, "links", 3, "two of its files"),
        ("the same, named", shared, "normalize --from wacz", 3, "two of its files"),
        (
            "an archive compressed twice",
            &|path, size| twice(path, "archive/a.warc.gz", size),
            "normalize --from wacz",
            2,
            "compressed twice",
        ),
        (
            "an index compressed twice",
            &|path, size| twice(path, "indexes/i.cdx.gz", size),
            "normalize --from cdxj",
            2,
            "compressed twice",
        ),
        (
            "a file that is longer than it says",
            &|path, size| in_order(path, vec![Member { size: 100, ..long(size) }]),
            "links",
            3,
            "longer than the directory says",
        ),
        ("a long file", &|path, size| in_order(path, vec![long(size)]), "links", 0, "1 page"),
        ("a zip archive in one", &within, "normalize --from wacz", 2, "not a WARC file"),
        ("a directory of 13 and 26 MiB", &|path, size| many(path, 25_000 * size, 500), "links", 2, "archive"),
        ("files of no bytes", &|path, size| many(path, 20_000 * size, 6), "links", 2, "no web archive"),
    ];
    for (what, make, command, code, said) in table {
        for size in [1, 2] {
            let path: PathBuf = dir.path().join(format!("{size}.wacz"));
            make(&path, size);
            let bytes = std::fs::metadata(&path).unwrap().len();
            let line = format!("{command} {} --to csv --threads 2 -o /dev/null --force", path.display());
            let (found, mebibytes, stderr) = measure(&line, Default::default());
            println!("{what}: {bytes} bytes, {mebibytes} MiB");
            assert_eq!(found, Some(code), "{what}: {stderr}");
            assert!(stderr.contains(said) && (code == 0 || stderr.lines().count() == 1), "{what}: {stderr}");
            assert!((2..128).contains(&mebibytes), "{what}: {mebibytes} MiB");
        }
    }
}

/// Files one after the other have their links, compressed twice or not.
#[test]
fn zip_archives_without_tricks_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&record()).unwrap();
    let packed = encoder.finish().unwrap();
    let path = dir.path().join("a.wacz");
    in_order(
        &path,
        vec![
            deflated("archive/a.warc.gz", &packed, (b"", 0)),
            plain("archive/b.warc.gz", &packed),
            deflated("archive/c.warc", &record(), (b"", 0)),
        ],
    );
    let line = format!("links {} --to csv -o /dev/null --force", path.display());
    let (code, _, said) = measure(&line, Default::default());
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("3 pages"), "{said}");
}
