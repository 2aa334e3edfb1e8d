// Answers a navigation that the server does not: with a page of ours that says since when, and opens what was asked for once the server is back.
// It keeps nothing of the console: all that it can show stands in this file and in the words that it imports
// (docs/decisions/0137-a-page-without-the-server.md).

importScripts('/offline-words.js');
const { title, heading, noAnswerSince, opensByItself, tryNow } = self.WORDS;

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text) => text.replace(/[&<>"]/g, (sign) => ENTITIES[sign]);
/** A sentence with an element in it. */
const said = (parts, element) => parts.map((part) => (part === null ? element : escaped(part))).join('');

/** What a proxy in front of the server answers while it does not reach it. */
const UNREACHED = new Set([502, 503, 504]);
/** Set on every answer of the server, and by no proxy. */
const OURS = 'cross-origin-opener-policy';

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { pathname } = new URL(request.url);
  // Who signs in comes with a token or from a provider, and what the API sends is a file: neither passes through here.
  if (request.mode !== 'navigate' || request.method !== 'GET' || pathname.startsWith('/api/') || pathname === '/sign-in') return;
  event.respondWith(answer(request));
});

// On phones notifications are shown by the worker, so it hears the tap: it leads to the console, where that is open.
self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(showConsole());
});

async function showConsole() {
  const [open] = await self.clients.matchAll({ type: 'window' });
  return open ? open.focus() : self.clients.openWindow('/');
}

async function answer(request) {
  try {
    const response = await fetch(request);
    return UNREACHED.has(response.status) && !response.headers.has(OURS) ? awayPage() : response;
  } catch {
    return awayPage();
  }
}

function awayPage() {
  const nonce = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(18))));
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return new Response(PAGE.replaceAll('%NONCE%', nonce), {
    status: 503,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': policy,
      'cross-origin-embedder-policy': 'require-corp',
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    },
  });
}

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style nonce="%NONCE%">
  :root {
    color-scheme: light dark;
    --canvas: light-dark(oklch(0.982 0.002 264), oklch(0.158 0.006 266));
    --panel: light-dark(oklch(1 0 0), oklch(0.188 0.007 266));
    --line: light-dark(oklch(0.921 0.004 264), oklch(0.262 0.008 266));
    --strong: light-dark(oklch(0.862 0.006 264), oklch(0.335 0.01 266));
    --ink: light-dark(oklch(0.215 0.012 264), oklch(0.955 0.004 264));
    --ink-2: light-dark(oklch(0.425 0.014 264), oklch(0.765 0.01 264));
    --bad: light-dark(oklch(0.535 0.195 25), oklch(0.72 0.165 24));
    --accent: light-dark(oklch(0.525 0.195 266), oklch(0.705 0.145 266));
  }
  :root.light { color-scheme: light; }
  :root.dark { color-scheme: dark; }
  * { box-sizing: border-box; }
  body {
    margin: 0; min-height: 100dvh; display: grid; place-items: center; padding: 16px;
    background: var(--canvas); color: var(--ink); font: 14px/20px ui-sans-serif, system-ui, sans-serif;
  }
  main { width: 100%; max-width: 480px; border: 1px solid var(--line); border-radius: 8px; background: var(--panel); padding: 24px; }
  .mark { display: flex; align-items: center; gap: 8px; margin: 0 0 16px; font-weight: 600; }
  .dot { width: 8px; height: 8px; border-radius: 1px; background: var(--bad); }
  h1 { margin: 0 0 8px; font-size: 20px; line-height: 28px; font-weight: 600; text-wrap: balance; }
  p { margin: 0 0 8px; color: var(--ink-2); text-wrap: pretty; overflow-wrap: anywhere; }
  time, code { color: var(--ink); font: inherit; font-weight: 500; }
  button {
    margin-top: 8px; height: 32px; padding: 0 12px; border: 1px solid var(--strong); border-radius: 6px;
    background: transparent; color: var(--ink); font: inherit; font-weight: 500; font-size: 13px;
  }
  button:hover { background: var(--line); }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
  @media (forced-colors: active) { .dot { background: CanvasText; } }
</style>
</head>
<body>
<main>
  <p class="mark"><span class="dot" aria-hidden="true"></span>Slipway</p>
  <h1>${escaped(heading)}</h1>
  <p role="status">${said(noAnswerSince, '<time id="since"></time>')}</p>
  <p>${said(opensByItself, '<code id="asked"></code>')}</p>
  <button type="button" id="again">${escaped(tryNow)}</button>
</main>
<script nonce="%NONCE%">
  const KEY = 'slipway-away-since';
  const [FIRST_MS, LONGEST_MS] = [1000, 10000];
  const theme = /(?:^|; )slipway_theme=(light|dark)(?:;|$)/.exec(document.cookie);
  if (theme) document.documentElement.classList.add(theme[1]);
  const read = () => { try { return Number(sessionStorage.getItem(KEY)) || 0; } catch { return 0; } };
  const keep = (at) => { try { at ? sessionStorage.setItem(KEY, String(at)) : sessionStorage.removeItem(KEY); } catch { /* only this page forgets it */ } };
  const since = read() || Date.now();
  keep(since);
  const far = Date.now() - since > 12 * 3600 * 1000;
  document.getElementById('since').textContent = new Date(since).toLocaleString('en-GB', { ...(far ? { day: 'numeric', month: 'short' } : {}), hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' });
  document.getElementById('asked').textContent = location.pathname;
  let pause = FIRST_MS, timer = 0, asking = false;
  async function ask() {
    if (asking) return;
    asking = true;
    clearTimeout(timer);
    const answer = await fetch('/healthz', { cache: 'no-store' }).catch(() => undefined);
    asking = false;
    if (answer && answer.ok) { keep(0); location.reload(); return; }
    timer = setTimeout(ask, pause);
    pause = Math.min(pause * 1.5, LONGEST_MS);
  }
  const now = () => { pause = FIRST_MS; void ask(); };
  document.getElementById('again').addEventListener('click', now);
  addEventListener('online', now);
  document.addEventListener('visibilitychange', () => { if (!document.hidden) now(); });
  timer = setTimeout(ask, pause);
</script>
</body>
</html>
`;
