// The demo board: shows the newest view of one board, and any position before it. What arrives is
// text to be shown, never markup; it may hold anything that stands in a pairing file.

import { Chessground } from './chessground.min.js';
import { html, nothing, render } from './lit-html.js';
import { choice, choose, dress } from './choices.js';
import { Clocks, format } from './clock.js';
import { FLAGS } from './flags.js';
import { fen_of, men_of, position } from './game.js';
import { keep } from './link.js';
import { shortened } from './names.js';
import {
  RESULTS, bar, listen, open_panel, panel, round_and_table, toggle_full, watch_rest,
} from './panel.js';
import { learn, say, spoken, spoken_time, stands, written } from './words.js';

/** @typedef {'white' | 'black'} Color */
/** @typedef {import('./game.js').Square} Square */
/**
 * @typedef {object} Move
 * @property {number} ply half-move on record, from 1
 * @property {number} number of the move
 * @property {Color} color
 * @property {string} san
 * @property {string} uci
 * @property {'made' | 'completed'} state
 * @property {boolean} uncertain
 * @property {string[]} alternatives what else it may have been
 */
/** @typedef {{ ply: number, at_least: number, at_most: number | null, fen: string }} Gap */
/** @typedef {{ title: string, rating: string, federation: string, team: string }} Player */
/**
 * @typedef {object} View
 * @property {1} v
 * @property {string} board
 * @property {string} white
 * @property {string} black
 * @property {Record<Color, Player>} players what is known beside the names
 * @property {string} event
 * @property {string} round
 * @property {string} start the position before the first move
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
 * @property {Gap[]} gaps moves that nobody knows, after this half-move
 * @property {boolean} idle no game is on record: this is how the board stands
 * @property {Square[]} unnamed squares on which a piece stands then that the board does not name
 * @property {Square[]} differs squares on which the board contradicts the position
 */
/**
 * @typedef {object} Envelope
 * @property {number} age_ms
 * @property {boolean} recorded
 * @property {string} head
 * @property {string | null} warning
 * @property {View} view
 */

const VERSION = 1;
/** How long a page older than its daemon waits before it loads itself anew. */
const RELOAD_MS = 30_000;
const ANIMATION_MS = 200;
/** A finger that goes so far to a side steps through the moves. */
const SWIPE_PX = 40;
/** @type {Color[]} */
const COLORS = ['white', 'black'];

const at = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const base = location.pathname.replace(/\/?$/, '/');
/** The number of an earlier game that is shown instead of the newest. */
const past_number = Number(new URL(location.href).searchParams.get('game')) || null;

/** @type {View | undefined} */
let view;
/** @type {{ recorded: boolean, head: string, warning: string | null } | undefined} */
let about;
/** @type {Clocks | null} */
let clocks = null;
/** How the line to the daemon is. */
/** @type {'connecting' | 'up' | 'cut' | 'old'} */
let line = 'connecting';
/** The half-move behind which the position is shown; `null` is the newest. */
/** @type {number | null} */
let looking = null;
/** What was announced last. */
let announced = '';
/** @type {import('./panel.js').PastGame[]} */
let past = [];
/** @type {ReturnType<typeof Chessground> | undefined} */
let board;
/** @type {number | undefined} */
let tick;
/** @type {AudioContext | undefined} */
let audio;

const is_flipped = () => choice('flip') === 'on';
const has_sound = () => choice('sound') === 'on';

/** @returns {Color} */
function bottom() {
  const color = view?.orientation ?? 'white';
  return is_flipped() === (color === 'white') ? 'black' : 'white';
}

/** How all stands, by its phrase. */
function status() {
  if (line === 'old') return 'old';
  if (line === 'cut') return view ? 'cut' : 'retry';
  if (!view || !about) return 'connecting';
  if (past_number !== null) return 'past';
  // A board that does not answer says more than a clock that does not.
  const goes = view.idle ? 'idle' : view.clock?.estimated ? 'deaf' : 'live';
  const shows = view.differs.length > 0 ? 'differs' : view.result === '*' ? goes : 'over';
  return about.recorded === false ? 'off' : view.link === 'live' ? shows : view.link;
}

