// All boards on one screen, and one of them large. A message has those that have changed; the first
// one on a line has all. What arrives is text to be shown, never markup.

import { Chessground } from './chessground.min.js';
import { html, nothing, render } from './lit-html.js';
import { choice, choose, dress } from './choices.js';
import { Clocks, format } from './clock.js';
import { keep } from './link.js';
import { shortened } from './names.js';
import {
  RESULTS, bar, listen, open_panel, panel, round_and_table, toggle_full, watch_rest,
} from './panel.js';
import { learn, say, written } from './words.js';

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
 * @property {Square[]} unnamed squares on which a piece stands then that the board does not name
 * @property {boolean} differs the board contradicts the position
 */
/** @typedef {{ n: number, age_ms: number, recorded: boolean, view: Brief }} News */
/** @typedef {{ news: News, clocks: Clocks | null, is_fresh: boolean }} Known */

const VERSION = 1;
/** How long a page older than its daemon waits before it loads itself anew. */
const RELOAD_MS = 30_000;
/** What the players and the foot of a tile take, beside the board, of its width; with letters that
 * would be too small otherwise, in pixels. */
const STRIPS = 0.39;
const STRIPS_LARGE = 0.23;
const STRIPS_PX = 50;
/** A tile may be so much wider than its board. */
const WIDE_MAX = 1.2;
/** A board has eight squares of whole pixels. */
const whole = (/** @type {number} */ width) => Math.floor(width / 8) * 8;
/** Boards that would be smaller are scrolled. */
const TILE_MIN = 120;
const BETWEEN = 10;
const ROTATE_MIN_S = 3;
const ROTATE_USUAL_S = 20;
/** @type {Color[]} */
const COLORS = ['white', 'black'];

const at = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

const query = new URL(location.href).searchParams;
/** Places of boards that are shown, from 1, such as "1-20"; all without. */
const [first = 1, end = Infinity] = (query.get('boards') ?? '').match(/\d+/g)?.map(Number) ?? [];
let rotate_s = Math.max(0, Number(query.get('rotate')) || 0);

/** The boards by their places. */
/** @type {Map<number, Known>} */
const known = new Map();
/** The boards in the tiles, by their places on the page. */
/** @type {WeakMap<Element, ReturnType<typeof Chessground>>} */
const pictures = new WeakMap();
/** The names in small tiles, and those of all boards that they were found from. */
let short = shortened([]);
let short_of = '';
/** The place of the board that is large. */
/** @type {number | null} */
let chosen = null;
/** How the line to the daemon is. */
/** @type {'connecting' | 'up' | 'cut' | 'old'} */
let line = 'connecting';
/** @type {number | undefined} */
let tick;
/** @type {number | undefined} */
let turn;

const places = () => [...known.keys()].sort((a, b) => a - b);

/** What stands against what is shown, if anything does. @param {News} news */
function doubt({ view, recorded }) {
  if (!recorded) return say('not-recorded');
  if (view.link !== 'live') return say(view.link === 'lost' ? 'not-answering' : 'not-connected');
  return view.differs ? say('board-differs') : '';
}

/**
 * A player with the time, or once a game is over with what each has of it.
 * @param {Known} of @param {Color} color @param {boolean} is_large @param {number} now
 */
function player({ news: { view }, clocks }, color, is_large, now) {
  const name = view[color] || say(color);
  const points = view.result === '*' ? undefined : view.result.split('-')[COLORS.indexOf(color)];
  const ms = points === undefined ? clocks?.left(color, now) : undefined;
  const score = points === '1/2' ? '½' : (points ?? '');
  const is_running = ms !== undefined && clocks?.running === color;
  const marks = [
    'left', ms !== undefined && ms < 20_000 && 'short', clocks?.estimated && 'estimated',
  ].filter(Boolean).join(' ');
  const shown = is_large ? name : short(name);
  // Of a name that is too long the family name has its end cut, and never the initial.
  const family = is_large ? name : (shown.split(',')[0] ?? shown);
  return html`<p class=${is_running ? 'player-row running' : 'player-row'} data-color=${color}
    ><span class="name" .style=${`--n: ${shown.length}`}><b>${family}</b><i
    >${shown.slice(family.length)}</i></span><span class=${marks}
    >${ms === undefined ? score : format(ms, !clocks?.estimated)}</span></p>`;
}

