//! Whether an outcome holds: what was said, and what the referee answers when asked.

use super::table::Table;
use rokade::laws::{Binding, Code, Edition, MayAct, Ruling, Score, rows};
use rokade::relay::view::View;
use rokade::table::Word;
use serde_json::Value;
use shakmaty::Color;
use std::time::Duration;

type Held = Result<(), String>;

/// Reasons that the program gives in these very words. Others are compared by their words.
const PROSE_SHARED: usize = 1;

/// Whether `wanted` holds.
pub(super) fn hold(wanted: &Value, table: &mut Table) -> Held {
    let kind = wanted["o"].as_str().unwrap_or_default().to_owned();
    let held = said(&kind, wanted, table).or_else(|| asked(&kind, wanted, table));
    match held {
        None => Err(format!("no outcome {kind:?}")),
        Some(Ok(())) => Ok(()),
        Some(Err(why)) => Err(format!("{kind}: {why}")),
    }
}

fn side(color: Color) -> &'static str {
    color.fold_wb("white", "black")
}

/// Whether two values that both are given agree.
fn same(wanted: &Value, found: &str) -> bool {
    match wanted {
        Value::Null => true,
        Value::String(text) => text == found,
        other => format!("{other}") == found,
    }
}

fn secs(wanted: &Value, span: Duration) -> bool {
    wanted.is_null() || wanted.as_f64().is_some_and(|s| (s - span.as_secs_f64()).abs() < 1e-3)
}

/// Prose says the same if it is the same, or if it is other words for a reason that the program
/// never gives, and names the same thing.
fn prose(wanted: &Value, found: &str) -> bool {
    const FILLERS: [&str; 12] =
        ["a", "an", "the", "of", "on", "is", "in", "not", "by", "for", "to", "move"];
    let Some(wanted) = wanted.as_str() else { return wanted.is_null() };
    if wanted == found {
        return true;
    }
    if SPOKEN.contains(&wanted) {
        return false;
    }
    let content = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
        words.filter(|word| !word.is_empty() && !FILLERS.contains(&word.as_str())).collect()
    };
    let found = content(found);
    content(wanted).iter().filter(|word| found.contains(word)).count() >= PROSE_SHARED
}

/// Every reason that our scenarios name.
const SPOKEN: [&str; 61] = [
    "another piece was put down",
    "not a bishop move",
    "not a rook move",
    "not a knight move",
    "not a queen move",
    "not a king move",
    "not a pawn move",
    "three squares",
    "own king exposed",
    "check not answered",
    "square ahead occupied",
    "double step not from the original square",
    "passes over a piece",
    "promotion piece of the wrong colour",
    "square attacked",
    "king has moved before",
    "rook has moved before",
    "piece between king and rook",
    "pawn not replaced",
    "square on the path occupied",
    "king in check",
    "castling out of check",
    "target square attacked",
    "castling only along the first rank",
    "two hands",
    "crosses an attacked square",
    "captured pawn not removed",
    "no move made",
    "king captured",
    "castling not carried out",
    "illegal",
    "ambiguous",
    "unintelligible",
    "time",
    "checkmate",
    "stalemate",
    "threefold",
    "resignation",
    "agreement",
    "dead position",
    "default",
    "annulled, new game",
    "both flags, rapid/blitz",
    "time, opponent cannot mate",
    "third illegal move",
    "third illegal move, opponent cannot mate",
    "second illegal move",
    "second illegal move, opponent cannot mate",
    "resignation, opponent cannot mate",
    "both flags, order unknown, last period",
    "signed result",
    "fifty moves",
    "fivefold",
    "seventy-five moves",
    "quickplay finish",
    "electronic device",
    "electronic device, opponent cannot win",
    "persistent refusal",
    "illegal position still on the board",
    "illegal move, opponent cannot mate",
    "sealed move invalid",
];

