import type { Page, Response } from 'playwright-core';
import { ACTIVITY_ACTS } from '@/lib/contract/pages/activity-query';

/** Puts the mark of the pseudo-locale where the catalogue looks for it, before anything of the product is loaded; for the browser and for the server. */
const PUT_MARK = "globalThis[Symbol.for('slipway/words')] = (text) => (/\\p{L}/u.test(text) ? '⟦' + text + '⟧' : text);";

/** What a page is sent bit by bit is kept for the test, which cannot read an answer that has no end. */
const KEEP_STREAMS = `
  const { decode } = TextDecoder.prototype;
  globalThis.streamed = '';
  TextDecoder.prototype.decode = function (input, options) {
    const text = decode.call(this, input, options);
    if (options?.stream) globalThis.streamed += text;
    return text;
  };
`;

/** What each page of the browser runs before anything else. */
export const PAGE_SCRIPT = `${PUT_MARK}${KEEP_STREAMS}`;

/** The environment of a server whose catalogue is marked. */
export const MARKED_ENV = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PUT_MARK)}` } as const;

/** A text as it is shown, and where. */
export interface ShownText {
  readonly how: string;
  readonly text: string;
}

/** What stands there for programs, or is shown as it was written by others: fields and keys, manifests, lines of a log, times of the one formatter. */
const AS_WRITTEN =
  'script, style, noscript, template, kbd, code, pre, time, .cm-content, .cm-tooltip, .xterm, [data-line], next-route-announcer';
const ATTRIBUTES = ['aria-label', 'title', 'placeholder', 'alt', 'aria-valuetext', 'aria-roledescription'];

/** Every text that a page shows or says, once. */
export async function shownTexts(page: Page): Promise<readonly ShownText[]> {
  return page.evaluate(
    ([asWritten, attributes]) => {
      const found = new Map<string, { how: string; text: string }>();
      const see = (how: string, text: string | null) => {
        const said = (text ?? '').replace(/\s+/g, ' ').trim();
        if (said !== '') found.set(`${how} ${said}`, { how, text: said });
      };
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const parent = node.parentElement;
        if (parent !== null && parent.closest(asWritten) === null) see(`<${parent.tagName.toLowerCase()}>`, node.nodeValue);
      }
      for (const attribute of attributes) {
        for (const element of document.body.querySelectorAll(`[${attribute}]`)) {
          if (element.closest(asWritten) === null) see(attribute, element.getAttribute(attribute));
        }
      }
      see('title of the page', document.title);
      return [...found.values()];
    },
    [AS_WRITTEN, ATTRIBUTES] as const,
  );
}

/** What the server sent to a page: all that is shown beside the catalogue must be of it. */
export class SentData {
  // Acts are chosen by their names on the record.
  readonly #texts = new Set<string>(ACTIVITY_ACTS);
  readonly #reading: Promise<void>[] = [];

  /** Hears everything that the page is sent from now on. */
  constructor(page: Page) {
    page.on('response', (response) => this.#reading.push(this.#hear(response)));
    page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => this.#takeFrame(String(payload))));
    page.on('framenavigated', (frame) => this.#take(decodeURIComponent(frame.url()).split(/[/?&=#]/)));
  }

  /** Waits until what has been sent so far is read. */
  async settle(page: Page): Promise<void> {
    for (let next = this.#reading.pop(); next !== undefined; next = this.#reading.pop()) await next;
    const streamed = await page.evaluate(() => (globalThis as { streamed?: string }).streamed ?? '');
    for (const line of streamed.split('\n')) this.#takeJson(line.replace(/^data: ?/, ''));
  }

  /** Whether a text is of what was sent: whole, a part of a sentence around its times or flags, or names one beside the other. */
  holds(text: string): boolean {
    const said = bareOf(text);
    if (this.#isSent(said)) return true;
    const [head = '', ...rest] = said.split(': ');
    if (rest.length > 0 && this.holds(head) && this.#isSent(bareOf(rest.join(': ')))) return true;
    return said
      .split(/[\s,()·=…–→“”]+/)
      .every((name) => this.#isSent(bareOf(name)) || name.split(/[/:@+]/).every((part) => this.#isSent(bareOf(part))));
  }

  #isSent(said: string): boolean {
    if (!/\p{L}/u.test(said) || FIGURE.test(said) || DAY_OR_REVISION.test(said) || said === PRODUCT) return true;
    return this.#texts.has(said) || (said.includes(' ') && this.#texts.has(otherCase(said)));
  }

  async #hear(response: Response): Promise<void> {
    const type = response.headers()['content-type'] ?? '';
    if (!/json|html|x-component/.test(type)) return;
    const body = await response.text().catch(() => ''); // a page that was left gives no body
    if (/json/.test(type)) this.#takeJson(body);
    else for (const row of flightOf(body, /html/.test(type))) this.#takeSeeds(row);
  }

  #takeFrame(payload: string): void {
    const start = payload.search(/[[{]/);
    if (start >= 0) this.#takeJson(payload.slice(start));
  }

  #takeJson(text: string): void {
    const value = parsed(text);
    if (value !== undefined) this.#take(value);
  }

  /** Of a page only what it read counts, not what it says itself. */
  #takeSeeds(value: unknown): void {
    if (Array.isArray(value)) for (const each of value) this.#takeSeeds(each);
    else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        if (/^(?:windows|refused|rights|session|ns|name|kind|group|plural|zone)$/.test(name)) this.#take(member);
        else this.#takeSeeds(member);
      }
    }
  }

  #take(value: unknown): void {
    if (typeof value === 'string') this.#takeText(value);
    else if (Array.isArray(value)) for (const each of value) this.#take(each);
    else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        // Labels and annotations are named by their keys; names of members are no data.
        if (/[-./]/.test(name)) this.#takeText(name);
        // And the fields of a form are those that a chart's schema has.
        if (name === 'properties') this.#take(Object.keys((member ?? {}) as object));
        this.#take(member);
      }
    }
  }

  #takeText(text: string): void {
    // Images are shown without their registry.
    for (const part of [text, ...text.split(INSTANT), ...text.split(FLAG), ...text.split('\n'), text.split('/').at(-1) ?? ''])
      this.#texts.add(bareOf(part));
    // Fields of a form have the names that the values of a chart have.
    if (text.includes('\n')) for (const [, key = ''] of text.matchAll(/^\s*([\w.-]+):/gm)) this.#texts.add(key);
    for (const name of text.length < LONGEST ? text.split(/[\s,()·=…–→“”]+/) : []) if (/[-./_\d]/.test(name)) this.#texts.add(bareOf(name));
  }
}

const PRODUCT = 'Slipway';
const LONGEST = 200;
const INSTANT = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/;
/** A flag of a command, which is kept whole. */
const FLAG = /((?<![\w-])-{1,2}[A-Za-z][\w-]*)/;
/** Days by the one formatter, and revisions by their number. */
const DAY_OR_REVISION = /^(?:\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)(?: \d{4})?|v\d+)$/;
const FIGURE = /^[\d.,%<>×]*(?:ms|s|m|h|d|Ki|Mi|Gi|Ti|UTC[\d:+-]*)?(?:[\d.]+(?:s|m|h|d))*$/;

const bareOf = (text: string) => text.replace(/\s+/g, ' ').replace(/^[\s.,;:·…()“”"–-]+|[\s.,;:·…()“”"–-]+$/gu, '');

/** A sentence of the server begins in lower case, and the screen begins it in upper case. */
const otherCase = (text: string) => {
  const first = text.charAt(0);
  return `${first === first.toLowerCase() ? first.toUpperCase() : first.toLowerCase()}${text.slice(1)}`;
};

/** What of a text is no mark's and no data, empty where there is nothing. */
export function strayOf(text: string, data: SentData): string {
  let rest = text;
  for (let inner = ''; inner !== rest; ) {
    inner = rest;
    rest = rest.replace(/⟦[^⟦⟧]*⟧/g, '\u0000');
  }
  return rest
    .split('\u0000')
    .filter((part) => /\p{L}/u.test(part) && !data.holds(part))
    .join(' … ');
}

/** The rows in which a page tells its components what to draw. */
function flightOf(body: string, isHtml: boolean): readonly unknown[] {
  const pushed = [...body.matchAll(/self\.__next_f\.push\(\[1,("(?:[^"\\]|\\.)*")\]\)/g)].map(
    ([, text = '""']) => JSON.parse(text) as string,
  );
  const flight = isHtml ? pushed.join('') : body;
  return flight.split('\n').flatMap((row) => parsed(row.replace(/^[0-9a-f]*:(?:[A-Z]+)?/, '')) ?? []);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // not every row or frame is JSON
  }
}
