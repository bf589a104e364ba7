//! Whose board is heard: the one that a game is played on, or another one whose cable was plugged
//! in in its place.

/// The numbers by which the board of a game is known. A board tells a short one and a long one, and
/// numbers of one length tell boards apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OwnBoard {
    /// Those of the board that the game began on.
    first: Vec<String>,
    /// Those of the board that it is played on: that one, or a spare.
    own: Vec<String>,
    /// Those of the board that is heard, as far as it has told them.
    told: Vec<String>,
}

impl OwnBoard {
    /// The board that is heard tells its number. True if it is another one than before.
    pub(super) fn hear(&mut self, serial: &str) -> bool {
        let told = [serial.to_owned()];
        let is_other = are_apart(&self.told, &told);
        if is_other {
            self.told.clear();
        }
        if !self.told.contains(&told[0]) {
            self.told.extend(told);
        }
        // What was taken for a spare was none.
        if is_other && !self.first.is_empty() && !are_apart(&self.first, &self.told) {
            self.own.clone_from(&self.first);
        }
        // A board that has told one number may tell the other one later.
        for known in [&mut self.first, &mut self.own] {
            if !are_apart(known, &self.told) && known.iter().any(|it| self.told.contains(it)) {
                known.clone_from(&self.told);
            }
        }
        if self.own.is_empty() {
            self.begin();
        }
        is_other
    }

    /// A game begins on the board that is heard.
    pub(super) fn begin(&mut self) {
        self.first.clone_from(&self.told);
        self.take_over();
    }

    /// The game goes on on the board that is heard.
    pub(super) fn take_over(&mut self) {
        self.own.clone_from(&self.told);
    }

    /// Whether it is another board than that of the game which is heard.
    pub(super) fn is_away(&self) -> bool {
        are_apart(&self.own, &self.told)
    }
}

/// Whether two boards that tell these numbers are not the same.
fn are_apart(one: &[String], other: &[String]) -> bool {
    let is_other =
        |known: &String| other.iter().any(|told| told.len() == known.len() && told != known);
    one.iter().any(is_other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_stays_with_its_board_until_it_goes_on_on_another_one() {
        let mut board = OwnBoard::default();
        assert!(!board.hear("01025"));
        board.begin();
        assert!(!board.hear("3000001025") && !board.is_away());
        assert!(board.hear("02047") && board.is_away());
        assert!(!board.hear("3000002047") && board.is_away());
        assert!(board.hear("01025") && !board.is_away(), "the long number may never be told");
        assert!(board.hear("02047") && board.is_away());
        board.take_over();
        assert!(!board.is_away());
        assert!(board.hear("01025") && !board.is_away(), "it began on this one");
        assert!(!board.hear("3000001025") && !board.is_away());
        assert!(board.hear("3000003001") && board.is_away());
        assert!(!board.hear("03001") && board.is_away());
    }
}
