// The buttons of the pages, and the panel with what can be set.

import { html, nothing, svg } from './lit-html.js';
import { THEMES, choice } from './choices.js';
import { LANGUAGES, say } from './words.js';

/** @typedef {keyof typeof ICONS} Icon */
/** @typedef {{ icon: Icon, name: string, act: () => void, off?: boolean, on?: boolean }} Button */
/**
 * @typedef {object} PastGame
 * @property {number} number
 * @property {string} date
 * @property {string} round
 * @property {string} white
 * @property {string} black
 * @property {string} result
 */

/** @type {Record<string, string>} */
const TONGUES = {
  en: 'English', da: 'Dansk', nb: 'Norsk (bokmål)', hu: 'Magyar', de: 'Deutsch',
};
const ICONS = {
  first: svg`<path d="M6 5v14M19 5 9 12l10 7z"/>`,
  previous: svg`<path d="M16 5 6 12l10 7z"/>`,
  next: svg`<path d="m8 5 10 7-10 7z"/>`,
  last: svg`<path d="M18 5v14M5 5l10 7-10 7z"/>`,
  flip: svg`<path d="M7 4v15m0 0-3-3m3 3 3-3M17 20V5m0 0-3 3m3-3 3 3" fill="none"/>`,
  sound: svg`<path d="M4 9h4l5-4v14l-5-4H4z"/><path d="M16 9q3 3 0 6M18 6q6 6 0 12" fill="none"/>`,
  mute: svg`<path d="M4 9h4l5-4v14l-5-4H4z"/><path d="m16 9 5 6m0-6-5 6" fill="none"/>`,
  full: svg`<path d="M4 9V4h5m6 0h5v5m0 6v5h-5m-6 0H4v-5" fill="none"/>`,
  settings: svg`<path d="M4 7h16M4 12h16M4 17h16" fill="none"/>`,
};
/** @type {Record<string, string>} */
export const RESULTS = { '1-0': '1–0', '0-1': '0–1', '1/2-1/2': '½–½' };
/** How long a screen rests until its buttons are put away, where they are. */
const REST_MS = 4_000;

/**
 * In words. Rounds of an event have the table in them: "3.12".
 * @param {string} round
 */
export function round_and_table(round) {
  const [, of_event, table] = round.match(/^(\d+)\.(\d+)$/) ?? [];
  const n = of_event ?? round;
  return { round: n && say('round', { n }), table: table ? say('table', { n: table }) : '' };
}

/** @param {Button[]} buttons */
export const bar = buttons => html`<div class="bar" role="toolbar" aria-label=${say('settings')}
  >${buttons.map(({ icon, name, act, off, on }) => html`<button
    type="button" title=${name} aria-label=${name} ?disabled=${off ?? false}
    aria-pressed=${on === undefined ? nothing : String(on)} @click=${act}
    ><svg viewBox="0 0 24 24" aria-hidden="true">${ICONS[icon]}</svg></button>`)}</div>`;

/** Shows the page on all of the screen, or no more. */
export function toggle_full() {
  const done = document.fullscreenElement
    ? document.exitFullscreen()
    : document.documentElement.requestFullscreen();
  // A browser may refuse; then nothing has changed.
  done.catch(() => {});
}

/** Puts the buttons away while nobody touches anything. */
export function watch_rest() {
  /** @type {number | undefined} */
  let timer;
  const wake = () => {
    clearTimeout(timer);
    document.body.classList.remove('resting');
    timer = setTimeout(() => document.body.classList.add('resting'), REST_MS);
  };
  for (const kind of ['pointermove', 'pointerdown', 'keydown']) addEventListener(kind, wake);
  wake();
}

/**
 * Acts on a key of its own, unless it is meant for something on the page.
 * @param {Record<string, () => void>} keys
 */
export function listen(keys) {
  addEventListener('keydown', event => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const target = /** @type {Element} */ (event.target);
    if (target.closest?.('dialog, input, select')) return;
    const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}

/** @returns {HTMLDialogElement} */
const dialog = () => /** @type {HTMLDialogElement} */ (document.getElementById('panel'));
export const open_panel = () => dialog().showModal();
export const close_panel = () => dialog().close();

/**
 * @param {PastGame} game
 * @param {number | null} shown
 */
const past_game = ({ number, date, round, white, black, result }, shown) => html`<li
  ><a href="?game=${number}" aria-current=${number === shown ? 'page' : nothing}
    ><span>${white || say('white')} – ${black || say('black')}</span
    ><b>${RESULTS[result] ?? result}</b
    ><small>${[...Object.values(round_and_table(round)), date.replaceAll('.', '-')]
      .filter(Boolean).join(' · ')}</small></a></li>`;

/**
 * The panel. `changed` is told what was chosen.
 * @param {(name: string, value: string) => void} changed
 * @param {string[]} keys what the keys do
 * @param {{ games: PastGame[], shown: number | null, pgn: string }} [past]
 */
export const panel = (changed, keys, past) => html`<dialog id="panel" aria-labelledby="panel-title">
  <header><h2 id="panel-title">${say('settings')}</h2>
    <button type="button" @click=${close_panel}>${say('close')}</button></header>
  <fieldset><legend>${say('theme')}</legend>${THEMES.map(theme => html`<label
    ><input type="radio" name="theme" value=${theme}
      .checked=${(choice('theme') ?? 'auto') === theme}
      @change=${() => changed('theme', theme)}>${say(`theme ${theme}`)}</label>`)}</fieldset>
  <label class="language">${say('language')}<select
    @change=${(/** @type {Event} */ event) =>
      changed('language', /** @type {HTMLSelectElement} */ (event.target).value)}
    >${LANGUAGES.map(code => html`<option value=${code} lang=${code}
      .selected=${document.documentElement.lang === code}
      >${TONGUES[code]}</option>`)}</select></label>
  ${past === undefined ? nothing : html`<section><h3>${say('games')}</h3><ul>
    <li><a href="?" aria-current=${past.shown === null ? 'page' : nothing}>${say('now')}</a></li>
    ${past.games.map(game => past_game(game, past.shown))}</ul>
    ${past.games.length === 0 ? html`<p>${say('no-games')}</p>` : nothing}
    <p><a href=${past.pgn} download>${say('pgn')}</a></p>
    <p><a href="/hall">${say('all')}</a></p></section>`}
  <section><h3>${say('keys')}</h3>${keys.map(key => html`<p>${key}</p>`)}</section>
</dialog>`;
