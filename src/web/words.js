// What the pages say, and how moves are written and spoken, in the viewer's language. The words
// come from the daemon, which has them for score sheets and announcements too.

/**
 * @typedef {object} Words
 * @property {Record<string, string>} letters of the pieces, by those of PGN
 * @property {Record<string, string>} pieces by the letters of a FEN
 * @property {Record<string, string>} files
 * @property {Record<string, string>} ranks
 * @property {Record<string, string>} castling as PGN writes it
 * @property {Record<string, string>} phrases with places such as "{n}"
 */
/** @typedef {{ uci: string, san: string, number: number, color: string }} Spoken a move */

/** A page without any words asks again after this. */
const RETRY_MS = 1_000;
export const LANGUAGES = ['en', 'da', 'nb', 'hu', 'de'];

/** @type {Words | undefined} */
let words;

/**
 * Has the page speak a language from now on: this one, or the first of the viewer's that it knows.
 * @param {string | null} wanted
 */
export async function learn(wanted) {
  const codes = navigator.languages.map(tag => tag.toLowerCase().replace(/-.*/, ''));
  const known = codes.map(code => (code === 'no' || code === 'nn' ? 'nb' : code));
  const language = [wanted, ...known].find(code => code && LANGUAGES.includes(code)) ?? 'en';
  do {
    try {
      const answer = await fetch(`/words/${language}`);
      if (answer.ok) {
        words = await answer.json();
        document.documentElement.lang = language;
        return;
      }
    } catch {
      // The daemon is just being started anew.
    }
    await new Promise(again => setTimeout(again, RETRY_MS));
  } while (!words);
}

/**
 * @param {string} name of the phrase
 * @param {Record<string, string | number>} [parts] what stands in its places
 */
export function say(name, parts = {}) {
  const phrase = words?.phrases[name] ?? '';
  return phrase.replace(/\{(\w+)\}/g, (_, part) => String(parts[part] ?? ''));
}

/**
 * A move of PGN as score sheets in this language have it.
 * @param {string} san
 */
export function written(san) {
  const bare = san.replaceAll('O', '0').replace('=', '');
  return bare.replace(/[KQRBN]/g, letter => words?.letters[letter] ?? letter);
}

/**
 * A square as it is announced.
 * @param {string} square
 */
const spelled = square =>
  `${words?.files[square[0] ?? ''] ?? ''} ${words?.ranks[square[1] ?? ''] ?? ''}`;

/**
 * A move as it is announced, with its number and who made it.
 * @param {Spoken} move
 * @param {string} piece that moves, as a letter of a FEN
 */
export function spoken({ uci, san, number, color }, piece) {
  const name = (/** @type {string} */ letter) => words?.pieces[letter.toLowerCase()] ?? '';
  const castling = san.match(/^O-O(-O)?/)?.[0];
  const parts = castling
    ? [words?.castling[castling]]
    : [
        piece.toLowerCase() === 'p' ? '' : name(piece),
        spelled(uci.slice(0, 2)),
        spelled(uci.slice(2, 4)),
        name(uci.slice(4, 5)),
      ];
  const move = parts.filter(Boolean).join(' ');
  const sign = san.endsWith('#') ? say('mate') : san.endsWith('+') ? say('check') : '';
  return [say('says', { color: say(color), n: number, move }), sign].filter(Boolean).join(', ');
}

/**
 * Where one side's pieces stand, in words.
 * @param {Map<string, string>} men letters of a FEN by their squares
 * @param {boolean} is_white
 */
export function stands(men, is_white) {
  const letters = is_white ? 'KQRBNP' : 'kqrbnp';
  const groups = [...letters].map(letter => {
    const squares = [...men].filter(([, man]) => man === letter).map(([square]) => square).sort();
    const piece = words?.pieces[letter.toLowerCase()] ?? '';
    return squares.length > 0 ? `${piece} ${squares.join(', ')}` : '';
  });
  return groups.filter(Boolean).join('; ') || say('nothing');
}

/**
 * A time in words, for those who hear the page.
 * @param {number} ms
 */
export function spoken_time(ms) {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  /** @type {[number, string][]} */
  const parts = [
    [Math.floor(seconds / 3600), 'hour'],
    [Math.floor(seconds / 60) % 60, 'minute'],
    [seconds % 60, 'second'],
  ];
  const unit = (/** @type {string} */ of) => new Intl.NumberFormat(
    document.documentElement.lang, { style: 'unit', unit: of, unitDisplay: 'long' },
  );
  const told = parts.filter(([n]) => n).map(([n, of]) => unit(of).format(n));
  return told.join(' ') || say('no-time');
}
