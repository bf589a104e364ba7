//! Whose board is heard: the one that a game began on, or another one whose cable was plugged in in
//! its place.

/// The numbers by which the board of a game is known. A board tells a short one and a long one, and
/// numbers of one length tell boards apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OwnBoard {
    /// Those of the board that the game began on.
    first: Vec<String>,
    /// Those of the board that it is played on: that one, or a spare.
    own: Vec<String>,
    /// Those that were told last.
    told: Vec<String>,
}

impl OwnBoard {
    /// The board that is heard tells its number.
    pub(super) fn hear(&mut self, serial: &str) {
        self.told.retain(|told| told.len() != serial.len());
        self.told.push(serial.to_owned());
        // A board that has told one number may tell the other one later.
        if !self.is_away() {
            for known in [&mut self.first, &mut self.own] {
                if known.iter().all(|known| known.len() != serial.len()) {
                    known.push(serial.to_owned());
                }
            }
        }
        // What was taken for a spare was none.
        if !are_apart(&self.first, &self.told) {
            self.own.clone_from(&self.first);
        }
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
        board.hear("01025");
        board.begin();
        board.hear("3000001025");
        assert!(!board.is_away());
        board.hear("02047");
        assert!(board.is_away());
        board.hear("3000002047");
        board.hear("01025");
        assert!(board.is_away(), "the long number is still the other board's");
        board.hear("3000001025");
        assert!(!board.is_away());
        board.hear("02047");
        board.take_over();
        assert!(!board.is_away());
        board.hear("01025");
        assert!(!board.is_away(), "it began on this one");
        board.hear("03001");
        assert!(board.is_away());
    }
}
