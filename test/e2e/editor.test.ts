import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { WaitingPage } from '@/lib/contract/change-rows';
import { readList, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { RemoteCluster } from '@/server/kube/remote/create';
import type { ApiPerson } from '../support/api-person';
import { signIn } from '../support/api-person';
import type { Visit, Visitors } from '../support/browser';
import { startBrowser } from '../support/browser';
import { openCluster, versions } from '../support/census';
import { expectBlocked } from '../support/controls';
import { dryRun, manifest, write } from '../support/editor-page';
import type { ServerProcess } from '../support/server-process';
import { startServerProcess } from '../support/server-process';
import { until } from '../support/until';

const LIMIT_MS = 60_000;
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
const CONFIG_MAPS = [CONFIG_MAP];

/** An application of some ConfigMaps. */
function manifestOf(name: string, maps: readonly string[], data: Readonly<Record<string, string>> = { a: '1' }): string {
  const objects = maps.map((map) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${name}-${map}` }, data }));
  return stringify({
    apiVersion: 'core.oam.dev/v1beta1',
    kind: 'Application',
    metadata: { name, namespace: 'shop' },
    spec: { components: [{ name: 'maps', type: 'k8s-objects', properties: { objects } }] },
  });
}

/** Uid of each ConfigMap of an application, by name. */
async function uidsOf(cluster: RemoteCluster, application: string): Promise<ReadonlyMap<string, string>> {
  const lines = await versions(cluster, CONFIG_MAPS);
  const parts = lines.map((line) => line.split(' ')).filter(([, where]) => where?.startsWith(`shop/${application}-`));
  return new Map(parts.map(([, where = '', uid = '']) => [where.slice('shop/'.length), uid]));
}

/** How many lines are shown, and by how many pixels the last one stands off its number; run in the browser. */
function lastLines(): readonly number[] {
  const lines = [...document.querySelectorAll('.cm-line')];
  const number = [...document.querySelectorAll('.cm-lineNumbers .cm-gutterElement')].at(-1);
  return [lines.length, (lines.at(-1)?.getBoundingClientRect().top ?? Number.NaN) - (number?.getBoundingClientRect().top ?? 0)];
}

async function apply(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Apply', exact: true }).click();
  await page.waitForURL(new RegExp(`/applications/shop/${name}(?:[?]|$)`), { timeout: LIMIT_MS });
}

describe('an operator writes an application', () => {
  let server: ServerProcess;
  let visitors: Visitors;
  let cluster: RemoteCluster;
  let operator: Visit;
  let person: ApiPerson;

  const isCollected = async (name: string, maps: readonly string[]) =>
    expect
      .poll(async () => [...(await uidsOf(cluster, name)).keys()].sort(), { timeout: LIMIT_MS })
      .toEqual(maps.map((map) => `${name}-${map}`).sort());

  beforeAll(async () => {
    server = await startServerProcess(['--demonstration', 'off']);
    visitors = await startBrowser();
    cluster = openCluster(path.join(server.dataDir, 'cluster/kubeconfig'));
    await cluster.create({ ...KINDS.namespace, metadata: { name: 'shop' } });
    operator = await visitors.visit(server.address);
    await operator.page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor({ timeout: LIMIT_MS });
    const { context } = operator;
    const invited = await context.request.post(`${server.origin}/api/v1/session/links`, {
      data: { role: 'operator' },
      headers: { origin: server.origin },
    });
    person = await signIn(server, ((await invited.json()) as { url: string }).url);
  });

  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    await visitors?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  it('[design 9] sees what is wrong at its line, fixes it, sees what it does, and applies exactly that', async () => {
    const { page, faults } = operator;
    await page.goto(`${server.origin}/applications`);
    await page.getByRole('link', { name: 'New application', exact: true }).first().click();
    await write(page, manifestOf('written', ['one', 'two']).replace('objects:', 'objekts:'));
    const problems = page.getByRole('region', { name: 'Problems' });
    await problems
      .getByText(/has "objekts", which is unknown here; a k8s-objects component has objects/)
      .first()
      .waitFor({ timeout: LIMIT_MS });
    await expectBlocked(page.getByRole('button', { name: 'Preview', exact: true }));
    await problems.getByRole('button').filter({ hasText: 'objekts' }).first().click();
    await expect.poll(() => page.locator('.cm-activeLine').first().textContent(), { timeout: LIMIT_MS }).toContain('objekts');
    await write(page, manifestOf('written', ['one', 'two']));
    await problems.getByText('No problems found.').waitFor({ timeout: LIMIT_MS });
    await expectBlocked(page.getByRole('button', { name: 'Apply', exact: true }));
    const preview = await dryRun(page);
    expect(preview.changes.map(({ verdict, name }) => `${verdict} ${name}`)).toEqual(['new written-one', 'new written-two']);
    expect(await uidsOf(cluster, 'written')).toEqual(new Map());
    await apply(page, 'written');
    await isCollected('written', ['one', 'two']);
    expect(faults).toEqual([]);
  });

  it('[design 8] types over all of the text, and over lines of it, without a style that the policy of the page refuses', async () => {
    const { page, faults } = operator;
    await page.goto(`${server.origin}/applications/shop/written/edit`);
    await manifest(page).click({ timeout: LIMIT_MS });
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('kind: Applicatio');
    const offered = page.locator('.cm-tooltip-autocomplete');
    await offered.waitFor({ timeout: LIMIT_MS });
    await page.keyboard.type('n');
    // Nothing is left to complete, so Enter ends the line.
    await offered.waitFor({ state: 'detached', timeout: LIMIT_MS });
    const lines = async () => (await page.locator('.cm-line').allTextContents()).join('\n');
    await until('the text is what was typed', async () => (await lines()) === 'kind: Application');
    await page.keyboard.press('Enter');
    await page.keyboard.type('metadata:');
    await page.keyboard.press('Shift+ArrowUp');
    await page.keyboard.type('s');
    await until('both lines are one', async () => (await lines()) === 'kind: Apps');
    await page.keyboard.press('ControlOrMeta+z');
    await until('the last step is undone', async () => (await lines()) === 'kind: Application\nmetadata:');
    expect(faults).toEqual([]);
  });

  it('[design 9] leaves the editor by keyboard: Escape, then Tab', async () => {
    const { page } = operator;
    await page.goto(`${server.origin}/applications/shop/written/edit`);
    // As it is loaded: a focus or another size has the editor measure once more.
    await manifest(page).waitFor({ timeout: LIMIT_MS });
    await until('the numbers stand beside their lines', async () => (await page.evaluate(lastLines))[1] === 0);
    await manifest(page).focus();
    expect(await page.evaluate(lastLines)).toEqual([expect.any(Number), 0]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    expect(await manifest(page).evaluate((field) => field === document.activeElement)).toBe(false);
  });

  it('[design 13 G] a change of an application deletes exactly what its dry run showed, by uid', async () => {
    const { page, faults } = operator;
    const before = await uidsOf(cluster, 'written');
    await page.goto(`${server.origin}/applications/shop/written/edit`);
    await write(page, manifestOf('written', ['two', 'three'], { a: '2' }));
    const preview = await dryRun(page);
    expect(preview.changes.map(({ verdict, name }) => `${verdict} ${name}`)).toEqual([
      'deleted written-one',
      'changed written-two',
      'new written-three',
    ]);
    const shown = page.getByRole('list', { name: 'Object by object' }).getByRole('listitem');
    await expect
      .poll(() => shown.filter({ hasText: 'Deleted' }).allInnerTexts(), { timeout: LIMIT_MS })
      .toEqual([expect.stringContaining('written-one')]);
    await page.getByRole('region', { name: 'Your changes' }).waitFor({ timeout: LIMIT_MS });
    await apply(page, 'written');
    await isCollected('written', ['two', 'three']);
    const after = await uidsOf(cluster, 'written');
    const gone = [...before].filter(([name]) => !after.has(name)).map(([, uid]) => uid);
    expect(gone).toEqual(preview.changes.filter(({ verdict }) => verdict === 'deleted').map(({ uid }) => uid));
    expect(after.get('written-two')).toBe(before.get('written-two'));
    expect(faults).toEqual([]);
  });

  it('[design 1] is told when somebody else changes it meanwhile, keeps the text, and decides', async () => {
    const { page } = operator;
    await page.goto(`${server.origin}/applications/shop/written/edit`);
    await write(page, manifestOf('written', ['two', 'three', 'four'], { a: '2' }));
    expect((await person.post('/api/v1/applications', { manifest: manifestOf('written', ['two', 'three'], { a: 'theirs' }) })).status).toBe(
      202,
    );
    await page.getByRole('heading', { name: 'Someone else changed written in the meantime' }).waitFor({ timeout: LIMIT_MS });
    await page.getByRole('region', { name: 'Their change' }).getByText('a: theirs').first().waitFor({ timeout: LIMIT_MS });
    expect(await manifest(page).textContent()).toContain('written-four');
    await page.getByRole('button', { name: 'Continue with my text' }).click();
    const theirs = async () => readString(await cluster.get({ ...CONFIG_MAP, namespace: 'shop', name: 'written-three' }), 'data', 'a');
    await expect.poll(theirs, { timeout: LIMIT_MS }).toBe('theirs'); // what is in the cluster by then is compared with
    const preview = await dryRun(page);
    expect(preview.counts).toMatchObject({ new: 1, changed: 2 });
    await apply(page, 'written');
    await isCollected('written', ['two', 'three', 'four']);
  });

  it('[design 8] changes an application whose Secret stays hidden, and the Secret keeps its value', async () => {
    const { page, faults } = operator;
    const password = 'canary-e2e-5512';
    const objects = [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'hidden-key' }, stringData: { password } }];
    const spec = { components: [{ name: 'set', type: 'k8s-objects', properties: { objects } }] };
    const text = stringify({
      apiVersion: 'core.oam.dev/v1beta1',
      kind: 'Application',
      metadata: { name: 'hidden', namespace: 'shop' },
      spec,
    });
    expect((await person.post('/api/v1/applications', { manifest: text })).status).toBe(202);
    const at = { apiVersion: 'core.oam.dev/v1beta1', kind: 'Application', namespace: 'shop', name: 'hidden' };
    const valuesOf = (application: KubeObject) => {
      const [secret] = readList(readList(application, 'spec', 'components')[0], 'properties', 'objects');
      return readString(secret, 'stringData', 'password', 'valueFrom', 'secretKeyRef', 'name');
    };
    const written = await cluster.get(at);
    await page.goto(`${server.origin}/applications/shop/hidden/edit`);
    await manifest(page).getByText('# Values of Secrets and credentials in addresses are hidden').waitFor({ timeout: LIMIT_MS });
    expect(await page.content()).not.toContain(password);
    await manifest(page).click();
    await page.keyboard.press('ControlOrMeta+End');
    const more = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'hidden-map' } };
    await page.keyboard.insertText(`    - ${JSON.stringify({ name: 'more', type: 'k8s-objects', properties: { objects: [more] } })}\n`);
    await dryRun(page);
    expect(await page.content()).not.toContain(password);
    await apply(page, 'hidden');
    await isCollected('hidden', ['map']);
    const stored = await cluster.get(at);
    // The value itself stands in a Secret of its own; the application refers to it, as it did before it was saved unchanged.
    expect(JSON.stringify(stored)).not.toContain(password);
    expect(valuesOf(stored)).toEqual(valuesOf(written));
    expect(valuesOf(stored)).toMatch(/^hidden-values-[0-9a-f]{20}$/);
    const secret = await cluster.get({ apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 'hidden-key' });
    expect(readString(secret, 'data', 'password')).toBe(Buffer.from(password).toString('base64'));
    expect(faults).toEqual([]);
  });

  it('[design 13 G] what a safety rule holds waits on a page of its own, and goes exactly as shown there once it is decided', async () => {
    const { page } = operator;
    const maps = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    expect((await person.post('/api/v1/applications', { manifest: manifestOf('held', maps) })).status).toBe(202);
    await isCollected('held', maps);
    const before = await uidsOf(cluster, 'held');
    await expect
      .poll(async () => (await person.row<{ revisions: { state: string }[] }>('application/shop/held'))?.revisions[0]?.state, {
        timeout: LIMIT_MS,
      })
      .toBe('current');
    expect((await person.post('/api/v1/applications', { manifest: manifestOf('held', ['a']) })).status).toBe(202);
    await page.goto(`${server.origin}/applications/shop/held/preview`);
    await page
      .getByText(/it would delete 6 of 7 objects, more than half/)
      .first()
      .waitFor({ timeout: LIMIT_MS });
    const answer = await person.get('/api/v1/namespaces/shop/applications/held/preview?verdict=deleted');
    const plan = answer.body as WaitingPage;
    expect(plan.rows.map(({ name }) => name)).toEqual(maps.slice(1).map((map) => `held-${map}`));
    const shown = page.getByRole('list', { name: 'Object by object' }).getByRole('listitem').filter({ hasText: 'Deleted' });
    await expect.poll(() => shown.count(), { timeout: LIMIT_MS }).toBe(6);
    await page.getByRole('button', { name: 'Delete exactly these' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden', timeout: LIMIT_MS });
    await isCollected('held', ['a']);
    const after = await uidsOf(cluster, 'held');
    const gone = [...before].filter(([name]) => !after.has(name)).map(([, uid]) => uid);
    expect(gone.sort()).toEqual(plan.rows.map(({ uid }) => uid).sort());
    await page.getByText('Nothing to delete').waitFor({ timeout: LIMIT_MS });
  });

  it('[issue 9.4] of a cluster that moves after the dry run nothing is written: both plans stand side by side, and what it would do now is an act of its own', async () => {
    const { page, faults } = operator;
    expect((await person.post('/api/v1/applications', { manifest: manifestOf('moved', ['one', 'two']) })).status).toBe(202);
    await isCollected('moved', ['one', 'two']);
    await page.goto(`${server.origin}/applications/shop/moved`);
    await page
      .getByText(/^everything is ready/i)
      .first()
      .waitFor({ timeout: LIMIT_MS });
    await page.goto(`${server.origin}/applications/shop/moved/edit`);
    const adopts =
      '  policies:\n    - { name: adopt, type: take-over, properties: { rules: [{ selector: { resourceNames: [moved-three] } }] } }\n';
    await write(page, manifestOf('moved', ['one', 'three'], { a: '2' }) + adopts);
    const seen = await dryRun(page);
    expect(seen.changes.map(({ verdict, name }) => `${verdict} ${name}`)).toEqual([
      'deleted moved-two',
      'changed moved-one',
      'new moved-three',
    ]);
    // Somebody makes what was to be new.
    const map = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop' };
    await cluster.create({ ...CONFIG_MAP, metadata: { name: 'moved-three', namespace: 'shop' }, data: { a: 'theirs' } });
    const before = (await versions(cluster, CONFIG_MAPS)).filter((line) => line.includes('/moved-'));
    await apply(page, 'moved');
    await page.getByRole('heading', { name: 'Change on hold: the plan has changed' }).waitFor({ timeout: LIMIT_MS });
    expect((await versions(cluster, CONFIG_MAPS)).filter((line) => line.includes('/moved-'))).toEqual(before);
    await page.goto(server.origin);
    await page
      .getByRole('link', { name: /^moved / })
      .first()
      .click({ timeout: LIMIT_MS });
    const differs = page.getByRole('list', { name: 'What differs between both plans' }).getByRole('listitem');
    const named = async () => (await differs.allTextContents()).map((text) => /moved-\w+?(?= in)/.exec(text)?.[0]);
    await expect.poll(named, { timeout: LIMIT_MS }).toEqual(['moved-three']);
    await page.getByRole('heading', { name: /^Previewed by operator/ }).waitFor({ timeout: LIMIT_MS });
    await page.getByRole('heading', { name: 'Now', exact: true }).waitFor({ timeout: LIMIT_MS });
    expect((await versions(cluster, CONFIG_MAPS)).filter((line) => line.includes('/moved-'))).toEqual(before);
    await page.getByRole('button', { name: 'Apply the current plan' }).click();
    await page.getByRole('heading', { name: 'Change on hold: the plan has changed' }).waitFor({ state: 'hidden', timeout: LIMIT_MS });
    const data = async (name: string) => (await cluster.get({ ...map, name })).data;
    await expect.poll(() => data('moved-one'), { timeout: LIMIT_MS }).toEqual({ a: '2' });
    await expect.poll(() => data('moved-three'), { timeout: LIMIT_MS }).toEqual({ a: '2' });
    await isCollected('moved', ['one', 'three']);
    expect(faults).toEqual([]);
  });

  it('[design 9] compares two revisions that are picked from the list', async () => {
    const { page, faults } = operator;
    await page.goto(`${server.origin}/applications/shop/written`);
    await page.getByRole('checkbox', { name: 'Compare written-v1', exact: true }).check({ timeout: LIMIT_MS });
    await page.getByRole('checkbox', { name: 'Compare written-v2', exact: true }).check();
    await page.getByRole('link', { name: 'Compare v1 with v2' }).click();
    const rows = page.getByRole('list', { name: 'Object by object' }).getByRole('listitem');
    const told = async () => (await rows.allInnerTexts()).map((text) => text.trim().split(/\s+/).slice(0, 5).join(' '));
    await expect
      .poll(told, { timeout: LIMIT_MS })
      .toEqual(['Deleted ConfigMap written-one in shop', 'Changed ConfigMap written-two in shop', 'New ConfigMap written-three in shop']);
    expect(faults).toEqual([]);
  });
});
