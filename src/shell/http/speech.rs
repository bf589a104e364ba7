//! In which language a client is spoken to, and what the server itself has to say: one sentence, as
//! text, or as a page for whoever reads with a browser.

use super::pages;
use crate::laws::notation::Language;
use crate::relay::phrases::say;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

/// Who asked, as far as that matters for an answer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Addressee {
    /// What is spoken.
    pub(super) language: Language,
    /// It shows pages.
    is_browser: bool,
}

/// The name of the phrase that an answer says.
#[derive(Copy, Clone, Debug)]
struct PhraseSaid(&'static str);

impl Addressee {
    /// Who sent this.
    pub(super) fn of(request: &Request) -> Self {
        let headers = request.headers();
        let accepts = headers.get_all(header::ACCEPT).iter();
        let is_browser =
            accepts.filter_map(|it| it.to_str().ok()).any(|it| it.contains("text/html"));
        Self { language: language_of(request.uri(), headers), is_browser }
    }

    /// The answer as it is to be read, if it is one of ours.
    pub(super) fn told(self, response: Response) -> Response {
        let Some(PhraseSaid(name)) = response.extensions().get().copied() else { return response };
        let status = response.status();
        match self.is_browser {
            true => pages::told(self.language, status, name),
            false => text(self.language, status, name),
        }
    }
}

/// The sentence that has this name among the phrases.
pub(super) fn sentence(status: StatusCode, name: &'static str) -> Response {
    let mut response = text(Language::English, status, name);
    response.extensions_mut().insert(PhraseSaid(name));
    response
}

/// A phrase alone.
pub(super) fn text(language: Language, status: StatusCode, name: &str) -> Response {
    let about = [(header::CACHE_CONTROL, "no-store"), (header::CONTENT_LANGUAGE, language.word())];
    (status, about, format!("{}\n", say(language, name))).into_response()
}

/// The language that the address names, or else the first of the client's that is spoken here.
fn language_of(uri: &Uri, headers: &HeaderMap) -> Language {
    let pairs = uri.query().unwrap_or_default().split('&');
    let named = pairs.filter_map(|it| it.strip_prefix("language=")).find_map(known);
    let lists = headers.get_all(header::ACCEPT_LANGUAGE).iter();
    let mut wanted: Vec<(f32, Language)> = lists
        .filter_map(|list| list.to_str().ok())
        .flat_map(|list| list.split(','))
        .filter_map(|entry| {
            let (tag, weight) = entry.split_once(";q=").unwrap_or((entry, "1"));
            Some((weight.trim().parse().ok()?, known(tag)?))
        })
        .filter(|(weight, _)| *weight > 0.0)
        .collect();
    // Those of the same weight stay in their order.
    wanted.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    named.or(wanted.first().map(|(_, language)| *language)).unwrap_or_default()
}

/// The language of a tag such as "de-AT". Norwegian has three.
fn known(tag: &str) -> Option<Language> {
    let code = tag.trim().split('-').next()?.to_ascii_lowercase();
    let code = if matches!(&*code, "no" | "nn") { "nb" } else { &code };
    Language::ALL.into_iter().find(|language| language.word() == code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_the_first_that_is_wanted_and_known() {
        for (address, wanted, language) in [
            ("/", "", "en"),
            ("/", "da", "da"),
            ("/", "fr-FR,fr;q=0.9,de-AT;q=0.8,en;q=0.7", "de"),
            ("/", "en;q=0.1, hu;q=0.9", "hu"),
            ("/", "nn-NO, en", "nb"),
            ("/", "da;q=0, *;q=1", "en"),
            ("/", "da;q=x, ;;, \u{7f}", "en"),
            ("/?language=hu", "da", "hu"),
            ("/?theme=dark&language=DE", "da", "de"),
            ("/?language=xx", "da", "da"),
        ] {
            let mut headers = HeaderMap::new();
            if let Ok(wanted) = wanted.parse() {
                headers.insert(header::ACCEPT_LANGUAGE, wanted);
            }
            let uri = address.parse().expect("an address");
            assert_eq!(language_of(&uri, &headers).word(), language, "{address} {wanted}");
        }
    }
}
