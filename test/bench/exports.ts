import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { KINDS } from '@/lib/kube/kinds';
import { toInstant } from '@/lib/std/instant';
import { realClock, systemIds } from '@/server/platform';
import { openStore } from '@/server/store';
import { startServerProcess } from '../support/server-process';
import { silentLog } from '../support/silent-log';
import { until } from '../support/until';
import type { Figure } from './figure';
import { median, percentile } from './measure';
import { metric } from './metric';
import { signIn } from './sign-in';

const ROWS = 100_000;
const AT_ONCE = 500;
/** How long others read at least, until the first export and the first verification are done, and how far apart. */
const READ_MS = 40_000;
const READ_LIMIT_MS = 240_000;
const APART_MS = 50;
const REST_MS = 25_000;
/** After so long who was refused tries again; a read that is refused counts as one that takes so long. */
const REFUSED_MS = 1000;
const LIMIT_MS = 300;
const READS = [
  ['a page of the record', '/api/v1/activity'],
  ['the applications', '/api/v1/rows?topic=applications'],
  ['one application', '/api/v1/rows?topic=application/shop/checkout'],
  ['the page of the applications', '/applications'],
] as const;
/** What a viewer loads in a loop, so many at once. */
const PAGES = ['/', '/applications', '/rollouts', '/applications/shop/storefront', '/activity', '/engine'] as const;
const PAGES_AT_ONCE = 16;
const LEAST_PAGES = 100;

