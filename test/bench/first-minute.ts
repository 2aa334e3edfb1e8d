import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { realClock } from '@/server/platform';
import { startServerProcess } from '../support/server-process';
import type { Figure } from './figure';
import { signIn } from './sign-in';
import { turnFigures } from './turns';

/** The server tells of the last minute in parts of ten seconds, and drops the first when it is a minute old. */
const WATCHED_MS = 58_000;
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
  await using server = await startServerProcess();
  const end = performance.now() + WATCHED_MS;
  const cookie = await signIn(server.address);
  for (const page of PAGES) {
    await open(new URL(page, server.origin), cookie);
    await realClock.sleep(PAUSE_MS);
  }
  await realClock.sleep(end - performance.now());
  const metrics = await (await fetch(new URL('/metrics', server.origin), { headers: { cookie } })).text();
  return turnFigures('first minute after the address, every page opened', {
    byClock: readLengths(metrics, { longest: 'turn_longest_seconds', share: 'turns_long_ratio' }),
    byWork: metrics.includes('slipway_loop_turn_work')
      ? readLengths(metrics, { longest: 'turn_work_longest_seconds', share: 'turns_work_long_ratio' })
      : undefined,
  });
}

/** Reads a page and what it is made of, as a browser does. */
async function open(address: URL, cookie: string): Promise<void> {
  const page = await fetch(address, { headers: { cookie, accept: 'text/html' } });
  const text = await page.text();
  if (page.status !== 200) throw new Error(`${address.pathname} answered ${page.status}`);
  const parts = new Set([...text.matchAll(/(?:src|href)="(\/_next\/static\/[^"]+)"/g)].map((found) => found[1] ?? ''));
  await Promise.all([...parts].map(async (part) => (await fetch(new URL(part, address), { headers: { cookie } })).arrayBuffer()));
}

function readLengths(metrics: string, names: { readonly longest: string; readonly share: string }) {
  return { longestMs: readMetric(metrics, names.longest) * 1000, longPercent: readMetric(metrics, names.share) * 100 };
}

function readMetric(metrics: string, name: string): number {
  const found = new RegExp(`^slipway_loop_${name} (\\S+)$`, 'm').exec(metrics);
  if (found === null) throw new Error(`the server tells no ${name}`);
  return Number(found[1]);
}
