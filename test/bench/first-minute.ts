import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { realClock } from '@/server/platform';
import { startServerProcess } from '../support/server-process';
import type { Figure } from './figure';
import { signIn } from './sign-in';

// Runs in the server before all else: of each turn after the address the processor time of the main thread, which what else the machine does
// is not in. Only Linux tells it.
const MEASURE = `
import { readFileSync, writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';
if (isMainThread && process.argv[1]?.endsWith('start.mjs')) {
  const used = () => Number(readFileSync('/proc/self/task/' + process.pid + '/schedstat', 'utf8').split(' ')[0]) / 1e6;
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (text, ...rest) => {
    if (/^https?:/.test(String(text))) begin();
    return write(text, ...rest);
  };
  function begin() {
    let [before, longest, long, isOver] = [used(), 0, 0, false];
    const tick = () => {
      const now = used();
      longest = Math.max(longest, now - before);
      if (now - before > 50) long += now - before;
      before = now;
      if (!isOver) setImmediate(tick).unref();
    };
    setImmediate(tick).unref();
    setTimeout(() => {
      isOver = true;
      writeFileSync(process.env.TURNS_FILE, JSON.stringify({ longest, long }));
    }, 60_000).unref();
  }
}
`;
const MINUTE_MS = 60_000;
const PAUSE_MS = 1500;
const PAGES = [
  '/',
  '/applications',
  '/applications/shop/checkout',
  '/applications/catalogue/catalogue',
  '/rollouts',
  '/rollouts/shop/checkout',
  '/trackers',
  '/activity',
  '/releases',
  '/engine',
];

/** The first minute of the built server on an empty folder, the demonstration being installed and every page opened once: how long turns are. */
export async function benchFirstMinute(): Promise<readonly Figure[]> {
  await promisify(execFile)(process.execPath, ['scripts/build.mjs']); // building is not starting
  const folder = await mkdtemp(path.join(os.tmpdir(), 'slipway-bench-'));
  const file = path.join(folder, 'turns.json');
  await using server = await startServerProcess([], { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(MEASURE)}`, TURNS_FILE: file });
  const end = performance.now() + MINUTE_MS;
  const cookie = await signIn(server.address);
  for (const page of PAGES) {
    await open(new URL(page, server.origin), cookie);
    await realClock.sleep(PAUSE_MS);
  }
  await realClock.sleep(end - performance.now());
  const processor = z.object({ longest: z.number(), long: z.number() }).parse(JSON.parse(await readWhenThere(file)));
  await rm(folder, { recursive: true });
  const metrics = await (await fetch(new URL('/metrics', server.origin), { headers: { cookie } })).text();
  return [
    {
      what: 'first minute after the address, every page opened: longest turn of the event loop',
      value: readMetric(metrics, 'slipway_loop_turn_longest_seconds') * 1000,
      unit: 'ms',
      beside: { what: 'most processor time of one', value: processor.longest },
      limit: { of: 'value', atMost: 100 },
    },
    {
      what: 'first minute after the address: share of the time in turns over 50 ms',
      value: readMetric(metrics, 'slipway_loop_turns_long_ratio') * 100,
      unit: '%',
      beside: { what: 'by processor time', value: (processor.long / MINUTE_MS) * 100 },
      limit: { of: 'value', atMost: 1 },
    },
  ];
}

/** Reads a page and what it is made of, as a browser does. */
async function open(address: URL, cookie: string): Promise<void> {
  const page = await fetch(address, { headers: { cookie, accept: 'text/html' } });
  const text = await page.text();
  if (page.status !== 200) throw new Error(`${address.pathname} answered ${page.status}`);
  const parts = new Set([...text.matchAll(/(?:src|href)="(\/_next\/static\/[^"]+)"/g)].map((found) => found[1] ?? ''));
  await Promise.all([...parts].map(async (part) => (await fetch(new URL(part, address), { headers: { cookie } })).arrayBuffer()));
}

/** The server writes it when its minute is over, which began with the address. */
async function readWhenThere(file: string): Promise<string> {
  for (let tries = 0; tries < 100 && !existsSync(file); tries++) await realClock.sleep(100);
  return readFile(file, 'utf8');
}

function readMetric(metrics: string, name: string): number {
  const found = new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics);
  if (found === null) throw new Error(`the server tells no ${name}`);
  return Number(found[1]);
}
