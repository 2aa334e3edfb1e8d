import { execFile } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { RemoteCluster } from '@/server/kube/remote/create';
import type { Visit } from '../../support/browser';
import { openCluster } from '../../support/census';
import type { OpenConsole, Scene } from '../../support/open-console';
import type { ServerProcess } from '../../support/server-process';
import { axeFindings } from '../axe-findings';
import { pressByKeys, tabTo } from '../by-keys';

const LIMIT_MS = 60_000;
const POLL = { timeout: LIMIT_MS, interval: 100 } as const;
const RBAC = { apiVersion: 'rbac.authorization.k8s.io/v1' } as const;
const log = (page: Page) => page.getByRole('log', { name: 'Lines of the log' });
const lines = (page: Page) => log(page).locator('[data-line]');

function podsOf(count: number) {
  const template = { metadata: { labels: { app: 'many' } }, spec: { containers: [{ name: 'app', image: 'registry.example.com/app:1' }] } };
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'many' },
    spec: { replicas: count, selector: { matchLabels: { app: 'many' } }, template },
  };
  return {
    ...KINDS.application,
    metadata: { name: 'many', namespace: 'shop' },
    spec: { components: [{ name: 'many', type: 'k8s-objects', properties: { objects: [deployment] } }] },
  };
}