/** @param {number} n @param {boolean} is_large @param {number} now */
function tile(n, is_large, now) {
  const of = /** @type {Known} */ (known.get(n));
  const { view } = of.news;
  const is_over = view.result !== '*';
  const score = is_over ? (RESULTS[view.result] ?? view.result) : '';
  const against = is_over ? '' : doubt(of.news);
  const marks = [
    'tile', is_over && 'over', against && 'doubt', !is_large && n === chosen && 'chosen',
  ];
  const pick = () => show_large(is_large || n === chosen ? null : n);
  const key = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    pick();
  };
  /** @type {Color[]} */
  const [top, bottom] = view.orientation === 'white' ? ['black', 'white'] : ['white', 'black'];
  return html`<div class=${marks.filter(Boolean).join(' ')} tabindex="0" role="button"
    @click=${pick} @keydown=${key}>${player(of, top ?? 'black', is_large, now)}<div class="frame"
    ></div>${player(of, bottom ?? 'white', is_large, now)}<p class="foot"
    ><span class="table">${view.board}</span
    ><span class="move">${against || written(view.move)}</span
    ><span class="result">${score}</span></p></div>`;
}

function title() {
  const views = [...known.values()].map(({ news }) => news.view);
  const events = new Set(views.map(view => view.event).filter(Boolean));
  const rounds = new Set(views.map(view => round_and_table(view.round).round).filter(Boolean));
  const parts = [events.size === 1 ? [...events][0] : '', rounds.size === 1 ? [...rounds][0] : ''];
  return parts.filter(Boolean).join(' · ') || say('all');
}

function status() {
  if (line === 'old') return say('old');
  if (line === 'cut') return say(known.size > 0 ? 'cut' : 'retry');
  if (line === 'connecting') return say('connecting');
  const views = [...known.values()].map(({ news }) => news.view);
  const on = views.filter(view => view.result === '*' && !view.idle).length;
  const over = views.filter(view => view.result !== '*').length;
  return [say('in-play', { n: on }), over > 0 && say('n-over', { n: over })]
    .filter(Boolean).join(', ');
}

/** @type {Record<string, string>} */
const STATES = { connecting: 'connecting', up: 'live', cut: 'cut', old: 'cut' };

/** @param {number} now */
const page = now => html`<header>
  <h1 id="event">${title()}</h1>
  <p id="status" role="status" data-state=${STATES[line]}>${status()}</p>
  ${bar([
    { icon: 'full', name: say('full'), act: toggle_full },
    { icon: 'settings', name: say('settings'), act: open_panel },
  ])}
</header>
<main>
  <section id="large" aria-label=${say('chosen')} ?hidden=${chosen === null}
    >${chosen === null ? nothing : tile(chosen, true, now)}</section>
  <section id="grid" aria-label=${say('all')}>${places().map(n => tile(n, false, now))}</section>
</main>
${panel(set, [say('keys-hall'), say('keys-else-hall')])}`;

/**
 * Shows the position in a tile; its board is made when the tile is new.
 * @param {Element | null | undefined} of @param {boolean} is_large @param {Brief} view
 */
function paint(of, is_large, view) {
  const frame = /** @type {HTMLElement} */ (of?.querySelector('.frame'));
  const there = pictures.get(frame) ?? Chessground(frame, {
    fen: '8/8/8/8/8/8/8/8',
    viewOnly: true,
    coordinates: false,
    drawable: { enabled: false, visible: false },
    animation: { enabled: is_large },
  });
  pictures.set(frame, there);
  /** @type {Map<Square, string>} */
  const custom = new Map(
    view.check ? [[view.check, 'check']] : view.unnamed.map(square => [square, 'unnamed']),
  );
  there.set({
    fen: view.fen,
    orientation: view.orientation,
    turnColor: view.turn,
    lastMove: view.last ?? undefined,
    highlight: { custom },
  });
}

/** Writes what has changed, and again when the first clock shows something else. */
function draw() {
  clearTimeout(tick);
  const now = performance.now();
  render(page(now), document.body);
  document.body.classList.toggle('cut', line === 'cut');
  document.body.classList.toggle('large', chosen !== null);
  let wait = Infinity;
  places().forEach((n, idx) => {
    const of = /** @type {Known} */ (known.get(n));
    const { view } = of.news;
    if (of.is_fresh) paint(at('grid').children[idx], false, view);
    if (of.is_fresh && n === chosen) paint(at('large').firstElementChild, true, view);
    of.is_fresh = false;
    if (view.result === '*') wait = Math.min(wait, of.clocks?.changes_in(now) ?? Infinity);
  });
  if (wait < Infinity) tick = setTimeout(draw, Math.max(wait, 100));
}

/** The largest boards with which `n` tiles fit into a box, and how wide those may be then.
 * @param {number} n @param {number} width @param {number} height */
