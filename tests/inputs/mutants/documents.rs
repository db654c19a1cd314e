//! Sitemaps, feeds, HAR files and arrays of objects, compared with a strict reader of XML and with serde_json.

use serde_json::Value;
use urimill::read::format::{Asked, InputFormat, Keep, UriSource};

use super::strict_xml::{Element, root};
use super::{Row, Trial, reader, row};

const XML: &[&str] =
    &["<", ">", "/", "\"", "'", "&", ";", "=", " ", "!", "?", "]", "-", "</", "/>", "<b>", "</b>", "&amp;"];
const JSON: &[&str] = &["{", "}", "[", "]", "\"", ",", ":", "\\", " ", "null", "\"a\":1,", "5"];

/// The text of an element, if it has no child elements.
fn text(element: Option<&Element>) -> Option<String> {
    element.map_or(Some(String::new()), |element| {
        element.children.is_empty().then(|| element.text.trim_ascii().to_owned())
    })
}

fn sitemap(document: &str) -> Option<Vec<Row>> {
    let root = root(document).filter(|root| root.name == "urlset" && root.text.trim_ascii().is_empty())?;
    let url = |element: &Element| {
        let is_url = element.name == "url" && element.text.trim_ascii().is_empty();
        let only = |name| text(element.all(name).next());
        let (loc, often, priority) = (only("loc")?, only("changefreq")?, only("priority")?);
        is_url.then(|| {
            row(&[("uri", &loc), ("changefreq", &often), ("priority", &priority), ("element", "url")])
        })
    };
    // urimill reports a missing `loc`.
    let has_loc = |element: &Element| element.all("loc").next().is_some();
    root.children.iter().map(|element| url(element).filter(|_| has_loc(element))).collect()
}

#[test]
fn sitemaps() {
    let seed = "<?xml version=\"1.0\"?><urlset xmlns=\"s\"><url><loc>http://LLLone/&amp;1</loc>\
                <changefreq>FFFone</changefreq><priority>PPPone</priority><image:image><image:loc>IIIone</image:loc>\
                </image:image></url><!-- c --><url><loc><![CDATA[http://LLLtwo/2]]></loc><priority>PPPtwo</priority></url>\
                \n<url><loc> http://LLLsix/ </loc><x a=\"IIIsix\"/></url></urlset>";
    let marks = &[("uri", "LLL"), ("changefreq", "FFF"), ("priority", "PPP"), ("extra", "III")];
    let format = reader(InputFormat::Sitemap);
    Trial { format, seeds: &[seed], pieces: XML, marks, other: sitemap, is_strict: false }.run();
}

fn feed(document: &str) -> Option<Vec<Row>> {
    let root = root(document)?;
    let (items, is_atom): (Vec<&Element>, bool) = match root.name.as_str() {
        "rss" => (root.all("channel").flat_map(|channel| channel.all("item")).collect(), false),
        "feed" => (root.all("entry").collect(), true),
        _ => return None,
    };
    // Rows of elements in other places are urimill's only.
    if document.matches("<item").count() + document.matches("<entry").count() != items.len() {
        return None;
    }
    let item = |item: &&Element| {
        let mut links = item.all("link");
        let link = match is_atom {
            true => links
                .find(|link| link.attribute("rel").is_none_or(|rel| rel == "alternate"))?
                .attribute("href")?
                .trim()
                .to_owned(),
            false => text(Some(links.next()?))?,
        };
        let names = if is_atom { ["title", "id", "dc:creator"] } else { ["title", "guid", "dc:creator"] };
        let [title, id, author] = names.map(|name| text(item.all(name).next()));
        let is_whole = item.text.trim_ascii().is_empty();
        is_whole.then_some(row(&[("uri", &link), ("title", &title?), ("id", &id?), ("author", &author?)]))
    };
    items.iter().map(item).collect()
}

#[test]
fn feeds() {
    let rss = "<rss><channel><title>x</title><item><title>TTTone</title><link>http://LLLone/</link>\
               <guid isPermaLink=\"false\">GGGone</guid><dc:creator>AAAone</dc:creator><b>BBBone</b></item>\
               <item><link>http://LLLtwo/2</link><title>TTTtwo</title></item></channel></rss>";
    let atom = "<feed><entry><link rel=\"self\" href=\"BBBone\"/><link href=\"http://LLLone/\"/><title>TTTone</title>\
                <id>GGGone</id><dc:creator>AAAone</dc:creator></entry><entry><link rel='alternate' \
                href='http://LLLtwo/'/><id>GGGtwo</id></entry></feed>";
    // A column without the mark of another may have any value.
    let marks = &[("uri", "LLL"), ("title", "TTT"), ("id", "GGG"), ("author", "AAA")];
    let format = reader(InputFormat::Feed);
    Trial { format, seeds: &[rss, atom], pieces: XML, marks, other: feed, is_strict: false }.run();
}