/// Outcomes that are said once. They are found in their order, kind by kind.
fn said(kind: &str, wanted: &Value, table: &mut Table) -> Option<Held> {
    let fits: fn(&Value, &Ruling) -> bool = match kind {
        "log" => |w, r| match r {
            Ruling::Log(note) => {
                same(&w["code"], note.code.word())
                    && same(&w["sev"], note.code.severity().word())
                    && w["side"].as_str().is_none_or(|by| note.by.map(side) == Some(by))
            }
            _ => false,
        },
        "touched" => |w, r| match r {
            Ruling::Touched { by, sq } => {
                same(&w["side"], side(*by)) && same(&w["sq"], &sq.to_string())
            }
            _ => false,
        },
        "made" => |w, r| match r {
            Ruling::Made { by, san, uci } => {
                same(&w["side"], side(*by)) && same(&w["san"], san) && same(&w["uci"], uci)
            }
            _ => false,
        },
        "completed" => |w, r| match r {
            Ruling::Completed { by, san, no } => {
                same(&w["side"], side(*by))
                    && same(&w["san"], san)
                    && same(&w["no"], &no.to_string())
            }
            _ => false,
        },
        "illegal_completed" => |w, r| match r {
            Ruling::IllegalCompleted { by, nth, why } => {
                same(&w["side"], side(*by))
                    && same(&w["nth"], &nth.to_string())
                    && prose(&w["why"], why.word())
            }
            _ => false,
        },
        "replaced" => |w, r| match r {
            Ruling::Replaced { by, old, san, uci } => {
                same(&w["side"], side(*by))
                    && same(&w["old"], old)
                    && same(&w["san"], san)
                    && same(&w["uci"], uci)
            }
            _ => false,
        },
        _ => {
            return said_of_time(kind, wanted, table)
                .or_else(|| said_of_papers(kind, wanted, table));
        }
    };
    Some(find(kind, wanted, table, fits))
}

/// Whether the row `found` is the one wanted, or another on the same article of this edition.
fn same_law(wanted: &Value, found: &str, edition: Edition) -> bool {
    let rows = wanted.as_str().map(rows::row).zip(Some(rows::row(found)));
    let Some((Ok(one), Ok(other))) = rows else { return same(wanted, found) };
    let articles = |row: &'static rows::Row| {
        row.article(edition).into_iter().flat_map(|articles| articles.split(", "))
    };
    one.id == other.id || articles(one).any(|one| articles(other).any(|other| one == other))
}

fn said_of_time(kind: &str, wanted: &Value, table: &mut Table) -> Option<Held> {
    let edition = table.referee().terms().profile.edition;
    let is_time = |w: &Value, r: &Ruling| match r {
        Ruling::Penalty { to, span, row } if kind == "penalty" => {
            same(&w["give"], side(*to)) && secs(&w["s"], *span) && same_law(&w["why"], row, edition)
        }
        Ruling::Deducted { from, span, row } if kind == "deduct" => {
            same(&w["side"], side(*from))
                && secs(&w["s"], *span)
                && same_law(&w["why"], row, edition)
        }
        _ => false,
    };
    if matches!(kind, "penalty" | "deduct") {
        return Some(find(kind, wanted, table, is_time));
    }
    let fits: fn(&Value, &Ruling) -> bool = match kind {
        "period" => |w, r| match r {
            Ruling::Period { side: of, add } => {
                same(&w["side"], side(*of)) && secs(&w["add_s"], *add)
            }
            _ => false,
        },
        "mode" => |w, r| match r {
            Ruling::Mode { per_move } => {
                same(&w["mode"], "fischer") && secs(&w["per_move_s"], *per_move)
            }
            _ => false,
        },
        "flag" => |w, r| match r {
            Ruling::Flag { side: of } => same(&w["side"], side(*of)),
            _ => false,
        },
        "claim" => |w, r| match r {
            Ruling::Claimed { kind, by, verdict, san } => {
                same(&w["kind"], kind)
                    && same(&w["by"], side(*by))
                    && same(&w["verdict"], verdict.word())
                    && w["san"].as_str().is_none_or(|text| san.as_deref() == Some(text))
            }
            _ => false,
        },
        "ignored" => |_, r| matches!(r, Ruling::Ignored),
        _ => return None,
    };
    Some(find(kind, wanted, table, fits))
}

