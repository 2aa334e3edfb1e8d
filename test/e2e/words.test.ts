import { readdirSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApplicationDetail } from '@/lib/contract/application-rows';
import { signIn } from '../support/api-person';
import type { Visit, Visitors } from '../support/browser';
import { startBrowser } from '../support/browser';
import { demonstrationInPlace } from '../support/demonstration';
import { printFigure } from '../support/figure';
import { MARKED_ENV, PAGE_SCRIPT, SentData, shownTexts, strayOf } from '../support/marked-words';
import type { ServerProcess } from '../support/server-process';
import { startServerProcess } from '../support/server-process';
import { until } from '../support/until';
import { axeFindings } from './axe-findings';

const LIMIT_MS = 60_000;
const MAX_SCRIPT_KB = 250;
/** What comes while the browser has nothing to do is for later acts, and keeps nobody waiting: it is counted apart. */
const NEVER_IDLE = 'window.requestIdleCallback = () => 0; window.cancelIdleCallback = () => undefined;';
const APPLICATION = '/applications/shop/checkout';
const RELEASE = '/releases/platform/helmrelease/notifier';

/** What is on a page besides what is there at once: each opens a dialog or a menu, which Escape closes. */
type Opener = (page: Page) => Promise<void>;

interface Visited {
  readonly path: string;
  readonly opens?: readonly Opener[];
}

const press =
  (name: string | RegExp): Opener =>
  (page) =>
    page
      .getByRole('button', { name: typeof name === 'string' ? `⟦${name}⟧` : name })
      .first()
      .click();

const openFirstObject: Opener = (page) => page.getByRole('treeitem').nth(1).click();
const openFirstEntry: Opener = (page) => page.locator('tbody').getByRole('button').first().click();

const saveView: Opener = async (page) => {
  await press('Views')(page);
  await page.getByRole('menuitem', { name: '⟦Save this view…⟧' }).click();
};

/** An address of each page, and the dialogs that are opened there. A page that is in no line fails the test. */
function pagesOf(pod: string, trackers: readonly [string, string]): Readonly<Record<string, readonly Visited[]>> {
  const one = (path: string, ...opens: readonly Opener[]) => [{ path, opens }];
  return {
    '/': one('/', (page) => page.keyboard.press('Control+k'), press(/^⟦Signed in as/)),
    '/activity': one('/activity', openFirstEntry),
    '/applications': one('/applications', press('Columns and density'), press(/^⟦+Health/)),
    '/applications/new': one('/applications/new'),
    '/applications/[ns]/[name]': one(APPLICATION, press('Change'), press('Suspend'), press('Delete'), openFirstObject),
    '/applications/[ns]/[name]/compare': one(`${APPLICATION}/compare?from=checkout-v1&to=checkout-v2`),
    '/applications/[ns]/[name]/edit': one(`${APPLICATION}/edit`),
    '/applications/[ns]/[name]/ledger': one(`${APPLICATION}/ledger`),
    '/applications/[ns]/[name]/logs': one(`${APPLICATION}/logs`),
    '/applications/[ns]/[name]/preview': one(`${APPLICATION}/preview`),
    '/engine': one('/engine'),
    '/objects': one('/objects'),
    '/objects/[group]/[plural]': one('/objects/apps/deployments'),
    '/objects/[group]/[plural]/[ns]/[name]': one('/objects/apps/deployments/shop/checkout-v1', press('Delete')),
    '/objects/[group]/[plural]/[ns]/[name]/edit': one('/objects/apps/deployments/shop/checkout-v1/edit'),
    '/pods/[ns]/[name]/logs': one(`/pods/shop/${pod}/logs`),
    '/pods/[ns]/[name]/terminal': one(`/pods/shop/${pod}/terminal`),
    '/releases': one('/releases'),
    '/releases/sources': one('/releases/sources'),
    '/releases/[ns]/[kind]/[name]': [
      { path: RELEASE, opens: ['Sync now', 'Hold', 'Uninstall'].map(press) },
      { path: '/releases/platform/helmrelease/reports', opens: [press('Approve commit')] },
    ],
    '/releases/[ns]/[kind]/[name]/edit': one(`${RELEASE}/edit`),
    '/rollouts': one('/rollouts'),
    '/rollouts/history': one('/rollouts/history'),
    '/rollouts/[ns]/[name]': one('/rollouts/shop/checkout', ...['Approve', 'Advance', 'Promote fully', 'Pause', 'Abort'].map(press)),
    '/sessions': one('/sessions'),
    '/trackers': one('/trackers', (page) => page.keyboard.press('?'), saveView),
    '/trackers/strays': one('/trackers/strays'),
    '/trackers/[name]': one(`/trackers/${trackers[0]}`),
    '/trackers/[name]/compare/[other]': one(`/trackers/${trackers[0]}/compare/${trackers[1]}`),
    '/sign-in': one('/sign-in'),
    '(not found)': [{ path: '/applications/shop/none' }, { path: '/none' }],
  };
}

