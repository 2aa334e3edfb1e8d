import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Visit } from '../../support/browser';
import type { Scene } from '../../support/open-console';
import { plainAddress } from '../../support/plain-address';
import type { ServerProcess } from '../../support/server-process';
import { axeFindings } from '../axe-findings';

const LIMIT_MS = 60_000;

/** Times of the page that run into what stands beside them; run in the browser. */
function overlappingTimes(): readonly string[] {
  return [...document.querySelectorAll<HTMLElement>('main ol li > span:has(time)')].flatMap((cell) =>
    cell.scrollWidth > cell.clientWidth ? [cell.textContent ?? ''] : [],
  );
}

/** How long something has been going on, as paper says it; run in the browser. */
function spansOnPaper(): readonly string[] {
  return [...document.querySelectorAll<HTMLElement>('main time[data-span]')]
    .filter((one) => getComputedStyle(one).fontSize !== '0px')
    .map((one) => `${one.parentElement?.textContent}${getComputedStyle(one, '::after').content.replaceAll('"', '')}`);
}

/** What a person keeps in their browser, and what they print. */
export function describeViews(scene: () => Scene): void {
  describe('what a person keeps', () => {
    let server: ServerProcess;
    let visit: Visit;

    const open = async (path: string, heading: string) => {
      await visit.page.goto(`${server.origin}${path}`);
      await visit.page.getByRole('heading', { name: heading, level: 1 }).waitFor({ timeout: LIMIT_MS });
    };

    beforeAll(async () => {
      ({ server } = scene());
      visit = await scene().console.enter('operator');
    });

    afterAll(() => visit?.context.close());

    it('[issue 14.3] a saved view brings back its filters and order by the address, also after the page was loaded again', async () => {
      const { page } = visit;
      await open('/applications?ns=shop&sort=health&desc=1', 'Applications');
      await page.getByRole('table', { name: 'Applications' }).waitFor({ timeout: LIMIT_MS });
      await page.getByRole('button', { name: 'Views', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Save this view…' }).waitFor({ timeout: LIMIT_MS });
      expect(await axeFindings(page)).toEqual([]);
      await page.getByRole('menuitem', { name: 'Save this view…' }).click();
      await page.getByRole('textbox', { name: 'Name of the view' }).waitFor({ timeout: LIMIT_MS });
      expect(await axeFindings(page)).toEqual([]);
      await page.getByRole('textbox', { name: 'Name of the view' }).fill('Shop by health');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Shop by health', exact: true }).waitFor({ timeout: LIMIT_MS });
      await open('/applications', 'Applications');
      await page.getByRole('button', { name: 'Views', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Shop by health', exact: true }).click();
      await page.waitForURL((url) => plainAddress(url).endsWith('/applications?desc=1&ns=shop&sort=health'));
      await page
        .getByRole('columnheader', { name: 'Health', exact: true })
        .and(page.locator('[aria-sort=descending]'))
        .waitFor({ timeout: LIMIT_MS });
    });

    it('[issue 14.3] by keyboard alone: to a row, to its page, to the favourites, and back by the palette', async () => {
      const { page } = visit;
      await open('/applications?q=checkout&ns=shop', 'Applications');
      await page
        .getByRole('table', { name: 'Applications' })
        .getByRole('link', { name: 'checkout', exact: true })
        .waitFor({ timeout: LIMIT_MS });
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'checkout', level: 1 }).waitFor({ timeout: LIMIT_MS });
      await page.getByRole('button', { name: 'Add to favourites', exact: true }).waitFor({ timeout: LIMIT_MS });
      await page.keyboard.press('f');
      const favourites = page.getByRole('navigation', { name: 'Favourites', exact: true });
      await favourites.getByRole('link', { name: 'checkout application', exact: true }).waitFor({ timeout: LIMIT_MS });
      await open('/engine', 'Engine');
      await page.keyboard.press('Control+k');
      await page.getByRole('option', { name: 'checkout shop application', exact: true }).click();
      await page.waitForURL((url) => plainAddress(url) === `${server.origin}/applications/shop/checkout`);
    });

    it('[issue 14.3] columns that are hidden stay hidden', async () => {
      const { page } = visit;
      await open('/rollouts', 'Rollouts');
      const started = page.getByRole('table', { name: 'Rollouts' }).getByRole('columnheader', { name: 'Started', exact: true });
      await started.waitFor({ timeout: LIMIT_MS });
      await page.getByRole('button', { name: 'Columns and density', exact: true }).click();
      await page.getByRole('menuitemcheckbox', { name: 'Started', exact: true }).click();
      await page.keyboard.press('Escape');
      await started.waitFor({ state: 'detached', timeout: LIMIT_MS });
      await page.reload();
      await page
        .getByRole('table', { name: 'Rollouts' })
        .getByRole('columnheader', { name: 'Rollout', exact: true })
        .waitFor({ timeout: LIMIT_MS });
      await started.waitFor({ state: 'detached', timeout: LIMIT_MS });
    });

    it('[issue 14.3] cards sort at 390 px, and nothing is wider than the page', async () => {
      const { page } = visit;
      await page.setViewportSize({ width: 390, height: 844 });
      await open('/applications', 'Applications');
      await page.getByRole('combobox', { name: 'Sort by', exact: true }).selectOption({ label: 'Application' });
      await page.waitForURL((url) => url.searchParams.get('sort') === 'name');
      const names = await page.getByRole('list', { name: 'Applications', exact: true }).getByRole('link').allTextContents();
      expect(names.length).toBeGreaterThan(1);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
      // All filters but the search are behind one button.
      const owner = page.getByRole('button', { name: /^Owner: / });
      expect(await owner.count()).toBe(0);
      await page.getByRole('button', { name: 'Filters', exact: true }).press('Enter');
      await owner.waitFor({ timeout: LIMIT_MS });
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
      await page.setViewportSize({ width: 1440, height: 900 });
      expect(await page.getByRole('button', { name: 'Filters', exact: true }).count()).toBe(0);
      await owner.waitFor({ timeout: LIMIT_MS });
    });

    it.each(['applications', 'rollouts'])(
      '[issue 14.3] %s print as a document: without the frame, the buttons and the dark theme',
      async (kind) => {
        const { page } = visit;
        await open(`/${kind}/shop/checkout`, 'checkout');
        await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
        expect(await page.getByRole('navigation', { name: 'Main' }).count()).toBe(0);
        expect(await page.getByRole('link', { name: 'Skip to content' }).count()).toBe(0);
        expect(await page.getByRole('button', { name: /favourites$/ }).count()).toBe(0);
        expect(await page.getByRole('button', { name: /^(?:Owner|Namespace): / }).count()).toBe(0);
        expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe('light');
        expect(await page.evaluate(overlappingTimes)).toEqual([]);
        // On paper nothing says the rest of what is cut.
        await page.setViewportSize({ width: 794, height: 1123 });
        const names = page.getByRole('treeitem').locator('[title]');
        expect((await names.count()) > 0).toBe(kind === 'applications');
        expect(await names.evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).length)).toBe(0);
        await page.setViewportSize({ width: 1440, height: 900 });
        expect(new Set(await page.evaluate(breaksOnPaper))).toEqual(new Set(['avoid']));
        if (kind === 'rollouts')
          expect(await page.evaluate(spansOnPaper)).toEqual([expect.stringMatching(/^for .+ \( ?\d+ \w+ \d{4}, .+\)$/)]);
        await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
      },
    );

    it('leaves nothing on the console of the browser', () => {
      expect(visit.faults).toEqual([]);
    });
  });
}

/** Runs in the page: whether each line of a list, and each chart with its figures, may stand on two sheets. */
function breaksOnPaper(): readonly string[] {
  const charts = [...document.querySelectorAll('main figure')].flatMap((figure) => {
    let lane = figure.parentElement;
    while (lane !== null && lane.querySelector('dl') === null) lane = lane.parentElement;
    return lane ?? [];
  });
  return [...document.querySelectorAll('main li'), ...charts].map((one) => getComputedStyle(one).breakInside);
}
