// The demo board: shows the newest view of one board. What arrives is text to be shown, never
// markup; it may hold anything that stands in a pairing file.

import { Chessground } from './chessground.min.js';
import { Clocks, format, spoken } from './clock.js';
import { keep } from './link.js';

/** @typedef {'white' | 'black'} Color */
/** @typedef {import('@lichess-org/chessground/types').Key} Square such as "e4" */
/**
 * @typedef {object} Move
 * @property {number} ply half-move on record, from 1
 * @property {number} number of the move
 * @property {Color} color
 * @property {string} san
 * @property {'made' | 'completed'} state
 * @property {boolean} uncertain
 * @property {string[]} alternatives what else it may have been
 */
/**
 * @typedef {object} View
 * @property {1} v
 * @property {string} board
 * @property {string} white
 * @property {string} black
 * @property {string} event
 * @property {string} round
 * @property {string} fen
 * @property {[Square, Square] | null} last
 * @property {Square | null} check
 * @property {Color} turn
 * @property {Color} orientation
 * @property {Move[]} moves
 * @property {string} result
 * @property {string | null} reason
 * @property {import('./clock.js').Reading | null} clock
 * @property {'live' | 'lost' | 'absent'} link
 * @property {boolean} joined the beginning was not seen
 * @property {{ ply: number, text: string }[]} gaps moves that nobody knows, after this half-move
 * @property {boolean} idle no game is on record: this is how the board stands
 * @property {Square[]} differs squares on which the board contradicts the position
 */

const VERSION = 1;
/** How long a page older than its daemon waits before it loads itself anew. */
const RELOAD_MS = 30_000;
const ANIMATION_MS = 200;
/** @type {Record<string, string>} */
const LINKS = {
  live: 'Live',
  idle: 'No game yet: recording begins with a start position or with play',
  over: 'The game is over',
  differs: 'The board does not show this position',
  deaf: 'Clock not heard: times are reckoned',
  lost: 'The board is not answering',
  absent: 'No board connected',
  off: 'The record is not being kept: tell the arbiter',
};
/** @type {Record<string, string>} */
const RESULTS = { '1-0': '1–0', '0-1': '0–1', '1/2-1/2': '½–½' };

const at = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
/** A part of the page that index.html or new_row has put there. */
const part = (/** @type {Element} */ parent, /** @type {string} */ selector) =>
  /** @type {HTMLElement} */ (parent.querySelector(selector));
const write = (/** @type {Element} */ element, /** @type {string} */ text) => {
  if (element.textContent !== text) element.textContent = text;
};

const board = Chessground(at('board'), {
  fen: '8/8/8/8/8/8/8/8',
  viewOnly: true,
  drawable: { enabled: false, visible: false },
  animation: { duration: ANIMATION_MS },
});
/** @type {View | undefined} */
let view;
/** @type {Clocks | null} */
let clocks = null;
/** @type {number | undefined} */
let tick;

/** @param {View} v */
function show_position(v) {
  /** @type {Map<Square, string>} */
  const custom = new Map(v.check ? [[v.check, 'check']] : []);
  board.set({
    fen: v.fen,
    orientation: v.orientation,
    turnColor: v.turn,
    lastMove: v.last ?? undefined,
    highlight: { custom },
  });
}

/** @param {View} v */
function show_players(v) {
  for (const color of /** @type {Color[]} */ (['white', 'black'])) {
    const player = at(color === v.orientation ? 'bottom' : 'top');
    player.dataset.color = color;
    const name = color === 'white' ? v.white : v.black;
    write(part(player, '.name'), name || (color === 'white' ? 'White' : 'Black'));
    player.classList.toggle('to-move', v.result === '*' && v.turn === color);
  }
}

function show_clocks() {
  clearTimeout(tick);
  const now = performance.now();
  const estimated = clocks?.estimated ?? false;
  for (const id of ['top', 'bottom']) {
    const player = at(id);
    const color = /** @type {Color} */ (player.dataset.color);
    const time = part(player, '.time');
    player.classList.toggle('running', clocks?.running === color);
    const left = clocks?.left(color, now);
    player.classList.toggle('short', left !== undefined && left < 20_000);
    player.classList.toggle('estimated', estimated);
    write(time, left === undefined ? '' : format(left, !estimated));
    if (left === undefined) time.removeAttribute('aria-label');
    else time.setAttribute('aria-label', (estimated ? 'reckoned: ' : '') + spoken(left));
  }
  const times = [...document.querySelectorAll('.time')];
  const letters = Math.max(...times.map(time => time.textContent.length));
  document.body.style.setProperty('--letters', String(letters));
  const wait = clocks?.changes_in(now) ?? null;
  if (wait !== null) tick = setTimeout(show_clocks, wait);
}

/** A row of the score: number, White's move, Black's move. */
function new_row() {
  const row = document.createElement('li');
  for (const name of ['number', 'san white', 'san black']) {
    const cell = document.createElement('span');
    cell.className = name;
    row.append(cell);
  }
  return row;
}

