//! `rokade laws`: the Laws as the program applies them.

use super::Failure;
use crate::laws::rows::{self, Row};
use crate::laws::{Edition, Profile, Supervision, Variant};
use clap::Args;
use std::io::{BufWriter, Write};

/// For each provision: its article in the edition, what the program does about it, how editions
/// differ, and the codes under which the log speaks of it. Without a row or article, the profile is
/// printed: what differs between editions, forms of chess and supervision.
#[derive(Debug, Args)]
pub(super) struct Laws {
    /// A row such as L9.2a, or an article such as 9.2; all rows with "all"
    #[arg(value_name = "ROW|ARTICLE")]
    what: Option<String>,
    /// hu2005, dk2009, no2009, m2018 or m2023
    #[arg(long, default_value_t)]
    edition: Edition,
    /// standard, quickplay, rapid, blitz or chess960
    #[arg(long, default_value_t)]
    variant: Variant,
    /// adequate or inadequate
    #[arg(long, default_value_t)]
    supervision: Supervision,
}

impl Laws {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let mut out = BufWriter::new(std::io::stdout().lock());
        let printed = match self.what.as_deref() {
            None => self.profile(&mut out),
            Some("all") => self.rows(rows::all().iter(), &mut out),
            Some(what) => {
                let found = rows::find(what, self.edition);
                let found = found.map_err(|e| Failure::Usage(e.to_string()))?;
                self.rows(found.into_iter(), &mut out)
            }
        };
        printed.and_then(|()| out.flush()).map_err(Failure::io("cannot print"))
    }

    fn profile(&self, out: &mut impl Write) -> std::io::Result<()> {
        let Self { edition, variant, supervision, .. } = *self;
        let profile = Profile { edition, variant, supervision };
        writeln!(out, "{profile}: {}", edition.title())?;
        for (name, value) in profile.rules().describe() {
            writeln!(out, "  {name}: {value}")?;
        }
        Ok(())
    }

    fn rows<'a>(
        &self,
        rows: impl Iterator<Item = &'a Row>,
        out: &mut impl Write,
    ) -> std::io::Result<()> {
        for row in rows {
            let place = row.cite(self.edition);
            let title = self.edition.title();
            let place = place.unwrap_or_else(|| format!("not in the {title}{}", elsewhere(row)));
            writeln!(out, "{}  {place}", row.id)?;
            writeln!(out, "  {}", row.applies)?;
            writeln!(out, "  {}", row.part.describe())?;
            if let Some(differs) = row.differs {
                writeln!(out, "  editions: {differs}")?;
            }
            if !row.codes.is_empty() {
                writeln!(out, "  in the log: {}", row.codes.join(", "))?;
            }
        }
        Ok(())
    }
}

/// Where else a row is an article.
fn elsewhere(row: &Row) -> String {
    let places = Edition::ALL.into_iter().filter_map(|edition| row.cite(edition));
    places.map(|place| format!("; {place}")).collect()
}
