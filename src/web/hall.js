// All boards on one screen, and one of them large. A message has those that have changed; the first
// one on a line has all. What arrives is text to be shown, never markup.

import { Chessground } from './chessground.min.js';
import { Clocks, format } from './clock.js';
import { keep } from './link.js';

/** @typedef {'white' | 'black'} Color */
/** @typedef {import('@lichess-org/chessground/types').Key} Square such as "e4" */
/**
 * @typedef {object} Brief what the grid shows of a board
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
 * @property {string} move the last one, with its number; empty before the first
 * @property {string} result
 * @property {import('./clock.js').Reading | null} clock
 * @property {'live' | 'lost' | 'absent'} link
 * @property {boolean} idle no game is on record: this is how the board stands
 * @property {boolean} differs the board contradicts the position
 */
/** @typedef {{ n: number, age_ms: number, recorded: boolean, view: Brief }} News */
/** @typedef {ReturnType<typeof new_tile>} Tile */

const VERSION = 1;
/** How long a page older than its daemon waits before it loads itself anew. */
const RELOAD_MS = 30_000;
/** What the players and the foot of a tile take, beside the board, of its width; with letters that
 * would be too small otherwise, in pixels. */
const STRIPS = 0.36;
const STRIPS_LARGE = 0.23;
const STRIPS_PX = 50;
/** A board has eight squares of whole pixels. */
const whole = (/** @type {number} */ width) => Math.floor(width / 8) * 8;
/** Boards that would be smaller are scrolled. */
const TILE_MIN = 120;
const BETWEEN = 10;
const ROTATE_MIN_S = 3;
const ROTATE_USUAL_S = 20;
/** @type {Record<string, string>} */
const RESULTS = { '1-0': '1–0', '0-1': '0–1', '1/2-1/2': '½–½' };
/** @type {Record<string, string>} */
const DOUBTS = { lost: 'not answering', absent: 'not connected' };

const at = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const write = (/** @type {Element} */ element, /** @type {string} */ text) => {
  if (element.textContent !== text) element.textContent = text;
};

const query = new URL(location.href).searchParams;
/** Places of boards that are shown, from 1, such as "1-20"; all without. */
const [first = 1, end = Infinity] = (query.get('boards') ?? '').match(/\d+/g)?.map(Number) ?? [];
let rotate_s = Math.max(0, Number(query.get('rotate')) || 0);

/** @type {Map<number, Tile>} */
const tiles = new Map();
/** @type {Map<number, { news: News, clocks: Clocks | null }>} */
const known = new Map();
/** The place of the board that is large. */
/** @type {number | null} */
let chosen = null;
/** @type {Tile | undefined} */
let large;
/** @type {number | undefined} */
let tick;
/** @type {number | undefined} */
let turn;
let has_heard = false;

const side = (/** @type {Color} */ color) => (color === 'white' ? 'White' : 'Black');

/** @param {string} name @param {Element} parent @param {string} [kind] */
function add(name, parent, kind = 'span') {
  const element = document.createElement(kind);
  element.className = name;
  parent.append(element);
  return element;
}

/** @param {HTMLElement} parent @param {boolean} is_large @param {() => void} picked */
function new_tile(parent, is_large, picked) {
  const tile = add('tile', parent, 'article');
  tile.tabIndex = 0;
  tile.setAttribute('role', 'button');
  tile.onclick = picked;
  tile.onkeydown = event => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    picked();
  };
  const player = () => {
    const row = add('player-row', tile, 'p');
    return { row, name: add('name', row), left: add('left', row) };
  };
  const top = player();
  const frame = add('frame', tile, 'div');
  const bottom = player();
  const foot = add('foot', tile, 'p');
  const board = Chessground(frame, {
    fen: '8/8/8/8/8/8/8/8',
    viewOnly: true,
    coordinates: false,
    drawable: { enabled: false, visible: false },
    animation: { enabled: is_large },
  });
  const [table, move, result] = [add('table', foot), add('move', foot), add('result', foot)];
  return { tile, top, bottom, foot, board, table, move, result };
}