/** Where in the event the game is played. */
function place() {
  if (!view) return '';
  const { round, table } = round_and_table(view.round);
  return [round, table || view.board].filter(Boolean).join(' · ');
}

function header() {
  const event = view?.event ?? '';
  const where = place();
  const date = past.find(game => game.number === past_number)?.date.replaceAll('.', '-') ?? '';
  const between = event && where && ' · ';
  return html`<header>
  <h1 id="event" .style=${`--n: ${event.length + between.length + where.length}`}
    ><span class="what">${event}</span><span class="where"
    ><span class="between">${between}</span>${where}</span>${date
      ? html`<span class="date"> · ${date}</span>`
      : nothing}</h1>
  <p id="status" role="status" data-state=${status()} title=${[
    about?.head && say('recorded', { line: about.head }), about?.warning,
  ].filter(Boolean).join('\n')}>${say(status())}</p>
</header>`;
}

/** @param {Player | undefined} known */
function about_player(known) {
  const { title = '', rating = '', federation = '', team = '' } = known ?? {};
  if (!title && !rating && !federation && !team) return nothing;
  return html`<p class="about"><b>${title}</b>${FLAGS.has(federation)
    ? html`<img src=${`/assets/flag-${federation}.svg`} alt="">`
    : nothing}<span>${federation}</span><span>${rating}</span><span class="team"
    >${team}</span></p>`;
}

/** What both clocks show. @param {number} now @returns {Record<Color, string>} */
function times(now) {
  const of = (/** @type {Color} */ color) =>
    clocks ? format(clocks.left(color, now), !clocks.estimated) : '';
  return { white: of('white'), black: of('black') };
}

/** @param {'top' | 'bottom'} where @param {number} now */
function player(where, now) {
  const color = where === 'bottom' ? bottom() : COLORS.find(it => it !== bottom()) ?? 'black';
  const left = clocks?.left(color, now);
  const estimated = clocks?.estimated ?? false;
  const is_running = clocks?.running === color;
  const states = [
    'player', where, is_running && 'running', left !== undefined && left < 20_000 && 'short',
    estimated && 'estimated', view?.result === '*' && view.turn === color && 'to-move',
  ].filter(Boolean).join(' ');
  const told = left === undefined
    ? nothing
    : `${estimated ? `${say('reckoned')}: ` : ''}${spoken_time(left)}`;
  const name = view?.[color] || say(color);
  const short = shortened([view?.white ?? '', view?.black ?? ''])(name);
  const longest = Math.max(...COLORS.map(of => (view?.[of] || say(of)).length));
  const word = Math.max(...name.split(/[ -]/).map(it => it.length));
  const letters = Math.max(...Object.values(times(now)).map(time => time.length));
  return html`<section id=${where} class=${states} data-color=${color}
    .style=${`--letters: ${letters}`}>
    <h2><span class="side" data-said=${say(color)}></span><span class="name"
      .style=${`--n: ${name.length}; --longest: ${longest}; --word: ${word}; --short: ${
        short.length}`}
      >${short}<span class="rest">${name.slice(short.length)}</span></span></h2>
    ${about_player(view?.players[color])}
    <p class="time" role="timer" data-reckoned=${say('reckoned')} aria-label=${told}
      >${times(now)[color]}</p>
  </section>`;
}

/** A move with its number, as in "12… Nf6". @param {Move} move */
const numbered = ({ number, color, san }) =>
  `${number}${color === 'black' ? '…' : '.'} ${written(san)}`;

/** What an uncertain move may have been. @param {Move} move */
const doubt = ({ number, color, alternatives }) => `${number}${color === 'black' ? '…' : '.'} ${
  say('uncertain', { moves: alternatives.map(written).join(` ${say('or')} `) })}`;

/** @param {Gap} gap */
function gap_words({ at_least, at_most }) {
  if (at_least === 0 && at_most === null) return say('gap-some');
  if (at_most === null) return say('gap-least', { n: at_least });
  const n = at_least === at_most ? at_least : `${at_least}–${at_most}`;
  return say(n === 1 ? 'gap-one' : 'gap', { n });
}

