import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Visit } from '../../support/browser';
import { openPalette } from '../../support/controls';
import type { Scene } from '../../support/open-console';
import type { ServerProcess } from '../../support/server-process';
import { until } from '../../support/until';
import { axeFindings } from '../axe-findings';

const LIMIT_MS = 60_000;
const APPLICATION = '/applications/shop/checkout';

/** The ledger of an application, and the last weeks of all. */
export function describeSeeWhole(scene: () => Scene): void {
  describe('the whole of an application and of the last weeks', () => {
    let server: ServerProcess;
    let visit: Visit;

    beforeAll(async () => {
      ({ server } = scene());
      visit = await scene().console.enter('operator');
    });

    afterAll(() => visit?.context.close());

    it('[issue 14.2] the ledger shows what each revision has of each object, by keyboard too, and is narrowed by kind', async () => {
      const { page, faults } = visit;
      await page.goto(`${server.origin}${APPLICATION}/ledger`);
      const grid = page.getByRole('grid', { name: 'Objects by revision' });
      await grid.waitFor({ timeout: LIMIT_MS });
      await until('an object is owned', async () => (await grid.getByText('Owned', { exact: true }).count()) > 0);
      await grid.focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('End');
      await until(
        'the active cell is there',
        async () => (await page.locator(`[id="${await grid.getAttribute('aria-activedescendant')}"]`).count()) === 1,
      );
      await page
        .getByText(/^\S+ \S+ in shop, v\d+: .+\.$/)
        .first()
        .waitFor({ timeout: LIMIT_MS });
      await page.getByLabel('Kind', { exact: true }).selectOption('Deployment.apps');
      await until('only Deployments are shown', async () => {
        const texts = await grid.getByRole('rowheader').allTextContents();
        return texts.length > 0 && texts.every((text) => text.includes('Deployment'));
      });
      await until('the kind is in the address', () => new URL(page.url()).searchParams.get('kind') === 'Deployment.apps');
      expect(await axeFindings(page)).toEqual([]);
      expect(faults).toEqual([]);
    });

    it('[issue 14.3] with forced colours what floats has an edge and what is chosen is seen; with reduced motion nothing moves by itself', async () => {
      const { page, faults } = visit;
      await page.goto(`${server.origin}/rollouts/shop/checkout`);
      const pressed = page.locator('main button[aria-pressed=true]').first();
      await pressed.waitFor({ timeout: LIMIT_MS });
      const edge = (of: Locator) =>
        of.evaluate((element) => `${getComputedStyle(element).outlineStyle} ${getComputedStyle(element).outlineWidth}`);
      const motion = () => pressed.evaluate((button) => getComputedStyle(button).transitionProperty);
      expect(await motion()).toBe('none');
      await page.emulateMedia({ reducedMotion: 'no-preference' });
      expect(await motion()).not.toBe('none');
      await page.emulateMedia({ reducedMotion: 'reduce', forcedColors: 'active' });
      expect(await edge(pressed)).toBe('solid 2px');
      await openPalette(page);
      expect(await edge(page.getByRole('dialog', { name: 'Search and commands' }))).toBe('solid 1px');
      expect(await edge(page.getByRole('option', { selected: true }))).toBe('solid 2px');
      await page.keyboard.press('Escape');
      await page.emulateMedia({ forcedColors: 'none' });
      expect(faults).toEqual([]);
    });

    it('[issue 14.3] the tabs of a release stand whole in one line, and the open one is in the address', async () => {
      const { page, faults } = visit;
      await page.goto(`${server.origin}/releases/platform/helmrelease/notifier?tab=timeline`);
      const tabs = page.getByRole('tab');
      await page.getByRole('tab', { name: /^On record/, selected: true }).waitFor({ timeout: LIMIT_MS });
      const edges = await tabs.evaluateAll((all) => {
        const list = all[0]?.parentElement?.getBoundingClientRect();
        const inside = all.every((tab) => list !== undefined && tab.getBoundingClientRect().right <= list.right);
        return { inside, lines: new Set(all.map((tab) => tab.getBoundingClientRect().top)).size };
      });
      expect(edges).toEqual({ inside: true, lines: 1 });
      await page.getByRole('tab', { name: 'Helm log' }).click();
      await until('the tab is in the address', () => new URL(page.url()).searchParams.get('tab') === 'log');
      expect(faults).toEqual([]);
    });

    it('[issue 14.2] the first page tells the last weeks from the record, and a figure leads to its rollouts', async () => {
      const { page, faults } = visit;
      await page.goto(server.origin);
      const weeks = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Last 8 weeks', exact: true }) });
      const figures = weeks.getByRole('link', { name: 'Rollouts', exact: true });
      await until('a rollout is on record', async () => {
        await page.reload();
        await figures.or(weeks.getByText('The record has no rollout')).first().waitFor({ timeout: LIMIT_MS });
        return figures.isVisible();
      });
      expect(await axeFindings(page)).toEqual([]);
      await figures.click();
      const table = page.getByRole('table', { name: 'Rollouts', exact: true });
      await until('the rollouts are listed', async () => (await table.getByRole('row').count()) > 1);
      expect(await axeFindings(page)).toEqual([]);
      expect(faults).toEqual([]);
    });

    it('[issue 14.1] the acts of an application stand in the same places, whatever else leads on from it', async () => {
      const { page } = visit;
      const placesOf = async (name: string) => {
        await page.goto(`${server.origin}/applications/${name}`);
        const head = page.getByRole('main');
        await head.getByRole('button', { name: 'Delete', exact: true }).waitFor({ timeout: LIMIT_MS });
        const acts = [head.getByRole('link', { name: 'Logs', exact: true }), head.getByRole('button', { name: 'Delete', exact: true })];
        return Promise.all(acts.map(async (act) => Math.round((await act.boundingBox())?.x ?? 0)));
      };
      const [alone, withRollout] = [await placesOf('catalogue/catalogue'), await placesOf('shop/checkout')];
      await page.getByRole('link', { name: 'Open the rollout', exact: true }).waitFor({ timeout: LIMIT_MS });
      expect(withRollout).toEqual(alone);
    });

    it.each([
      ['long', 'catalogue/catalogue'],
      ['short', 'labs/recommendations'],
    ])('[issue 14] the events of an application end where its objects end: of a %s list', async (_length, name) => {
      const { page } = visit;
      await page.goto(`${server.origin}/applications/${name}`);
      await page.getByRole('treeitem').first().waitFor({ timeout: LIMIT_MS });
      const panel = (title: string) =>
        page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true, level: 2 }) });
      const bottom = async (title: string) => {
        const box = await panel(title).boundingBox();
        return box === null ? -1 : Math.round(box.y + box.height);
      };
      await until(
        'both end at one line',
        async () => (await bottom('Objects')) > 0 && (await bottom('Objects')) === (await bottom('Events')),
      );
    });

    it('[issue 14] at 1440 px the events of a rollout begin and end where its history does', async () => {
      const { page } = visit;
      await page.goto(`${server.origin}/rollouts/shop/checkout`);
      const edges = async (has: Locator) => {
        const box = await page.locator('section').filter({ has }).boundingBox();
        return box === null ? 'absent' : `${Math.round(box.y)} to ${Math.round(box.y + box.height)}`;
      };
      const [events, history] = [
        page.getByRole('heading', { name: 'Events', exact: true, level: 2 }),
        page.getByRole('tab', { name: /^Timeline/ }),
      ];
      await until('both begin and end at one line', async () => {
        const seen = await edges(events);
        return seen !== 'absent' && seen === (await edges(history));
      });
    });

    it('[issue 14] at 1440 px each policy and each condition of an application is one line, and nothing is blank beside them', async () => {
      const { page } = visit;
      await page.goto(`${server.origin}/applications/shop/checkout`);
      const width = (await page.locator('section').first().boundingBox())?.width;
      for (const title of ['Policies', 'Conditions']) {
        const panel = page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true, level: 2 }) });
        await panel.waitFor({ timeout: LIMIT_MS });
        expect((await panel.boundingBox())?.width).toBe(width);
        const heights = await panel.getByRole('listitem').evaluateAll((lines) => lines.map((line) => line.clientHeight));
        expect(heights.length).toBeGreaterThan(0);
        expect(Math.max(...heights), title).toBeLessThan(40);
      }
    });

    it('[issue 14] at 1440 px the filters of the objects stand in one line beside the events', async () => {
      const { page } = visit;
      await page.goto(`${server.origin}${APPLICATION}`);
      const boxes = [
        page.getByLabel('Search objects', { exact: true }),
        page.getByRole('combobox', { name: 'Label selector', exact: true }),
      ];
      for (const box of boxes) await box.waitFor({ timeout: LIMIT_MS });
      const tops = await Promise.all(boxes.map(async (box) => (await box.boundingBox())?.y));
      expect(new Set(tops).size).toBe(1);
    });

    it('[issue 14.3] the list of objects is one stop of the keyboard, which shows the exact time of its active line', async () => {
      const { page } = visit;
      await page.goto(`${server.origin}${APPLICATION}`);
      const list = page.getByRole('tree', { name: 'Objects' });
      await list.getByRole('treeitem').first().waitFor({ timeout: LIMIT_MS });
      await list.press('ArrowDown');
      const times = list.locator('[data-active] time');
      await times.waitFor({ timeout: LIMIT_MS });
      expect(await times.evaluate((time) => getComputedStyle(time, '::after').content)).toMatch(/\d{2}:\d{2}:\d{2} UTC/);
      expect(await list.locator('[tabindex]').count()).toBe(0);
    });

    it('[issue 14.2] the list tells all of why a pod failed', async () => {
      const { page } = visit;
      await page.goto(`${server.origin}/applications/labs/recommendations`);
      const why = page.getByRole('treeitem', { name: /Pod/ }).getByText('Containers in CrashLoop state: recommender');
      const line = why.first().locator('xpath=ancestor::p');
      await line.waitFor({ timeout: LIMIT_MS });
      expect(await line.evaluate((all) => [all.scrollHeight <= all.clientHeight, all.scrollWidth <= all.clientWidth])).toEqual([
        true,
        true,
      ]);
    });

    it.each(['', '?view=graph'])('[issue 14.2] the objects of an application have no finding of level serious: %s', async (view) => {
      const { page } = visit;
      await page.goto(`${server.origin}${APPLICATION}${view}`);
      const shown = view === '' ? page.getByRole('treeitem').first() : page.getByRole('region', { name: /^Graph of checkout/ });
      await shown.waitFor({ timeout: LIMIT_MS });
      expect(await axeFindings(page)).toEqual([]);
    });
  });
}
