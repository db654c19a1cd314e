//! Status, size, referer, user agent and names of access logs: a line with one of them in another's place is malformed,
//! and none of them gets into another's column.

use serde_json::{Value, json};

use super::rows;

/// (names, what follows the request, whether it is a line)
const LINES: &[(&str, &str, bool)] = &[
    ("- al", "203 6123 \"http://h/\" \"curl/8\"", true),
    ("- 1234", "304 - \"-\" \"-\"", true),
    ("- al", "203 203 \"http://h/\" \"curl/8\"", true),
    ("- al", "203 6123 \"-\" \"Mozilla/5.0\" \"192.0.2.9\"", true),
    ("- al", "203 6123 \"-\" \"http://robot.example/\"", true),
    ("- al", "203 6123 7 8", true),
    // Status twice, or a dash before it.
    ("- al", "203 203 6123 \"http://h/\" \"curl/8\"", false),
    ("- al", "203 203 6123", false),
    ("- al", "203 203 -", false),
    ("- al", "- 203 6123 \"http://h/\" \"curl/8\"", false),
    ("- al", "- 203", false),
    // Numbers for names.
    ("- 6123", "203 al \"http://h/\" \"curl/8\"", false),
    ("6123 al", "203 id \"http://h/\" \"curl/8\"", false),
    ("203 al", "id 6123 \"http://h/\" \"curl/8\"", false),
    ("203 al", "- 6123 \"http://h/\" \"curl/8\"", false),
    ("6123 al", "203 - \"http://h/\" \"curl/8\"", false),
    // A text before referer and user agent moves them.
    ("- al", "203 6123 \"-\" \"http://h/\" \"curl/8\"", false),
    ("- al", "203 6123 \"\" \"http://h/\" \"-\"", false),
    ("- al", "203 6123 \"x y\" \"https://h/\" \"curl/8\"", false),
    ("- al", "203 6123 \"192.0.2.9\" \"http://h/\"", false),
    ("- al", "203 6123 \"curl/8\" \"192.0.2.9, ::1\"", false),
];

#[test]
fn every_field_of_an_access_log_proves_its_place() {
    for (names, behind, is_line) in LINES {
        let line = format!("192.0.2.1 {names} [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" {behind}\n");
        let row = &rows("clf", line.as_str())[0];
        let expected = if *is_line { Value::Null } else { json!("record_malformed") };
        assert_eq!(row["error"], expected, "{line}{row:?}");
        if *is_line {
            assert!(row["field_errors"].is_null(), "{line}{row:?}");
            continue;
        }
        let is_own = |column: &str, own: Value| row[column].is_null() || row[column] == own;
        let own = [("size", json!(6123)), ("user", json!("al")), ("client", json!("192.0.2.1"))];
        let quoted = [("referer", json!("http://h/")), ("user_agent", json!("curl/8"))];
        let are_own = own.into_iter().chain(quoted).all(|(column, own)| is_own(column, own));
        assert!(are_own && row["ident"].is_null(), "{line}{row:?}");
    }
}