/**
 * The rows of the score: a move of each side, what is not known, or what a move may have been.
 * @param {View} v
 */
function rows_of(v) {
  /** @type {{ number?: number, white?: Move, black?: Move, note?: string, kind?: string }[]} */
  const rows = [];
  const gaps = new Map(v.gaps.map(gap => [gap.ply, gap_words(gap)]));
  const add = (/** @type {string} */ of, /** @type {string | undefined} */ note) =>
    note && rows.push({ note, kind: of });
  add('gap', v.joined ? say('beginning') : undefined);
  add('gap', gaps.get(0));
  /** @type {string[]} */
  let doubts = [];
  v.moves.forEach((move, idx) => {
    const row = rows.at(-1);
    const goes_on = move.color === 'black' && row?.white && !row.black;
    if (goes_on && row.number === move.number) row.black = move;
    else rows.push({ number: move.number, [move.color]: move });
    if (move.uncertain) doubts.push(doubt(move));
    const is_whole = move.color === 'black' || gaps.has(move.ply) || idx === v.moves.length - 1;
    if (!is_whole) return;
    doubts.forEach(it => add('doubt', it));
    doubts = [];
    add('gap', gaps.get(move.ply));
  });
  return rows;
}

/** @param {Color} color @param {Move | undefined} move */
function cell(color, move) {
  if (!move) return html`<span class="san ${color}">${color === 'white' ? '…' : ''}</span>`;
  const is_shown = move.ply === (looking ?? view?.moves.length);
  const marks = [
    'san', color, move.state === 'made' && 'made', move.uncertain && 'uncertain',
    move.ply === view?.moves.length && 'last', is_shown && 'shown',
  ].filter(Boolean).join(' ');
  return html`<button type="button" tabindex="-1" class=${marks}
    aria-current=${is_shown ? 'step' : nothing} @click=${() => look(move.ply)}
    >${written(move.san)}</button>`;
}

const rows = () => (view ? rows_of(view) : []).map(row => row.note !== undefined
  ? html`<li class=${row.kind ?? ''}><span class="number"></span><span>${row.note}</span></li>`
  : html`<li><span class="number">${row.number}.</span>${cell('white', row.white)}${
    cell('black', row.black)}</li>`);

/** The newest move, for screens without the score. */
function newest_move() {
  const move = view?.moves.at(-1);
  const said = move ? numbered(move) : '';
  return html`<p class="newest" .style=${`--n: ${said.length}`}>${said}${move?.uncertain
    ? html`<small>${doubt(move)}</small>`
    : nothing}</p>`;
}

function result() {
  const is_over = view !== undefined && view.result !== '*';
  return html`<p id="result" ?hidden=${!is_over}><strong
    >${is_over ? (RESULTS[view?.result ?? ''] ?? view?.result) : ''}</strong><span
    >${is_over && view?.reason ? say(`reason ${view.reason}`) : ''}</span></p>`;
}

/** Where the viewer is in the game, if not at its newest move. */
function looking_at() {
  if (looking === null || !view) return nothing;
  const move = view.moves[looking - 1];
  return html`<p class="looking-at"><span>${move
    ? say('after', { move: numbered(move) })
    : say('start')}</span><button type="button" @click=${() => look(null)}
    >${say('now')}</button></p>`;
}

const buttons = () => {
  const n = view?.moves.length ?? 0;
  const sounds = has_sound();
  const here = looking ?? n;
  return bar([
    { icon: 'first', name: say('first'), act: () => look(0), off: here === 0 },
    { icon: 'previous', name: say('previous'), act: () => step(-1), off: here === 0 },
    { icon: 'next', name: say('next'), act: () => step(1), off: looking === null },
    { icon: 'last', name: say('last'), act: () => look(null), off: looking === null },
    { icon: 'flip', name: say('flip'), act: flip, on: is_flipped() },
    { icon: sounds ? 'sound' : 'mute', name: say('sound'), act: toggle_sound, on: sounds },
    { icon: 'full', name: say('full'), act: toggle_full },
    { icon: 'settings', name: say('settings'), act: show_panel },
  ]);
};

