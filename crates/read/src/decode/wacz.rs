//! WACZ, web archives in a zip archive (WACZ 1.1): its directory gives the places of the archives and their indexes,
//! and each is read from there as a separate source. The decoders remove any compression of their own.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::Crc;
use flate2::read::DeflateDecoder;
use urimill_base::error::{Error, ErrorKind, Result};
use urimill_base::files::File;
use zip::{CompressionMethod, ZipArchive};

use super::Wanted;

/// A larger directory is not read into memory, where it takes four times its length.
const LARGEST_DIRECTORY: u64 = 16 << 20;

/// Compressed data do not shrink again: a file of more than this many times its stored bytes was made to take long.
const MOST_TIMES: u64 = 100;
/// This many bytes are added to the stored ones of each file first, so that small files may expand more.
const FREE: u64 = 1000;

/// The beginning of a zip archive: its first file, or its directory if it has none.
const MAGICS: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];

/// A file in a zip archive.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    path: PathBuf,
    /// Its path there.
    name: String,
    start: u64,
    stored: u64,
    size: u64,
    crc: u32,
    is_deflated: bool,
}

/// The parts of the WACZ file at `path`, which the user may have declared as WACZ; `None` if it is not one.
///
/// # Errors
/// `Io` if it cannot be read; `Data` if its directory is damaged; usage if it holds no wanted file, or an unsupported
/// one: encrypted files, and compression other than deflate.
pub(crate) fn parts(path: &Path, wanted: Wanted, is_named: bool) -> Result<Option<Vec<Part>>> {
    let failed = |error| Error::path("read", path, error);
    // Reading a pipe here would take bytes from its real reader.
    if !urimill_base::files::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        return Ok(None);
    }
    let mut file = File::open(path).map_err(failed)?;
    let mut magic = Vec::new();
    (&mut file).take(4).read_to_end(&mut magic).map_err(failed)?;
    if !MAGICS.contains(&&magic[..]) {
        return Ok(None);
    }
    let directory = directory_size(&mut file).map_err(failed)?;
    if directory.is_some_and(|size| size > LARGEST_DIRECTORY) {
        return Err(Error::usage(format!(
            "cannot read {}: the directory of this zip archive takes more than {} MiB; unpack it, and give the files in \
             it",
            path.display(),
            LARGEST_DIRECTORY >> 20
        )));
    }
    file.rewind().map_err(failed)?;
    let damaged = |error: zip::result::ZipError| match error {
        zip::result::ZipError::Io(error) => failed(error),
        error => {
            let what = format!("cannot read {}: the zip archive is damaged ({error})", path.display());
            Error::new(ErrorKind::Data, what)
        }
    };
    let mut zip = match ZipArchive::new(file) {
        Ok(zip) => zip,
        // A file not declared as WACZ may be anything.
        Err(_) if !is_named => return Ok(None),
        Err(error) => return Err(damaged(error)),
    };
    let mut own = File::open(path).map_err(failed)?;
    let (mut parts, mut places, mut is_wacz) = (Vec::new(), Vec::new(), false);
    for at in 0..zip.len() {
        let entry = zip.by_index_raw(at).map_err(damaged)?;
        let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
        // The names decide which files are read, and have no checksum.
        if own_name(&mut own, entry.header_start()).map_err(failed)? != entry.name_raw() {
            let what = format!(
                "cannot read {}: the zip archive is damaged (of {name} its directory and its place say different names)",
                path.display()
            );
            return Err(Error::new(ErrorKind::Data, what));
        }
        if let Some(start) = entry.data_start() {
            places.push((entry.header_start(), start.saturating_add(entry.compressed_size())));
        }
        is_wacz |= name == "datapackage.json" || is_wanted(&name, Wanted::Archives);
        if !is_wanted(&name, wanted) {
            continue;
        }
        let is_deflated = match entry.compression() {
            CompressionMethod::Stored => false,
            method if is_deflate(method) => true,
            _ => return Err(unread(path, &name, "is compressed in a way that is not read")),
        };
        if entry.encrypted() {
            return Err(unread(path, &name, "is encrypted"));
        }
        let (stored, size, crc) = (entry.compressed_size(), entry.size(), entry.crc32());
        let Some(start) = entry.data_start() else {
            return Err(unread(path, &name, "stands at no known place"));
        };
        let is_compressed = [".gz", ".zst"].iter().any(|end| name.ends_with(end));
        if is_deflated && is_compressed && size > MOST_TIMES.saturating_mul(stored.saturating_add(FREE)) {
            return Err(unread(path, &name, "is compressed twice, to less than a hundredth"));
        }
        parts.push(Part { path: path.to_owned(), name, start, stored, size, crc, is_deflated });
    }
    if !is_wacz {
        return Ok(None);
    }
    // Files that share their bytes could make very many files of a few bytes.
    places.sort_unstable();
    if let Some(pair) = places.windows(2).find(|pair| pair[0].1 > pair[1].0) {
        let what = format!(
            "cannot read {}: the zip archive is damaged (by its directory two of its files have the byte {})",
            path.display(),
            pair[1].0
        );
        return Err(Error::new(ErrorKind::Data, what));
    }
    if parts.is_empty() {
        let what = if wanted == Wanted::Archives {
            "web archive (archive/*.warc.gz)"
        } else {
            "index (indexes/*.cdxj)"
        };
        return Err(Error::usage(format!("{} is a WACZ file that holds no {what}", path.display())));
    }
    Ok(Some(parts))
}