/** Logs, and what says why there are none. It takes the right to read them away from viewers. */
export function describeLogs(scene: () => Scene): void {
  describe('the page of logs', () => {
    let server: ServerProcess;
    let console: OpenConsole;
    let cluster: RemoteCluster;
    let operator: Visit;

    beforeAll(async () => {
      ({ server, console } = scene());
      cluster = openCluster(path.join(server.dataDir, 'cluster/kubeconfig'));
      operator = await console.enter('operator');
    });

    afterAll(async () => {
      await cluster?.[Symbol.asyncDispose]();
      await operator?.context.close();
    });

    it('[issue 14.1] follows the pods of an application by keyboard alone, finds and marks what is searched for, and its address holds all of it', async () => {
      const { page, faults } = operator;
      await page.goto(`${server.origin}/applications/shop/storefront`);
      await pressByKeys(page.getByRole('main').getByRole('link', { name: 'Logs', exact: true }));
      await expect.poll(() => lines(page).count(), POLL).toBeGreaterThan(5);
      const search = page.getByRole('searchbox', { name: 'Search the lines' });
      await tabTo(search);
      await page.keyboard.type('healthz');
      await expect.poll(() => page.url(), POLL).toContain('q=healthz');
      await expect.poll(() => log(page).locator('mark').count(), POLL).toBeGreaterThan(0);
      await tabTo(page.getByRole('checkbox', { name: 'Matches only', exact: true }));
      await page.keyboard.press('Space');
      await tabTo(log(page)); // which scrolls by the keys of the page
      const onlyMatches = async () => {
        const texts = await lines(page).allInnerTexts();
        return texts.length > 0 && texts.every((text) => text.includes('healthz'));
      };
      await expect.poll(onlyMatches, POLL).toBe(true);
      await search.press('Enter');
      await page
        .getByRole('status')
        .filter({ hasText: /^1 of / })
        .first()
        .waitFor({ timeout: LIMIT_MS });
      await page.reload();
      await expect.poll(() => log(page).locator('mark').count(), POLL).toBeGreaterThan(0);
      await expect.poll(() => page.getByRole('checkbox', { name: 'Matches only', exact: true }).isChecked(), POLL).toBe(true);
      await expect.poll(() => search.inputValue(), POLL).toBe('healthz');
      expect(await axeFindings(page, 'any')).toEqual([]);
      expect(faults).toEqual([]);
    });

    it('[issue 14.1] saves what is shown, each line with its time, pod and container', async () => {
      const { page } = operator;
      await page.goto(`${server.origin}/applications/shop/storefront/logs?q=healthz&only=1&follow=0`);
      await expect.poll(() => lines(page).count(), POLL).toBeGreaterThan(0);
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: /^Download/ }).click()]);
      const saved = (await text(await download.createReadStream())).trimEnd().split('\n');
      expect(download.suggestedFilename()).toBe('storefront.log');
      for (const line of saved) expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z \S+ \S+ .*healthz/);
    });

    it('[issue 14.1] shows a container that crashes: how its run ended, that another began, and the run before', async () => {
      const { page, faults } = operator;
      await page.goto(`${server.origin}/applications/labs/recommendations/logs`);
      await expect.poll(() => log(page).locator('[data-mark]').filter({ hasText: 'ended: ' }).count(), POLL).toBeGreaterThan(0);
      await expect.poll(() => log(page).locator('[data-mark]').filter({ hasText: 'started again' }).count(), POLL).toBeGreaterThan(0);
      const before = page.getByRole('checkbox', { name: 'Run before the last restart' });
      // It is ticked with the click, however busy the page is with lines that come in.
      const ticked = await before.evaluate((box: HTMLInputElement) => {
        box.click();
        return box.checked;
      });
      expect(ticked).toBe(true);
      await expect.poll(() => page.url(), POLL).toContain('previous=1');
      await page.getByText('Read once; select Follow to continue.').first().waitFor({ timeout: LIMIT_MS });
      await expect.poll(() => lines(page).count(), POLL).toBeGreaterThan(0);
      await expect.poll(() => page.getByRole('checkbox', { name: 'Follow', exact: true }).isDisabled(), POLL).toBe(true);
      expect(faults).toEqual([]);
    });

    it('[issue 14.1] reads 50 containers at once and lists the others with the reason', async () => {
      const { page } = operator;
      await cluster.create(podsOf(53));
      await page.goto(`${server.origin}/applications/shop/many/logs`);
      const counted = page.getByText(/^53 containers: 50 reading and 3 not read/);
      await counted.waitFor({ timeout: LIMIT_MS });
      await counted.click();
      await expect.poll(() => page.getByText('at most 50 containers are read at once').count(), POLL).toBe(3);
      await page.goto('about:blank'); // the places are free again
    });

    it('[issue 14.1] forwards no port in the simulated cluster: `slipway port-forward` says that no container runs there', async () => {
      const pods: string[] = [];
      for await (const { items } of cluster.list({ ...KINDS.pod, namespace: 'shop' }))
        pods.push(...items.map(({ metadata }) => metadata.name ?? ''));
      const args = ['server/cli/slipway.mjs', 'port-forward', `pod/${pods[0]}`, ':80', '-n', 'shop', '--data-dir', server.dataDir];
      const ended = await new Promise<{ readonly code: unknown; readonly out: string; readonly err: string }>((resolve) => {
        execFile(process.execPath, args, { timeout: LIMIT_MS }, (error, out, err) => resolve({ code: error?.code, out, err }));
      });
      expect(ended).toEqual({
        code: 1,
        out: '',
        err: 'error: this cluster is simulated: no container runs in it, so there is nothing to connect to\n',
      });
    });

    it('[issue 14.1] opens no terminal in the simulated cluster: it says that no container runs there', async () => {
      const { page } = operator;
      const pods: string[] = [];
      for await (const { items } of cluster.list({ ...KINDS.pod, namespace: 'shop' }))
        pods.push(...items.map(({ metadata }) => metadata.name ?? ''));
      const pod = pods.find((name) => name.startsWith('web-v1-')) ?? '';
      await page.goto(`${server.origin}/objects/core/pods/shop/${pod}`);
      await page.getByRole('link', { name: 'Terminal', exact: true }).click(); // those of its containers have longer names
      const sentence = page.getByText('This cluster is simulated: no container runs in it, so there is nothing to connect to.').first();
      await sentence.waitFor({ timeout: LIMIT_MS });
      expect(await sentence.evaluate((one) => getComputedStyle(one).textAlign)).toBe('center');
    });

    it('[issue 14.1] ends within five seconds when the right is taken away, with the missing right; what was read stays', async () => {
      const { page } = await console.enter('viewer');
      await page.goto(`${server.origin}/applications/shop/storefront/logs`);
      await expect.poll(() => lines(page).count(), POLL).toBeGreaterThan(0);
      const role = await cluster.get({ ...RBAC, kind: 'ClusterRole', name: 'slipway:viewer' });
      const { rules } = role as unknown as { readonly rules: readonly { readonly resources?: readonly string[] }[] };
      const left = rules
        .map((rule) => ({ ...rule, resources: rule.resources?.filter((resource) => resource !== 'pods/log') }))
        .filter((rule) => rule.resources?.length !== 0);
      await cluster.patch({ ...RBAC, kind: 'ClusterRole', name: 'slipway:viewer' }, { type: 'merge', body: { rules: left } });
      const begun = performance.now();
      await page
        .getByText(/viewer may not do this: it requires the right "get" on pods\/log in namespace shop.*What was read so far stays here/)
        .waitFor({ timeout: LIMIT_MS });
      expect(performance.now() - begun).toBeLessThan(5500);
      expect(await lines(page).count()).toBeGreaterThan(0);
      await page.reload();
      await page.getByText('Access denied').first().waitFor({ timeout: LIMIT_MS });
    });
  });
}
