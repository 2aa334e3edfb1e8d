import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { SUSPENDED } from '@/lib/kube/paused-by';
import { isNotFound } from '@/server/kube';
import type { RemoteCluster } from '@/server/kube/remote/create';
import type { Visit } from '../support/browser';
import { expectBlocked, openPalette } from '../support/controls';
import type { OpenConsole } from '../support/open-console';
import { openConsole, openShop } from '../support/open-console';
import type { ServerProcess } from '../support/server-process';
import { startServerProcess } from '../support/server-process';
import { until } from '../support/until';
import { axeFindings } from './axe-findings';

const LIMIT_MS = 60_000;
const CONFIG = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
const config = (name: string) => ({ ...CONFIG, metadata: { name }, data: { a: '1' } });
const application = (name: string, objects: readonly object[]) => ({
  ...KINDS.application,
  metadata: { namespace: 'shop', name },
  spec: { components: [{ name: 'set', type: 'k8s-objects', properties: { objects } }] },
});
const many = (prefix: string, count: number) => Array.from({ length: count }, (_one, at) => config(`${prefix}-${at}`));

/** What a page asks of an application in the moment in which that goes is answered 404, and the browser notes that. */
const isOfTheLiving = (fault: string) => !/\(Not Found\).*(?:\/applications\/|[?&]name=)(?:small|large|kept)\b/.test(fault);

