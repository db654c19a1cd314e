//! Reads a base and references from the arguments and prints the normal form of each target, with urimill-uri alone.
use urimill_uri::resolve::{Mode, normal_form};
use urimill_uri::{Level, UriRef};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (base, references) = arguments.split_first().ok_or("usage: resolve BASE REFERENCE…")?;
    let base = UriRef::parse(base)?;
    for reference in references {
        match UriRef::parse(reference) {
            Ok(reference) => println!("{}", normal_form(&base, &reference, Mode::Strict, Level::Scheme)?),
            Err(reject) => println!("{reference}: {reject}"),
        }
    }
    Ok(())
}
