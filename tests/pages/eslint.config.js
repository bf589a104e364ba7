// What the scripts of the pages are held to, beyond their types (tsconfig.json).
import js from '@eslint/js';

const browser = [
  'addEventListener', 'AudioContext', 'clearTimeout', 'document', 'fetch', 'localStorage',
  'location', 'navigator', 'performance', 'ResizeObserver', 'setTimeout', 'URL', 'WebSocket',
];

export default [
  js.configs.recommended,
  {
    languageOptions: { globals: Object.fromEntries(browser.map(name => [name, 'readonly'])) },
    rules: {
      eqeqeq: 'error',
      'no-implicit-coercion': 'error',
      'no-restricted-properties': [
        'error',
        { property: 'innerHTML', message: 'What arrives is text, never markup.' },
        { property: 'outerHTML', message: 'What arrives is text, never markup.' },
        { property: 'insertAdjacentHTML', message: 'What arrives is text, never markup.' },
      ],
      'no-shadow': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
    },
  },
];
