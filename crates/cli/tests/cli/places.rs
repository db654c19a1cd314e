//! URIs in place of files, in every option that takes a file: each is refused by a sentence that says what to do.

use super::run::{dir, names, urimill, write};

#[test]
fn uris_are_no_files_in_any_option() {
    let folder = dir();
    write(folder.path(), "a.txt", "http://a/\n");
    write(folder.path(), "a.html", "<a href=b>");
    write(folder.path(), "a.warc", "WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n");
    let copied = ["copy it first, as in aws s3 cp 's3://b/x' - > FILE", "a file is wanted"];
    let made = ["give a path on this machine", "a file is wanted"];
    // (the command, its message about its URI)
    let table = [
        ("lookup http://a/ --index s3://b/x", copied),
        ("normalize a.txt -o - --to csv --columns registered_domain --psl s3://b/x", copied),
        ("normalize a.txt -o - --to csv --port-rules s3://b/x", copied),
        ("links a.html -o - --to csv --columns registered_domain --psl s3://b/x", copied),
        ("dedupe a.txt -o - --by registered_domain --psl s3://b/x", copied),
        ("stats a.txt --psl s3://b/x", copied),
        ("top a.txt --by host --psl s3://b/x", copied),
        ("report a.txt -o - --psl s3://b/x", copied),
        ("explain http://a/ --port-rules s3://b/x", copied),
        ("normalize a.txt -o s3://b/x.parquet", made),
        ("normalize a.txt -o s3://b/ --to csv", made),
        ("normalize a.txt -o s3://b/ --to csv --partition-by host", made),
        ("normalize a.txt --to csv -o o.csv --on-invalid reject --rejects s3://b/r.csv", made),
        ("normalize a.txt --to csv -o o.csv --sort-by uri --temp-dir s3://b/", made),
        ("dedupe a.txt -o s3://b/x.txt", made),
        ("dedupe a.txt -o o.txt --temp-dir s3://b/", made),
        ("links a.html -o s3://b/x.csv", made),
        ("links a.html -o o.csv --temp-dir s3://b/", made),
        ("links a.html --edges host --graph -o s3://b/", made),
        ("extract a.txt -o s3://b/x.txt", made),
        ("extract a.txt -o o.txt --temp-dir s3://b/", made),
        ("index a.warc -o s3://b/x.cdxj", made),
        ("index a.warc -o o.cdxj --temp-dir s3://b/", made),
        ("report a.txt -o s3://b/x.html", made),
        ("report a.txt --json s3://b/x.json", made),
        ("report a.txt --state s3://b/x.state", made),
    ];
    for (line, parts) in table {
        urimill(line).within(folder.path()).fails(2, &[&parts[..], &["s3://b/"]].concat());
    }
    urimill("lookup http://a/ --index file:///none/x").within(folder.path()).fails(2, &["as in /none/x"]);
    urimill("lookup http://a/ --index https://h/x")
        .within(folder.path())
        .fails(2, &["curl -fsSL 'https://h/x'"]);
    assert_eq!(names(folder.path()), ["a.html", "a.txt", "a.warc"]);
}