function widest(n, width, height) {
  let best = { side: TILE_MIN, room: TILE_MIN };
  for (let columns = 1; columns <= n; columns += 1) {
    const rows = Math.ceil(n / columns);
    const by_width = (width - (columns - 1) * BETWEEN) / columns;
    const whole_height = (height - (rows - 1) * BETWEEN) / rows;
    const by_height = Math.min(whole_height / (1 + STRIPS), whole_height - STRIPS_PX);
    const side = Math.min(by_width, by_height);
    if (side > best.side) best = { side, room: by_width };
  }
  return { side: whole(best.side), room: Math.floor(best.room) };
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
  const is_small = width < 600 && known.size > 1;
  // Its padding; and what is told of its width is rounded, up too.
  const inner = grid.clientWidth - 7;
  const half = whole((inner - BETWEEN) / 2);
  const { side, room: most } = is_small
    ? { side: half, room: half }
    : widest(known.size, inner, grid.clientHeight - 6);
  const board = Math.min(side, inner);
  grid.style.setProperty('--tile', `${board}px`);
  // What is left beside the boards is for the names.
  grid.style.setProperty('--wide', `${Math.max(board, Math.min(most, board * WIDE_MAX))}px`);
  for (const frame of document.querySelectorAll('.frame')) pictures.get(frame)?.redrawAll();
}

/** Shows a board large, or none. @param {number | null} n */
function show_large(n) {
  const before = chosen;
  const was_open = before !== null;
  const had_focus = at('large').contains(document.activeElement);
  chosen = n;
  draw();
  // What had the focus is gone with the large board: whoever uses the keys goes on from its tile.
  if (had_focus && before !== null && n === null) {
    /** @type {HTMLElement | undefined} */ (at('grid').children[places().indexOf(before)])?.focus();
  }
  const now = n === null ? undefined : known.get(n);
  if (now) {
    paint(at('large').firstElementChild, true, now.news.view);
    document.querySelector('#grid .chosen')?.scrollIntoView({ block: 'nearest' });
  }
  if (was_open !== (n !== null)) fit();
}

/** The next board in this direction; those that are played on, if any are. */
function step(/** @type {number} */ by, /** @type {boolean} */ is_picky) {
  const all = places();
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
  show_large(among[next] ?? null);
}

function rotate() {
  clearTimeout(turn);
  // A lone board fills the page as it is.
  if (rotate_s === 0 || known.size < 2) return;
  turn = setTimeout(() => {
    step(1, true);
    rotate();
  }, Math.max(rotate_s, ROTATE_MIN_S) * 1000);
}

/** Begins with the first board in play, at once. */
function begin_to_rotate() {
  if (rotate_s > 0 && known.size > 1 && chosen === null) step(1, true);
  rotate();
}

/** @param {string} name @param {string} value */
async function set(name, value) {
  choose(name, value);
  dress();
  if (name === 'language') await learn(value);
  draw();
}

/** @param {{ v: number, boards: News[] }} message */
function heard(message) {
  if (message?.v !== VERSION) {
    line = 'old';
    draw();
    setTimeout(() => location.reload(), RELOAD_MS);
    return;
  }
  const [now, n_before, was] = [performance.now(), known.size, line];
  line = 'up';
  for (const news of message.boards) {
    const place = news.n + 1;
    if (place < first || place > end) continue;
    const clocks = news.view.clock && new Clocks(news.view.clock, news.age_ms, now);
    known.set(news.n, { news, clocks, is_fresh: true });
  }
  if (message.boards.length === 0 && was === 'up') return;
  const names = [...known.values()].flatMap(of => [of.news.view.white, of.news.view.black]);
  if (names.join('\n') !== short_of) {
    short_of = names.join('\n');
    short = shortened(names);
  }
  // A board more has moved the others on.
  if (known.size !== n_before) known.forEach(of => (of.is_fresh = true));
  draw();
  document.title = title();
  if (known.size === n_before) return;
  fit();
  begin_to_rotate();
}

/** @param {boolean} up */
function line_changed(up) {
  if (up) return; // The message that follows says how things are.
  line = 'cut';
  draw();
}

dress();
await learn(choice('language'));
draw();
watch_rest();
/** By hand, and from there in turn again. @param {() => void} act */
const by_hand = act => () => {
  act();
  rotate();
};
listen({
  ArrowRight: by_hand(() => step(1, false)),
  ArrowLeft: by_hand(() => step(-1, false)),
  Escape: by_hand(() => show_large(null)),
  r: () => {
    rotate_s = rotate_s === 0 ? ROTATE_USUAL_S : 0;
    begin_to_rotate();
  },
  p: toggle_full,
  m: open_panel,
});
addEventListener('visibilitychange', draw);
new ResizeObserver(fit).observe(/** @type {Element} */ (document.querySelector('main')));
const url = new URL('/hall/ws', location.href);
url.protocol = url.protocol.replace('http', 'ws');
keep(url.href, heard, line_changed);
