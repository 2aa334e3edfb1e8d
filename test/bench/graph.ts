import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { markOf } from '@/lib/contract/tree-rows';
import { startBrowser } from '../support/browser';
import { startFixtureServer } from '../support/fixture-server';
import type { Figure } from './figure';
import { percentile } from './measure';

const APPLICATION = '/applications/shop/storefront';
/** The group of Deployments that are well: opened, so that every node is drawn by itself. */
const GROUP = markOf('ResourceTracker.core.oam.dev/shop/storefront-v4-shop+Deployment.apps+well');
const STEPS = 150;
const STEP_PX = 240;
const ZOOM_PX = 24;

/** What the screen did while somebody moved something on it. */
interface Seen {
  /** Milliseconds between frames, of each two. */
  readonly frames: readonly number[];
  /** The longest time in milliseconds for which a place of a list showed no line. */
  readonly blankMs: number;
  /** Processor time of the page's main thread meanwhile, in milliseconds. */
  readonly workMs: number;
}

/** In Chromium on the built pages: the graph of 1000 objects laid out, moved and zoomed, and the list of 10 000 scrolled. */
export async function benchGraph(): Promise<readonly Figure[]> {
  await promisify(execFile)(process.execPath, ['scripts/build.mjs']);
  Object.assign(process.env, { NODE_ENV: 'production' });
  await using server = await startFixtureServer();
  await using browser = await startBrowser();
  const { page } = await browser.visit(`${server.url}/fixture?scene=thousand`);
  const graph = await graphFigures(page, server.url);
  await page.goto(`${server.url}/fixture?scene=many`);
  return [...graph, ...(await listFigures(page, server.url))];
}

async function graphFigures(page: Page, origin: string): Promise<readonly Figure[]> {
  const nodes = await countRows(page, `${origin}/api/v1/rows?topic=${encodeURIComponent(`graph/shop/storefront?open=${GROUP}`)}`);
  await page.goto(`${origin}${APPLICATION}?view=graph&open=${GROUP}`);
  const graph = page.getByRole('region', { name: /^Graph of/ });
  await graph.waitFor();
  const layoutMs = Number(await graph.getAttribute('data-layout-ms'));
  await graph.evaluate((element) => element.scrollIntoView({ block: 'center' }));
  const moved = await whileTurning(page, graph, STEP_PX / 2);
  await graph.press('0');
  await page.keyboard.down('Control');
  const zoomed = await whileTurning(page, graph, -ZOOM_PX);
  await page.keyboard.up('Control');
  return [
    { what: `graph of ${nodes} nodes, laid out in its worker`, value: layoutMs, unit: 'ms', limit: { of: 'value', atMost: 500 } },
    ...frameFigures(`graph of ${nodes} nodes, moved`, moved),
    ...frameFigures(`graph of ${nodes} nodes, zoomed`, zoomed),
  ];
}

async function listFigures(page: Page, origin: string): Promise<readonly Figure[]> {
  const lines = await countRows(page, `${origin}/api/v1/rows?topic=${encodeURIComponent('tree/shop/storefront')}`, 'total');
  await page.goto(`${origin}${APPLICATION}`);
  const list = page.getByRole('tree');
  await list.getByRole('treeitem').first().waitFor();
  await list.evaluate((element) => element.scrollIntoView({ block: 'center' }));
  const seen = await whileTurning(page, list, STEP_PX);
  return [
    {
      what: `list of ${lines} objects, scrolled: longest time that a place was blank`,
      value: seen.blankMs,
      unit: 'ms',
      limit: { of: 'value', atMost: 100 },
    },
    ...frameFigures(`list of ${lines} objects, scrolled`, seen),
  ];
}

/** Frames by the clock depend on neighbours of the machine; what the main thread works for one does not. */
function frameFigures(what: string, { frames, workMs }: Seen): readonly Figure[] {
  const total = frames.reduce((sum, each) => sum + each, 0);
  return [
    {
      what: `${what}: processor time of the main thread a frame`,
      value: workMs / frames.length,
      unit: 'ms',
      limit: { of: 'value', atMost: 20 },
    },
    { what: `${what}: frames a second by the clock`, value: (frames.length / total) * 1000, unit: '/s' },
    { what: `${what}: longest of 95% of the frames by the clock`, value: percentile(frames, 0.95), unit: 'ms' },
  ];
}

async function countRows(page: Page, address: string, of: 'rows' | 'total' = 'rows'): Promise<number> {
  const { rows, total } = (await (await page.request.get(address)).json()) as { readonly rows: readonly unknown[]; readonly total: number }; // as the pages read it
  return of === 'rows' ? rows.length : total;
}

/** Turns the wheel over an element for a few seconds, and watches every frame meanwhile. */
async function whileTurning(page: Page, over: Locator, stepPx: number): Promise<Seen> {
  const box = await over.boundingBox();
  if (box === null) throw new Error('what is to be moved is not on the screen');
  await page.mouse.move(box.x + box.width / 3, box.y + box.height / 2);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const workedMs = async () =>
    ((await devtools.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
  const before = await workedMs();
  const watched = over.evaluate(watchFrames, STEPS);
  for (let step = 0; step < STEPS; step++) await page.mouse.wheel(0, stepPx);
  const seen = await watched;
  const workMs = (await workedMs()) - before;
  await devtools.detach();
  return { ...seen, workMs };
}

/** Runs in the page: what each of so many frames took, and for how long places of a list were blank. No function inside, which tsx would name. */
async function watchFrames(element: Element, count: number): Promise<Omit<Seen, 'workMs'>> {
  const box = element.getBoundingClientRect();
  const places = element.getAttribute('role') === 'tree' ? [0.1, 0.3, 0.5, 0.7, 0.9] : [];
  const blankSince = new Map<number, number>();
  const frames: number[] = [];
  let [before, blankMs] = [await new Promise<number>(requestAnimationFrame), 0];
  while (frames.length < count) {
    const now = await new Promise<number>(requestAnimationFrame);
    frames.push(now - before);
    before = now;
    for (const place of places) {
      const line = document.elementFromPoint(box.left + box.width / 3, box.top + place * box.height)?.closest('[role=treeitem]') ?? null;
      if (line !== null) blankSince.delete(place);
      else if (!blankSince.has(place)) blankSince.set(place, now);
      blankMs = Math.max(blankMs, now - (blankSince.get(place) ?? now));
    }
  }
  return { frames, blankMs };
}