/** What everybody else notices of a viewer who exports the record of 100 000 rows and verifies it, over and over, and of one who does so with pages. */
export async function benchExports(): Promise<readonly Figure[]> {
  await promisify(execFile)(process.execPath, ['scripts/build.mjs']); // building is not serving
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'slipway-bench-'));
  try {
    await fillRecord(dataDir);
    await using server = await startServerProcess(['--data-dir', dataDir]);
    const { origin } = server;
    const operator = await signIn(server.address);
    const viewer = await signIn(await linkFor(origin, operator));
    await until('the demonstration is there', async () => (await fetch(`${origin}${READS[2][1]}`, { headers: { cookie: operator } })).ok);
    await realClock.sleep(REST_MS); // it is being installed, which is another benchmark's
    const { times: alone, ...calm } = await noting(origin, () => readAll(origin, operator, () => true));
    const ending = new AbortController();
    const done: Walks = { exports: [], verifications: [] };
    const looping = loop(origin, viewer, { signal: ending.signal, done });
    const { times: beside, ...busy } = await noting(origin, () =>
      readAll(origin, operator, () => done.exports.length > 0 && done.verifications.length > 0),
    );
    ending.abort();
    await looping;
    const { exports, verifications } = done;
    const { times: besidePages, loaded } = await besideLoop(origin, viewer, (isEnough) => readAll(origin, operator, isEnough));
    return [
      ...toFigures('exports and verifies', beside, alone),
      ...toFigures('loads pages', besidePages, alone),
      { what: `pages that this viewer had, ${PAGES_AT_ONCE} at once`, value: loaded, unit: '' },
      {
        what: `longest of ${beside.flat().length} reads`,
        value: Math.max(...beside.flat()),
        unit: 'ms',
        beside: { what: 'nobody exports', value: Math.max(...alone.flat()) },
      },
      {
        what: 'processors that the server is busy on meanwhile',
        value: busy.processors,
        unit: '',
        beside: { what: 'nobody exports', value: calm.processors },
      },
      {
        what: 'the most that one turn of its event loop works in the last minute',
        value: busy.turnMs,
        unit: 'ms',
        beside: { what: 'nobody exports', value: calm.turnMs },
      },
      { what: `an export of ${ROWS} rows, median of ${exports.length}`, value: median(exports) / 1000, unit: 's' },
      { what: `a verification, median of ${verifications.length}`, value: median(verifications) / 1000, unit: 's' },
    ];
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

function toFigures(deed: string, beside: readonly (readonly number[])[], alone: readonly (readonly number[])[]): readonly Figure[] {
  return READS.map(
    ([what], at): Figure => ({
      what: `${what}, beside a viewer who ${deed}, p95`,
      value: percentile(beside[at] ?? [], 0.95),
      unit: 'ms',
      beside: { what: 'nobody does', value: percentile(alone[at] ?? [], 0.95) },
      limit: { of: 'value', atMost: LIMIT_MS },
    }),
  );
}

/** Reads while a viewer loads pages without end. */
async function besideLoop(
  origin: string,
  cookie: string,
  read: (isEnough: () => boolean) => Promise<readonly (readonly number[])[]>,
): Promise<{ readonly times: readonly (readonly number[])[]; readonly loaded: number }> {
  let [loaded, isOver] = [0, false];
  const loops = Array.from({ length: PAGES_AT_ONCE }, async (_, first) => {
    for (let at = first; !isOver; at++) {
      const ms = await timeOf(`${origin}${PAGES[at % PAGES.length]}`, { headers: { cookie } });
      if (ms === undefined) await realClock.sleep(REFUSED_MS);
      else loaded++;
    }
  });
  const ended = read(() => loaded >= LEAST_PAGES).finally(() => {
    isOver = true;
  });
  const [times] = await Promise.all([ended, ...loops]); // a page that is not answered ends the run with its own sentence
  return { times, loaded };
}

/** What reads took, and what the server was doing in the meantime: processors, its store's thread included, and its event loop. */
async function noting(origin: string, read: () => Promise<readonly (readonly number[])[]>) {
  const [before, startedAt] = [await metric(origin, 'process_cpu_seconds_total'), performance.now()];
  const times = await read();
  const seconds = (performance.now() - startedAt) / 1000;
  const processors = ((await metric(origin, 'process_cpu_seconds_total')) - before) / seconds;
  return { times, processors, turnMs: 1000 * (await metric(origin, 'slipway_loop_turn_work_longest_seconds')) };
}

/** A record as a server leaves it, signed by the key that the next one finds. */
async function fillRecord(dataDir: string): Promise<void> {
  const deps = { clock: realClock, ids: systemIds, log: silentLog, signing: { folder: path.join(dataDir, 'audit'), places: [] } };
  await using store = await openStore({ kind: 'folder', dataDir: path.join(dataDir, 'store') }, deps);
  const from = realClock.now() - ROWS * 1000;
  for (let first = 0; first < ROWS; first += AT_ONCE) {
    const entries = Array.from({ length: AT_ONCE }, (_, at) => first + at);
    await Promise.all(
      entries.map((at) =>
        store.audit.append({
          id: `bench-${at}`,
          at: toInstant(from + at * 1000),
          actor: `person-${at % 40}`,
          action: 'decision.approve',
          about: { ...KINDS.rolloutOrchestrator, namespace: `shop-${at % 50}`, name: `web-${at % 200}` },
          message: `Accepted: stage ${at % 5} of web-${at % 200} is approved`,
          data: { phase: 'Accepted', stage: at % 5, revision: `web-v${at}`, reason: 'the figures are as they were before' },
        }),
      ),
    );
  }
}

async function linkFor(origin: string, cookie: string): Promise<string> {
  const headers = { cookie, origin, 'content-type': 'application/json' };
  const answer = await fetch(`${origin}/api/v1/session/links`, { method: 'POST', headers, body: JSON.stringify({ role: 'viewer' }) });
  const { url } = (await answer.json()) as { readonly url: string };
  return url;
}

/** Milliseconds of each read, by its kind. They begin at fixed moments, whether or not those before are answered. */
async function readAll(origin: string, cookie: string, isEnough: () => boolean): Promise<readonly (readonly number[])[]> {
  const times = READS.map((): number[] => []);
  const reading: Promise<void>[] = [];
  const startedAt = performance.now();
  for (let count = 0; performance.now() - startedAt < READ_MS || !isEnough(); count++) {
    if (performance.now() - startedAt > READ_LIMIT_MS)
      throw new Error(`what others do was not done often enough within ${READ_LIMIT_MS / 1000} s`);
    await realClock.sleep(startedAt + count * APART_MS - performance.now());
    const kind = count % READS.length;
    reading.push(
      timeOf(`${origin}${READS[kind]?.[1]}`, { headers: { cookie } }).then((ms) => {
        times[kind]?.push(ms ?? REFUSED_MS);
      }),
    );
  }
  await Promise.all(reading);
  return times;
}

/** Undefined where somebody has too many requests waiting already. */
async function timeOf(address: string, init: RequestInit): Promise<number | undefined> {
  const startedAt = performance.now();
  const answer = await fetch(address, init);
  await answer.arrayBuffer();
  if (answer.status === 429) return undefined;
  if (!answer.ok) throw new Error(`${address} answered ${answer.status}`);
  return performance.now() - startedAt;
}

interface Walks {
  readonly exports: number[];
  readonly verifications: number[];
}

/** Exports and verifies in turn until it is told to end; what is under way then is cancelled and not counted. */
async function loop(
  origin: string,
  cookie: string,
  { signal, done }: { readonly signal: AbortSignal; readonly done: Walks },
): Promise<void> {
  try {
    for (;;) {
      for (const [walk, times] of [
        ['export', done.exports],
        ['verify', done.verifications],
      ] as const) {
        const ms = await timeOf(`${origin}/api/v1/activity/${walk}`, { headers: { cookie }, signal });
        if (ms === undefined) await realClock.sleep(REFUSED_MS);
        else times.push(ms);
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