/// The name of a file as written before its bytes (APPNOTE 4.3.7); empty if there is none.
fn own_name(file: &mut File, start: u64) -> io::Result<Vec<u8>> {
    const HEADER: usize = 30;
    let mut header = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    file.take(HEADER as u64).read_to_end(&mut header)?;
    let length = header.get(26..28).map_or(0, |bytes| u16::from_le_bytes([bytes[0], bytes[1]]));
    let mut name = Vec::new();
    file.take(u64::from(length)).read_to_end(&mut name)?;
    Ok(name)
}

/// Decoded here, and unknown to the library, which is built without decoders.
fn is_deflate(method: CompressionMethod) -> bool {
    #[allow(deprecated)]
    let is = matches!(method, CompressionMethod::Unsupported(8));
    is
}

fn unread(path: &Path, name: &str, what: &str) -> Error {
    Error::usage(format!("cannot read {}: {name} in it {what}; unpack it first", path.display()))
}

fn is_wanted(name: &str, wanted: Wanted) -> bool {
    let (folder, ends): (&str, &[&str]) = match wanted {
        Wanted::Archives => ("archive/", &[".warc", ".warc.gz", ".warc.zst"]),
        Wanted::Indexes => ("indexes/", &[".cdxj", ".cdx", ".cdxj.gz", ".cdx.gz"]),
    };
    name.starts_with(folder) && ends.iter().any(|end| name.ends_with(end))
}

/// The bytes of the directory of a zip archive, found from its end (APPNOTE 4.3.16 and, for large ones, 4.3.14).
fn directory_size(file: &mut File) -> io::Result<Option<u64>> {
    const END: usize = 22;
    let length = file.seek(SeekFrom::End(0))?;
    let seen = length.min(END as u64 + 65_535 + 20);
    file.seek(SeekFrom::Start(length - seen))?;
    let mut tail = vec![0; seen as usize];
    file.read_exact(&mut tail)?;
    let Some(end) = memchr::memmem::rfind(&tail, b"PK\x05\x06") else { return Ok(None) };
    let number = |bytes: &[u8], at: usize| -> Option<u64> {
        bytes.get(at..at + 4).map(|b| u64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]])))
    };
    let long = |bytes: &[u8], at: usize| Some(number(bytes, at)? | number(bytes, at + 4)? << 32);
    match number(&tail, end + 12) {
        Some(0xffff_ffff) => {
            let locator = end.checked_sub(20).filter(|&at| tail[at..].starts_with(b"PK\x06\x07"));
            let Some(place) = locator.and_then(|at| long(&tail, at + 8)) else { return Ok(None) };
            if place > length.saturating_sub(56) {
                return Ok(None);
            }
            file.seek(SeekFrom::Start(place))?;
            let mut record = [0; 56];
            file.read_exact(&mut record)?;
            Ok(long(&record, 40))
        }
        size => Ok(size),
    }
}

impl Part {
    /// Its bytes.
    pub(crate) fn open(&self) -> Result<Box<dyn Read + Send>> {
        let failed = |error| Error::path("read", &self.path, error);
        let mut file = File::open(&self.path).map_err(failed)?;
        file.seek(SeekFrom::Start(self.start)).map_err(failed)?;
        let stored = file.take(self.stored);
        let inner: Box<dyn Read + Send> = match self.is_deflated {
            true => Box::new(DeflateDecoder::new(stored)),
            false => Box::new(stored),
        };
        Ok(Box::new(Entry { inner, crc: Crc::new(), read: 0, part: self.clone() }))
    }

    /// Its path in the archive.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Its name, without folders.
    pub(crate) fn file_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }
}

/// Reads a part, and checks at its end that it is complete.
struct Entry {
    inner: Box<dyn Read + Send>,
    crc: Crc,
    read: u64,
    part: Part,
}

impl Read for Entry {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(out).map_err(|error| match error.kind() {
            // The error of the deflate decoder.
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
                self.damaged("its deflate stream is corrupt")
            }
            io::ErrorKind::UnexpectedEof => self.damaged("its deflate stream is truncated"),
            _ => error,
        })?;
        self.crc.update(&out[..read]);
        self.read += read as u64;
        if self.read > self.part.size {
            return Err(self.damaged("it is longer than the directory says"));
        }
        if read == 0 && !out.is_empty() {
            if self.read < self.part.size {
                return Err(self.damaged("it is truncated"));
            }
            if self.crc.sum() != self.part.crc {
                return Err(self.damaged("its checksum is wrong"));
            }
        }
        Ok(read)
    }
}

impl Entry {
    fn damaged(&self, what: &str) -> io::Error {
        io::Error::new(
            io::ErrorKind::InvalidData,
            format!("the zip archive is damaged: of {} {what}", self.part.name),
        )
    }
}