/** @param {Tile} tile @param {Brief} view @param {boolean} is_recorded */
function show(tile, view, is_recorded) {
  /** @type {Map<Square, string>} */
  const custom = new Map(view.check ? [[view.check, 'check']] : []);
  tile.board.set({
    fen: view.fen,
    orientation: view.orientation,
    turnColor: view.turn,
    lastMove: view.last ?? undefined,
    highlight: { custom },
  });
  for (const [place, color] of /** @type {['top' | 'bottom', Color][]} */ (
    view.orientation === 'white'
      ? [['top', 'black'], ['bottom', 'white']]
      : [['top', 'white'], ['bottom', 'black']]
  )) {
    tile[place].row.dataset.color = color;
    const name = (color === 'white' ? view.white : view.black) || side(color);
    // Small ones have no room for more than "Last" of "Last, First".
    write(tile[place].name, tile === large ? name : (name.split(',')[0] ?? name));
  }
  const is_over = view.result !== '*';
  const score = RESULTS[view.result] ?? view.result;
  const differs = view.differs ? 'the board differs' : '';
  const doubt = is_recorded ? (DOUBTS[view.link] ?? differs) : 'not being recorded';
  tile.tile.classList.toggle('over', is_over);
  tile.tile.classList.toggle('doubt', !is_over && doubt !== '');
  write(tile.table, view.board);
  write(tile.move, !is_over && doubt ? doubt : view.move);
  write(tile.result, is_over ? score : '');
  const names = `${view.white || side('white')} – ${view.black || side('black')}`;
  const state = is_over ? score : doubt || view.move;
  tile.tile.setAttribute('aria-label', [view.board, names, state].filter(Boolean).join(', '));
}

/** The times, or once a game is over what each has of it.
 * @param {Tile} tile @param {Clocks | null} clocks @param {string} result @param {number} now */
function show_clocks(tile, clocks, result, now) {
  for (const place of /** @type {['top', 'bottom']} */ (['top', 'bottom'])) {
    const { row, left } = tile[place];
    const color = /** @type {Color} */ (row.dataset.color);
    const points = result === '*' ? undefined : result.split('-')[color === 'white' ? 0 : 1];
    const ms = points === undefined ? clocks?.left(color, now) : undefined;
    row.classList.toggle('running', ms !== undefined && clocks?.running === color);
    left.classList.toggle('short', ms !== undefined && ms < 20_000);
    left.classList.toggle('estimated', clocks?.estimated ?? false);
    const score = points === '1/2' ? '½' : (points ?? '');
    write(left, ms === undefined ? score : format(ms, !clocks?.estimated));
  }
}

/** All clocks that run, and again when the first of them shows something else. */
function tick_all() {
  clearTimeout(tick);
  const now = performance.now();
  let wait = Infinity;
  for (const [n, { clocks, news }] of known) {
    const tile = tiles.get(n);
    if (!tile || !clocks?.running || news.view.result !== '*') continue;
    for (const one of n === chosen && large ? [tile, large] : [tile]) {
      show_clocks(one, clocks, news.view.result, now);
    }
    wait = Math.min(wait, clocks.changes_in(now) ?? Infinity);
  }
  if (wait < Infinity) tick = setTimeout(tick_all, Math.max(wait, 100));
}

/** The widest tile with which `n` of them fit into a box.
 * @param {number} n @param {number} width @param {number} height */
function widest(n, width, height) {
  let best = TILE_MIN;
  for (let columns = 1; columns <= n; columns += 1) {
    const rows = Math.ceil(n / columns);
    const by_width = (width - (columns - 1) * BETWEEN) / columns;
    const whole_height = (height - (rows - 1) * BETWEEN) / rows;
    const by_height = Math.min(whole_height / (1 + STRIPS), whole_height - STRIPS_PX);
    best = Math.max(best, Math.min(by_width, by_height));
  }
  return whole(best);
}

/** Makes the boards as large as they fit. */
function fit() {
  const main = /** @type {HTMLElement} */ (document.querySelector('main'));
  const [width, height] = [main.clientWidth, main.clientHeight];
  const is_upright = height > width;
  const room = is_upright
    ? Math.min(width, (height * 0.7) / (1 + STRIPS_LARGE))
    : Math.min(height / (1 + STRIPS_LARGE), width * 0.66);
  at('large').style.setProperty('--tile', `${whole(room)}px`);
  const grid = at('grid');
  // On a telephone two columns can be read; what is below them is scrolled.
  const is_small = width < 600;
  const inner = grid.clientWidth - 6;
  const tile = is_small
    ? whole((inner - BETWEEN) / 2)
    : widest(tiles.size, inner, grid.clientHeight - 6);
  grid.style.setProperty('--tile', `${Math.min(tile, inner)}px`);
  for (const one of [...tiles.values(), large]) one?.board.redrawAll();
}

