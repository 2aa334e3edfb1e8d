import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { startBrowser } from '../support/browser';
import { startFixtureServer } from '../support/fixture-server';
import type { Figure } from './figure';
import { answerLogs, LINES_A_SECOND, SECONDS } from './logs';
import { percentile } from './measure';

const APPLICATION = '/applications/shop/storefront';
/** The stream has begun, and ends a while after the last frame that counts. */
const WATCHED_MS = (SECONDS - 3) * 1000;
const ROUNDS = 8;

/** In Chromium on the built pages: a log of 5,000 lines a second followed, and what hands do most on lists of thousands. */
export async function benchHands(): Promise<readonly Figure[]> {
  await promisify(execFile)(process.execPath, ['scripts/build.mjs']);
  Object.assign(process.env, { NODE_ENV: 'production' });
  await using server = await startFixtureServer({
    scene: 'many',
    answers: (pathname) => (pathname.endsWith('/logs') ? answerLogs() : undefined),
  });
  await using browser = await startBrowser();
  const { page } = await browser.visit(`${server.url}/`);
  return [...(await logFigures(page, server.url)), ...(await tourFigures(page, server.url))];
}

/** Frames by the clock depend on neighbours of the machine; what the main thread works for one does not. */
async function logFigures(page: Page, origin: string): Promise<readonly Figure[]> {
  await page.goto(`${origin}${APPLICATION}/logs`);
  await page.locator('[data-line]').first().waitFor();
  const workedMs = await openWork(page);
  const before = await workedMs();
  const frames = await page.evaluate(watchFrames, WATCHED_MS);
  const workMs = (await workedMs()) - before;
  const what = `log of ${LINES_A_SECOND} lines/s, followed`;
  return [
    {
      what: `${what}: processor time of the main thread a frame`,
      value: workMs / frames.length,
      unit: 'ms',
      limit: { of: 'value', atMost: 16 },
    },
    { what: `${what}: of a core for the main thread`, value: (workMs / WATCHED_MS) * 100, unit: '%' },
    {
      what: `${what}: longest of 99% of the frames by the clock`,
      value: percentile(frames, 0.99),
      unit: 'ms',
    },
  ];
}

/** Runs in the page: what each frame of so many milliseconds took. No function inside, which tsx would name. */
async function watchFrames(forMs: number): Promise<readonly number[]> {
  const frames: number[] = [];
  const start = await new Promise<number>(requestAnimationFrame);
  for (let before = start; before - start < forMs; ) {
    const now = await new Promise<number>(requestAnimationFrame);
    frames.push(now - before);
    before = now;
  }
  return frames;
}

/** One act of a person, and what of it is waited for. */
type Act = readonly [name: string, act: (page: Page) => Promise<unknown>];

const press = (key: string): Act => [`key ${key}`, (page) => page.keyboard.press(key)];
const typed = (text: string): readonly Act[] => [...text].map((key): Act => ['a letter typed', (page) => page.keyboard.press(key)]);

/** On the list of applications: filter it, choose from a menu, look for something in the palette. */
const ON_LIST: readonly Act[] = [
  ['click into the filter', (page) => page.getByRole('main').getByRole('searchbox').first().click()],
  ...typed('service-12'),
  ['namespaces opened', (page) => page.getByRole('button', { name: /^Namespace: / }).click()],
  press('Escape'),
  press('Control+k'),
  ...typed('web'),
  press('Escape'),
];

/** On an application: look at an object, then go through the tree by keys. */
const ON_APPLICATION: readonly Act[] = [
  ['object opened', (page) => page.getByRole('treeitem').nth(1).click()],
  press('Escape'),
  ...['ArrowRight', 'ArrowDown', 'ArrowRight', 'ArrowUp', 'ArrowLeft'].map(press),
];

/** On a rollout: from tab to tab, and a decision that is looked at and not made. */
const ON_ROLLOUT: readonly Act[] = [
  ...[1, 0].map((tab): Act => ['tab', (page) => page.getByRole('tab').nth(tab).click()]),
  ['decision opened', (page) => page.getByRole('button', { name: 'Abort', exact: true }).click()],
  press('Escape'),
];

/** Each page with what shows that it is there. */
const TOUR = [
  { path: '/applications', there: 'row', acts: ON_LIST },
  { path: APPLICATION, there: 'treeitem', acts: ON_APPLICATION },
  { path: '/rollouts/shop/web', there: 'tab', acts: ON_ROLLOUT },
] as const;

/** Runs in the page: the longest event of each interaction by the clock, as browsers tell it. */
function keepInteractions(): void {
  const kept = new Map<number, number>();
  Object.assign(globalThis, { interactions: kept });
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries() as PerformanceEventTiming[])
      if (interactionId > 0) kept.set(interactionId, Math.max(kept.get(interactionId) ?? 0, duration));
  }).observe({ type: 'event', durationThreshold: 16, buffered: true } as PerformanceObserverInit);
}

async function tourFigures(page: Page, origin: string): Promise<readonly Figure[]> {
  await page.addInitScript(keepInteractions);
  const work = await openWork(page);
  const worked: { readonly name: string; readonly ms: number }[] = [];
  const clocked: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const { path, there, acts } of TOUR) {
      await page.goto(`${origin}${path}`);
      await page.getByRole(there).nth(1).waitFor();
      await rest(page);
      for (const [name, act] of acts) {
        const before = await work();
        await act(page);
        await rest(page);
        worked.push({ name, ms: (await work()) - before });
      }
      // What a page keeps goes with it.
      clocked.push(
        ...(await page.evaluate(() => [...(globalThis as unknown as { interactions: Map<number, number> }).interactions.values()])),
      );
    }
  }
  const worst = worked.reduce((one, other) => (other.ms > one.ms ? other : one));
  const what = `tour of ${worked.length} acts over 3,000 applications and 10,000 objects`;
  const times = worked.map(({ ms }) => ms);
  return [
    {
      what: `${what}: from input to next paint by the clock, p98`,
      value: percentile(clocked, 0.98),
      unit: 'ms',
      limit: { of: 'value', atMost: 100 },
    },
    { what: `${what}: processor time of the main thread until it rests, p98`, value: percentile(times, 0.98), unit: 'ms' },
    { what: `${what}: the most, of "${worst.name}"`, value: worst.ms, unit: 'ms' },
  ];
}

/** Waits until the page has drawn and has nothing to do. */
function rest(page: Page): Promise<void> {
  return page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestIdleCallback(() => resolve(), { timeout: 2000 }))),
  );
}

/** Reads how long the main thread of a page has worked, in milliseconds of processor time. */
async function openWork(page: Page): Promise<() => Promise<number>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () =>
    ((await devtools.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
}
