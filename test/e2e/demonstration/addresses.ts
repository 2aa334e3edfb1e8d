import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Visit } from '../../support/browser';
import type { OpenConsole, Scene } from '../../support/open-console';
import { plainAddress } from '../../support/plain-address';
import type { ServerProcess } from '../../support/server-process';
import { axeFindings } from '../axe-findings';

const LIMIT_MS = 60_000;

/** Where links lead, before and after signing in. */
export function describeAddresses(scene: () => Scene): void {
  describe('addresses', () => {
    let server: ServerProcess;
    let console: OpenConsole;
    let first: Visit;

    const invite = async (role: string): Promise<string> => {
      return new URL(await console.invite(role)).searchParams.get('token') ?? '';
    };
    /** The address may be written a moment after the page that it leads to. */
    const isAt = ({ page }: Visit, wanted: string) =>
      expect.poll(() => plainAddress(page.url()).slice(server.origin.length), { timeout: LIMIT_MS }).toBe(wanted);

    beforeAll(async () => {
      ({ server, console } = scene());
      first = await console.enter('operator');
      await first.page.goto(`${server.origin}/applications/shop/checkout`);
      await first.page.getByRole('heading', { name: /^checkout\b/, level: 1 }).waitFor({ timeout: LIMIT_MS });
    });

    afterAll(() => first?.context.close());

    it('[issue 14.3] a link survives signing in, with its filters', async () => {
      const asked = '/applications?ns=shop&q=check&sort=name';
      const visit = await console.visit(`${server.origin}${asked}`);
      await isAt(visit, `/sign-in?next=${encodeURIComponent(asked)}`);
      await visit.page.getByLabel('Token', { exact: true }).fill(await invite('viewer'));
      await visit.page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await visit.page.getByRole('heading', { name: 'Applications', level: 1, exact: true }).waitFor({ timeout: LIMIT_MS });
      await isAt(visit, asked);
      await expect
        .poll(() => visit.page.getByLabel('Search applications', { exact: true }).inputValue(), { timeout: LIMIT_MS })
        .toBe('check');
      await visit.context.close();
    });

    it.each([
      '//evil.example',
      '/%5Cevil.example',
      '%2f%2fevil.example',
      'javascript:alert(document.domain)',
      '/%09/evil.example',
      '/api/v1/activity/export',
    ])('[issue 14.3] nobody is led away by a sign-in address that asks for %s', async (next) => {
      const visit = await console.visit(`${server.origin}/sign-in?next=${next}&token=${await invite('viewer')}`);
      await visit.page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor({ timeout: LIMIT_MS });
      await isAt(visit, '/');
      expect(visit.faults).toEqual([]);
      await visit.context.close();
    });

    it('[issue 14.3] every address names its cluster, and shows nothing of another cluster that it names', async () => {
      const visit = await console.enter('operator');
      const { page } = visit;
      const cluster = () => new URL(page.url()).searchParams.get('cluster');
      await page.goto(`${server.origin}/applications?q=checkout`);
      await expect.poll(cluster, { timeout: LIMIT_MS }).toMatch(/^[0-9a-f]{8}$/);
      const here = cluster();
      await page.getByRole('link', { name: 'checkout', exact: true }).first().click();
      await page.getByRole('heading', { name: /^checkout\b/, level: 1 }).waitFor({ timeout: LIMIT_MS });
      await expect.poll(cluster, { timeout: LIMIT_MS }).toBe(here);
      const before = await page.evaluate(() => history.length);
      await page.getByRole('link', { name: 'Applications', exact: true }).first().click();
      await page.getByRole('heading', { name: 'Applications', level: 1, exact: true }).waitFor({ timeout: LIMIT_MS });
      await expect.poll(cluster, { timeout: LIMIT_MS }).toBe(here);
      await page.getByRole('link', { name: 'Applications', exact: true }).first().click();
      await expect.poll(cluster, { timeout: LIMIT_MS }).toBe(here);
      expect(await page.evaluate(() => history.length)).toBe(before + 1); // the second click led nowhere else
      await page.goto(`${server.origin}/applications/shop/checkout?cluster=00c0ffee`);
      await page.getByRole('heading', { name: 'Another cluster', level: 1 }).waitFor({ timeout: LIMIT_MS });
      await page
        .getByText(`The link is for cluster 00c0ffee. This console shows Simulated cluster, cluster ${here}.`, { exact: true })
        .waitFor({ timeout: LIMIT_MS });
      expect(await page.getByRole('heading', { name: /^checkout\b/ }).count()).toBe(0);
      expect(await axeFindings(page)).toEqual([]);
      await page.getByRole('link', { name: 'Open it in this cluster', exact: true }).click();
      await page.getByRole('heading', { name: /^checkout\b/, level: 1 }).waitFor({ timeout: LIMIT_MS });
      await expect.poll(cluster, { timeout: LIMIT_MS }).toBe(here);
      await visit.context.close();
    });

    it('[issue 14.3] what is not there answers 404, and what is there 200', async () => {
      const statusOf = async (path: string) => (await first.context.request.get(`${server.origin}${path}`, { maxRedirects: 0 })).status();
      const missing = [
        'applications/shop/gone',
        'rollouts/shop/gone',
        'trackers/gone-v1-shop',
        'releases/shop/helmrelease/gone',
        'pods/shop/gone/logs',
        'no-page',
      ];
      for (const path of missing) expect([path, await statusOf(`/${path}`)]).toEqual([path, 404]);
      for (const path of ['applications/shop/checkout', 'applications/new', 'rollouts', 'activity', '']) {
        expect([path, await statusOf(`/${path}`)]).toEqual([path, 200]);
      }
      await first.page.goto(`${server.origin}/applications/shop/gone`);
      await first.page.getByRole('heading', { name: 'Not found', level: 1 }).waitFor({ timeout: LIMIT_MS });
      const history = first.page.getByRole('main').getByRole('link', { name: 'Activity' });
      expect(await history.getAttribute('href')).toBe('/activity?application=gone&ns=shop');
    });

    it('[issue 11.1] serves icons, manifest and social picture to whoever is not signed in, and nothing of the cluster beside them', async () => {
      const page = await (await fetch(`${server.origin}/sign-in`)).text();
      const linked = [...page.matchAll(/<(?:link|meta)[^>]+(?:href|content)="([^"]+\.(?:png|svg|webmanifest))[^"]*"/g)].map(
        ([, to = '']) => to,
      );
      const { icons } = JSON.parse(readFileSync('public/manifest.webmanifest', 'utf8')) as { icons: readonly { src: string }[] };
      expect(linked.map((to) => new URL(to, server.origin).pathname)).toEqual(
        expect.arrayContaining(['/manifest.webmanifest', '/icon.svg', '/apple-touch-icon.png']),
      );
      for (const to of new Set([...linked, ...icons.map(({ src }) => src), '/social.png'])) {
        const { pathname } = new URL(to, server.origin);
        const answer = await fetch(server.origin + pathname, { redirect: 'manual' });
        expect([pathname, answer.status, answer.headers.get('set-cookie')]).toEqual([pathname, 200, null]);
        expect(answer.headers.get('content-type'), pathname).toMatch(/^(image\/(png|svg\+xml)|application\/manifest\+json)/);
        expect(answer.headers.get('x-content-type-options'), pathname).toBe('nosniff');
      }
    });
  });
}
