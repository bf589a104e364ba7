//! Bytes of a file that somebody else's program wrote, as text.

/// What Windows-1252 has between 0x80 and 0x9F. Source: the Encoding Standard's index; what it
/// leaves undefined stays so here.
const WINDOWS: [char; 32] = [
    '€', '\u{fffd}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{fffd}', 'Ž',
    '\u{fffd}', '\u{fffd}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{fffd}',
    'ž', 'Ÿ',
];

/// The text, and whether it was taken for Latin-1 because it is no UTF-8. Its lines end with `\n`.
///
/// Latin-1 is read as Windows reads it, which has letters where Latin-1 has nothing that can be
/// seen. UTF-16 is known by its mark, with which a spreadsheet's "Unicode text" begins.
pub(super) fn decode(bytes: &[u8]) -> (String, bool) {
    let (text, is_latin) = letters(bytes);
    (lines(text.trim_end_matches('\u{1a}')), is_latin)
}

/// With the ends of lines of this machine: files come with those of others, as `\r` alone, and with
/// some of both. `\r\r\n` is what two programs make that both mend the ends of the same file.
fn lines(text: &str) -> String {
    text.replace("\r\r\n", "\n").replace("\r\n", "\n").replace('\r', "\n")
}

fn letters(bytes: &[u8]) -> (String, bool) {
    let units = |pair: fn([u8; 2]) -> u16| {
        let pairs = bytes[2..].chunks_exact(2).map(|it| pair([it[0], it[1]]));
        String::from_utf16_lossy(&pairs.collect::<Vec<_>>())
    };
    match bytes {
        [0xff, 0xfe, ..] => return (units(u16::from_le_bytes), false),
        [0xfe, 0xff, ..] => return (units(u16::from_be_bytes), false),
        _ => {}
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), false),
        Err(_) => (bytes.iter().map(|byte| letter(*byte)).collect(), true),
    }
}

fn letter(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_other_programs_write_is_read() {
        for (bytes, text, is_latin) in [
            (&b"\xef\xbb\xbfJos\xc3\xa9"[..], "José", false),
            (b"Jos\xe9, \x8eilka", "José, Žilka", true),
            (b"\xff\xfeJ\0\xf6\0", "Jö", false),
            (b"\xfe\xff\0J\0\xf6", "Jö", false),
            (b"", "", false),
        ] {
            assert_eq!(decode(bytes), (text.to_owned(), is_latin));
        }
    }
}
