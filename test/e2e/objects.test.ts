import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { RemoteCluster } from '@/server/kube/remote/create';
import type { Visit } from '../support/browser';
import { expectBlocked, openPalette } from '../support/controls';
import type { OpenConsole } from '../support/open-console';
import { openConsole, openShop } from '../support/open-console';
import type { ServerProcess } from '../support/server-process';
import { startServerProcess } from '../support/server-process';
import { until } from '../support/until';

const LIMIT_MS = 60_000;
/** What is pushed comes much sooner, but on a busy machine; what is asked for again comes later. */
const TOLD_MS = 15_000;
const SECRET = 'canary-objects-5512';
const panel = (page: Page, title: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
/** What the corner of the page says that was done. */
const toast = (page: Page, text: string) => page.getByRole('status', { name: 'Notifications' }).getByText(text).first();

const deployment = (name: string, fail?: string) => ({
  ...KINDS.deployment,
  metadata: { namespace: 'shop', name },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name }, ...(fail ? { annotations: { 'sim.slipway.dev/fail': fail } } : {}) },
      spec: { containers: [{ name: 'main', image: 'registry.example.com/main:1' }] },
    },
  },
});

describe('pages of any object', () => {
  let server: ServerProcess;
  let browser: OpenConsole;
  let cluster: RemoteCluster;
  let operator: Visit;
  let viewer: Visit;

  beforeAll(async () => {
    server = await startServerProcess(['--demonstration', 'off']);
    cluster = await openShop(server);
    await cluster.create(deployment('web'));
    await cluster.create(deployment('broken', 'crash-loop'));
    await cluster.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'shop', name: 'key' },
      stringData: { password: SECRET },
    });
    for (let at = 0; at < 130; at++) {
      await cluster.create({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace: 'shop', name: `map-${at}`, labels: { at: String(at) } },
      });
    }
    browser = await openConsole(server);
    operator = browser.operator;
    viewer = await browser.enter('viewer');
  });

  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  it('[issue 14.1] from the palette to a kind, its table, one object, what owns it and back, each with an address', async () => {
    const { page, faults } = operator;
    await (await openPalette(page)).fill('deploy');
    await page.getByRole('option', { name: 'Deployment apps' }).click();
    await page.getByRole('heading', { name: /^deployments?\b/i, level: 1 }).waitFor({ timeout: LIMIT_MS });
    await until('the table has its address', () => new URL(page.url()).pathname === '/objects/apps/deployments');
    await page.getByRole('columnheader', { name: 'Up-to-date' }).waitFor({ timeout: LIMIT_MS });
    await page.getByRole('table', { name: 'Deployment' }).getByRole('link', { name: 'web', exact: true }).click();
    await page.getByRole('heading', { name: /^web\b/, level: 1 }).waitFor({ timeout: LIMIT_MS });
    await until('the object has its address', () => new URL(page.url()).pathname === '/objects/apps/deployments/shop/web');
    await panel(page, 'Owns').getByText('Pod').first().waitFor({ timeout: LIMIT_MS });
    await panel(page, 'Owns')
      .getByRole('link', { name: /^web-[0-9a-f]+$/ })
      .click();
    await panel(page, 'Owned by').getByRole('link', { name: 'web', exact: true }).waitFor({ timeout: LIMIT_MS });
    await page.getByRole('tab', { name: /Managed fields/ }).click();
    await until('the tab is in the address', () => page.url().includes('tab=managers'));
    await page.reload();
    await page.getByRole('tab', { name: /Managed fields/, selected: true }).waitFor({ timeout: LIMIT_MS });
    expect(faults).toEqual([]);
  });

  it('[issue 14.1] events of an object and of what it owns appear as they happen', async () => {
    const { page } = operator;
    await page.goto(`${server.origin}/objects/apps/Deployment/shop/web`);
    const events = panel(page, 'Events');
    await events.getByText(/^\d+, live$/).waitFor({ timeout: LIMIT_MS });
    await events.getByText('Container started').first().waitFor({ timeout: LIMIT_MS });
    const { metadata } = await cluster.get({ ...KINDS.deployment, namespace: 'shop', name: 'web' });
    await cluster.create({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace: 'shop', name: 'told' },
      involvedObject: { ...KINDS.deployment, namespace: 'shop', name: 'web', uid: metadata.uid },
      type: 'Warning',
      reason: 'ToldNow',
      message: 'something happened',
      count: 4,
      firstTimestamp: new Date().toISOString(),
      lastTimestamp: new Date().toISOString(),
      source: { component: 'somebody' },
    } as never);
    const told = events.getByRole('listitem').filter({ hasText: 'ToldNow' });
    await told.filter({ hasText: /Warning: ToldNow4 times since.*something happened/ }).waitFor({ timeout: TOLD_MS });
  });

  it('[issue 14.1] the pods of a workload that crashes: restarts, how they ended, where they run, and each container of one of them', async () => {
    const { page, faults } = operator;
    await page.goto(`${server.origin}/objects/apps/Deployment/shop/broken`);
    const row = panel(page, 'Pods')
      .getByRole('row')
      .filter({ hasText: 'CrashLoopBackOff' })
      .filter({ hasText: /exit code [1-9]/ })
      .first();
    await row.waitFor({ timeout: LIMIT_MS });
    await row.filter({ hasText: /CrashLoopBackOff0\/1[1-9].*node-/ }).waitFor({ timeout: LIMIT_MS });
    await panel(page, 'Pods').getByText('does not serve metrics.k8s.io').first().waitFor({ timeout: LIMIT_MS });
    await row.getByRole('link').click();
    const containers = panel(page, 'Containers');
    await containers
      .filter({ hasText: /on node-.*main.*registry\.example\.com\/main:1.*Restarts[1-9].*exit code [1-9]/ })
      .waitFor({ timeout: LIMIT_MS });
    expect(faults).toEqual([]);
  });

  it('[issue 14.1] a table goes on page by page, and is narrowed by name and by label in its address', async () => {
    const { page } = operator;
    await page.goto(`${server.origin}/objects/core/configmaps?ns=shop`);
    await page.getByText('1–100 of', { exact: false }).waitFor({ timeout: LIMIT_MS });
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText('101–131 of 131', { exact: false }).waitFor({ timeout: LIMIT_MS });
    await page.getByLabel('Label selector').fill('at=77');
    await page.getByLabel('Label selector').press('Enter');
    await page.getByText('1 of 1 configmap').waitFor({ timeout: LIMIT_MS });
    await until('the label is in the address', () => new URL(page.url()).searchParams.get('labels') === 'at=77');
    await page.goto(`${server.origin}/objects/core/configmaps?q=AP-12`);
    await page.getByText('1–11 of 11 configmaps').waitFor({ timeout: LIMIT_MS });
  });

  it('[issue 14.1] the acts on objects of a kind, and the head of their table, stand where they stay before these are read', async () => {
    const { page } = operator;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const tables = /\/kinds\/core\/configmaps\/table/;
    await page.route(tables, (route) => held.then(() => route.continue()));
    await page.goto(`${server.origin}/objects/core/configmaps?ns=shop`);
    const places = async () => {
      const boxes = [await page.getByRole('button', { name: 'Delete', exact: true }).boundingBox()];
      boxes.push(await page.getByRole('searchbox', { name: 'Search names' }).boundingBox());
      return boxes.map((box) => [box?.x, box?.y]);
    };
    await page.getByText('Reading configmaps from the cluster.').waitFor({ timeout: LIMIT_MS });
    const before = await places();
    release();
    await page.getByText('1–100 of', { exact: false }).waitFor({ timeout: LIMIT_MS });
    expect(await places()).toEqual(before);
    await page.unroute(tables);
  });

  it('[issue 14.1] a workload is restarted and scaled from its page, each told before it is done, and on record after', async () => {
    const { page, faults } = operator;
    await page.goto(`${server.origin}/objects/apps/Deployment/shop/web`);
    await page.getByRole('button', { name: 'Restart', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 pods are replaced by new ones').waitFor({ timeout: LIMIT_MS });
    await dialog.getByRole('button', { name: 'Restart', exact: true }).click();
    await toast(page, '1 object is restarted').waitFor({ timeout: LIMIT_MS });
    await page.getByRole('button', { name: 'Scale', exact: true }).click();
    await dialog.getByLabel('Replicas', { exact: true }).fill('3');
    await dialog.getByText('from 2 to 3 replicas').waitFor({ timeout: LIMIT_MS });
    await dialog.getByRole('button', { name: 'Scale', exact: true }).click();
    await until('three pods run', async () => (await panel(page, 'Pods').getByRole('row').filter({ hasText: 'Running' }).count()) === 3);
    await page.goto(`${server.origin}/activity`);
    await page.getByText('scales Deployment web in shop from 2 to 3 replicas').first().waitFor({ timeout: LIMIT_MS });
    expect(faults).toEqual([]);
  });

  it('[issue 14.1] several objects are acted on at once: what is not allowed is said first, and the rest is done', async () => {
    const { page } = operator;
    await cluster.create({ ...deployment('paused'), spec: { ...deployment('paused').spec, paused: true, replicas: 0 } });
    await page.goto(`${server.origin}/objects/apps/deployments?ns=shop`);
    await page.getByRole('checkbox', { name: 'Select paused', exact: true }).check();
    const [search, remove] = [
      page.getByRole('searchbox', { name: 'Search names' }),
      page.getByRole('button', { name: 'Delete', exact: true }),
    ];
    expect((await remove.boundingBox())?.y, 'filters and acts in one line at 1440 px').toBe((await search.boundingBox())?.y);
    await page.getByRole('checkbox', { name: 'Select web', exact: true }).check();
    await page.getByRole('button', { name: 'Restart', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 of 2 is not restarted').waitFor({ timeout: LIMIT_MS });
    await dialog.getByText('It is paused').first().waitFor({ timeout: LIMIT_MS });
    await dialog.getByRole('button', { name: 'Restart the other 1' }).click();
    await toast(page, '1 object is restarted').waitFor({ timeout: LIMIT_MS });
    await page.goto(`${server.origin}/objects/core/configmaps?ns=shop&labels=at+in+(41,42,43)`);
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByRole('button', { name: 'Delete all 3' }).click();
    await page.getByText('No configmaps match').waitFor({ timeout: LIMIT_MS });
  });

  it('[issue 14.3] whoever goes back from a text that nothing keeps is asked first, stays with it, or leaves', async () => {
    const { page, faults } = operator;
    await page.goto(`${server.origin}/objects/core/configmaps?ns=shop&q=map-30`);
    await page.getByRole('table').getByRole('link', { name: 'map-30', exact: true }).click();
    await page.getByRole('group', { name: 'Actions' }).getByRole('button', { name: 'Edit', exact: true }).click();
    const text = page.getByRole('textbox', { name: 'YAML of map-30' });
    await text.click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.insertText('# unsaved');
    const address = page.url();
    const goBack = async (answer: 'accept' | 'dismiss', steps = 1) => {
      const asked = page.waitForEvent('dialog');
      const gone = page.evaluate((by) => history.go(-by), steps);
      const dialog = await asked;
      await dialog[answer]();
      await gone;
      return dialog.message();
    };
    for (const _time of [1, 2]) {
      expect(await goBack('dismiss')).toBe('Leave this page and discard your changes?');
      await until('the address is that of the text', () => page.url() === address);
      expect(await text.textContent()).toContain('# unsaved');
    }
    // What stays is this page, with its keys and its place among the others.
    await page.keyboard.insertText(', still');
    await until('it is written on', async () => ((await text.textContent()) ?? '').includes('# unsaved, still'));
    // Several entries at once, as from the list that a browser shows at its button: the table is three before the text.
    expect(await goBack('dismiss', 3)).toBe('Leave this page and discard your changes?');
    await until('the address is still that of the text', () => page.url() === address);
    expect(await text.textContent()).toContain('# unsaved, still');
    await text.click();
    await page.keyboard.insertText(', yet');
    await goBack('accept');
    await panel(page, 'Events').waitFor({ timeout: LIMIT_MS });
    await until('the object has its address', () => new URL(page.url()).pathname.endsWith('/map-30'));
    expect(faults).toEqual([]);
  });

  it('[design 8] an act that a person may not do says why at its button, and the server refuses it with the plan of another person', async () => {
    const { page, context } = viewer;
    const { metadata } = await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'map-9' });
    await page.goto(`${server.origin}/objects/core/configmaps/shop/map-9`);
    await expectBlocked(page.getByRole('button', { name: 'Delete', exact: true }), /requires the right "delete" on configmaps map-9/);
    const body = { verb: 'delete', targets: [{ apiVersion: 'v1', kind: 'ConfigMap', ns: 'shop', name: 'map-9', uid: metadata.uid }] };
    const send = (visit: Visit, data: object) =>
      visit.context.request.post(`${server.origin}/api/v1/objects/actions`, { data, headers: { origin: server.origin } });
    const { plan } = (await (await send(operator, { ...body, dryRun: true })).json()) as { plan: string };
    expect((await send({ ...viewer, context }, { ...body, plan })).status()).toBe(403);
    expect((await send(operator, { ...body, plan })).status()).toBe(202);
  });

  it('[design 8, issue 14.1] what may not be read is answered 403 with the right that is missing, what is not there 404', async () => {
    const { page } = viewer;
    const answers = async (address: string, sentence: RegExp) => {
      const answer = await page.goto(`${server.origin}${address}`);
      await page.getByRole('alert').filter({ hasText: sentence }).first().waitFor({ timeout: LIMIT_MS });
      return answer?.status();
    };
    expect(await answers('/objects/core/secrets?ns=shop', /it requires the right "list" on secrets in namespace shop/)).toBe(403);
    expect(await answers('/objects/core/secrets/shop/key', /it requires the right "get" on secrets key in namespace shop/)).toBe(403);
    expect(await answers('/objects/core/secrets/shop/key/edit', /it requires the right "get" on secrets key in namespace shop/)).toBe(403);
    expect(await answers('/objects/core/pods/shop/none', /There is no Pod none in shop\./)).toBe(404);
    expect(await answers('/objects/nowhere.dev/Thing/shop/none', /The cluster serves no Thing in nowhere\.dev\./)).toBe(404);
    expect((await page.goto(`${server.origin}/objects/core/configmaps/shop/map-1`))?.status()).toBe(200);
    await page.getByRole('heading', { name: /^map-1\b/, level: 1 }).waitFor({ timeout: LIMIT_MS });
  });
});
