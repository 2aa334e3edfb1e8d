import type { Equivalent } from './equivalents';

const SLOWER = 'the longer way comes to the same line';
const SHORT = "if (this.#size === 0 && to - from <= MAX_BYTES) yield { text: bytes.toString('utf8', from, to), cut: 0 };";
const ROOM = 'there is room at once where it is not full';
const EMPTY = 'what is held of nothing is nothing';
const AS_OLD = 'two that were seen last at one moment are as old as each other, and as many go';
const PIECE = 'if (this.#items.size > 0 && this.#steady() - startedAt >= PIECE_MS) break;';
const NONE_LEFT = 'with nothing left the round is over either way';
const HAS_MAP = 'what is held stands in the map of its kind';
const NO_TEXT = 'a text is the key of no object that is held';
const REPLACED = 'what is not held cannot be forgotten';

const LOGS: readonly Equivalent[] = [
  {
    file: 'server/commands/manifest-text.ts',
    line: "const [, whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(source) ?? [];",
    from: '[]',
    to: '["Stryker was here"]',
    why: 'what is a number and neither hexadecimal nor octal is decimal',
  },
  {
    file: 'server/commands/manifest-text.ts',
    line: 'const DECIMAL = /^[-+]?(\\d*)(?:\\.(\\d*))?(?:e([-+]?\\d+))?$/i;',
    from: '/^[-+]?(\\d*)(?:\\.(\\d*))?(?:e([-+]?\\d+))?$/i',
    to: '/[-+]?(\\d*)(?:\\.(\\d*))?(?:e([-+]?\\d+))?$/i',
    why: 'what is a number and neither hexadecimal nor octal is decimal from end to end',
  },
  {
    file: 'server/commands/manifest-text.ts',
    line: 'const DECIMAL = /^[-+]?(\\d*)(?:\\.(\\d*))?(?:e([-+]?\\d+))?$/i;',
    from: '/^[-+]?(\\d*)(?:\\.(\\d*))?(?:e([-+]?\\d+))?$/i',
    to: '/^[-+]?(\\d*)(?:\\.(\\d*))?(?:e([-+]?\\d+))?/i',
    why: 'what is a number and neither hexadecimal nor octal is decimal from end to end',
  },
  {
    file: 'server/commands/manifest-text.ts',
    line: 'const DECIMAL = /^[-+]?(\\d*)(?:\\.(\\d*))?(?:e([-+]?\\d+))?$/i;',
    from: '/^[-+]?(\\d*)(?:\\.(\\d*))?(?:e([-+]?\\d+))?$/i',
    to: '/^[-+]?(\\d*)(?:\\.(\\d*))?(?:e([-+]?\\d+))$/i',
    why: 'without an exponent it is no whole number as it is written, and refused either way',
  },
  ...[
    ['this.#size === 0 && to - from <= MAX_BYTES', 'false'],
    ['to - from <= MAX_BYTES', 'to - from < MAX_BYTES'],
    ['to - from', 'to + from'],
  ].map(([from = '', to = '']) => ({ file: 'server/commands/logs/split-lines.ts', line: SHORT, from, to, why: SLOWER })),
  ...['true', 'from <= bytes.length'].map((to) => ({
    file: 'server/commands/logs/split-lines.ts',
    line: 'if (from < bytes.length) this.#hold(Buffer.from(bytes.subarray(from, from + MAX_BYTES)), bytes.length - from);',
    from: 'from < bytes.length',
    to,
    why: EMPTY,
  })),
  ...['true', 'kept.length >= 0'].map((to) => ({
    file: 'server/commands/logs/split-lines.ts',
    line: 'if (kept.length > 0) this.#held.push(kept);',
    from: 'kept.length > 0',
    to,
    why: EMPTY,
  })),
  {
    file: 'server/commands/logs/split-lines.ts',
    line: 'return this.#size === 0 && this.#cut === 0 ? undefined : this.#end();',
    from: 'this.#cut === 0',
    to: 'true',
    why: 'nothing is cut of a line before as much is held as is shown',
  },
  { file: 'server/commands/logs/open-log.ts', line: 'if (feed.isFull) await feed.room();', from: 'feed.isFull', to: 'true', why: ROOM },
  {
    file: 'server/commands/logs/reader-set.ts',
    line: 'if (entry !== undefined) this.#leaving.add(entry.feed);',
    from: 'entry !== undefined',
    to: 'true',
    why: 'only what is held is forgotten',
  },
];

