//! What waits for the arbiter names the orders that answer it: each of them can be given.

use super::scenario::{Player, ours};
use rokade::laws::Pending;

/// An order as it is entered: of several matters by its number, and a result with its score.
fn entered(open: &Pending, order: &str) -> String {
    match (order, open.number) {
        ("confirm" | "dismiss", Some(number)) => format!("{order} {number}"),
        ("result", _) => "result 1-0".to_owned(),
        _ => order.to_owned(),
    }
}

#[test]
fn no_order_that_is_offered_is_refused() {
    let (mut n_asked, mut refused) = (0, Vec::new());
    for scenario in &ours() {
        for edition in &scenario.editions {
            let mut player = Player::new(scenario, edition);
            while player.step() {
                let open = player.game().referee().expect("he sits there").pending();
                for (open, order) in
                    open.iter().flat_map(|it| it.orders.iter().map(move |o| (it, o)))
                {
                    let order = entered(open, order);
                    n_asked += 1;
                    for why in player.refusals_of(&order) {
                        refused.push(format!(
                            "{} {edition}, {}: {order}: {why}",
                            scenario.id, open.what
                        ));
                    }
                }
            }
        }
    }
    assert!(
        refused.is_empty(),
        "{n_asked} orders, refused {}:\n{}",
        refused.len(),
        refused.join("\n")
    );
    assert!(n_asked > 1_000, "{n_asked}");
}
