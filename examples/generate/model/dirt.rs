//! Dirt: changes that make a line one that a reader must normalize, check twice, or reject.
//!
//! A line gets at most one kind of dirt. It is written clean first, and then changed in place, which moves some bytes
//! in the few lines that are dirty.

use super::hosts::Hosts;
use super::paths::{write_decimal, write_triplet};
use super::rng::Rng;
use super::words::{FOREIGN, WORDS};
use super::{Share, share};

/// A kind of dirt.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    EmptyPath,
    Unreserved,
    UpperHost,
    LowerHex,
    Port,
    UpperScheme,
    Userinfo,
    Dots,
    Address,
    International,
    OtherScheme,
    Relative,
    Space,
    Backslash,
    Quote,
    NonAscii,
    Bracket,
    Bar,
    BadTriplet,
    SecondHash,
    Control,
    BadPort,
}

/// Share of a million lines. Kinds with less than a hundred lines in a million in the real lists have a hundred here.
pub(crate) const DIRT: [(Kind, Share); 12] = [
    (Kind::EmptyPath, share("authority with an empty path", 7_200)),
    (Kind::Unreserved, share("triplet of an unreserved character", 2_800)),
    (Kind::UpperHost, share("upper case in the host", 700)),
    (Kind::LowerHex, share("lower-case hexadecimal digits", 320)),
    (Kind::Port, share("port (half of them the default one)", 230)),
    (Kind::UpperScheme, share("upper case in the scheme", 100)),
    (Kind::Userinfo, share("userinfo", 100)),
    (Kind::Dots, share("dot segments", 100)),
    (Kind::Address, share("IPv4 or IPv6 address as host", 100)),
    (Kind::International, share("punycode or percent-encoded host", 100)),
    (Kind::OtherScheme, share("other scheme (ftp, mailto, urn, dns, …)", 100)),
    (Kind::Relative, share("relative reference", 100)),
];

/// The lines that RFC 3986 rejects, by their fault.
pub(crate) const INVALID: [(Kind, Share); 10] = [
    (Kind::Space, share("space", 900)),
    (Kind::Backslash, share("backslash", 650)),
    (Kind::Quote, share("double quote", 620)),
    (Kind::NonAscii, share("byte outside ASCII", 220)),
    (Kind::Bracket, share("[ ] { } < > ^ or ` in the path", 150)),
    (Kind::Bar, share("|", 60)),
    (Kind::BadTriplet, share("broken triplet", 20)),
    (Kind::SecondHash, share("second #", 20)),
    (Kind::Control, share("control character", 10)),
    (Kind::BadPort, share("port that is no number", 10)),
];

/// The share of several kinds together, per million.
pub(crate) fn total_share(kinds: &[(Kind, Share)]) -> u32 {
    kinds.iter().map(|(_, share)| share.per_million).sum()
}

/// Where the parts of a clean line begin: the line, its host, its path.
pub(super) struct Marks {
    pub(super) start: usize,
    pub(super) host: usize,
    pub(super) path: usize,
}

/// Chooses the lines to soil, and how.
pub(super) struct Dirt {
    /// Running sums of the shares per million.
    kinds: Vec<(u32, Kind)>,
    words: Vec<&'static str>,
    foreign: Vec<&'static str>,
}

impl Dirt {
    pub(super) fn new(factor: f64) -> Result<Self, String> {
        let all = f64::from(total_share(&DIRT) + total_share(&INVALID));
        let most = 1e6 / all;
        if !(0.0..=most).contains(&factor) {
            return Err(format!(
                "--dirt must lie between 0 and {most:.0}, where every line is dirty; it is {factor}"
            ));
        }
        let mut sum = 0;
        let mut kinds = Vec::new();
        for (kind, share) in DIRT.iter().chain(&INVALID) {
            sum += (f64::from(share.per_million) * factor).round() as u32;
            kinds.push((sum, *kind));
        }
        Ok(Dirt { kinds, words: WORDS.split(' ').collect(), foreign: FOREIGN.split(' ').collect() })
    }

    /// The dirt of the next line, if it has any.
    pub(super) fn draw(&self, rng: &mut Rng) -> Option<Kind> {
        let point = rng.below(1_000_000);
        let &(all, _) = self.kinds.last()?;
        if point >= all {
            return None;
        }
        self.kinds.iter().find(|(sum, _)| point < *sum).map(|&(_, kind)| kind)
    }

    /// Applies the dirt to the line at the end of `out`.
    pub(super) fn soil(
        &self,
        kind: Kind,
        rng: &mut Rng,
        hosts: &Hosts,
        out: &mut Vec<u8>,
        marks: &mut Marks,
    ) {
        let Marks { start, host, path } = *marks;
        match kind {
            Kind::EmptyPath => out.truncate(path),
            Kind::Unreserved => {
                let mut triplet = Vec::new();
                write_triplet(b"ABCXYZabcxyz0189-_~"[rng.below(19) as usize], &mut triplet);
                insert(out, path + 1, &triplet);
            }
            Kind::UpperHost if rng.chance(500_000) => out[host..path].make_ascii_uppercase(),
            Kind::UpperHost => out[host].make_ascii_uppercase(),
            Kind::LowerHex => {
                insert(out, path + 1, rng.pick(&["caf%c3%a9/", "%e6%97%a5%e6%9c%ac-", "a%2fb-"]).as_bytes())
            }
            Kind::Port => self.add_port(rng, out, start, path),
            Kind::UpperScheme if rng.chance(500_000) => out[start..host].make_ascii_uppercase(),
            Kind::UpperScheme => out[start].make_ascii_uppercase(),
            Kind::Userinfo => {
                let userinfo = ["user@", "anonymous:guest@", "admin:p%40ss@", "www.bank.example@", "@"];
                insert(out, host, rng.pick(&userinfo).as_bytes());
            }
            Kind::Dots => {
                insert(out, path, rng.pick(&["/.", "/..", "/a/..", "/../..", "/./.", "/%2E%2E"]).as_bytes())
            }
            Kind::Address => replace(out, host..path, &address(rng)),
            Kind::International => {
                let names = [
                    "xn--bcher-kva.example",
                    "xn--fiqs8s.example",
                    "b%C3%BCcher.example",
                    "www.xn--80ak6aa92e.example",
                ];
                replace(out, host..path, rng.pick(&names).as_bytes());
            }
            Kind::OtherScheme => self.write_other_scheme(rng, hosts, out, start),
            Kind::Relative => {
                let references = ["", "en", "//cdn.example.com"];
                replace(out, start..path, rng.pick(&references).as_bytes());
            }
            _ => self.spoil(kind, rng, out, path),
        }
    }