const COMMANDS: readonly Equivalent[] = [
  {
    file: 'server/commands/objects/follow-events.ts',
    line: 'const byAge = [...this.#events].sort(([, a], [, b]) => (lastSeen(a) < lastSeen(b) ? -1 : 1));',
    from: 'lastSeen(a) < lastSeen(b)',
    to: 'lastSeen(a) <= lastSeen(b)',
    why: AS_OLD,
  },
  {
    file: 'server/commands/editor/thread-pool.ts',
    line: 'if (job === undefined) return;',
    from: 'job === undefined',
    to: 'false',
    why: 'it is asked only while something waits',
  },
];

const LIVE: readonly Equivalent[] = [
  ...['true', 'this.#items.size >= 0'].map((to) => ({
    file: 'server/status/live/batcher.ts',
    line: PIECE,
    from: 'this.#items.size > 0',
    to,
    why: NONE_LEFT,
  })),
  {
    file: 'server/status/live/provenance.ts',
    line: "case 'forbidden':",
    from: "case 'forbidden': return undefined;",
    to: "case 'forbidden':",
    why: 'what returns nothing returns undefined',
  },
  {
    file: 'server/status/live/roots.ts',
    line: 'this.#byKind.get(identifier)?.delete(key);',
    from: 'this.#byKind.get(identifier)?.delete',
    to: 'this.#byKind.get(identifier).delete',
    why: HAS_MAP,
  },
  {
    file: 'server/status/live/selection-index.ts',
    line: 'if (roots?.size === 0) drawer?.byValue.delete(value);',
    from: 'drawer?.byValue',
    to: 'drawer.byValue',
    why: HAS_MAP,
  },
  {
    file: 'server/status/live/selection-index.ts',
    line: 'if (drawer?.byValue.size === 0) drawers?.delete(name);',
    from: 'drawers?.delete',
    to: 'drawers.delete',
    why: HAS_MAP,
  },
  {
    file: 'server/status/live/status-cache.ts',
    line: 'if (after === undefined) this.#forget(of, key);',
    from: 'after === undefined',
    to: 'true',
    why: 'another version is judged anew, by a selection and until a time of its own',
  },
  {
    file: 'server/status/live/status-cache.ts',
    line: 'for (const object of this.#config.storeOf(of)?.list() ?? []) this.#known.delete(object);',
    from: 'this.#config.storeOf(of)?.list',
    to: 'this.#config.storeOf(of).list',
    why: 'it is told of kinds whose copy is there',
  },
  {
    file: 'server/status/live/status-cache.ts',
    line: 'for (const object of this.#config.storeOf(of)?.list() ?? []) this.#known.delete(object);',
    from: '[]',
    to: '["Stryker was here"]',
    why: NO_TEXT,
  },
  {
    file: 'server/status/live/status-cache.ts',
    line: 'for (const held of [this.#owners, this.#timers]) for (const key of held.get(of)?.keys() ?? []) this.#forget(of, key);',
    from: '[]',
    to: '["Stryker was here"]',
    why: NO_TEXT,
  },
  {
    file: 'server/status/live/status-cache.ts',
    line: 'if (object !== undefined && this.#known.delete(object)) this.#config.onTouched(owner.of, key);',
    from: 'object !== undefined',
    to: 'true',
    why: REPLACED,
  },
  {
    file: 'server/status/live/status-cache.ts',
    line: 'if (object === undefined || !this.#known.delete(object)) continue;',
    from: 'object === undefined',
    to: 'false',
    why: REPLACED,
  },
  {
    file: 'server/status/live/status-cache.ts',
    line: 'this.#timers.get(of)?.delete(key);',
    from: 'this.#timers.get(of)?.delete',
    to: 'this.#timers.get(of).delete',
    why: HAS_MAP,
  },
  {
    file: 'server/status/live/status-cache.ts',
    line: 'if (owner === undefined) return;',
    from: 'owner === undefined',
    to: 'false',
    why: REPLACED,
  },
  {
    file: 'server/status/live/status-cache.ts',
    line: 'this.#owners.get(of)?.delete(key);',
    from: 'this.#owners.get(of)?.delete',
    to: 'this.#owners.get(of).delete',
    why: HAS_MAP,
  },
];

/** Those of what is followed: logs, events, texts that are read meanwhile, and statuses. */
export const OF_STREAMS: readonly Equivalent[] = [...LOGS, ...COMMANDS, ...LIVE];
