//! Figures: texts that a report counts. One row each for the name, the title, the unit and the meaning.

/// The unit of a figure's sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unit {
    /// Records.
    Records,
    /// Bytes of responses.
    Bytes,
    /// Microseconds that responses took.
    Micros,
}

impl Unit {
    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Unit::Records => "records",
            Unit::Bytes => "bytes",
            Unit::Micros => "microseconds",
        }
    }
}

/// The part of a report that has a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// From the references themselves.
    References,
    /// From the responses.
    Responses,
    /// From fields of crawlers.
    Crawls,
    /// From fields of servers.
    Servers,
}

impl Part {
    /// All of them, in the order of the page.
    pub const ALL: [Part; 4] = [Part::References, Part::Responses, Part::Crawls, Part::Servers];

    /// Its heading.
    pub const fn title(self) -> &'static str {
        match self {
            Part::References => "References",
            Part::Responses => "Responses",
            Part::Crawls => "Crawl",
            Part::Servers => "Server",
        }
    }
}

macro_rules! figures {
    ($($variant:ident, $name:literal, $title:literal, $part:ident, $unit:ident, $size:literal, $meaning:literal;)*) => {
        /// A figure: texts, each with a sum.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        #[repr(u8)]
        pub enum Figure {
            $(#[doc = $meaning] $variant,)*
        }

        impl Figure {
            /// All of them, in the order of the page.
            pub const ALL: &'static [Figure] = &[$(Figure::$variant),*];

            /// Its name, in JSON and in states.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Figure::$variant => $name,)*
                }
            }

            /// Its heading.
            pub const fn title(self) -> &'static str {
                match self {
                    $(Figure::$variant => $title,)*
                }
            }

            /// Its part of the page.
            pub const fn part(self) -> Part {
                match self {
                    $(Figure::$variant => Part::$part,)*
                }
            }

            /// Its unit.
            pub const fn unit(self) -> Unit {
                match self {
                    $(Figure::$variant => Unit::$unit,)*
                }
            }

            /// Its meaning, in one sentence.
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(Figure::$variant => $meaning,)*
                }
            }

            /// The size of its table in the sketch, a power of two: figures with up to three quarters as many texts are
            /// exact.
            pub(super) const fn size(self) -> usize {
                match self {
                    $(Figure::$variant => 1 << $size,)*
                }
            }
        }
    };
}

impl Figure {
    /// Whether a record has at most one text of it, which counts as one.
    pub(super) fn is_one_of_each(self) -> bool {
        self.unit() == Unit::Records
            && !matches!(self, Figure::Parameter | Figure::Flag | Figure::Disagreement)
    }

    /// All names, for messages.
    pub fn names() -> String {
        let names: Vec<&str> = Figure::ALL.iter().map(|figure| figure.as_str()).collect();
        names.join(", ")
    }
}

figures! {
    Host, "host", "Hosts", References, Records, 16, "the host as the normal form has it";
    RegisteredDomain, "registered_domain", "Registered domains", References, Records, 16, "the public suffix of the host and one label more";
    PublicSuffix, "public_suffix", "Public suffixes", References, Records, 13, "the suffix of the host by the ICANN section of the public suffix list";
    Scheme, "scheme", "Schemes", References, Records, 12, "the scheme";
    HostKind, "host_kind", "Kinds of hosts", References, Records, 5, "what the host is: a name or an address";
    Port, "port", "Ports", References, Records, 13, "the port, where one is written and is not the default";
    FirstSegment, "first_segment", "First path segments", References, Records, 15, "the first segment of paths that begin with a slash; a slash at the end says that the path goes on";
    Template, "template", "Templates", References, Records, 15, "the URI with placeholders for values, by their form and by what other URIs have in their place";
    Trap, "trap", "Crawler traps", References, Records, 5, "the trap that a URI shows by itself: docs/TRAPS.md";
    FileType, "file_type", "File types", References, Records, 13, "what follows the last dot of the last segment: 1 to 8 letters or digits, in lower case";
    Parameter, "parameter", "Query parameters", References, Records, 15, "the names of the parameters of queries, as they are written, each as often as it occurs";
    Flag, "flag", "Flags", References, Records, 6, "warnings and changes; a record may have several";
    Disagreement, "disagreement", "Disagreements with the URL Standard", References, Records, 6, "what browsers see differently than the RFC; a record may have several";
    Status, "status", "Status codes", Responses, Records, 12, "the status of the response";
    Method, "method", "Methods", Responses, Records, 12, "the method of the request";
    Protocol, "protocol", "Protocols", Responses, Records, 12, "the protocol of the request";
    MediaType, "media_type", "Media types", Responses, Records, 13, "the media type of the response, without parameters, in lower case";
    HostFailures, "host_failures", "Hosts by failures", Crawls, Records, 15, "records with a status of 400 or above, or of 0 or below";
    HostBytes, "host_bytes", "Hosts by bytes", Crawls, Bytes, 15, "the sizes of the responses of a host, added up";
    HostTime, "host_time", "Queues: hosts by fetch time", Crawls, Micros, 15, "the time that the responses of a host took, added up";
    HopPath, "hop_path", "Hop paths", Crawls, Records, 14, "how the crawler got to the URI: a letter for each step";
    Digest, "digest", "Contents by digest", Crawls, Records, 15, "the digest of the content; each record beyond the first of a digest is a duplicate";
    Path, "path", "Requested paths", Servers, Records, 15, "the path of the request";
    FailedPath, "failed_path", "Errors", Servers, Records, 15, "the status, if it is 400 or above, and the path of the request";
    PathBytes, "path_bytes", "Paths by bytes", Servers, Bytes, 15, "the sizes of the responses of a path, added up";
    PathTime, "path_time", "Slow paths", Servers, Micros, 15, "the time that the responses of a path took, added up";
    Visitor, "visitor", "Visitors", Servers, Records, 16, "the address of the client";
    Referrer, "referrer", "Referring hosts", Servers, Records, 14, "the host of the page that the request came from";
    Agent, "agent", "User agents", Servers, Records, 14, "the user agent as it names itself";
    AgentFamily, "agent_family", "Agents by family", Servers, Records, 12, "the browser, robot or library that the user agent is, by the list of uap-core; Other is what no rule names";
    OperatingSystem, "operating_system", "Operating systems", Servers, Records, 12, "the operating system that the user agent names, by the list of uap-core";
    Robot, "robot", "Robots", Servers, Records, 12, "the families of user agents that the list of uap-core has as robots (the device Spider)";
}