describe('acts on applications and objects', () => {
  let server: ServerProcess;
  let browser: OpenConsole;
  let cluster: RemoteCluster;
  let operator: Visit;
  let viewer: Visit;

  const get = (type: { readonly apiVersion: string; readonly kind: string }, name: string) =>
    cluster.get({ ...type, namespace: 'shop', name }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  const runs = (name: string) =>
    until(
      `${name} runs`,
      async () => readString(await get(KINDS.application, name), 'status', 'latestRevision', 'name') === `${name}-v1`,
      LIMIT_MS,
    );
  const open = async (page: Page, name: string) => {
    await page.goto(`${server.origin}/applications/shop/${name}`);
    await page.getByRole('heading', { name: new RegExp(`^${name}\\b`), level: 1 }).waitFor({ timeout: LIMIT_MS });
    return page.getByRole('group', { name: 'Actions' });
  };
  const dialog = (page: Page) => page.getByRole('dialog');

  beforeAll(async () => {
    server = await startServerProcess(['--demonstration', 'off']);
    cluster = await openShop(server);
    for (const [name, count] of [
      ['small', 2],
      ['large', 6],
      ['kept', 6],
      ['held', 2],
    ] as const)
      await cluster.create(application(name, many(name, count)));
    for (const name of ['small', 'large', 'kept', 'held']) await runs(name);
    browser = await openConsole(server);
    operator = browser.operator;
    viewer = await browser.enter('viewer');
  });

  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  it('[issue 14.1] an application is suspended with a reason, which its page and the inbox say, and resumed', async () => {
    const { page, faults } = operator;
    const acts = await open(page, 'held');
    await acts.getByRole('button', { name: 'Refresh', exact: true }).click();
    await until(
      'its engine is asked',
      async () => (await get(KINDS.application, 'held'))?.metadata.annotations?.['slipway.dev/reconcile-requested-at'] !== undefined,
      LIMIT_MS,
    );
    await acts.getByRole('button', { name: 'Suspend', exact: true }).click();
    await dialog(page)
      .getByLabel(/Reason/)
      .fill('a migration');
    expect(await axeFindings(page)).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Suspend', exact: true }).click();
    await page
      .getByText(/Suspended by operator since .*\(a migration\)/)
      .first()
      .waitFor({ timeout: LIMIT_MS });
    await cluster.delete({ ...CONFIG, namespace: 'shop', name: 'held-0' });
    await page.goto(server.origin);
    await page.getByRole('link', { name: 'held Suspended, waits for you', exact: true }).click({ timeout: LIMIT_MS });
    await page.getByRole('heading', { name: /^held\b/, level: 1 }).waitFor({ timeout: LIMIT_MS });
    const again = page.getByRole('group', { name: 'Actions' });
    await again.getByRole('button', { name: 'Resume', exact: true }).waitFor({ timeout: LIMIT_MS });
    await expectBlocked(again.getByRole('button', { name: 'Delete', exact: true }));
    expect(await get(CONFIG, 'held-0')).toBeUndefined();
    await again.getByRole('button', { name: 'Resume', exact: true }).click();
    await dialog(page).getByRole('button', { name: 'Resume', exact: true }).click();
    await until('its engine goes on', async () => (await get(CONFIG, 'held-0')) !== undefined, LIMIT_MS);
    await again.getByRole('button', { name: 'Suspend', exact: true }).waitFor({ timeout: LIMIT_MS });
    expect(faults.filter(isOfTheLiving)).toEqual([]);
  });

  it('[issue 14.3] a suspension is undone by the notice that follows it, which is an act of its own on record', async () => {
    const { page, context, faults } = operator;
    const acts = await open(page, 'held');
    const annotation = async () => (await get(KINDS.application, 'held'))?.metadata.annotations?.[SUSPENDED];
    await acts.getByRole('button', { name: 'Suspend', exact: true }).click();
    await dialog(page).getByRole('button', { name: 'Suspend', exact: true }).click();
    const undo = page.getByRole('status', { name: 'Notifications', exact: true }).getByRole('button', { name: 'Undo', exact: true });
    await undo.waitFor({ timeout: LIMIT_MS });
    expect(await annotation()).toBeDefined();
    await undo.press('Enter');
    await until('it is resumed', async () => (await annotation()) === undefined, LIMIT_MS);
    await acts.getByRole('button', { name: 'Suspend', exact: true }).waitFor({ timeout: LIMIT_MS });
    const record = await context.request.get(`${server.origin}/api/v1/activity?act=application&application=held`);
    const { rows } = (await record.json()) as { readonly rows: readonly { readonly actor: string; readonly action: string }[] };
    const [newest, before] = rows.filter(({ action }) => /suspend|resume/.test(action));
    expect([newest, before].map((row) => [row?.actor, row?.action])).toEqual([
      ['operator', 'application.resume'],
      ['operator', 'application.suspend'],
    ]);
    expect(faults.filter(isOfTheLiving)).toEqual([]);
  });

  it('[issue 14.1] an application is deleted with its objects, object by object as shown, once its name was typed', async () => {
    const { page, faults } = operator;
    await (await open(page, 'small')).getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog(page).getByText('small-1').first().waitFor({ timeout: LIMIT_MS });
    const act = dialog(page).getByRole('button', { name: 'Delete with 2 objects' });
    await expectBlocked(act);
    expect(await axeFindings(page)).toEqual([]);
    await dialog(page).getByLabel('Type small to confirm').fill('small');
    await act.click();
    await until(
      'it is gone',
      async () => (await get(KINDS.application, 'small')) === undefined && (await get(CONFIG, 'small-1')) === undefined,
      LIMIT_MS,
    );
    await page.getByText('Application small in shop no longer exists').first().waitFor({ timeout: LIMIT_MS });
    await page.getByRole('link', { name: 'Open its history', exact: true }).click();
    await page.getByRole('heading', { name: 'Activity', level: 1 }).waitFor({ timeout: LIMIT_MS });
    await page.getByText('application.delete', { exact: true }).first().waitFor({ timeout: LIMIT_MS });
    expect(faults.filter(isOfTheLiving)).toEqual([]);
  });

  it('[issue 14.1] what only goes with an approval is approved by who may with the same click, and objects are kept where that is chosen', async () => {
    const { page } = operator;
    await (await open(page, 'large')).getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog(page)
      .getByText(/You also approve this: It would delete 6 of 6 objects/i)
      .first()
      .waitFor({ timeout: LIMIT_MS });
    await dialog(page).getByLabel('Type large to confirm').fill('large');
    await dialog(page).getByRole('button', { name: 'Delete with 6 objects' }).click();
    await until(
      'it is gone',
      async () => (await get(KINDS.application, 'large')) === undefined && (await get(CONFIG, 'large-5')) === undefined,
      LIMIT_MS,
    );
    await (await open(page, 'kept')).getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog(page)
      .getByLabel(/Keep its objects/)
      .check();
    await dialog(page).getByLabel('Type kept to confirm').fill('kept');
    await dialog(page).getByRole('button', { name: 'Delete and keep its objects' }).click();
    await until('it is gone', async () => (await get(KINDS.application, 'kept')) === undefined, LIMIT_MS);
    expect((await get(CONFIG, 'kept-5'))?.metadata.labels?.['app.oam.dev/name']).toBeUndefined();
    expect(await get(CONFIG, 'kept-5')).toBeDefined();
  });

  it('[issue 14.1] any object is edited as text: the dry run shows the lines that change, who set them and who sets them back', async () => {
    const { page, faults } = operator;
    await page.goto(`${server.origin}/objects/core/configmaps/shop/held-1`);
    await page.getByRole('group', { name: 'Actions' }).getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByRole('heading', { name: 'Edit ConfigMap held-1', level: 1 }).waitFor({ timeout: LIMIT_MS });
    await rewrite(page, 'a: "1"', 'a: "7"');
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    await page
      .getByText('Application held applies it: its engine reverts the fields that it sets within seconds.')
      .first()
      .waitFor({ timeout: LIMIT_MS });
    const difference = page.getByRole('region', { name: 'What changes in held-1' });
    await difference.filter({ hasText: /removed: .*a: "1".*added: .*a: "7"/ }).waitFor({ timeout: LIMIT_MS });
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Apply as previewed' }).click();
    await page.getByRole('heading', { name: /^held-1\b/, level: 1 }).waitFor({ timeout: LIMIT_MS });
    expect(faults.filter(isOfTheLiving)).toEqual([]);
  });

  it('[issue 14.1] the palette holds the acts of the page, and the drawer those of the object; who may not reads why', async () => {
    const { page } = operator;
    await open(page, 'held');
    await page.getByRole('group', { name: 'Actions' }).getByRole('button', { name: 'Suspend', exact: true }).waitFor({ timeout: LIMIT_MS });
    await (await openPalette(page)).fill('suspend');
    await page.getByRole('option', { name: 'Suspend held' }).click();
    await dialog(page).getByRole('button', { name: 'Suspend', exact: true }).waitFor({ timeout: LIMIT_MS });
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'hidden', timeout: LIMIT_MS });
    await page.getByRole('tree', { name: 'Objects' }).getByRole('treeitem').filter({ hasText: 'held-0' }).click();
    await dialog(page)
      .getByRole('group', { name: 'Actions' })
      .getByRole('button', { name: 'Delete', exact: true })
      .waitFor({ timeout: LIMIT_MS });
    const seen = viewer.page;
    const acts = await open(seen, 'held');
    for (const name of ['Refresh', 'Suspend', 'Delete'])
      await expectBlocked(acts.getByRole('button', { name, exact: true }), /requires the right/);
    await acts.getByRole('button', { name: 'Delete', exact: true }).hover();
    await seen
      .getByRole('tooltip')
      .getByText(/requires the right "delete" on applications/)
      .first()
      .waitFor({ timeout: LIMIT_MS });
    await seen.goto(`${server.origin}/objects/core/configmaps/shop/held-1/edit`);
    await expectBlocked(seen.getByRole('button', { name: 'Preview', exact: true }), /requires the right/);
  });
});

/** Puts another text into the editor, as one who pastes it, once the text is there in which something is another. */
async function rewrite(page: Page, found: string, wanted: string): Promise<void> {
  const editor = page.locator('.cm-content');
  await editor.filter({ hasText: found }).waitFor({ timeout: LIMIT_MS });
  const text = await editor.locator('.cm-line').allTextContents();
  await editor.click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(text.join('\n').replace(found, wanted));
}
