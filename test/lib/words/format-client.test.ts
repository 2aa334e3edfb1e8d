import { describe, expect, it } from 'vitest';
import { formatClient } from '@/lib/words/sessions/format-client';

const AGENTS: readonly (readonly [string, string])[] = [
  ['Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0', 'Firefox 144 on Linux'],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0',
    'Edge 142 on Windows',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15',
    'Safari 26 on macOS',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
    'Safari 18 on iPhone',
  ],
  [
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
    'Chrome 142 on Android',
  ],
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/142.0.0.0 Safari/537.36',
    'Headless Chrome 142 on Linux',
  ],
  ['curl/8.5.0', 'curl 8.5.0'],
  ['Mozilla/5.0 (Windows NT 10.0) something', 'Unknown browser on Windows'],
  ['<script>alert(1)</script>', 'Unknown browser'],
];

describe('what signed in, in plain words', () => {
  it.each(AGENTS)('[issue 14.3] %s', (agent, words) => {
    expect(formatClient({ agent, isCommand: false })).toBe(words);
  });

  it('[issue 14.3] is a command whatever it calls itself, and unknown where it says nothing', () => {
    expect(formatClient({ agent: 'node', isCommand: true })).toBe('slipway command');
    expect(formatClient({ agent: null, isCommand: false })).toBe('Unknown browser');
  });
});
