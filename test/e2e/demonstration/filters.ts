import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Visit } from '../../support/browser';
import type { Scene } from '../../support/open-console';
import type { ServerProcess } from '../../support/server-process';
import { until } from '../../support/until';
import { axeFindings } from '../axe-findings';

const LIMIT_MS = 60_000;
const NAMES = ['plain', 'flagged', 'owned'];

function application(name: string, labels: Readonly<Record<string, string>>): string {
  return JSON.stringify({
    apiVersion: 'core.oam.dev/v1beta1',
    kind: 'Application',
    metadata: { name, namespace: 'shop', labels },
    spec: {
      components: [
        {
          name: 'settings',
          type: 'k8s-objects',
          properties: { objects: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${name}-settings` }, data: { of: name } }] },
        },
      ],
    },
  });
}

/** What narrows lists, and the addresses that keep it. */
export function describeFilters(scene: () => Scene): void {
  describe('the filters of lists', () => {
    let server: ServerProcess;
    let visit: Visit;

    const table = () => visit.page.getByRole('table', { name: 'Applications', exact: true });
    const row = (name: string) => table().getByRole('link', { name, exact: true });
    const chip = (label: string) => visit.page.getByRole('button', { name: `Remove filter ${label}`, exact: true });
    const address = (member: string) => new URL(visit.page.url()).searchParams.get(member);

    beforeAll(async () => {
      ({ server } = scene());
      visit = await scene().console.enter('operator');
      const { page, context } = visit;
      const made: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
        ['plain', { tier: 'web' }],
        ['flagged', { tier: 'db', team: 'blue' }],
        [
          'owned',
          { tier: 'web', team: 'blue', 'kustomize.toolkit.fluxcd.io/name': 'apps', 'kustomize.toolkit.fluxcd.io/namespace': 'flux-system' },
        ],
      ];
      for (const [name, labels] of made) {
        const answer = await context.request.post(`${server.origin}/api/v1/applications`, {
          data: { manifest: application(name, labels) },
          headers: { origin: server.origin },
        });
        expect(answer.status(), await answer.text()).toBe(202);
      }
      await page.goto(`${server.origin}/applications?sort=name`);
      for (const name of NAMES) await row(name).waitFor({ timeout: LIMIT_MS });
    });

    afterAll(() => visit?.context.close());

    it('[issue 14.3] labels are typed, kept in the address and taken out again by keyboard alone', async () => {
      const { page } = visit;
      const box = page.getByRole('combobox', { name: 'Label selector', exact: true });
      await box.fill('team=blue');
      await page.keyboard.press('Enter');
      await row('plain').waitFor({ state: 'detached', timeout: LIMIT_MS });
      await box.fill('tier in (web,cache)');
      await page.keyboard.press('Enter');
      await row('flagged').waitFor({ state: 'detached', timeout: LIMIT_MS });
      expect(await row('owned').count()).toBe(1);
      expect(address('labels')).toBe('team=blue,tier in (web,cache)');
      await page.reload();
      await row('owned').waitFor({ timeout: LIMIT_MS });
      expect(await table().getByRole('row').count()).toBe(2);
      await chip('Labels: team=blue').focus();
      await page.keyboard.press('Enter');
      await row('plain').waitFor({ timeout: LIMIT_MS });
      await chip('Labels: tier in (web,cache)').and(page.locator(':focus')).waitFor({ timeout: LIMIT_MS });
    });

    it('[issue 14.3] several namespaces and an owner narrow together, and are cleared at once', async () => {
      const { page } = visit;
      await page.goto(`${server.origin}/applications?ns=shop&sort=name`);
      await row('plain').waitFor({ timeout: LIMIT_MS });
      await page.getByRole('button', { name: 'Owner: Any owner', exact: true }).click();
      const owner = page.getByRole('menuitemcheckbox', { name: 'Kustomization flux-system/apps (1)', exact: true });
      await owner.waitFor({ timeout: LIMIT_MS });
      expect(await axeFindings(page)).toEqual([]);
      await owner.click();
      await page.keyboard.press('Escape');
      await row('plain').waitFor({ state: 'detached', timeout: LIMIT_MS });
      expect(await row('owned').count()).toBe(1);
      expect(address('owner')).toBe('Kustomization/flux-system/apps');
      expect(await axeFindings(page)).toEqual([]);
      await page.getByRole('button', { name: 'Clear filters', exact: true }).click();
      await row('plain').waitFor({ timeout: LIMIT_MS });
      expect([address('ns'), address('owner'), address('sort')]).toEqual([null, null, 'name']);
    });

    it('[issue 14.3] a bad selector is refused by page and API with the same sentence', async () => {
      const { page, context } = visit;
      await page.goto(`${server.origin}/applications?labels=tier+in+web`);
      const sentence = 'values of tier must be in parentheses, such as (a,b), found "web"';
      await page.getByText(`The ${sentence}.`, { exact: true }).waitFor({ timeout: LIMIT_MS });
      const answer = await context.request.get(`${server.origin}/api/v1/applications?labels=tier+in+web`);
      expect(answer.status()).toBe(400);
      expect(await answer.text()).toContain(`the ${sentence.replaceAll('"', '\\"')}`);
    });

    it('[issue 14.3] all that opens a list to choose from looks alike, closed and open, and the filters of the record stay in one line', async () => {
      const { page } = visit;
      await page.goto(`${server.origin}/activity?ns=shop&act=approve&result=done&from=2026-01-01T00:00:00Z`);
      const [one, several] = [page.getByLabel('Result', { exact: true }), page.getByRole('button', { name: /^Namespace: / })];
      const looks = (element: Element) => {
        const { height, fontSize, lineHeight, color, backgroundColor, borderRadius, borderColor } = getComputedStyle(element);
        return { height, fontSize, lineHeight, color, backgroundColor, borderRadius, borderColor };
      };
      await one.waitFor({ timeout: LIMIT_MS });
      expect(await one.evaluate(looks)).toEqual(await several.evaluate(looks));
      const tops = [one, several, page.getByLabel('Time', { exact: true }), page.getByLabel('Search the record', { exact: true })];
      expect(new Set(await Promise.all(tops.map(async (box) => (await box.boundingBox())?.y))).size).toBe(1);
      await one.focus();
      await page.keyboard.press('Space');
      const refused = one.getByRole('option', { name: 'Refused', exact: true });
      await refused.waitFor({ timeout: LIMIT_MS });
      const list = await one.evaluate((select) => {
        const { backgroundColor, borderRadius, padding } = getComputedStyle(select, '::picker(select)');
        return { backgroundColor, borderRadius, padding };
      });
      const line = await refused.evaluate((option) => option.getBoundingClientRect().height);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await until('the choice is in the address', () => address('result') === 'refused');
      await several.click();
      const menu = page.getByRole('menu');
      await menu.waitFor({ timeout: LIMIT_MS });
      const menuList = await menu.evaluate((element) => {
        const { backgroundColor, borderRadius, padding } = getComputedStyle(element);
        return { backgroundColor, borderRadius, padding };
      });
      expect(list).toEqual(menuList);
      expect((await menu.getByRole('menuitemcheckbox').first().boundingBox())?.height).toBe(line);
      await page.keyboard.press('Escape');
    });

    it('[issue 14.3] at 390 px cards are filtered, and nothing is wider than the page', async () => {
      const { page } = visit;
      await page.setViewportSize({ width: 390, height: 844 });
      await page.goto(`${server.origin}/applications?labels=team%3Dblue&ns=shop`);
      const cards = page.getByRole('list', { name: 'Applications', exact: true }).getByRole('link');
      await cards.first().waitFor({ timeout: LIMIT_MS });
      expect(await cards.count()).toBe(2);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
      await page.setViewportSize({ width: 1440, height: 900 });
    });

    it('[issue 14.3] objects of an application are filtered by labels and owner, in the list and in the graph', async () => {
      const { page } = visit;
      await page.goto(`${server.origin}/applications/shop/checkout?labels=pod-template-hash&kind=Pod`);
      const lines = page.getByRole('tree', { name: 'Objects' }).getByRole('treeitem');
      await lines.first().waitFor({ timeout: LIMIT_MS });
      expect((await lines.allTextContents()).every((text) => text.includes('Pod'))).toBe(true);
      await page.getByRole('button', { name: 'Owner: Any owner', exact: true }).click();
      await page
        .getByRole('menuitemcheckbox', { name: /^ReplicaSet shop\/checkout/ })
        .first()
        .click();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: /^Remove filter Owner: ReplicaSet shop\/checkout/ }).waitFor({ timeout: LIMIT_MS });
      expect(address('owner')).toMatch(/^ReplicaSet\/shop\/checkout/);
      await lines.first().waitFor({ timeout: LIMIT_MS });
      await page.goto(`${server.origin}/applications/shop/checkout?labels=pod-template-hash&view=graph`);
      await page.locator('[data-faded]').first().waitFor({ timeout: LIMIT_MS });
      await page
        .getByText(/^\d+ nodes? match(es)?, the others are faded\.$/)
        .first()
        .waitFor({ timeout: LIMIT_MS });
    });

    it('[issue 14.3] the record and the history are filtered by several namespaces', async () => {
      const { page } = visit;
      for (const path of ['/activity', '/rollouts/history']) {
        await page.goto(`${server.origin}${path}?ns=nowhere%2Cshop`);
        await chip('Namespace: nowhere').click();
        await chip('Namespace: nowhere').waitFor({ state: 'detached', timeout: LIMIT_MS });
        expect(address('ns')).toBe('shop');
      }
    });

    it('leaves nothing on the console of the browser', () => {
      expect(visit.faults).toEqual([]);
    });
  });
}