/** Shows a board large, or none. @param {number | null} n */
function choose(n) {
  for (const [place, tile] of tiles) tile.tile.classList.toggle('chosen', place === n);
  const was_open = chosen !== null;
  chosen = n;
  at('large').hidden = n === null;
  document.body.classList.toggle('large', n !== null);
  if (n !== null) {
    large ??= new_tile(at('large'), true, () => choose(null));
    const now = known.get(n);
    if (now) {
      show(large, now.news.view, now.news.recorded);
      show_clocks(large, now.clocks, now.news.view.result, performance.now());
    }
    tiles.get(n)?.tile.scrollIntoView({ block: 'nearest' });
  }
  if (was_open !== (n !== null)) fit();
}

/** The next board in this direction; those that are played on, if any are. */
function step(/** @type {number} */ by, /** @type {boolean} */ is_picky) {
  const all = [...tiles.keys()].sort((a, b) => a - b);
  const goes_on = (/** @type {number} */ n) => {
    const view = known.get(n)?.news.view;
    return view !== undefined && view.result === '*' && !view.idle;
  };
  const live = is_picky ? all.filter(goes_on) : [];
  const among = live.length > 0 ? live : all;
  if (among.length === 0) return;
  const after = among.findIndex(n => chosen !== null && n > chosen);
  const here = among.indexOf(chosen ?? -1);
  const from = here >= 0 ? here : (after >= 0 ? after : among.length) - (by > 0 ? 1 : 0);
  const next = chosen === null ? 0 : (from + by + among.length) % among.length;
  choose(among[next] ?? null);
}

function rotate() {
  clearTimeout(turn);
  if (rotate_s === 0) return;
  turn = setTimeout(() => {
    step(1, true);
    rotate();
  }, Math.max(rotate_s, ROTATE_MIN_S) * 1000);
}

function show_status() {
  const views = [...known.values()].map(({ news }) => news.view);
  const on = views.filter(view => view.result === '*' && !view.idle).length;
  const over = views.filter(view => view.result !== '*').length;
  const parts = [`${on} in play`, over > 0 ? `${over} over` : ''];
  at('status').dataset.state = 'live';
  write(at('status'), parts.filter(Boolean).join(', '));
  const events = new Set(views.map(view => view.event).filter(Boolean));
  // Rounds of an event have the board in them: "3.12".
  const rounds = new Set(views.map(view => view.round.split('.')[0]).filter(Boolean));
  const round = rounds.size === 1 ? `Round ${[...rounds][0]}` : '';
  const title = [events.size === 1 ? [...events][0] : '', round].filter(Boolean).join(' · ');
  write(at('event'), title || 'All boards');
  document.title = title || 'All boards';
}

/** @param {{ v: number, boards: News[] }} message */
function heard(message) {
  if (message?.v !== VERSION) {
    at('status').dataset.state = 'cut';
    write(at('status'), 'This page is older than the daemon and will load anew');
    setTimeout(() => location.reload(), RELOAD_MS);
    return;
  }
  const now = performance.now();
  const n_before = tiles.size;
  for (const news of message.boards) {
    const place = news.n + 1;
    if (place < first || place > end) continue;
    const clocks = news.view.clock && new Clocks(news.view.clock, news.age_ms, now);
    known.set(news.n, { news, clocks });
    let tile = tiles.get(news.n);
    if (!tile) {
      tile = new_tile(at('grid'), false, () => choose(chosen === news.n ? null : news.n));
      tiles.set(news.n, tile);
    }
    for (const one of news.n === chosen && large ? [tile, large] : [tile]) {
      show(one, news.view, news.recorded);
      show_clocks(one, clocks, news.view.result, now);
    }
  }
  if (tiles.size !== n_before) fit();
  if (message.boards.length > 0) {
    show_status();
    tick_all();
  }
  has_heard = true;
}

/** @param {boolean} up */
function line_changed(up) {
  document.body.classList.toggle('cut', !up);
  if (up) {
    show_status();
    return;
  }
  at('status').dataset.state = 'cut';
  write(
    at('status'),
    has_heard ? 'No connection: last known state' : 'No connection: trying again',
  );
}

addEventListener('keydown', event => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === 'ArrowRight') step(1, false);
  else if (event.key === 'ArrowLeft') step(-1, false);
  else if (event.key === 'Escape') choose(null);
  else if (event.key === 'r') rotate_s = rotate_s === 0 ? ROTATE_USUAL_S : 0;
  else return;
  event.preventDefault();
  rotate();
});
addEventListener('visibilitychange', tick_all);
new ResizeObserver(fit).observe(/** @type {Element} */ (document.querySelector('main')));
rotate();
const url = new URL('/hall/ws', location.href);
url.protocol = url.protocol.replace('http', 'ws');
keep(url.href, heard, line_changed);