/** @param {Element} cell @param {Move | undefined} move @param {boolean} is_last */
function show_move(cell, move, is_last) {
  write(cell, move?.san ?? '');
  cell.classList.toggle('made', move?.state === 'made');
  cell.classList.toggle('uncertain', move?.uncertain ?? false);
  cell.classList.toggle('last', is_last);
  const others = move?.alternatives.join(', ') ?? '';
  cell.setAttribute('title', move?.uncertain ? `Uncertain: the sensors also fit ${others}` : '');
}

/**
 * The rows of the score: a move of each side, or what is not known.
 * @param {View} v
 */
function rows_of(v) {
  /** @type {{ number: number, white?: Move, black?: Move, gap?: string }[]} */
  const rows = [];
  const gaps = new Map(v.gaps.map(gap => [gap.ply, `${gap.text} not known`]));
  const note = (/** @type {string | undefined} */ gap) => gap && rows.push({ number: 0, gap });
  if (v.joined) note('the beginning was not seen');
  note(gaps.get(0));
  for (const move of v.moves) {
    const row = rows.at(-1);
    const goes_on = move.color === 'black' && row?.white && row.gap === undefined && !row.black;
    if (goes_on && row.number === move.number) row.black = move;
    else rows.push({ number: move.number, [move.color]: move });
    note(gaps.get(move.ply));
  }
  return rows;
}

/**
 * Writes only what changed: late in a long game that is one cell of three hundred.
 * @param {View} v
 */
function show_moves(v) {
  const list = at('moves');
  const follows = list.scrollHeight - list.scrollTop - list.clientHeight < list.clientHeight / 2;
  const last = v.moves.at(-1);
  const rows = rows_of(v);
  while (list.children.length > rows.length) list.lastElementChild?.remove();
  while (list.children.length < rows.length) list.append(new_row());
  rows.forEach(({ number, white, black, gap }, i) => {
    const row = /** @type {Element} */ (list.children[i]);
    row.classList.toggle('gap', gap !== undefined);
    write(part(row, '.number'), gap === undefined ? `${number}.` : '');
    show_move(part(row, '.white'), white, white !== undefined && white === last);
    show_move(part(row, '.black'), black, black !== undefined && black === last);
    if (!white) write(part(row, '.white'), gap ?? '…');
  });
  if (follows) list.scrollTop = list.scrollHeight;
  const dots = last?.color === 'black' ? '…' : '.';
  write(at('announce'), last ? `${last.number}${dots} ${last.san}` : '');
}

/** @param {View} v */
function show_frame(v) {
  const round = v.round ? `Round ${v.round}` : '';
  write(at('event'), [v.event, round, v.board].filter(Boolean).join(' · '));
  const is_over = v.result !== '*';
  const score = RESULTS[v.result] ?? v.result;
  at('result').hidden = !is_over;
  write(part(at('result'), 'strong'), is_over ? score : '');
  const reason = v.reason === 'arbiter' ? 'decided by the arbiter' : (v.reason ?? '');
  write(part(at('result'), 'span'), reason);
  const names = `${v.white || 'White'} – ${v.black || 'Black'}`;
  document.title = is_over ? `${score} ${names}` : names;
}

/** @param {string} state @param {string} text */
function show_status(state, text) {
  at('status').dataset.state = state;
  document.body.classList.toggle('cut', state === 'cut');
  write(at('status'), text);
}

/**
 * @param {{ age_ms: number, recorded: boolean, head: string, warning: string | null, view: View }}
 *   envelope
 */
function heard(envelope) {
  const v = envelope?.view;
  if (v?.v !== VERSION) {
    show_status('cut', 'This page is older than the daemon and will load anew');
    setTimeout(() => location.reload(), RELOAD_MS);
    return;
  }
  view = v;
  clocks = v.clock && new Clocks(v.clock, envelope.age_ms, performance.now());
  show_position(v);
  show_players(v);
  show_clocks();
  show_moves(v);
  show_frame(v);
  // A board that does not answer says more than a clock that does not.
  const doubts = v.clock?.estimated ? 'deaf' : 'live';
  const goes = v.idle ? 'idle' : v.result === '*' ? doubts : 'over';
  const shows = v.differs.length > 0 ? 'differs' : goes;
  const answers = v.link === 'live' ? shows : v.link;
  const state = envelope.recorded === false ? 'off' : answers;
  show_status(state, LINKS[state] ?? state);
  const head = envelope.head ? `On record up to line ${envelope.head}` : '';
  at('status').title = [head, envelope.warning].filter(Boolean).join('\n');
}

/** @param {boolean} up */
function line_changed(up) {
  if (up) return; // The message that follows says how things are.
  show_status('cut', view ? 'No connection: last known state' : 'No connection: trying again');
}

addEventListener('visibilitychange', show_clocks);
const follow = () => {
  at('moves').scrollTop = at('moves').scrollHeight;
};
// A new size of the window can change the letters without changing the box.
addEventListener('resize', follow);
new ResizeObserver(follow).observe(at('moves'));
const url = new URL(location.pathname.replace(/\/?$/, '/ws'), location.href);
url.protocol = url.protocol.replace('http', 'ws');
keep(url.href, heard, line_changed);