/// A value as a column of texts has it: values that are not text as written, if that is known.
fn shown(value: Option<&Value>) -> Option<String> {
    match value {
        None | Some(Value::Null) => Some(String::new()),
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Number(number)) => number.as_i64().map(|number| number.to_string()),
        Some(Value::Bool(is)) => Some(is.to_string()),
        Some(_) => None,
    }
}

/// The columns of an object, by their paths; `None` if a value is one that the other reader shows differently.
pub(super) fn columns(object: &Value, paths: &[(&str, &str)]) -> Option<Row> {
    let column = |&(column, path): &(&str, &str)| Some((column.to_owned(), shown(object.pointer(path))?));
    paths.iter().map(column).collect()
}

/// Names that occur twice are tested elsewhere.
pub(super) fn document(text: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(text).ok()?;
    let is_long = serde_json::to_string(&value).ok()?.matches("\":").count() < text.matches("\":").count();
    (!is_long).then_some(value)
}

fn har(text: &str) -> Option<Vec<Row>> {
    let document = document(text)?;
    let entries = document.pointer("/log/entries")?.as_array()?;
    let paths = [
        ("uri", "/request/url"),
        ("page", "/pageref"),
        ("method", "/request/method"),
        ("protocol", "/request/httpVersion"),
        ("redirect", "/response/redirectURL"),
        ("mime", "/response/content/mimeType"),
    ];
    let has_url = |entry: &Value| entry.pointer("/request/url").is_some_and(Value::is_string);
    entries.iter().map(|entry| columns(entry, &paths).filter(|_| has_url(entry))).collect()
}

#[test]
fn har_files() {
    let seed = "{\"log\":{\"version\":\"1.2\",\"entries\":[{\"pageref\":\"GGGone\",\"time\":1.5,\"request\":{\"method\":\"MMMone\",\
                \"url\":\"http://LLLone/\",\"httpVersion\":\"VVVone\"},\"response\":{\"status\":200,\"redirectURL\":\"RRRone\",\
                \"content\":{\"size\":7,\"mimeType\":\"TTTone\",\"text\":\"]}\\\"{\"}}},{\"request\":{\"url\":\"http://LLLtwo/\"},\
                \"pageref\":\"GGGtwo\"}, {\"request\":{\"url\":\"http:\\/\\/LLLsix\\/\",\"method\":\"MMMsix\"}}]}}";
    let marks = &[
        ("uri", "LLL"),
        ("page", "GGG"),
        ("method", "MMM"),
        ("protocol", "VVV"),
        ("redirect", "RRR"),
        ("mime", "TTT"),
    ];
    let format = reader(InputFormat::Har);
    Trial { format, seeds: &[seed], pieces: JSON, marks, other: har, is_strict: false }.run();
}

const ITEMS: [(&str, &str); 3] = [("uri", "/url"), ("title", "/title"), ("extra", "/x")];

fn item(object: &Value) -> Option<Row> {
    object.get("url").filter(|url| url.is_string())?;
    columns(object, &ITEMS[..2])
}

fn items(text: &str) -> Option<Vec<Row>> {
    document(text)?.as_array()?.iter().map(item).collect()
}

fn object_lines(text: &str) -> Option<Vec<Row>> {
    text.lines().filter(|line| !line.is_empty()).map(|line| item(&document(line)?)).collect()
}

/// Output of Scrapy and other crawlers: one array, or an object a line.
#[test]
fn arrays_and_lines_of_objects() {
    let objects = [
        "{\"url\": \"http://LLLone/\", \"title\": \"TTTone\", \"x\": [1, {\"y\": \"]}\"}]}",
        "{\"title\":\"TTTtwo\",\"url\":\"http:\\u002f/LLLtwo/\"}",
        "{\"url\":\"http://LLLsix/\",\"title\":\"TTTsix\"}",
    ];
    let keep = || Keep::Names(vec!["title".to_owned()]);
    let uri = || Some(UriSource::Field("url".parse().expect("a field")));
    let asked = || Asked { uri: uri(), ..Asked::keeping(keep(), 1 << 20) };
    let marks = &[("uri", "LLL"), ("title", "TTT")];
    let array = format!("[\n{}]\n", objects.join(",\n"));
    let format = InputFormat::Json.reader(&asked()).expect("members");
    Trial { format, seeds: &[&array], pieces: JSON, marks, other: items, is_strict: false }.run();
    let lines = objects.join("\n");
    let format = InputFormat::Jsonl.reader(&asked()).expect("members");
    Trial { format, seeds: &[&lines], pieces: JSON, marks, other: object_lines, is_strict: true }.run();
}
