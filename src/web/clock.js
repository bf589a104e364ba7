// The clocks between two messages: the page counts on its own and is set right by every message.

/** Below this, tenths of a second are shown. */
const TENTHS_BELOW_MS = 20_000;

/**
 * What a clock with `ms` left shows. Rounds down, as chess clocks do.
 * @param {number} ms
 * @param {boolean} [exact] tenths are known; reckoned times are not so good
 * @returns {string}
 */
export function format(ms, exact = true) {
  const left = Math.max(0, Math.floor(ms));
  const seconds = Math.floor(left / 1000);
  if (exact && left < TENTHS_BELOW_MS) return `${seconds}.${Math.floor((left % 1000) / 100)}`;
  const two = (/** @type {number} */ n) => String(n).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (hours > 0) return `${hours}:${two(minutes % 60)}:${two(seconds % 60)}`;
  return `${minutes}:${two(seconds % 60)}`;
}

/**
 * @typedef {object} Reading
 * @property {number} white_ms
 * @property {number} black_ms
 * @property {'white' | 'black' | null} running
 * @property {number} age_ms how old the reading was when the view was made
 * @property {boolean} [estimated] the clock cannot be heard: the times are reckoned
 */

/** Both clocks, as they stood in one reading. */
export class Clocks {
  /**
   * @param {Reading} reading
   * @param {number} age_ms how old the view was when it was sent
   * @param {number} now milliseconds of a monotonic clock
   */
  constructor(reading, age_ms, now) {
    this.reading = reading;
    this.since = now - age_ms - reading.age_ms;
  }

  /** @returns {'white' | 'black' | null} */
  get running() {
    return this.reading.running;
  }

  /** @returns {boolean} */
  get estimated() {
    return this.reading.estimated ?? false;
  }

  /**
   * Milliseconds left; never below zero.
   * @param {'white' | 'black'} color
   * @param {number} now
   */
  left(color, now) {
    const read = color === 'white' ? this.reading.white_ms : this.reading.black_ms;
    const passed = this.running === color ? Math.max(0, now - this.since) : 0;
    return Math.max(0, read - passed);
  }

  /**
   * Milliseconds until the digits change, or null if they will not.
   * @param {number} now
   * @returns {number | null}
   */
  changes_in(now) {
    if (!this.running) return null;
    const left = this.left(this.running, now);
    if (left <= 0) return null;
    const step = left < TENTHS_BELOW_MS + 1000 ? 100 : 1000;
    return (left % step) + 1;
  }
}
