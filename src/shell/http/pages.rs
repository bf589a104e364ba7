//! The pages and what they load. All of it lies in the binary, in a table that `build.rs` writes;
//! a request can name an entry of that table and nothing else, so no path leads to a file.

#[cfg(feature = "web")]
use super::escape;
use crate::laws::notation::Language;
#[cfg(feature = "web")]
use crate::relay::phrases::say;
use axum::http::{HeaderMap, StatusCode, header};
#[cfg(feature = "web")]
use axum::response::IntoResponse;
use axum::response::Response;

/// One file of the pages.
#[cfg(feature = "web")]
struct Asset {
    name: &'static str,
    mime: &'static str,
    /// With its quotes.
    etag: &'static str,
    bytes: &'static [u8],
}

#[cfg(feature = "web")]
const ASSETS: &[Asset] = include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// The file of that name, or "not changed" for a client that has it.
#[cfg(feature = "web")]
pub(super) fn file(name: &str, headers: &HeaderMap) -> Option<Response> {
    let asset = ASSETS.iter().find(|asset| asset.name == name)?;
    // Names stay the same when the daemon is updated: keep a copy, but ask.
    let about = [
        (header::CONTENT_TYPE, asset.mime),
        (header::ETAG, asset.etag),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    Some(if is_known(headers, asset.etag) {
        (StatusCode::NOT_MODIFIED, about).into_response()
    } else {
        (about, asset.bytes).into_response()
    })
}

/// This build has none.
#[cfg(not(feature = "web"))]
pub(super) fn file(_name: &str, _headers: &HeaderMap) -> Option<Response> {
    Some(no_pages())
}

/// Links to the boards.
#[cfg(feature = "web")]
pub(super) fn list<'a>(language: Language, names: impl Iterator<Item = &'a str>) -> Response {
    let mut links = String::new();
    for name in names {
        let (address, name) = (address(name), escape(name));
        links += &format!(
            "<li><a href=\"{address}\">{name}</a><a href=\"{address}/game.pgn\">PGN</a></li>\n"
        );
    }
    let link = |address: &str, name: &str| {
        format!("<p><a href=\"{address}\" data-say=\"{name}\">{}</a></p>\n", say(language, name))
    };
    let (all, pgn) = (link("/hall", "all-on-screen"), link("/games.pgn", "all-pgn"));
    let title = said("h1", language, "boards");
    written(language, say(language, "boards"), &format!("{title}<ul>\n{links}</ul>\n{all}{pgn}"))
}

/// A page that says this one phrase.
#[cfg(feature = "web")]
pub(super) fn told(language: Language, status: StatusCode, name: &str) -> Response {
    let code = status.as_str();
    let phrase = said("p", language, name);
    let back =
        format!("<p><a href=\"/\" data-say=\"to-boards\">{}</a></p>\n", say(language, "to-boards"));
    let page = written(language, code, &format!("<h1>{code}</h1>\n{phrase}{back}"));
    (status, page).into_response()
}

/// An element that says a phrase.
#[cfg(feature = "web")]
fn said(element: &str, language: Language, name: &str) -> String {
    format!("<{element} data-say=\"{name}\">{}</{element}>\n", escape(say(language, name)))
}

/// A page of our own, which needs no script to be read.
#[cfg(feature = "web")]
fn written(language: Language, title: &str, body: &str) -> Response {
    let code = language.word();
    let page = format!(
        "<!doctype html>\n<html lang=\"{code}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <link rel=\"icon\" href=\"/assets/icon.svg\" type=\"image/svg+xml\">\n\
         <link rel=\"stylesheet\" href=\"/assets/demo.css\">\n\
         <script type=\"module\" src=\"/assets/plain.js\"></script>\n</head>\n\
         <body class=\"hall\">\n<main>\n{body}</main>\n</body>\n</html>\n"
    );
    let about = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CACHE_CONTROL, "no-store"),
        (header::CONTENT_LANGUAGE, code),
    ];
    (about, page).into_response()
}

/// This build has none.
#[cfg(not(feature = "web"))]
pub(super) fn list<'a>(_language: Language, _names: impl Iterator<Item = &'a str>) -> Response {
    no_pages()
}

/// This build says it without a page.
#[cfg(not(feature = "web"))]
pub(super) fn told(language: Language, status: StatusCode, name: &str) -> Response {
    super::speech::text(language, status, name)
}

#[cfg(not(feature = "web"))]
fn no_pages() -> Response {
    super::sentence(StatusCode::NOT_IMPLEMENTED, "http no-pages")
}

/// The page of a board. Letters, digits and `-._~` stand for themselves; so no name can leave its
/// place in the path, or the attribute it is written into.
pub(super) fn address(name: &str) -> String {
    let mut path = String::from("/board/");
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            path.push(char::from(byte));
        } else {
            path += &format!("%{byte:02X}");
        }
    }
    path
}

/// Whether the client says that it has the version `etag`.
pub(super) fn is_known(headers: &HeaderMap, etag: &str) -> bool {
    headers
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|tag| tag.trim().trim_start_matches("W/") == etag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_hold_any_name() {
        for (name, path) in [
            ("table-1", "/board/table-1"),
            ("Bræt 1", "/board/Br%C3%A6t%201"),
            ("a/../\"<", "/board/a%2F..%2F%22%3C"),
        ] {
            assert_eq!(address(name), path);
        }
    }

    #[cfg(feature = "web")]
    #[test]
    fn names_are_text() {
        assert_eq!(escape("<a href=\"&\">"), "&lt;a href=&quot;&amp;&quot;&gt;");
    }

    #[cfg(feature = "web")]
    #[test]
    fn the_page_loads_only_what_is_there() {
        let page = ASSETS.iter().find(|asset| asset.name == "index.html").expect("the page");
        let page = std::str::from_utf8(page.bytes).expect("text");
        for part in page.split("\"/assets/").skip(1) {
            let name = part.split('"').next().expect("a closing quote");
            assert!(ASSETS.iter().any(|asset| asset.name == name), "{name} is missing");
        }
    }
}
