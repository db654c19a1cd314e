//! What the engine's batches (package `urimill`) use of the modules besides their public items: the same parser, ladder
//! and resolution as [`UriRef`](crate::UriRef), but by offsets that the kernels have written, into buffers that the
//! caller owns. Hidden and not public API: these functions trust offsets that only the kernels make, and change with
//! them from version to version. Other programs use [`UriRef`](crate::UriRef).

pub use crate::host::classify_as;
pub use crate::parse::{parse_full, parse_full_behind};
pub use crate::printable::{printable_bytes, printable_json_bytes};

/// The ladder, by offsets.
pub mod normalize {
    pub use crate::normalize::dots::has_encoded_dot_segments;
    pub use crate::normalize::percent::{Triplets, survey};
    pub use crate::normalize::scheme::port_number;
    pub use crate::normalize::*;
    pub use crate::normalize::{Changes, wants, wants_accepted, write, write_accepted};
}

/// Resolution, by offsets.
pub mod resolve {
    pub use crate::resolve::normal::{AsUri, as_uri};
    pub use crate::resolve::remarks::of_parts as remarks_of_parts;
    pub use crate::resolve::*;
    pub use crate::resolve::{Parts, Written, is_own_target, keeps_scheme, write};
}

/// The URL Standard, by offsets.
#[cfg(feature = "whatwg")]
pub mod whatwg {
    pub use crate::whatwg::{
        disagreements_of_path, is_plain, is_special, write, write_compared, write_relative,
    };
}

/// The flags of section 7, by offsets.
#[cfg(feature = "audit")]
pub mod audit {
    pub use crate::audit::*;
    pub use crate::audit::{
        has_device_name, has_encoded_device_name, of_changes, of_data, of_reference, of_repair, of_triplets,
        set_remarks,
    };
}

/// Keys and decoded parameters of paths, for columns.
#[cfg(feature = "canonical")]
pub mod canonical {
    pub use crate::canonical::path_params::{params_of, write_decoded};
    pub use crate::canonical::plain::{BEHIND, ROOM};
}

/// Decoded parameters of queries, for columns.
pub mod encode {
    pub use crate::encode::params::is_form_encoded;
}