fn said_of_papers(kind: &str, wanted: &Value, table: &mut Table) -> Option<Held> {
    let fits: fn(&Value, &Ruling) -> bool = match kind {
        "illegal_stands" => |w, r| match r {
            Ruling::IllegalStands { fen } => same(&w["fen"], fen),
            _ => false,
        },
        "unresolved" => |w, r| match r {
            Ruling::Unresolved { candidates } => super::strings(&w["candidates"]) == *candidates,
            _ => false,
        },
        "transfer" => |w, r| match r {
            Ruling::Transfer { placement } => same(&w["fen"], placement),
            _ => false,
        },
        "restore_point" => |w, r| match r {
            Ruling::RestorePoint { fen } => same(&w["fen"], fen),
            _ => false,
        },
        "position_demanded" => |w, r| match r {
            Ruling::PositionDemanded { san: Some(san) } => same(&w["san"], san),
            Ruling::PositionDemanded { san: None } => w["san"].is_null(),
            _ => false,
        },
        "claim_package" => |w, r| match r {
            Ruling::Package { parts } => super::strings(&w["parts"]) == *parts,
            _ => false,
        },
        "snapshot" => |w, r| match r {
            Ruling::Snapshot { fen, white, black, turn, moves } => {
                same(&w["fen"], fen)
                    && secs(&w["white_s"], *white)
                    && secs(&w["black_s"], *black)
                    && same(&w["to_move"], side(*turn))
                    && same(&w["moves"], &moves.to_string())
            }
            _ => false,
        },
        "seal_requested" => |w, r| match r {
            Ruling::SealRequested { by } => same(&w["side"], side(*by)),
            _ => false,
        },
        "sealed_pending" => |_, r| matches!(r, Ruling::SealedPending),
        "sealed_must_be" => |w, r| match r {
            Ruling::SealedMustBe { san } => same(&w["san"], san),
            _ => false,
        },
        "sealed_invalid" => |w, r| match r {
            Ruling::SealedInvalid { why } => prose(&w["why"], why),
            _ => false,
        },
        "envelope" => |w, r| match r {
            Ruling::Envelope { fields } => {
                let named = super::strings(&w["fields"]);
                !named.is_empty() && named.iter().all(|field| fields.contains(&field.as_str()))
            }
            _ => false,
        },
        "speaks" => |w, r| match r {
            Ruling::Speaks { to, text } => same(&w["to"], side(*to)) && same(&w["text"], text),
            _ => false,
        },
        _ => return None,
    };
    Some(find(kind, wanted, table, fits))
}

/// The next thing said in this event, after those of this kind that were found already.
fn find(
    kind: &str,
    wanted: &Value,
    table: &mut Table,
    fits: impl Fn(&Value, &Ruling) -> bool,
) -> Held {
    let known = table.found.iter().position(|(found, _)| found == kind);
    let after = known.map_or(0, |idx| table.found[idx].1 + 1);
    let is_now = |event: usize| event >= table.from && event <= table.event;
    let found = (after..table.said.len())
        .find(|idx| is_now(table.said[*idx].0) && fits(wanted, &table.said[*idx].1));
    let Some(found) = found else {
        let said = table.said.iter().filter(|(event, _)| is_now(*event));
        let said: Vec<String> = said.map(|(_, ruling)| format!("{ruling:?}")).collect();
        return Err(format!("{wanted} was not said; said was {}", said.join(", ")));
    };
    match known {
        Some(idx) => table.found[idx].1 = found,
        None => table.found.push((kind.to_owned(), found)),
    }
    Ok(())
}

fn equal(wanted: &Value, found: &str) -> Held {
    if same(wanted, found) { Ok(()) } else { Err(format!("{wanted} wanted, {found:?} found")) }
}

fn check(holds: bool, otherwise: impl FnOnce() -> String) -> Held {
    if holds { Ok(()) } else { Err(otherwise()) }
}

/// Outcomes that are a state.
fn asked(kind: &str, w: &Value, table: &Table) -> Option<Held> {
    let referee = table.referee();
    Some(match kind {
        "bound" => {
            let bound = referee.binding().unwrap_or(Binding::Any).to_string();
            equal(&w["to"], &bound)
        }
        "not_bound" => {
            let bound = referee.binding().filter(|bound| *bound != Binding::Any);
            check(bound.is_none(), || format!("bound to {}", bound.unwrap_or(Binding::Any)))
        }
        "not_made" => {
            let is_made = |(event, ruling): &(usize, Ruling)| {
                *event == table.event && matches!(ruling, Ruling::Made { .. })
            };
            let is_open = referee.has_open_move();
            check(!table.said.iter().any(is_made) && !is_open, || "a move is made".to_owned())
        }
        "illegal_on_board" => match referee.illegal_on_board() {
            None => Err("nothing illegal stands".to_owned()),
            Some((by, why)) => {
                check(same(&w["side"], side(by)) && prose(&w["why"], why.word()), || {
                    format!("{w} wanted, {why:?} of {by} found")
                })
            }
        },
        "no_log" => {
            let code = w["code"].as_str().and_then(Code::parse);
            let is_it = |(event, ruling): &(usize, Ruling)| {
                *event <= table.event
                    && matches!(ruling, Ruling::Log(note) if Some(note.code) == code)
            };
            check(code.is_some() && !table.said.iter().any(is_it), || "it is in the log".to_owned())
        }
        "no_penalty" => {
            let is_charge = |(event, ruling): &(usize, Ruling)| {
                *event == table.event
                    && matches!(ruling, Ruling::Penalty { .. } | Ruling::Deducted { .. })
            };
            check(!table.said.iter().any(is_charge), || "somebody is charged".to_owned())
        }
        "clock" => clock(w, table),
        "restore" => equal(&w["fen"], &referee.demanded_fen().unwrap_or_default()),
        "occurrences" => equal(&w["n"], &referee.occurrences().to_string()),
        "prompt" => prompt(w, table),
        "arbiter_may_act" => {
            let may = referee.may_act().is_some_and(|may| may == MayAct::Yes);
            equal(&w["yes"], &may.to_string())
        }
        "demo" => equal(&w["shows"], &referee.display().to_string()),
        "players_see" => players_see(w, table),
        "ready" => check(referee.is_ready(), || "not ready".to_owned()),
        "not_ready" => check(!referee.is_ready(), || "ready".to_owned()),
        "next_move_no" => equal(&w["no"], &referee.next_move_no().to_string()),
        _ => return asked_of_end(kind, w, table),
    })
}