/** What is wrong with a page on a narrow screen, where cards stand for tables. Wide ones are looked at by the tests of what is done there. */
async function flawsOf(page: Page): Promise<readonly string[]> {
  const wide = page.viewportSize() ?? { width: 1440, height: 900 };
  await page.setViewportSize({ width: 390, height: 844 });
  // Charts are drawn anew a moment later.
  await page
    .waitForFunction(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth, undefined, { timeout: 5000 })
    .catch(() => undefined);
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  const findings = await axeFindings(page, 'any');
  await page.setViewportSize(wide);
  return wider > 0 ? [`${wider} px wider than the screen`, ...findings] : findings;
}

const routes = readdirSync('app', { recursive: true, encoding: 'utf8' })
  .filter((file) => /(?:^|\/)page\.tsx$/.test(file))
  .map((file) => `/${file.replace(/\/?page\.tsx$/, '').replace(/^\(console\)\/?/, '')}`);

describe('the words of the screen', () => {
  let server: ServerProcess;
  let visitors: Visitors;
  let visit: Visit;
  let pages: Readonly<Record<string, readonly Visited[]>>;
  /** What else was wrong with the pages on the way. */
  const found: string[] = [];

  beforeAll(async () => {
    server = await startServerProcess([], MARKED_ENV);
    visitors = await startBrowser();
    visit = await visitors.visit(server.address, { script: PAGE_SCRIPT });
    await visit.page.getByRole('heading', { name: '⟦Inbox⟧', level: 1 }).waitFor({ timeout: LIMIT_MS });
    const invited = await visit.context.request.post(`${server.origin}/api/v1/session/links`, {
      data: { role: 'operator' },
      headers: { origin: server.origin },
    });
    const operator = await signIn(server, ((await invited.json()) as { url: string }).url);
    await demonstrationInPlace(operator);
    const { body } = await operator.get('/api/v1/kinds/apps/deployments/pods?ns=shop&name=checkout-v1');
    const application = await operator.row<ApplicationDetail>('application/shop/checkout');
    const [older = '', newer = ''] = application?.trackers ?? [];
    pages = pagesOf((body as { pods: readonly { name: string }[] }).pods[0]?.name ?? '', [older, newer]);
  });

  afterAll(async () => {
    await visitors?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  it('[issue 11.3] are looked at on every page there is', () => {
    expect(routes.filter((route) => pages[route] === undefined)).toEqual([]);
  });

  it('[issue 11.3] come out of the catalogue or are data, in labels and titles as well', async () => {
    const { page } = visit;
    const data = new SentData(page);
    const strays = new Set<string>();
    const look = async (where: string) => {
      await until(`${where} is read`, async () => (await page.locator('[aria-busy="true"]').count()) === 0);
      const shown = await shownTexts(page);
      await data.settle(page);
      for (const { how, text } of shown) {
        const stray = strayOf(text, data);
        if (stray !== '') strays.add(`${where}: ${how} ${stray}`);
      }
    };
    const lookAtTabs = async (where: string, within: Locator) => {
      await look(where);
      for (const tab of await within.getByRole('tab').all()) {
        await tab.click();
        await look(`${where}, ${(await tab.textContent()) ?? ''}`);
        tabs++;
      }
    };
    let [seen, tabs] = [0, 0];
    for (const { path, opens = [] } of Object.values(pages).flat()) {
      await page.goto(`${server.origin}${path}`);
      await page.locator('h1').first().waitFor({ timeout: LIMIT_MS });
      await look(path);
      found.push(...(await flawsOf(page)).map((flaw) => `${path}: ${flaw}`));
      for (const open of opens) {
        await open(page);
        const opened = page.getByRole('dialog').or(page.getByRole('menu')).first();
        await opened.waitFor({ timeout: LIMIT_MS }).catch((cause) => Promise.reject(new Error(`${path}: nothing opened`, { cause })));
        await lookAtTabs(`${path}, opened`, opened);
        await page.keyboard.press('Escape');
        await opened.waitFor({ state: 'hidden', timeout: LIMIT_MS });
      }
      await lookAtTabs(path, page.getByRole('main'));
      seen += ((await page.locator('body').textContent()) ?? '').split('⟦').length;
    }
    expect(seen).toBeGreaterThan(500);
    expect(tabs).toBeGreaterThan(10);
    expect([...strays]).toEqual([]);
  }, 600_000);

  it('[issue 14.3] stand on pages that fit into 390 px and in which axe and the console find nothing', () => {
    const missing = visit.faults.filter((fault) => /status of 404 .*\/none\)$/.test(fault));
    expect(missing.length).toBe(pages['(not found)']?.length);
    expect([...found, ...visit.faults.filter((fault) => !missing.includes(fault))]).toEqual([]);
  });

  it('[issue 14 figures] the first page is sent at most 250 kB of script, compressed, before it is live', async () => {
    const page = await visit.context.newPage();
    await page.addInitScript(NEVER_IDLE);
    await page.goto(`${server.origin}/`);
    await page.getByRole('heading', { name: '⟦Inbox⟧', level: 1 }).waitFor({ timeout: LIMIT_MS });
    await page.getByRole('complementary').getByText('⟦Live⟧', { exact: true }).waitFor({ timeout: LIMIT_MS });
    await until('all of the page is read', async () => (await page.locator('[aria-busy="true"]').count()) === 0);
    const sizes = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .filter(({ name }) => new URL(name).pathname.endsWith('.js'))
        .map((entry) => (entry as PerformanceResourceTiming).encodedBodySize),
    );
    const kilobytes = sizes.reduce((sum, size) => sum + size, 0) / 1000;
    printFigure('script of the first page', kilobytes, MAX_SCRIPT_KB, 'kB');
    expect(kilobytes).toBeGreaterThan(50);
    expect(kilobytes).toBeLessThanOrEqual(MAX_SCRIPT_KB);
  });

  it('[issue 14.3] come out of the catalogue also where no server answers', async () => {
    const { page } = visit;
    const controlled = () => navigator.serviceWorker.controller?.state === 'activated';
    await page.waitForFunction(controlled, undefined, { timeout: LIMIT_MS });
    await server.kill();
    await page.evaluate((to) => void setTimeout(() => location.assign(to)), `${server.origin}/trackers`);
    await page.getByRole('heading', { name: '⟦The server does not answer⟧', level: 1 }).waitFor({ timeout: LIMIT_MS });
    const shown = await shownTexts(page);
    expect(shown.length).toBeGreaterThan(4);
    expect(shown.map(({ text }) => strayOf(text, new SentData(page))).filter((stray) => stray !== '')).toEqual([]);
  });
});
