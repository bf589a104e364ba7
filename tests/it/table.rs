//! The tables in `tests/tables`, for those whose last column is a remark in plain words.

/// The rows of a table: `N` columns separated by semicolons; only the last may contain one.
pub(crate) fn rows<const N: usize>(table: &str) -> Vec<[&str; N]> {
    table
        .lines()
        .skip(1)
        .map(|line| {
            let columns: Vec<_> = line.splitn(N, ';').collect();
            columns.try_into().unwrap_or_else(|_| panic!("a row of {N} columns: {line}"))
        })
        .collect()
}