    /// Makes the line invalid.
    fn spoil(&self, kind: Kind, rng: &mut Rng, out: &mut Vec<u8>, path: usize) {
        match kind {
            Kind::Space if rng.chance(500_000) => out.push(b' '),
            Kind::Space => insert(out, path + 1, format!("{} ", rng.pick(&self.words)).as_bytes()),
            Kind::Backslash => out.extend_from_slice(rng.pick(&["\\", "\\\"", "\\index.html"]).as_bytes()),
            Kind::Quote => out.extend_from_slice(rng.pick(&["\"", "\">", "\"target=_blank"]).as_bytes()),
            // One in eight is Latin-1, which is not UTF-8.
            Kind::NonAscii if rng.chance(125_000) => insert(out, path + 1, b"caf\xE9-"),
            Kind::NonAscii => insert(out, path + 1, format!("{}-", rng.pick(&self.foreign)).as_bytes()),
            Kind::Bracket => {
                let texts = ["[1]", "[]", "{id}", "{{name}}", "<b>", "^", "`"];
                insert(out, path + 1, rng.pick(&texts).as_bytes());
            }
            Kind::Bar => out.extend_from_slice(b"|utm"),
            Kind::BadTriplet => {
                out.extend_from_slice(rng.pick(&["%", "%4", "%zz", "%u00e9", "100%"]).as_bytes())
            }
            Kind::SecondHash => out.extend_from_slice(b"#top#bottom"),
            Kind::Control => insert(out, path + 1, rng.pick(&["\t", "\0", "\u{1}", "\u{7f}"]).as_bytes()),
            _ => insert(out, path, rng.pick(&[":80a", ":-1", ":http", ":8080:80"]).as_bytes()),
        }
    }

    fn add_port(&self, rng: &mut Rng, out: &mut Vec<u8>, start: usize, path: usize) {
        let default: &[u8] = if out[start..].starts_with(b"https") { b":443" } else { b":80" };
        let port = if rng.chance(500_000) {
            default
        } else {
            rng.pick(&[":8080", ":81", ":8001", ":8090", ":8443", ":"]).as_bytes()
        };
        insert(out, path, port);
    }

    fn write_other_scheme(&self, rng: &mut Rng, hosts: &Hosts, out: &mut Vec<u8>, start: usize) {
        out.truncate(start);
        let word = rng.pick(&self.words);
        let number = rng.bits();
        match rng.below(8) {
            0 => out.extend_from_slice(format!("urn:isbn:{}", number % 10_000_000_000).as_bytes()),
            1 => {
                out.extend_from_slice(format!("tel:+1-{:03}-{:04}", number % 1000, number % 9973).as_bytes())
            }
            2 => out.extend_from_slice(format!("javascript:{word}({})", number % 1000).as_bytes()),
            3 => out.extend_from_slice(format!("data:text/plain,{word}{number:x}").as_bytes()),
            other => {
                let head =
                    ["dns:".to_owned(), "ftp://".to_owned(), format!("mailto:{word}@"), "ftp://".to_owned()];
                out.extend_from_slice(head[other as usize - 4].as_bytes());
                hosts.write(hosts.draw_once(rng), out);
                if head[other as usize - 4].starts_with("ftp") {
                    out.extend_from_slice(format!("/pub/{word}/").as_bytes());
                }
            }
        }
    }
}

/// An IPv4 address, or an IPv6 address in one of its forms (RFC 3986, 3.2.2).
fn address(rng: &mut Rng) -> Vec<u8> {
    let bits = rng.bits();
    let mut text = Vec::new();
    if bits.is_multiple_of(4) {
        let (low, high) = (bits >> 48, bits >> 16 & 0xFFFF);
        let forms = [
            format!("[2001:db8::{low:x}:{high:x}]"),
            format!("[2001:DB8:0:0:{low:X}:0:0:{high:x}]"),
            format!("[::FFFF:192.0.2.{}]", low % 256),
        ];
        text.extend_from_slice(forms[rng.below(3) as usize].as_bytes());
    } else {
        for (index, byte) in (bits as u32).to_be_bytes().into_iter().enumerate() {
            if index > 0 {
                text.push(b'.');
            }
            write_decimal(u32::from(byte), &mut text);
        }
    }
    text
}

fn insert(out: &mut Vec<u8>, at: usize, text: &[u8]) {
    replace(out, at..at, text);
}

fn replace(out: &mut Vec<u8>, range: std::ops::Range<usize>, text: &[u8]) {
    out.splice(range, text.iter().copied());
}