fn asked_of_end(kind: &str, w: &Value, table: &Table) -> Option<Held> {
    let referee = table.referee();
    Some(match kind {
        "result" => match referee.result() {
            None => Err("the game goes on".to_owned()),
            Some(found) => {
                let flagged = w["flagged"].as_str();
                let is_it = same(&w["score"], &found.score.to_string())
                    && prose(&w["reason"], &found.reason)
                    && flagged.is_none_or(|by| found.flagged.map(side) == Some(by));
                check(is_it, || format!("{} {:?} found", found.score, found.reason))
            }
        },
        "game_continues" => {
            let found = referee.result().map(|found| found.score);
            check(found.is_none(), || format!("{} found", found.unwrap_or(Score::Open)))
        }
        "points" => match referee.points() {
            None => Err("no points".to_owned()),
            Some(points) => {
                check(half(&w["white"], points.white) && half(&w["black"], points.black), || {
                    format!("{points:?} half points found")
                })
            }
        },
        "offer" => {
            let by = if w["by"] == "white" { Color::White } else { Color::Black };
            equal(&w["state"], referee.offer(by).map_or("none", |state| state.word()))
        }
        "signed" => {
            equal(&w["score"], &referee.signed().map_or_else(String::new, |s| s.to_string()))
        }
        "castling_rights" => {
            let (before, after) = referee.castling_rights();
            equal(&w["rights_before"], &before).and(equal(&w["rights_after"], &after))
        }
        "notation" => equal(&w["text"], &referee.notation().unwrap_or_default()),
        "sealed" => match referee.sealed() {
            None => Err("nothing is sealed".to_owned()),
            Some((by, no, text)) => {
                let is_said = table.said.iter().any(|(_, r)| matches!(r, Ruling::Sealed { .. }));
                let is_it = same(&w["side"], side(by))
                    && same(&w["no"], &no.to_string())
                    && same(&w["san"], text);
                check(is_it && is_said, || format!("{text} as move {no} of {by} found"))
            }
        },
        _ => return None,
    })
}

fn half(wanted: &Value, halves: u8) -> bool {
    let named = wanted.as_str() == Some(rokade::laws::score::halves(halves));
    named || wanted.is_null() || wanted.as_f64() == Some(f64::from(halves) / 2.0)
}

fn clock(w: &Value, table: &Table) -> Held {
    let clocks = table.clocks();
    let running = clocks.running.map_or("none", side);
    let is_it = same(&w["running"], running)
        && secs(&w["white_s"], clocks.left.white)
        && secs(&w["black_s"], clocks.left.black);
    check(is_it, || format!("{clocks:?} found"))
}

fn prompt(w: &Value, table: &Table) -> Held {
    let wanted = super::strings(&w["options"]);
    let is_it =
        |ruling: &Ruling| matches!(ruling, Ruling::Prompt { options } if *options == wanted);
    let asked = table.said.iter().rfind(|(_, ruling)| is_it(ruling)).map(|(event, _)| *event);
    let is_open = table.referee().prompts().any(|options| options == wanted);
    let holds = asked.is_some_and(|event| event == table.event || is_open);
    check(!wanted.is_empty() && holds, || {
        let open: Vec<_> = table.referee().prompts().collect();
        format!("{wanted:?} wanted, open are {open:?}")
    })
}

/// Nothing that the players or the public see may name what is the arbiter's.
fn players_see(w: &Value, table: &Table) -> Held {
    let view = View::new("board", &table.game, rokade::time::Mono::default()).to_json();
    let shown = format!("{view} {}", table.referee().display());
    let leaks = Code::ALL.iter().find(|code| shown.contains(code.word()));
    let spoken = table
        .said
        .iter()
        .any(|(event, ruling)| *event == table.event && matches!(ruling, Ruling::Speaks { .. }));
    equal(&w["what"], "nothing")
        .and(check(leaks.is_none() && !spoken, || format!("{leaks:?} is shown, or spoken")))
}
