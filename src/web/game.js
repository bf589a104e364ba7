// The positions of a game, of which a view has the first, the moves, and those behind gaps. What is
// on record is followed as it stands: there are no rules here, and moves may have been illegal.

/** @typedef {import('@lichess-org/chessground/types').Key} Square such as "e4" */
/** @typedef {Map<Square, string>} Men letters of a FEN by their squares */
/** @typedef {{ ply: number, uci: string, san: string, color: 'white' | 'black' }} Played */
/**
 * @typedef {object} Game
 * @property {string} start the position before the first move, as a FEN
 * @property {Played[]} moves
 * @property {{ ply: number, fen: string }[]} gaps the position behind each
 */

/**
 * @param {string} fen
 * @returns {Men}
 */
export function men_of(fen) {
  const men = new Map();
  (fen.split(' ')[0] ?? '').split('/').forEach((row, idx) => {
    let file = 0;
    for (const sign of row) {
      if (/\d/.test(sign)) file += Number(sign);
      else men.set(`${'abcdefgh'[file++]}${8 - idx}`, sign);
    }
  });
  return men;
}

/**
 * The placement of a FEN.
 * @param {Men} men
 */
export function fen_of(men) {
  const rows = [...'87654321'].map(rank => {
    const signs = [...'abcdefgh'].map(file => men.get(/** @type {Square} */ (file + rank)) ?? '1');
    return signs.join('').replace(/1+/g, ones => String(ones.length));
  });
  return rows.join('/');
}

/**
 * Moves the men, and says from where to where.
 * @param {Men} men
 * @param {Played} move castling may be the king's own move, or that he takes his rook
 * @returns {[Square, Square]}
 */
function make(men, { uci, san, color }) {
  const square = (/** @type {string} */ name) => /** @type {Square} */ (name);
  const [from, to] = [square(uci.slice(0, 2)), square(uci.slice(2, 4))];
  const man = men.get(from) ?? '';
  if (san.startsWith('O-O')) {
    const is_long = san.startsWith('O-O-O');
    const on = (/** @type {string} */ file) => square(file + from[1]);
    const rook = color === 'white' ? 'R' : 'r';
    const corner = men.get(to) === rook ? to : on(is_long ? 'a' : 'h');
    men.delete(from);
    men.delete(corner);
    men.set(on(is_long ? 'c' : 'g'), man);
    men.set(on(is_long ? 'd' : 'f'), rook);
    return [from, on(is_long ? 'c' : 'g')];
  }
  const is_passing = man.toLowerCase() === 'p' && from[0] !== to[0] && !men.has(to);
  if (is_passing) men.delete(square(`${to[0]}${from[1]}`));
  men.delete(from);
  const piece = uci[4] ?? '';
  men.set(to, color === 'white' ? piece.toUpperCase() || man : piece || man);
  return [from, to];
}

/**
 * The position after so many half-moves on record.
 * @param {Game} game
 * @param {number} ply
 */
export function position(game, ply) {
  const gaps = new Map(game.gaps.map(gap => [gap.ply, gap.fen]));
  let men = men_of(gaps.get(0) ?? game.start);
  let piece = '';
  /** @type {[Square, Square] | undefined} */
  let last;
  for (const move of game.moves.slice(0, ply)) {
    piece = men.get(/** @type {Square} */ (move.uci.slice(0, 2))) ?? '';
    last = make(men, move);
    const behind = gaps.get(move.ply);
    if (behind !== undefined) [men, last] = [men_of(behind), undefined];
  }
  const made = ply > 0 ? game.moves[ply - 1] : undefined;
  const king = made?.color === 'white' ? 'k' : 'K';
  const is_check = last !== undefined && made !== undefined && /[+#]$/.test(made.san);
  const check = is_check ? [...men].find(([, man]) => man === king)?.[0] : undefined;
  return { men, last, check, piece };
}