/** The position that is shown, in words. @param {Map<Square, string>} men */
const in_words = men => html`<section class="spoken" aria-labelledby="position-title">
  <h2 id="position-title">${say('position')}</h2>
  ${men.size > 0 || unnamed().length === 0
    ? COLORS.map(color => html`<p>${say(color)}: ${stands(men, color === 'white')}</p>`)
    : nothing}
  ${unnamed().length > 0
    ? html`<p>${say('unnamed', { squares: unnamed().join(', ') })}</p>`
    : nothing}
</section>`;

/** Where pieces stand that nobody can name. */
const unnamed = () => view?.unnamed ?? [];

/** What the board shows: the newest position, or one before it. */
function shown() {
  if (!view) return { men: new Map(), fen: '8/8/8/8/8/8/8/8', last: undefined, check: undefined };
  if (looking !== null) {
    const { men, last, check } = position(view, looking);
    return { men, fen: fen_of(men), last, check };
  }
  const { fen, last, check } = view;
  return { men: men_of(fen), fen, last: last ?? undefined, check: check ?? undefined };
}

/** @param {Map<Square, string>} men @param {number} now */
const page = (men, now) => html`
  ${header()}
  <main>
    <div class="board" @pointerdown=${touched} @pointerup=${released}
      ><div id="board" role="img" aria-label=${say('position')}></div></div>
    ${player('top', now)}
    <section class="score" aria-label=${say('moves')}>
      ${newest_move()}
      <div class="sheet"><ol id="moves" tabindex="0" aria-label=${say('moves')}></ol></div>
      ${result()}${looking_at()}${buttons()}
    </section>
    ${player('bottom', now)}
    ${in_words(men)}
    <p id="announce" class="spoken" aria-live="polite">${announced}</p>
  </main>
  ${panel(chosen, [say('keys-step'), say('keys-else')], {
    games: past, shown: past_number,
    pgn: `${base}${past_number === null ? 'game' : `games/${past_number}`}.pgn`,
  })}`;

/** Writes what has changed of the page; clocks alone need neither the score nor the board. */
function draw(is_clock_alone = false) {
  clearTimeout(tick);
  const { men, fen, last, check } = shown();
  const now = performance.now();
  render(page(men, now), document.body);
  if (!is_clock_alone || !board) {
    draw_moves();
    board ??= Chessground(at('board'), {
      fen: '8/8/8/8/8/8/8/8',
      viewOnly: true,
      drawable: { enabled: false, visible: false },
      animation: { duration: ANIMATION_MS },
    });
    /** @type {Map<Square, string>} */
    const custom = new Map(check ? [[check, 'check']] : unnamed().map(sq => [sq, 'unnamed']));
    board.set({ fen, orientation: bottom(), lastMove: last, highlight: { custom } });
  }
  document.body.classList.toggle('cut', line === 'cut');
  document.body.classList.toggle('looking', looking !== null);
  const wait = clocks?.changes_in(now) ?? null;
  if (wait !== null) tick = setTimeout(() => draw(true), wait);
}

function draw_moves() {
  const list = at('moves');
  const follows = list.scrollHeight - list.scrollTop - list.clientHeight < list.clientHeight / 2;
  render(rows(), list);
  if (looking !== null) list.querySelector('.shown')?.scrollIntoView({ block: 'nearest' });
  else if (follows) list.scrollTop = list.scrollHeight;
}

/** Shows the position behind a half-move. @param {number | null} ply */
function look(ply) {
  const n = view?.moves.length ?? 0;
  looking = ply === null || ply >= n ? null : Math.max(0, ply);
  announce(looking ?? n);
  draw();
}

const step = (/** @type {number} */ by) => look((looking ?? view?.moves.length ?? 0) + by);

/** Says a half-move to those who hear the page. @param {number} ply */
function announce(ply) {
  const move = view?.moves[ply - 1];
  announced = move && view ? spoken(move, position(view, ply).piece) : say('start');
  if (move?.uncertain) announced += `. ${doubt(move)}`;
}

