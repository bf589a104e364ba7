// What the viewer has chosen: by the address of the page, so that a television needs no more than a
// link, or else by what was chosen on it before.

export const THEMES = ['auto', 'light', 'dark', 'contrast', 'hall'];

const query = new URL(location.href).searchParams;
/** @type {Map<string, string>} */
const chosen = new Map();

/** What was kept. A browser may refuse to keep anything, as in a frame of another site. */
function kept(/** @type {string} */ name) {
  try {
    return localStorage.getItem(`rokade-${name}`);
  } catch {
    return null;
  }
}

/**
 * @param {string} name
 * @returns {string | null}
 */
export const choice = name => chosen.get(name) ?? query.get(name) ?? kept(name);

/**
 * @param {string} name
 * @param {string} value
 */
export function choose(name, value) {
  chosen.set(name, value);
  try {
    localStorage.setItem(`rokade-${name}`, value);
  } catch {
    // It holds for as long as the page is open.
  }
}

/** What of the page is shown: all, or what a frame of another page has, or what is over a video. */
export const view = query.get('view') ?? 'page';

/** Has the page look as chosen. */
export function dress() {
  const theme = choice('theme') ?? 'auto';
  const root = document.documentElement;
  // What is over a video has letters of its own.
  const fits = THEMES.includes(theme) && !(theme === 'hall' && view === 'overlay');
  root.dataset.theme = fits ? theme : 'auto';
  root.dataset.view = view;
}
