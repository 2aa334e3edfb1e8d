import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Visit } from '../../support/browser';
import type { Scene } from '../../support/open-console';
import type { ServerProcess } from '../../support/server-process';
import { until } from '../../support/until';

const LIMIT_MS = 60_000;
const picked = (page: Page) => new URL(page.url()).searchParams.get('object');

/** Presses an arrow key until what is picked is what was meant. */
async function walk(page: Page, key: string, isThere: (id: string) => boolean): Promise<void> {
  await until(`${key} leads there`, async () => {
    if (isThere(picked(page) ?? '')) return true;
    await page.keyboard.press(key);
    return isThere(picked(page) ?? '');
  });
}

/** Zooms by a key until the graph is as near or as far as was meant. */
function zoom(page: Page, key: string, isThere: () => Promise<boolean>): Promise<void> {
  return until(`${key} zooms there`, async () => {
    await page.keyboard.press(key);
    return isThere();
  });
}

/** The objects of an application as a list and as a graph. */
export function describeGraph(scene: () => Scene): void {
  describe('the objects of an application', () => {
    let server: ServerProcess;
    let visit: Visit;

    beforeAll(async () => {
      ({ server } = scene());
      visit = await scene().console.enter('operator');
      await visit.page.goto(`${server.origin}/applications/shop/checkout`);
      await visit.page.getByRole('treeitem').first().waitFor({ timeout: LIMIT_MS });
    });

    afterAll(() => visit?.context.close());

    it('[issue 14.2] list and graph show the same selection, reached by keyboard alone, and the address keeps it', async () => {
      const { page, faults } = visit;
      const list = page.getByRole('tree', { name: 'Objects' });
      await list.focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Space');
      await until('an object is picked', () => picked(page) !== null);
      const first = picked(page);
      await page.getByRole('button', { name: 'Graph', exact: true }).press('Enter');
      const graph = page.getByRole('region', { name: /^Graph of checkout/ });
      await graph.waitFor({ timeout: LIMIT_MS });
      await until('the same object is picked', () => picked(page) === first);
      await graph.focus();
      await walk(page, 'ArrowLeft', (id) => id.startsWith('Application.'));
      await graph.getByText(/^Application checkout, .+, leads to \d+$/).waitFor({ state: 'attached', timeout: LIMIT_MS });
      await walk(page, 'ArrowRight', (id) => id.startsWith('ResourceTracker.'));
      await walk(page, 'ArrowRight', (id) => !/^(Application|ResourceTracker)/.test(id));
      const second = picked(page);
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor({ timeout: LIMIT_MS });
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden', timeout: LIMIT_MS });
      await page.reload();
      await graph.waitFor({ timeout: LIMIT_MS });
      await until('the same object is picked', () => picked(page) === second);
      await page.getByRole('button', { name: 'List', exact: true }).click();
      await page.getByRole('treeitem', { selected: true }).waitFor({ timeout: LIMIT_MS });
      expect(faults).toEqual([]);
    });

    it('[issue 14.2] the first view of a graph has names of 11 px and what is worst, all of it after one click; at 390 px what is picked and a map that says where that is', async () => {
      const { page } = visit;
      await page.goto(`${server.origin}/applications/shop/checkout?view=graph`);
      const graph = page.getByRole('region', { name: /^Graph of checkout/ });
      const begun = page.locator('[data-begun]');
      await begun.waitFor({ timeout: LIMIT_MS });
      const outside = () =>
        graph.evaluate((frame) => {
          const { left, right, top, bottom } = frame.getBoundingClientRect();
          const isIn = (node: DOMRect) => node.left >= left && node.right <= right && node.top >= top && node.bottom <= bottom;
          return [...frame.querySelectorAll('.react-flow__node')].filter((node) => !isIn(node.getBoundingClientRect())).length;
        });
      const nameSizes = () =>
        graph.locator('.react-flow__node').evaluateAll((nodes) =>
          nodes.map((node) => {
            const name = node.querySelector('p:last-of-type') as HTMLElement;
            return (Number.parseFloat(getComputedStyle(name).fontSize) * name.getBoundingClientRect().height) / name.offsetHeight;
          }),
        );
      // A part of the page that comes late hides what stands beside it for a moment.
      await until('names are drawn', async () => (await nameSizes()).every((size) => size > 0));
      const sizes = await nameSizes();
      expect(sizes.length).toBeGreaterThan(7);
      expect(Math.min(...sizes)).toBeGreaterThanOrEqual(11);
      const [worst, frameAt] = [
        await graph.locator('.react-flow__node', { hasText: 'in progress' }).first().boundingBox(),
        await graph.boundingBox(),
      ];
      expect(worst?.x).toBeGreaterThanOrEqual(frameAt?.x ?? Number.POSITIVE_INFINITY);
      await graph.getByRole('button', { name: 'Show all' }).click();
      await until('nothing is outside', async () => (await nameSizes()).length > sizes.length && (await outside()) === 0);
      expect(await graph.getAttribute('data-far')).toBeNull();
      await page.setViewportSize({ width: 390, height: 844 });
      await graph.focus();
      await walk(page, 'ArrowLeft', (id) => id.startsWith('Application.'));
      for (const kind of ['ApplicationRevision', 'ResourceTracker']) await walk(page, 'ArrowRight', (id) => id.startsWith(kind));
      await page.reload();
      await begun.waitFor({ timeout: LIMIT_MS });
      const shown = graph.locator('.react-flow__node.selected');
      await shown.waitFor({ timeout: LIMIT_MS });
      const [box, frame] = [await shown.boundingBox(), await graph.boundingBox()];
      expect((box?.x ?? -1) >= (frame?.x ?? 0) && (box?.x ?? 0) + (box?.width ?? 0) <= (frame?.x ?? 0) + (frame?.width ?? 0)).toBe(true);
      expect(await graph.getByRole('img', { name: /graph/i }).isVisible()).toBe(true);
      await page.setViewportSize({ width: 1440, height: 900 });
    });

    it('[issue 14 figures] the words of a graph are drawn where they can be read, and not from afar', async () => {
      const { page } = visit;
      await page.goto(`${server.origin}/applications/shop/checkout?view=graph`);
      const graph = page.getByRole('region', { name: /^Graph of checkout/ });
      const words = graph.locator('.react-flow__viewport text');
      await words.first().waitFor({ state: 'attached', timeout: LIMIT_MS });
      const near = await words.count();
      await graph.focus();
      await zoom(page, '-', async () => (await graph.getAttribute('data-far')) !== null);
      await until('no word is drawn', async () => (await words.count()) === 0);
      await zoom(page, '+', async () => (await graph.getAttribute('data-far')) === null);
      await until('the words are drawn again', async () => (await words.count()) >= near);
    });

    it('[issue 14 figures] opening an object changes nothing that the page below it inherits, and a click beside it only closes it', async () => {
      const { page } = visit;
      await page.goto(`${server.origin}/applications/shop/checkout`);
      const inherited = () =>
        page.evaluate(() => {
          const style = getComputedStyle(document.body);
          return [style.pointerEvents, style.getPropertyValue('--removed-body-scroll-bar-size')];
        });
      const before = await inherited();
      await page.getByRole('treeitem').nth(1).click();
      const drawer = page.getByRole('dialog');
      await drawer.waitFor({ timeout: LIMIT_MS });
      const address = page.url();
      expect(await inherited()).toEqual(before);
      const below = await page.getByRole('link', { name: 'Rollouts', exact: true, includeHidden: true }).first().boundingBox();
      await page.mouse.click((below?.x ?? Number.NaN) + 2, (below?.y ?? Number.NaN) + 2);
      await drawer.waitFor({ state: 'detached', timeout: LIMIT_MS });
      expect(new URL(page.url()).pathname).toBe(new URL(address).pathname);
    });

    it('[issue 14.2] the list is narrowed by text, kind and status, and says how many match', async () => {
      const { page } = visit;
      await page.goto(`${server.origin}/applications/shop/checkout`);
      await until('the choice counts', async () => {
        await page.getByLabel('Kind', { exact: true }).selectOption('Pod');
        return new URL(page.url()).searchParams.get('kind') === 'Pod';
      });
      await page
        .getByText(/^\d+ objects? match(es)?\.$/)
        .first()
        .waitFor({ timeout: LIMIT_MS });
      await page.getByRole('button', { name: 'Graph', exact: true }).click();
      await page
        .getByText(/^\d+ nodes? match(es)?, the others are faded\.$/)
        .first()
        .waitFor({ timeout: LIMIT_MS });
      await page.locator('[data-faded]').first().waitFor({ timeout: LIMIT_MS });
      await page.getByRole('button', { name: 'List', exact: true }).click();
      await until('only pods are shown', async () => {
        const texts = await page.getByRole('treeitem').allTextContents();
        return texts.length > 0 && texts.every((text) => text.includes('Pod'));
      });
      await page.getByLabel('Search objects', { exact: true }).fill('no such object');
      await page.getByText('No object matches').first().waitFor({ timeout: LIMIT_MS });
      await page.getByRole('button', { name: 'Clear filters', exact: true }).nth(1).click();
      await page
        .getByRole('treeitem', { name: /Application/ })
        .first()
        .waitFor({ timeout: LIMIT_MS });
    });
  });
}
