//! The mutants that cargo-mutants lists, each behind a switch like ours.

use crate::weave::{Weaver, binds};
use proc_macro2::{LineColumn, Span};
use serde_json::Value;
use std::collections::BTreeMap;
use std::error::Error;
use syn::spanned::Spanned;
use syn::{Arm, Block, Expr, Pat, UnOp, parse_quote};

/// Where the source begins that a mutant changes: file, line from one, column from nought.
type Place = (String, usize, usize);

/// What cargo-mutants would change, by place: the kind, and what would stand there.
#[derive(Debug, Default)]
pub struct Listed(BTreeMap<Place, Vec<(String, String)>>);

impl Listed {
    /// Of what `cargo mutants --list --json` prints.
    pub fn read(text: &str) -> Result<Self, Box<dyn Error>> {
        let mut all = Self::default();
        let list: Value = serde_json::from_str(text)?;
        for mutant in list.as_array().ok_or("no list")? {
            let text = |key: &str| mutant[key].as_str().map(str::to_owned);
            let start = &mutant["span"]["start"];
            let number = |key: &str| start[key].as_u64().ok_or("no place").map(|n| n as usize);
            let place = (text("file").ok_or("no file")?, number("line")?, number("column")? - 1);
            let change = text("genre").zip(text("replacement")).ok_or("no change")?;
            all.0.entry(place).or_default().push(change);
        }
        Ok(all)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }

    /// What would stand at `span` instead, of one kind.
    fn at(&self, file: &str, span: Span, genre: &str) -> Vec<String> {
        let LineColumn { line, column } = span.start();
        let known = self.0.get(&(file.to_owned(), line, column)).into_iter().flatten();
        known.filter(|(kind, _)| kind == genre).map(|(_, instead)| instead.clone()).collect()
    }
}

/// Whether an arm is taken by whatever comes to it.
pub fn takes_all(arm: &Arm) -> bool {
    arm.guard.is_none() && matches!(arm.pat, Pat::Wild(_))
}

impl Weaver {
    /// What is listed of a function's result.
    pub fn listed_results(&mut self, name: &syn::Ident, block: &mut Block) {
        let Some(first) = block.stmts.first() else { return };
        let span = first.span();
        for instead in self.listed_at(span, "FnValue") {
            let Ok(expr) = syn::parse_str::<Expr>(&instead) else { continue };
            if let Some(n) = self.number(name, format!("{name} => {instead}")) {
                block.stmts.insert(0, parse_quote!(if crate::mutant(#n) { return #expr; }));
            }
        }
    }

    /// What is listed of an expression: `plain` before its parts were changed, `now` since.
    pub fn listed_expr(&mut self, plain: &Expr, now: &mut Expr) {
        match plain {
            Expr::Binary(it) => {
                for op in self.listed_at(it.op.span(), "BinaryOperator") {
                    let Ok(op) = syn::parse_str(&op) else { continue };
                    let mut instead = it.clone();
                    instead.op = op;
                    self.switch(plain, now, &Expr::Binary(instead));
                }
            }
            Expr::Unary(it) if matches!(it.op, UnOp::Not(_) | UnOp::Neg(_)) => {
                for _ in self.listed_at(it.op.span(), "UnaryOperator") {
                    self.switch(plain, now, &it.expr);
                }
            }
            Expr::Struct(it) => {
                for (idx, field) in it.fields.iter().enumerate() {
                    for _ in self.listed_at(field.span(), "StructField") {
                        let mut less = it.clone();
                        let others = it.fields.iter().enumerate().filter(|(n, _)| *n != idx);
                        less.fields = others.map(|(_, field)| field.clone()).collect();
                        if !less.fields.is_empty() {
                            less.fields.push_punct(Default::default());
                        }
                        self.switch(plain, now, &Expr::Struct(less));
                    }
                }
            }
            _ => {}
        }
    }

    /// What is listed of a match's arm. One without which something is left over cannot go.
    pub fn listed_arm(&mut self, plain: &Arm, arm: &mut Arm, may_go: bool) {
        if let (Some((_, plain)), Some((_, guard))) = (&plain.guard, &mut arm.guard)
            && !binds(plain)
        {
            for instead in self.listed_at(plain.span(), "MatchArmGuard") {
                let Ok(instead) = syn::parse_str(&instead) else { continue };
                self.switch(plain, guard, &instead);
            }
        }
        for _ in self.listed_at(plain.span(), "MatchArm") {
            if !may_go || takes_all(plain) {
                continue;
            }
            let pat = &plain.pat;
            let change = format!("{} => no such arm", quote::quote!(#pat));
            let Some(n) = self.number(plain, change) else { continue };
            let guard: Expr = match arm.guard.take() {
                Some((_, guard)) => parse_quote!(if crate::mutant(#n) { false } else { #guard }),
                None => parse_quote!(if crate::mutant(#n) { false } else { true }),
            };
            arm.guard = Some((Default::default(), parse_quote!((#guard))));
        }
    }

    fn listed_at(&self, span: Span, genre: &str) -> Vec<String> {
        self.listed.as_ref().map(|it| it.at(&self.file, span, genre)).unwrap_or_default()
    }
}
