// A page that the daemon has written: it looks and speaks as the viewer has chosen on the others.

import { choice, dress } from './choices.js';
import { learn, say } from './words.js';

dress();
await learn(choice('language'));
for (const part of document.querySelectorAll('[data-say]')) {
  part.textContent = say(/** @type {HTMLElement} */ (part).dataset['say'] ?? '');
}
document.title = document.querySelector('h1')?.textContent ?? '';
// What the address says holds on the pages behind it too.
for (const link of document.querySelectorAll('a')) link.search ||= location.search;
