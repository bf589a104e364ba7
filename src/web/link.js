// The line to the daemon. It mends itself; each message is the whole state, so nothing is missed.

const BACKOFF_MIN_MS = 250;
const BACKOFF_MAX_MS = 5_000;
/** The daemon speaks at least every ten seconds; a line silent for longer than this is dead. */
const SILENCE_MAX_MS = 25_000;

/**
 * Keeps a line to `url` for as long as the page is open.
 * @param {string} url
 * @param {(message: any) => void} heard
 * @param {(up: boolean) => void} changed told at each end of a line, and at each first message
 */
export function keep(url, heard, changed) {
  let backoff = BACKOFF_MIN_MS;
  /** @type {number | undefined} */
  let silence;
  /** @type {number | undefined} */
  let again;
  /** @type {WebSocket | undefined} */
  let socket;

  /** A socket can take long to notice its own end, so nobody waits for it. */
  const lose = (/** @type {WebSocket} */ lost) => {
    if (lost !== socket) return;
    socket = undefined;
    clearTimeout(silence);
    lost.close();
    changed(false);
    // Pages that lost the same daemon should not come back in the same instant.
    again = setTimeout(connect, backoff * (0.75 + Math.random() / 4));
    backoff = Math.min(backoff * 2, BACKOFF_MAX_MS);
  };

  const connect = () => {
    clearTimeout(again);
    const mine = new WebSocket(url);
    socket = mine;
    let first = true;
    const listen = () => {
      clearTimeout(silence);
      silence = setTimeout(() => lose(mine), SILENCE_MAX_MS);
    };
    listen();
    mine.onclose = () => lose(mine);
    mine.onmessage = event => {
      if (mine !== socket) return;
      listen();
      let envelope;
      try {
        envelope = JSON.parse(event.data);
      } catch {
        return; // Nothing of use; the last state stays.
      }
      backoff = BACKOFF_MIN_MS;
      if (first) changed(true);
      first = false;
      heard(envelope);
    };
  };

  addEventListener('online', () => socket || connect());
  connect();
}
