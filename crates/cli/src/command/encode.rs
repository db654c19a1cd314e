//! `urimill encode` and `urimill decode`: data into a component's text and back, one a line.

use std::ffi::OsString;
use std::io::{IsTerminal, stdout};

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::texts::{exit, say_unanswered, texts};
use crate::args::values::specs;
use crate::exit::Exit;
use crate::term::stderr::printable;
use urimill::encode::{Part, decode, decode_leniently, decode_part, encode, encode_rest};
use urimill::error::{Error, Result};
use urimill::grammar::Spec;
use urimill::run::TextEnd;
use urimill::uri::UriRef;

/// What `urimill encode --help` ends with.
pub(crate) const ENCODE_EXAMPLES: &str = "\
Components, with the characters that they hold unencoded beside letters, digits and - . _ ~
  userinfo       ! $ & ' ( ) * + , ; = :
  host           ! $ & ' ( ) * + , ; =      (rfc3986-errata: nothing); UTF-8 alone (RFC 3986, 3.2.2)
  path           ! $ & ' ( ) * + , ; = : @ /
  segment        ! $ & ' ( ) * + , ; = : @
  first-segment  ! $ & ' ( ) * + , ; = @    (of a relative reference)
  query          ! $ & ' ( ) * + , ; = : @ / ?
  query-value    ! $ ' ( ) * , : @ / ?      (a name or a value in a query of name=value pairs)
  fragment       ! $ & ' ( ) * + , ; = : @ / ?
  unreserved     nothing                    (rfc2396: ! * ' ( ))

Examples:
  urimill encode --component segment 'AC/DC 100%'
      AC%2FDC%20100%25
  urimill encode --component path --keep-triplets '/a b/%41'
      /a%20b/%41
  find . -type f -print0 | urimill encode -z --component path | tr '\\0' '\\n'
      a line for each file, whatever its name";

/// What `urimill decode --help` ends with.
pub(crate) const DECODE_EXAMPLES: &str = "\
Examples:
  urimill decode AC%2FDC%20100%25
      AC/DC 100%
  urimill decode --from-uri --component query 'http://example.com/?q=caf%C3%A9'
      q=café
  urimill decode --component segment a/b
      fails: a segment with a slash has not been split";

/// The arguments of `urimill encode`; their comments are the help text.
#[derive(Debug, Args)]
pub(crate) struct EncodeArguments {
    /// Data, any bytes [default: the lines of standard input]
    #[arg(value_name = "TEXT")]
    texts: Vec<OsString>,

    /// The component for which the data is encoded: every byte that it cannot hold, and every %
    #[arg(short, long, value_name = "COMPONENT", default_value = "unreserved", value_parser = parts())]
    component: Part,

    /// Keep triplets such as %41, for texts that are encoded in part
    #[arg(short, long)]
    keep_triplets: bool,

    /// Texts on standard input end with NUL bytes instead of line ends, and so do the results
    #[arg(short = 'z', long)]
    null: bool,

    /// The specification that decides what a component can hold
    #[arg(long, value_name = "SPEC", default_value = "rfc3986", value_parser = specs())]
    spec: Spec,
}

/// The arguments of `urimill decode`; their comments are the help text.
#[derive(Debug, Args)]
pub(crate) struct DecodeArguments {
    /// Components or parts of them [default: the lines of standard input]
    #[arg(value_name = "TEXT")]
    texts: Vec<OsString>,

    /// The component that the texts are: a character that it cannot hold is an error, because it should have
    /// been encoded, or split off before
    #[arg(short, long, value_name = "COMPONENT", value_parser = parts())]
    component: Option<Part>,

    /// The texts are URI references: split each, then decode its COMPONENT, which is empty if it is undefined
    #[arg(short = 'u', long, requires = "component", conflicts_with = "lenient")]
    from_uri: bool,

    /// Keep a % that begins no triplet, and accept every character
    #[arg(long)]
    lenient: bool,

    /// Texts on standard input end with NUL bytes instead of line ends, and so do the results
    #[arg(short = 'z', long)]
    null: bool,

    /// The specification that decides what a component can hold
    #[arg(long, value_name = "SPEC", default_value = "rfc3986", value_parser = specs())]
    spec: Spec,
}

fn parts() -> impl TypedValueParser<Value = Part> {
    PossibleValuesParser::new(Part::ALL.map(Part::as_str)).try_map(|name| name.parse::<Part>())
}

fn end(null: bool) -> TextEnd {
    if null { TextEnd::Nul } else { TextEnd::LineFeed }
}

pub(crate) fn run_encode(arguments: &EncodeArguments) -> Result<Exit> {
    let (part, spec) = (arguments.component, arguments.spec);
    let answer = |text: &[u8], out: &mut Vec<u8>| {
        let encoded = match arguments.keep_triplets {
            false => encode(text, part, spec),
            true => encode_rest(text, part, spec),
        };
        out.extend_from_slice(encoded.map_err(|fault| fault.to_string())?.as_bytes());
        Ok(())
    };
    texts(&arguments.texts).end(end(arguments.null)).run(answer, say_unanswered).map(exit)
}

pub(crate) fn run_decode(arguments: &DecodeArguments) -> Result<Exit> {
    let spec = arguments.spec;
    let component = arguments.component.filter(|_| arguments.from_uri).map(component).transpose()?;
    // What a triplet stands for may speak to a terminal; a pipe or a file gets the bytes.
    let escapes = stdout().is_terminal();
    let answer = |text: &[u8], out: &mut Vec<u8>| {
        let data = match (component, arguments.component) {
            (Some(component), _) => {
                let uri = UriRef::parse_as(text, spec).map_err(|reject| reject.to_string())?;
                decode(component(&uri).unwrap_or_default())
            }
            (None, _) if arguments.lenient => Ok(decode_leniently(text)),
            (None, Some(part)) => decode_part(text, part, spec),
            (None, None) => decode(text),
        };
        let data = data.map_err(|fault| fault.to_string())?;
        match escapes {
            true => out.extend_from_slice(printable(&String::from_utf8_lossy(&data)).as_bytes()),
            false => out.extend_from_slice(&data),
        }
        Ok(())
    };
    texts(&arguments.texts).end(end(arguments.null)).run(answer, say_unanswered).map(exit)
}

/// Where a component stands in a URI reference.
type Of = for<'a> fn(&UriRef<'a>) -> Option<&'a str>;

/// The way to a part that splitting alone gives.
fn component(part: Part) -> Result<Of> {
    match part {
        Part::Userinfo => Ok(|uri| uri.userinfo()),
        Part::Host => Ok(|uri| uri.host()),
        Part::Path => Ok(|uri| Some(uri.path())),
        Part::Query => Ok(|uri| uri.query()),
        Part::Fragment => Ok(|uri| uri.fragment()),
        _ => Err(Error::usage(format!(
            "a URI has no component {part}: with --from-uri use userinfo, host, path, query or fragment"
        ))),
    }
}
