import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Visit } from '../support/browser';
import { expectBlocked } from '../support/controls';
import type { OpenConsole } from '../support/open-console';
import { openConsole } from '../support/open-console';
import { plainAddress } from '../support/plain-address';
import type { ServerProcess } from '../support/server-process';
import { startServerProcess } from '../support/server-process';
import { until } from '../support/until';
import { axeFindings } from './axe-findings';

const LIMIT_MS = 60_000;
const SCRIPTS = /\/_next\/static\/chunks\/[^/]+\.js/;

/** The banner across the page while nobody answers. */
const cutOff = (page: Page) => page.getByText('Reconnecting automatically.').first();

const missing = (page: Page) => page.getByText('This part of the page could not be loaded. Check the connection').first();
const comesLater = (page: Page) => page.getByText('This part of the page could not be loaded. It appears');

async function dismissAll(page: Page): Promise<void> {
  const dismiss = page.getByRole('button', { name: 'Dismiss' });
  while ((await dismiss.count()) > 0) await dismiss.first().click();
}

describe('a server that goes away under an open page', () => {
  let server: ServerProcess;
  let browser: OpenConsole;
  let visit: Visit;

  beforeAll(async () => {
    server = await startServerProcess();
    // A session outlives the server once the store has it, so nobody signs in before the store is open.
    await until('the store is open', async () => (await (await fetch(`${server.origin}/readyz`)).text()) === 'ok\n');
    browser = await openConsole(server);
    visit = browser.operator;
  });

  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  it('[issue 14.3] keeps a page of which a part does not come, says so in its place, and shows it as soon as it does', async () => {
    const { page } = visit;
    await page.goto(`${server.origin}/applications/shop/storefront`);
    await page.getByRole('treeitem').first().waitFor({ timeout: LIMIT_MS });
    await page.route(SCRIPTS, (route) => route.abort());
    await page.getByRole('button', { name: 'Graph', exact: true }).click();
    await page.getByText('This part of the page could not be loaded.').waitFor({ timeout: LIMIT_MS });
    await page.getByRole('heading', { name: /storefront/, level: 1 }).waitFor({ timeout: LIMIT_MS });
    await page.unroute(SCRIPTS);
    await page.getByRole('region', { name: /^Graph of storefront/ }).waitFor({ timeout: LIMIT_MS });
  });

  it('[issue 14.3] says that a dialog did not come and keeps the page, whichever it is, and opens it the next time', async () => {
    const { page } = visit;
    const address = `${server.origin}/applications`;
    const html = await (await visit.context.request.get(address)).text();
    // What the page is sent with comes, and nothing that is asked for later.
    await page.route(SCRIPTS, (route, request) => (html.includes(new URL(request.url()).pathname) ? route.continue() : route.abort()));
    await page.goto(address);
    await page.getByRole('heading', { name: 'Applications', level: 1 }).waitFor({ timeout: LIMIT_MS });
    const palette = page.getByRole('dialog', { name: 'Search and commands' });
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    const opened = [
      { press: 'ControlOrMeta+k', dialog: palette },
      { press: '?', dialog: keys },
    ];
    for (const { press, dialog } of opened) {
      await page.keyboard.press(press);
      await missing(page).waitFor({ timeout: LIMIT_MS });
      expect(await dialog.count()).toBe(0);
      await dismissAll(page);
    }
    await page.unroute(SCRIPTS);
    for (const { press, dialog } of opened) {
      await page.keyboard.press(press);
      await dialog.and(page.locator(':not([aria-busy])')).waitFor({ timeout: LIMIT_MS });
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden', timeout: LIMIT_MS });
    }
    const save = async () => {
      await page.getByRole('button', { name: 'Views', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Save this view' }).click();
    };
    // The menu itself is there, and the dialog that it opens is not.
    await page.getByRole('button', { name: 'Views', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Save this view' }).waitFor({ timeout: LIMIT_MS });
    await page.keyboard.press('Escape');
    await page.route(SCRIPTS, (route) => route.abort());
    await save();
    await missing(page).waitFor({ timeout: LIMIT_MS });
    await page.getByRole('heading', { name: 'Applications', level: 1 }).waitFor({ timeout: LIMIT_MS });
    await page.unroute(SCRIPTS);
    await save();
    await page.getByRole('dialog', { name: 'Save view' }).waitFor({ timeout: LIMIT_MS });
  });

  it('[issue 14.3] keeps the inbox where what starts a rollout does not come, and starts none whose preview is not shown', async () => {
    const { page } = visit;
    const address = `${server.origin}/`;
    const html = await (await visit.context.request.get(address)).text();
    await page.route(SCRIPTS, (route, request) => (html.includes(new URL(request.url()).pathname) ? route.continue() : route.abort()));
    await page.goto(address);
    await comesLater(page).waitFor({ timeout: LIMIT_MS });
    await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor({ timeout: LIMIT_MS });
    await page.unroute(SCRIPTS);
    const preview = page.getByRole('button', { name: 'Preview', exact: true });
    await preview.waitFor({ timeout: LIMIT_MS });
    await page.route(SCRIPTS, (route) => route.abort());
    await preview.click();
    await comesLater(page).waitFor({ timeout: LIMIT_MS });
    await expectBlocked(page.getByRole('button', { name: 'Start the rollout' }), /^Wait until the preview is shown\./);
    await page.unroute(SCRIPTS);
    await page.getByRole('list', { name: 'Objects by verdict' }).waitFor({ timeout: LIMIT_MS });
    const start = page.getByRole('button', { name: 'Start the rollout' });
    await until('it can be started', async () => (await start.getAttribute('aria-disabled')) === null, LIMIT_MS);
  });

  it('[design 9] leaves the page as it was, also when a link is followed, and the page recovers without being loaded again', async () => {
    const { page } = visit;
    const address = `${server.origin}/applications/shop/storefront`;
    await page.goto(address);
    const objects = page.getByRole('tree', { name: 'Objects' });
    const object = objects.getByRole('treeitem', { name: /storefront-settings/ });
    await object.waitFor({ timeout: LIMIT_MS });
    await page.evaluate(() => document.body.setAttribute('data-first-load', ''));
    await server.kill();
    await cutOff(page).waitFor({ timeout: LIMIT_MS });
    await page.getByRole('link', { name: 'Rollouts', exact: true }).first().click();
    await page.getByText('You stay on this page until it does.').first().waitFor({ timeout: LIMIT_MS });
    expect(plainAddress(page.url())).toBe(address);
    // What is not pushed is asked for, and nobody answers.
    await object.click();
    const drawer = page.getByRole('dialog');
    await drawer.getByText('No connection to the server').first().waitFor({ timeout: LIMIT_MS });
    await server.restart();
    await cutOff(page).waitFor({ state: 'hidden', timeout: LIMIT_MS });
    await drawer.getByRole('tab', { name: 'Manifest' }).click({ timeout: LIMIT_MS });
    await drawer.getByText('ConfigMap').nth(1).waitFor({ timeout: LIMIT_MS });
    await page.keyboard.press('Escape');
    await until('the tree has the keyboard again', () => objects.evaluate((one) => one === document.activeElement));
    expect(await page.locator('body[data-first-load]').count()).toBe(1);
    await page.getByRole('link', { name: 'Rollouts', exact: true }).first().click();
    await page.getByRole('heading', { name: 'Rollouts', level: 1 }).waitFor({ timeout: LIMIT_MS });
  });

  it('[issue 14.3] has every act of a rollout disabled with the reason, those that stop it too, until the server is back', async () => {
    const { page } = visit;
    await page.goto(`${server.origin}/rollouts/shop/checkout`);
    const actions = page.getByRole('group', { name: 'Actions' });
    const abort = actions.getByRole('button', { name: 'Abort', exact: true });
    await abort.waitFor({ timeout: LIMIT_MS });
    const blocked = () => actions.getByRole('button').evaluateAll((all) => all.map((one) => one.getAttribute('aria-disabled') === 'true'));
    await until('it can be aborted', async () => (await abort.getAttribute('aria-disabled')) === null, LIMIT_MS);
    await server.kill();
    await cutOff(page).waitFor({ timeout: LIMIT_MS });
    await until('every act is blocked', async () => [(await blocked()).length > 2, ...(await blocked())].every(Boolean));
    await expectBlocked(abort, /^Actions are blocked: The /);
    await server.restart();
    await until('it can be aborted again', async () => (await abort.getAttribute('aria-disabled')) === null, LIMIT_MS);
  });

  it('[issue 14.3] shows a page of ours to whoever opens an address meanwhile, and opens it once the server answers', async () => {
    const { page } = visit;
    const address = `${server.origin}/trackers?q=shop`;
    await page.goto(`${server.origin}/applications`);
    await page.getByRole('heading', { name: 'Applications', level: 1 }).waitFor({ timeout: LIMIT_MS });
    await page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated', undefined, { timeout: LIMIT_MS });
    await server.kill();
    // No page of the console comes, so there is nothing that will hear clicks.
    await page.evaluate((to) => void setTimeout(() => location.assign(to)), address);
    await page.getByRole('heading', { name: 'The server does not answer', level: 1 }).waitFor({ timeout: LIMIT_MS });
    await page.getByText('/trackers', { exact: true }).waitFor({ timeout: LIMIT_MS });
    await page.getByText(/^No answer since \d{2}:\d{2}:\d{2} (?:UTC|[A-Z]{2,5}|GMT[+-][\d:]+)\. /).waitFor({ timeout: LIMIT_MS });
    const told = () => performance.getEntriesByType('navigation').map((entry) => (entry as PerformanceNavigationTiming).responseStatus);
    expect(await page.evaluate(told)).toEqual([503]);
    expect(await axeFindings(page, 'any')).toEqual([]);
    await server.restart();
    await page.getByRole('heading', { name: 'Trackers', level: 1 }).waitFor({ timeout: LIMIT_MS });
    expect(plainAddress(page.url())).toBe(address);
    expect(await page.evaluate(() => caches.keys())).toEqual([]);
  });
});
