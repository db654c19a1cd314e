//! `urimill encode` and `urimill decode`: data to a component's text and back, one text a line.

use std::io::{IsTerminal, stdout};

use super::texts::{exit, say_unanswered};
use crate::args::options::Given;
use crate::exit::Exit;
use crate::term::stderr::printable;
use urimill::encode::{Part, decode, decode_leniently, decode_part, encode, encode_rest};
use urimill::error::{Error, Result};
use urimill::option_name::OptionName;
use urimill::run::TextEnd;
use urimill::run::options::Job;
use urimill::uri::UriRef;

/// The text after the options in `urimill encode --help`.
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

/// The text after the options in `urimill decode --help`.
pub(crate) const DECODE_EXAMPLES: &str = "\
Examples:
  urimill decode AC%2FDC%20100%25
      AC/DC 100%
  urimill decode --from-uri --component query 'http://example.com/?q=caf%C3%A9'
      q=café
  urimill decode --component segment a/b
      fails: a segment with a slash has not been split";

/// The arguments of `urimill encode`.
pub(crate) type EncodeArguments = Given<{ Job::Encode as usize }>;

/// The arguments of `urimill decode`.
pub(crate) type DecodeArguments = Given<{ Job::Decode as usize }>;

impl<const JOB: usize> Given<JOB> {
    fn end(&self) -> TextEnd {
        if self.is_on(OptionName::Null) { TextEnd::Nul } else { TextEnd::LineFeed }
    }
}

pub(crate) fn run_encode(arguments: &EncodeArguments) -> Result<Exit> {
    let part = arguments.parsed(OptionName::Component).unwrap_or(Part::Unreserved);
    let spec = arguments.parsed(OptionName::Spec).unwrap_or_default();
    let encode = if arguments.is_on(OptionName::KeepTriplets) { encode_rest } else { encode };
    let answer = |text: &[u8], out: &mut Vec<u8>| {
        let encoded = encode(text, part, spec).map_err(|fault| fault.to_string())?;
        out.extend_from_slice(encoded.as_bytes());
        Ok(())
    };
    arguments.answered().end(arguments.end()).run(answer, say_unanswered).map(exit)
}

pub(crate) fn run_decode(arguments: &DecodeArguments) -> Result<Exit> {
    let spec = arguments.parsed(OptionName::Spec).unwrap_or_default();
    let (part, is_lenient) = (arguments.parsed(OptionName::Component), arguments.is_on(OptionName::Lenient));
    let component = part.filter(|_| arguments.is_on(OptionName::FromUri)).map(component).transpose()?;
    // Decoded bytes may be control sequences: they are escaped on a terminal, and written as they are to a pipe or
    // file.
    let escapes = stdout().is_terminal();
    let answer = |text: &[u8], out: &mut Vec<u8>| {
        let data = match (component, part) {
            (Some(component), _) => {
                let uri = UriRef::parse_as(text, spec).map_err(|reject| reject.to_string())?;
                decode(component(&uri).unwrap_or_default())
            }
            (None, _) if is_lenient => Ok(decode_leniently(text)),
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
    arguments.answered().end(arguments.end()).run(answer, say_unanswered).map(exit)
}

/// A component of a URI reference.
type Of = for<'a> fn(&UriRef<'a>) -> Option<&'a str>;

/// The function that returns a component as it is written in a URI reference.
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
