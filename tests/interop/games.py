"""chess reads every game of a file to its end: `games.py FILE NUMBER`."""

import sys

import chess.pgn

n, n_plies = 0, 0
with open(sys.argv[1]) as file:
    while game := chess.pgn.read_game(file):
        n += 1
        assert not game.errors, (game.headers, game.errors)
        assert game.end().board().is_valid() or not list(game.mainline_moves()), game.headers
        n_plies += sum(1 for _ in game.mainline_moves())
assert n == int(sys.argv[2]), f"{n} games of {sys.argv[2]}"
print(f"{n} games, {n_plies} half-moves")
