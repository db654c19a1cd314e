//! URIs where a file is wanted: what an error says of them, for whichever option they were given.

/// The purpose of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Records, which may also come through a pipe.
    Input,
    /// Something else that is read: an index, a list of rules.
    Read,
    /// It was to be made: an output, or a directory for temporary files.
    Made,
}

/// Schemes of URIs that name what is no file, and commands that write what such a URI names to standard output.
const ELSEWHERE: &[(&str, &str)] = &[
    ("s3", "aws s3 cp INPUT -"),
    ("s3a", "hadoop fs -cat INPUT"),
    ("s3n", "hadoop fs -cat INPUT"),
    ("gs", "gcloud storage cat INPUT"),
    ("hdfs", "hdfs dfs -cat INPUT"),
    ("abfs", "hadoop fs -cat INPUT"),
    ("abfss", "hadoop fs -cat INPUT"),
    ("wasb", "hadoop fs -cat INPUT"),
    ("wasbs", "hadoop fs -cat INPUT"),
    ("adl", "hadoop fs -cat INPUT"),
    ("http", "curl -fsSL INPUT"),
    ("https", "curl -fsSL INPUT"),
    ("ftp", "curl -fsS INPUT"),
    ("ftps", "curl -fsS INPUT"),
    ("sftp", "curl -fsS INPUT"),
];

/// Why a name cannot be that of a file, and what to do; `None` if it is not a URI.
pub fn elsewhere(name: &str, wanted: Wanted) -> Option<String> {
    let (scheme, rest) = name.split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    // A single letter is a drive.
    let is_scheme = scheme.len() > 1 && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'+');
    if !is_scheme {
        return None;
    }
    let what = match wanted {
        Wanted::Input => "inputs are files, and this is a URI",
        Wanted::Read | Wanted::Made => "a file is wanted, and this is a URI",
    };
    let command = ELSEWHERE
        .iter()
        .find(|(known, _)| *known == scheme)
        .map(|(_, command)| command.replace("INPUT", &format!("'{}'", name.replace('\'', r"'\''"))));
    let advice = match (wanted, command) {
        _ if scheme == "file" => {
            format!("give the path, as in /{}", rest.trim_start_matches("localhost/").trim_start_matches('/'))
        }
        (Wanted::Input, Some(command)) => {
            format!("give what it holds through a pipe, as in {command} | urimill …, or a copy of it")
        }
        (Wanted::Read, Some(command)) => format!("copy it first, as in {command} > FILE, and give the copy"),
        (Wanted::Input | Wanted::Read, None) => "copy it, and give the file".to_owned(),
        (Wanted::Made, _) => "give a path on this machine, and copy from there".to_owned(),
    };
    Some(format!("{what}; {advice}"))
}