function flip() {
  choose('flip', is_flipped() ? 'off' : 'on');
  draw();
}

function toggle_sound() {
  choose('sound', has_sound() ? 'off' : 'on');
  if (has_sound()) knock();
  draw();
}

/** A piece that is put on wood, more or less. */
function knock() {
  audio ??= new AudioContext();
  const [tone, volume, now] = [audio.createOscillator(), audio.createGain(), audio.currentTime];
  tone.frequency.setValueAtTime(320, now);
  tone.frequency.exponentialRampToValueAtTime(90, now + 0.06);
  volume.gain.setValueAtTime(0.5, now);
  volume.gain.exponentialRampToValueAtTime(0.001, now + 0.09);
  tone.connect(volume).connect(audio.destination);
  tone.start(now);
  tone.stop(now + 0.1);
}

function show_panel() {
  open_panel();
  return learn_past();
}

/** Asks which games there were before. */
async function learn_past() {
  const answer = await fetch(`${base}games.json`);
  if (!answer.ok) return;
  past = (await answer.json()).games;
  draw();
}

/** @param {string} name @param {string} value */
async function chosen(name, value) {
  choose(name, value);
  dress();
  if (name === 'language') await learn(value);
  draw();
}

/** @type {{ x: number, y: number } | undefined} */
let finger;
const touched = (/** @type {PointerEvent} */ event) => {
  finger = { x: event.clientX, y: event.clientY };
};
const released = (/** @type {PointerEvent} */ event) => {
  if (!finger) return;
  const [x, y] = [event.clientX - finger.x, event.clientY - finger.y];
  finger = undefined;
  if (Math.abs(x) > SWIPE_PX && Math.abs(x) > 2 * Math.abs(y)) step(x < 0 ? 1 : -1);
};

/** @param {Envelope} envelope */
function heard(envelope) {
  const v = envelope?.view;
  if (v?.v !== VERSION) {
    line = 'old';
    draw();
    setTimeout(() => location.reload(), RELOAD_MS);
    return;
  }
  const [before, newest] = [view?.moves.at(-1), v.moves.at(-1)];
  const is_new = newest && (newest.ply !== before?.ply || newest.uci !== before?.uci);
  const is_first = view === undefined;
  view = v;
  line = 'up';
  about = envelope;
  clocks = v.clock && new Clocks(v.clock, envelope.age_ms, performance.now());
  // Another game has begun, or what was looked at is withdrawn.
  if (looking !== null && looking >= v.moves.length) looking = null;
  if (is_new && looking === null) announce(v.moves.length);
  if (is_new && !is_first && has_sound()) knock();
  draw();
  const names = `${v.white || say('white')} – ${v.black || say('black')}`;
  const score = v.result === '*' ? '' : `${RESULTS[v.result] ?? v.result} `;
  document.title = score + names;
}

/** @param {boolean} up */
function line_changed(up) {
  if (up) return; // The message that follows says how things are.
  line = 'cut';
  draw();
}

/** Shows a game that is not the newest any more. @param {number} number */
async function show_past(number) {
  const answer = await fetch(`${base}games/${number}`);
  if (!answer.ok) {
    location.search = '';
    return;
  }
  heard({ age_ms: 0, recorded: true, head: '', warning: null, view: await answer.json() });
  await learn_past();
}

dress();
await learn(choice('language'));
draw();
watch_rest();
listen({
  ArrowLeft: () => step(-1),
  ArrowRight: () => step(1),
  Home: () => look(0),
  End: () => look(null),
  f: flip,
  s: toggle_sound,
  p: toggle_full,
  m: show_panel,
  Escape: () => look(null),
});
addEventListener('visibilitychange', () => draw());
const follow = () => {
  if (looking === null) at('moves').scrollTop = at('moves').scrollHeight;
};
// A new size of the window can change the letters without changing the box.
addEventListener('resize', follow);
new ResizeObserver(follow).observe(at('moves'));
if (past_number !== null) {
  await show_past(past_number);
} else {
  const url = new URL(`${base}ws`, location.href);
  url.protocol = url.protocol.replace('http', 'ws');
  keep(url.href, heard, line_changed);
}
