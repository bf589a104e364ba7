//! Sources with mutants in them, each behind a switch.

use crate::listed::{Listed, takes_all};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use std::collections::BTreeSet;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{
    AngleBracketedGenericArguments, Arm, BinOp, Block, Expr, ExprLit, ExprMatch, ImplItemConst,
    ImplItemFn, ItemConst, ItemFn, ItemMod, ItemStatic, Lit, Pat, ReturnType, Signature, Stmt,
    TraitItemFn, Type, UnOp, parse_quote,
};

/// What turns a mutant on; the function of this name is added to the library.
pub const SWITCH: &str = "crate :: mutant (";

/// A changed place.
#[derive(Clone, Debug)]
pub struct Mutant {
    pub file: String,
    pub line: usize,
    /// What stands there, and what instead.
    pub change: String,
}

/// Writes mutants into one file after the other.
#[derive(Debug, Default)]
pub struct Weaver {
    pub mutants: Vec<Mutant>,
    /// Numbers of those that do not compile.
    pub dropped: BTreeSet<usize>,
    /// Functions that have to stay `const`.
    pub consts: BTreeSet<String>,
    /// What another tool would change, and nothing else is.
    pub listed: Option<Listed>,
    pub file: String,
    /// Whether an arm of the match may go: others take the rest.
    may_go: bool,
}

impl Weaver {
    /// Of what another tool lists.
    pub fn of(listed: Listed) -> Self {
        Self { listed: Some(listed), ..Self::default() }
    }

    /// The file's text with all its mutants. Each begins a line, so that what the compiler says of
    /// it can be told from what it says of others.
    pub fn weave(&mut self, file: &str, text: &str) -> String {
        self.file = file.to_owned();
        let mut tree = syn::parse_file(text).unwrap_or_else(|e| panic!("{file}: {e}"));
        self.visit_file_mut(&mut tree);
        let text = tree.into_token_stream().to_string();
        text.replace(&format!("if {SWITCH}"), &format!("\nif {SWITCH}"))
    }

    /// The next mutant's number; none if it was dropped.
    pub fn number(&mut self, at: &impl Spanned, change: String) -> Option<usize> {
        let line = at.span().start().line;
        self.mutants.push(Mutant { file: self.file.clone(), line, change });
        let n = self.mutants.len() - 1;
        (!self.dropped.contains(&n)).then_some(n)
    }

