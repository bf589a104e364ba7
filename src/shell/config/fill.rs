//! The commented settings file that is delivered, with some settings filled in.

use std::fmt::Write;

/// The file as it is delivered: every setting with its default, commented out.
pub const DELIVERED: &str = include_str!("../../../systemd/rokade.toml");

/// A setting to be filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filled<'a> {
    /// The header of its section, such as `[http]`.
    pub section: &'a str,
    /// Its key.
    pub key: &'a str,
    /// Its value, a text.
    pub value: &'a str,
}

/// The delivered file with these settings instead of their defaults. What it does not have is left
/// out.
pub fn fill(settings: &[Filled<'_>]) -> String {
    let mut text = String::with_capacity(DELIVERED.len() + 200);
    let mut section = "";
    for line in DELIVERED.lines() {
        if line.starts_with('[') {
            section = line;
        }
        let key = line.strip_prefix('#').and_then(|it| it.split_once(" = ")).map(|(key, _)| key);
        let is_it = |it: &&Filled<'_>| it.section == section && Some(it.key) == key;
        match settings.iter().find(is_it) {
            Some(setting) => push(&mut text, setting.key, setting.value),
            None => text.extend([line, "\n"]),
        }
    }
    text
}

/// Adds one more board with these settings.
pub fn add_board(text: &mut String, settings: &[(&str, &str)]) {
    text.push_str("\n[[board]]\n");
    for (key, value) in settings {
        push(text, key, value);
    }
}

fn push(text: &mut String, key: &str, value: &str) {
    // A text of JSON is a text of TOML too, but for DEL, which no setting takes.
    let quoted = serde_json::Value::from(value);
    writeln!(text, "{key} = {quoted}").expect("a string takes all text");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_filled_in_where_its_default_stands() {
        assert_eq!(fill(&[]), DELIVERED);
        let filled = fill(&[
            Filled { section: "[[board]]", key: "name", value: "gold" },
            Filled { section: "[event]", key: "name", value: "The \"Open\" \\ 1" },
        ]);
        let changed: Vec<_> =
            DELIVERED.lines().zip(filled.lines()).filter(|(old, new)| old != new).collect();
        let expected = [
            (r#"#name = """#, r#"name = "The \"Open\" \\ 1""#),
            (r##"#name = "table-1""##, r#"name = "gold""#),
        ];
        assert_eq!(changed, expected);
        assert_eq!(DELIVERED.lines().count(), filled.lines().count());
    }
}
