//! Options start from the default and are changed one by one: each field has a method, so that a new field breaks no
//! caller.

/// `new`, which is the default, and a method for each field, with the field's name.
macro_rules! setters {
    ($name:ident $(<$life:lifetime>)? { $($(#[$attribute:meta])* $field:ident: $type:ty),+ $(,)? }) => {
        impl $(<$life>)? $name $(<$life>)? {
            /// The default.
            #[must_use]
            pub fn new() -> Self {
                Self::default()
            }

            $(
                #[doc = concat!("Sets [`", stringify!($field), "`](Self#structfield.", stringify!($field), ").")]
                $(#[$attribute])*
                #[inline]
                #[must_use]
                pub fn $field(mut self, $field: $type) -> Self {
                    self.$field = $field;
                    self
                }
            )+
        }
    };
}
pub(crate) use setters;