    /// `now`, or `instead` once the mutant is on. `plain` is what stood there before.
    pub fn switch(&mut self, plain: &Expr, now: &mut Expr, instead: &Expr) {
        let change = format!("{} => {}", quote!(#plain), quote!(#instead));
        if let Some(n) = self.number(plain, change) {
            *now = parse_quote!((if crate::mutant(#n) { (#instead) } else { (#now) }));
        }
    }

    /// Mutants of a function's result.
    fn results(&mut self, sig: &mut Signature, block: &mut Block) {
        if self.listed.is_some() {
            return self.listed_results(&sig.ident, block);
        }
        let ReturnType::Type(_, of) = &sig.output else { return };
        for instead in results_of(of) {
            let change = format!("{} => {instead}", sig.ident);
            if let Some(n) = self.number(&sig.ident, change) {
                block.stmts.insert(0, parse_quote!(if crate::mutant(#n) { return #instead; }));
            }
        }
    }

    /// A function that is not called at compile time may be switched.
    fn function(&mut self, sig: &mut Signature) -> bool {
        let is_const = sig.constness.is_some() && self.consts.contains(&sig.ident.to_string());
        if !is_const {
            sig.constness = None;
        }
        !is_const
    }
}

/// What a function may return instead.
fn results_of(of: &Type) -> Vec<TokenStream> {
    let Type::Path(path) = of else { return Vec::new() };
    let Some(last) = path.path.segments.last() else { return Vec::new() };
    match last.ident.to_string().as_str() {
        "bool" => vec![quote!(true), quote!(false)],
        "Option" => vec![quote!(None)],
        "Vec" | "String" | "Bitboard" => vec![quote!(Default::default())],
        "usize" | "u8" | "u16" | "u32" | "u64" | "i32" | "i64" => vec![quote!(0), quote!(1)],
        "Duration" => vec![quote!(std::time::Duration::ZERO)],
        _ => Vec::new(),
    }
}

fn is_test(attrs: &[syn::Attribute]) -> bool {
    let is_test = |attr: &syn::Attribute| {
        !attr.path().is_ident("doc") && attr.to_token_stream().to_string().contains("test")
    };
    attrs.iter().any(is_test)
}

/// Whether a condition binds something.
pub fn binds(cond: &Expr) -> bool {
    match cond {
        Expr::Let(_) => true,
        Expr::Binary(it) => binds(&it.left) || binds(&it.right),
        Expr::Paren(it) => binds(&it.expr),
        _ => false,
    }
}

/// Another operator.
fn swapped(op: BinOp) -> Option<BinOp> {
    Some(match op {
        BinOp::Lt(_) => parse_quote!(<=),
        BinOp::Le(_) => parse_quote!(<),
        BinOp::Gt(_) => parse_quote!(>=),
        BinOp::Ge(_) => parse_quote!(>),
        BinOp::Eq(_) => parse_quote!(!=),
        BinOp::Ne(_) => parse_quote!(==),
        BinOp::And(_) => parse_quote!(||),
        BinOp::Or(_) => parse_quote!(&&),
        BinOp::Add(_) => parse_quote!(-),
        BinOp::Sub(_) => parse_quote!(+),
        _ => return None,
    })
}

/// What may stand in an expression's place.
fn instead_of(expr: &Expr) -> Option<Expr> {
    match expr {
        Expr::Binary(it) if !binds(expr) => {
            let mut it = it.clone();
            it.op = swapped(it.op)?;
            Some(Expr::Binary(it))
        }
        Expr::Unary(it) if matches!(it.op, UnOp::Not(_)) => Some((*it.expr).clone()),
        Expr::Macro(it) if it.mac.path.is_ident("matches") => Some(parse_quote!(!#it)),
        Expr::Lit(ExprLit { lit: Lit::Int(n), .. }) => {
            let next = n.base10_parse::<u64>().ok()?.checked_add(1)?;
            let next = syn::LitInt::new(&format!("{next}{}", n.suffix()), n.span());
            Some(parse_quote!(#next))
        }
        Expr::Lit(ExprLit { lit: Lit::Bool(it), .. }) => {
            let other = !it.value;
            Some(parse_quote!(#other))
        }
        Expr::Path(it) => match it.to_token_stream().to_string().as_str() {
            "Color :: White" => Some(parse_quote!(Color::Black)),
            "Color :: Black" => Some(parse_quote!(Color::White)),
            _ => None,
        },
        _ => None,
    }
}

impl VisitMut for Weaver {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let plain = expr.clone();
        match expr {
            // Lengths are known to the compiler or are none.
            Expr::Repeat(it) => return self.visit_expr_mut(&mut it.expr),
            Expr::Const(_) => return,
            _ => visit_mut::visit_expr_mut(self, expr),
        }
        if self.listed.is_some() {
            return self.listed_expr(&plain, expr);
        }
        if let Expr::If(it) = expr
            && !binds(&it.cond)
        {
            let Expr::If(before) = &plain else { return };
            for instead in [parse_quote!(true), parse_quote!(false)] {
                self.switch(&before.cond, &mut it.cond, &instead);
            }
        }
        if let Some(instead) = instead_of(&plain) {
            self.switch(&plain, expr, &instead);
        }
    }

    fn visit_expr_match_mut(&mut self, it: &mut ExprMatch) {
        let outer = std::mem::replace(&mut self.may_go, it.arms.iter().any(takes_all));
        visit_mut::visit_expr_match_mut(self, it);
        self.may_go = outer;
    }

    fn visit_arm_mut(&mut self, arm: &mut Arm) {
        let (plain, may_go) = (arm.clone(), self.may_go);
        visit_mut::visit_arm_mut(self, arm);
        if self.listed.is_some() {
            return self.listed_arm(&plain, arm, may_go);
        }
        if let (Some((_, plain)), Some((_, guard))) = (plain.guard, &mut arm.guard)
            && !binds(&plain)
        {
            for instead in [parse_quote!(true), parse_quote!(false)] {
                self.switch(&plain, guard, &instead);
            }
        }
    }

    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        let plain = stmt.clone();
        visit_mut::visit_stmt_mut(self, stmt);
        let Stmt::Expr(expr, Some(_)) = &plain else { return };
        if self.listed.is_some() {
            return;
        }
        let acts = match expr {
            Expr::MethodCall(_) | Expr::Assign(_) | Expr::Call(_) => true,
            Expr::Binary(it) => matches!(it.op, BinOp::AddAssign(_) | BinOp::SubAssign(_)),
            _ => false,
        };
        if !acts {
            return;
        }
        if let Some(n) = self.number(&plain, format!("{} => nothing", quote!(#expr))) {
            *stmt = parse_quote!(if crate::mutant(#n) {} else { #stmt });
        }
    }

    fn visit_item_fn_mut(&mut self, it: &mut ItemFn) {
        if !is_test(&it.attrs) && self.function(&mut it.sig) {
            self.visit_block_mut(&mut it.block);
            self.results(&mut it.sig, &mut it.block);
        }
    }

    fn visit_impl_item_fn_mut(&mut self, it: &mut ImplItemFn) {
        if self.function(&mut it.sig) {
            self.visit_block_mut(&mut it.block);
            self.results(&mut it.sig, &mut it.block);
        }
    }

    fn visit_trait_item_fn_mut(&mut self, it: &mut TraitItemFn) {
        if let Some(block) = &mut it.default {
            self.visit_block_mut(block);
            self.results(&mut it.sig, block);
        }
    }

    fn visit_item_mod_mut(&mut self, it: &mut ItemMod) {
        if !is_test(&it.attrs) {
            visit_mut::visit_item_mod_mut(self, it);
        }
    }

    fn visit_pat_mut(&mut self, _: &mut Pat) {}
    fn visit_type_mut(&mut self, _: &mut Type) {}
    fn visit_item_const_mut(&mut self, _: &mut ItemConst) {}
    fn visit_item_static_mut(&mut self, _: &mut ItemStatic) {}
    fn visit_impl_item_const_mut(&mut self, _: &mut ImplItemConst) {}
    fn visit_angle_bracketed_generic_arguments_mut(
        &mut self,
        _: &mut AngleBracketedGenericArguments,
    ) {
    }
}
