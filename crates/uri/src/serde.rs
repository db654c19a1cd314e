//! Serialization of URIs with serde, as their texts.

use core::fmt;

use serde_core::de::{self, Deserialize, Deserializer, Visitor};
use serde_core::ser::{Serialize, Serializer};

use crate::reference::UriRef;
use crate::uri::Uri;

impl Serialize for UriRef<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl Serialize for Uri {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// By RFC 3986. The text must be borrowed from the input.
impl<'de: 'a, 'a> Deserialize<'de> for UriRef<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<UriRef<'a>, D::Error> {
        let text = <&str>::deserialize(deserializer)?;
        UriRef::parse(text).map_err(de::Error::custom)
    }
}

/// By RFC 3986.
impl<'de> Deserialize<'de> for Uri {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Uri, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Uri;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a URI reference")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Uri, E> {
                Uri::parse(text).map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Text)
    }
}
