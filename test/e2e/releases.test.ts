import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReleaseDetail } from '@/lib/contract/release-rows';
import { KINDS } from '@/lib/kube/kinds';
import type { RemoteCluster } from '@/server/kube/remote/create';
import type { Visit } from '../support/browser';
import { aChart, ChartRepository } from '../support/chart-repository';
import { expectBlocked } from '../support/controls';
import type { OpenConsole } from '../support/open-console';
import { openConsole, openShop } from '../support/open-console';
import { actions, decide } from '../support/rollout-page';
import type { ServerProcess } from '../support/server-process';
import { startQuietChartServer } from '../support/server-process';
import { until } from '../support/until';
import { axeFindings } from './axe-findings';

const LIMIT_MS = 60_000;
const POLL = { timeout: LIMIT_MS, interval: 100 } as const;
/** A hook that never ends: Helm waits for it. */
const HOOK = `{{- if .Values.stuck }}
apiVersion: batch/v1
kind: Job
metadata: { name: ledger-hook, annotations: { "helm.sh/hook": "pre-upgrade,pre-rollback" } }
spec: { suspend: true, template: { spec: { restartPolicy: Never, containers: [ { name: a, image: "registry.example.com/a:1" } ] } } }
{{- end }}
`;

/** One that ends by itself, whose log quotes a value. */
const IMAGE = 'planted-image-71';
const MIGRATION = `apiVersion: batch/v1
kind: Job
metadata: { name: moved-migrate, annotations: { "helm.sh/hook": post-install } }
spec: { template: { spec: { restartPolicy: Never, containers: [ { name: migrate, image: "registry.example.com/{{ .Values.image }}:1" } ] } } }
`;

/** Lines of a panel of the page. */
const panel = (page: Page, title: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
const state = (page: Page, word: string) => page.getByRole('main').getByText(word, { exact: true }).first();

describe('the page of a release', () => {
  let server: ServerProcess;
  let charts: ChartRepository;
  let browser: OpenConsole;
  let cluster: RemoteCluster;
  let operator: Visit;
  let approver: Visit;
  let viewer: Visit;

  const read = async (name = 'ledger'): Promise<ReleaseDetail | undefined> => {
    const answer = await operator.context.request.get(`${server.origin}/api/v1/rows?topic=release/shop/helmrelease/${name}`);
    return answer.ok() ? ((await answer.json()) as { rows: readonly ReleaseDetail[] }).rows[0] : undefined;
  };
  const open = ({ page }: Visit, name = 'ledger') => page.goto(`${server.origin}/releases/shop/helmrelease/${name}`);
  const declare = async (name: string, values: object, annotations: Readonly<Record<string, string>> = {}) => {
    const at = { ...KINDS.helmRelease, namespace: 'shop', name };
    const spec = { releaseName: name, chart: { git: charts.url, ref: 'main', path: `charts/${name}` }, values };
    const found = await cluster.get(at).catch(() => undefined);
    if (found === undefined) await cluster.create({ ...KINDS.helmRelease, metadata: { namespace: 'shop', name, annotations }, spec });
    // The engine writes its status meanwhile, so the object is not sent back whole.
    else await cluster.patch(at, { type: 'json', body: [{ op: 'replace', path: '/spec/values', value: values }] });
  };
  const replicas = async () =>
    (await cluster.get({ ...KINDS.deployment, namespace: 'shop', name: 'ledger' })).spec as { readonly replicas: number };
  const isThere = (at: { readonly apiVersion: string; readonly kind: string; readonly name: string }) =>
    cluster.get({ ...at, namespace: 'shop' }).then(
      () => true,
      () => false,
    );
  const live = async () => (await replicas()).replicas;
  /** Chooses the stored revision to roll back to, and tells what the dialog says of each object that moves. */
  const goBack = async (page: Page, revision: number, reason: string): Promise<readonly string[]> => {
    await actions(page).getByRole('button', { name: 'Roll back', exact: true }).click({ timeout: LIMIT_MS });
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Revision to roll back to').selectOption(String(revision));
    const preview = dialog.getByRole('region', { name: 'What the rollback does to each object' });
    await preview.waitFor({ timeout: LIMIT_MS });
    const told = await preview.getByRole('listitem').allInnerTexts();
    await dialog.getByLabel(/Reason/).fill(reason);
    await dialog.getByRole('button', { name: 'Roll back', exact: true }).click();
    await dialog.waitFor({ state: 'hidden', timeout: LIMIT_MS });
    return told.map((text) => text.replace(/\s+/g, ' '));
  };

  beforeAll(async () => {
    server = await startQuietChartServer();
    charts = new ChartRepository(server.dataDir);
    charts.commitChart('ledger', aChart({ 'templates/hook.yaml': HOOK }), 'ledger: begin');
    charts.commitChart('moved', aChart({ 'templates/migrate.yaml': MIGRATION }, 'moved'), 'moved: begin');
    charts.commitChart('reports', aChart({}, 'reports'), 'reports: begin');
    charts.commitChart('digest', aChart({}, 'digest'), 'digest: begin');
    cluster = await openShop(server);
    browser = await openConsole(server);
    operator = browser.operator;
    approver = await browser.enter('approver');
    viewer = await browser.enter('viewer');
    await declare('ledger', { replicas: 2 });
    await until('it is installed', async () => (await read())?.state === 'in-sync');
  });

  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  it('[issue 12.4] stands in the list, and a commit is taken as soon as a person syncs it', async () => {
    const { page, faults } = operator;
    await page.goto(`${server.origin}/releases`);
    await page
      .getByRole('link', { name: /^ledger/ })
      .first()
      .click();
    await page.getByRole('heading', { name: /^ledger\b/, level: 1 }).waitFor({ timeout: LIMIT_MS });
    await state(page, 'In sync').waitFor({ timeout: LIMIT_MS });
    const commit = charts.commitChart('ledger', { 'values.yaml': 'replicas: 1\nnote: two\n' }, 'ledger: a note');
    await decide(page, 'Sync now');
    await page.getByRole('tab', { name: /Decisions/ }).click();
    await page.getByRole('tabpanel').getByText('Accepted', { exact: true }).first().waitFor({ timeout: LIMIT_MS });
    await panel(page, 'Release').getByTitle(commit).first().waitFor({ timeout: LIMIT_MS });
    await until('it is released', async () => (await read())?.lastAct?.storedRevision === 2);
    expect(faults).toEqual([]);
  });

  it('[issue 12.1] goes back as the dialog said, and stays there until the hold is lifted, whatever comes meanwhile', async () => {
    const { page, faults } = operator;
    await declare('ledger', { replicas: 3 });
    await until('the spec is released', async () => (await read())?.lastAct?.storedRevision === 3);
    expect(await goBack(page, 2, 'three are too many')).toEqual(['changed Deployment ledger shop']);
    await state(page, 'Held').waitFor({ timeout: LIMIT_MS });
    await expect.poll(live, POLL).toBe(2);
    await declare('ledger', { replicas: 6 });
    await until('the loops leave it', async () => (await read())?.reconciles.some(({ outcome }) => outcome === 'held') === true);
    // Who acted last is written after the look was told.
    await until('the rollback is the last act', async () => (await read())?.lastAct?.outcome === 'rolled-back');
    expect(await live()).toBe(2);

    await open(viewer);
    const refused = actions(viewer.page).getByRole('button', { name: 'Lift the hold', exact: true });
    await expectBlocked(refused);
    await decide(page, 'Lift the hold');
    await expect.poll(live, POLL).toBe(6);
    await state(page, 'In sync').waitFor({ timeout: LIMIT_MS });
    expect([faults, viewer.faults]).toEqual([[], []]);
  });

  it('[issue 12.3] frees what Helm left pending, with the evidence that it is stuck, and can be gone back with', async () => {
    const { page, faults } = operator;
    await until('what was released last is noted', async () => (await read())?.lastAct?.outcome === 'upgraded');
    const stored = (await read())?.lastAct?.storedRevision ?? 0;
    await declare('ledger', { replicas: 4, stuck: true });
    // Stopped any earlier, Helm would have stored nothing.
    await until('Helm has stored it and waits for its hook', () => isThere({ apiVersion: 'batch/v1', kind: 'Job', name: 'ledger-hook' }));
    await panel(page, 'Status')
      .getByText(/^helm upgrade:/)
      .first()
      .waitFor({ timeout: LIMIT_MS });
    await page.getByRole('tab', { name: 'Helm log' }).click();
    const written = page.getByRole('list', { name: 'Helm output' });
    await page.getByRole('tabpanel').getByText('Running', { exact: true }).first().waitFor({ timeout: LIMIT_MS });
    await decide(page, 'Stop Helm');
    await state(page, 'Failed').waitFor({ timeout: LIMIT_MS });
    // What it wrote stays to be read when it has ended.
    await page.getByRole('tabpanel').getByText('Ended', { exact: true }).first().waitFor({ timeout: LIMIT_MS });
    await written
      .getByText(/^WARN: upgrade failed/)
      .first()
      .waitFor({ timeout: LIMIT_MS });
    await declare('ledger', { replicas: 5 });
    await until('the spec is released', async () => (await read())?.lastAct?.storedRevision === stored + 2);
    // Back to the revision with the hook: for a rollback that is stopped Helm writes nothing.
    await goBack(page, stored + 1, 'try it again');
    await until('Helm has stored that', () =>
      isThere({ apiVersion: 'v1', kind: 'Secret', name: `sh.helm.release.v1.ledger.v${stored + 3}` }),
    );
    await decide(page, 'Stop Helm');
    await page.getByRole('button', { name: 'Unlock', exact: true }).click({ timeout: LIMIT_MS });
    const dialog = page.getByRole('dialog');
    await dialog
      .getByText(`Revision ${stored + 3} is pending-rollback`)
      .first()
      .waitFor({ timeout: LIMIT_MS });
    await dialog.getByText('helm rollback was killed (SIGTERM); Helm is not running on it now').first().waitFor({ timeout: LIMIT_MS });
    await dialog.getByLabel(/Reason/).fill('it is stuck');
    await dialog.getByRole('button', { name: 'Unlock', exact: true }).click();
    await dialog.waitFor({ state: 'hidden', timeout: LIMIT_MS });
    await page.getByRole('button', { name: 'Unlock', exact: true }).waitFor({ state: 'detached', timeout: LIMIT_MS });
    expect(await goBack(page, stored, 'as it was')).toEqual(['changed Deployment ledger shop']);
    await expect.poll(live, POLL).toBe(6);
    expect(faults).toEqual([]);
  });

  it('[issue 12.4] shows the hooks of a release, how each ended, and what it wrote without the values of the release', async () => {
    const { page, faults } = operator;
    await declare('moved', { replicas: 1, image: IMAGE });
    await until('it is installed', async () => (await read('moved'))?.state === 'in-sync');
    await open(operator, 'moved');
    const hooks = panel(page, 'Hooks');
    await hooks.getByText('Succeeded', { exact: true }).first().waitFor({ timeout: LIMIT_MS });
    await hooks.getByText('post-install', { exact: true }).first().waitFor({ timeout: LIMIT_MS });
    await hooks.getByRole('button', { name: 'Log of Job moved-migrate' }).click();
    await hooks
      .getByText(/starting migrate from registry\.example\.com\/\[masked\]:1/)
      .first()
      .waitFor({ timeout: LIMIT_MS });
    expect(await hooks.textContent()).not.toContain(IMAGE);
    await open(viewer, 'moved');
    await panel(viewer.page, 'Hooks').getByRole('button', { name: 'Log of Job moved-migrate' }).click();
    await panel(viewer.page, 'Hooks')
      .getByText(/starting migrate from/)
      .first()
      .waitFor({ timeout: LIMIT_MS });
    expect([faults, viewer.faults]).toEqual([[], []]);
  });

  it('[issue 12.1] installs a commit once as many people approved it as it needs, and each sees who has', async () => {
    await declare('reports', { replicas: 2 }, { 'slipway.dev/approvals': '2' });
    await until('its commit waits', async () => (await read('reports'))?.gate?.waiting?.subject === 'reports: begin');
    await open(operator, 'reports');
    const gate = panel(operator.page, 'Commit approval');
    await gate.getByText('reports: begin').first().waitFor({ timeout: LIMIT_MS });
    await operator.page.getByRole('tab', { name: 'Commits', exact: true }).click();
    await operator.page.getByRole('tabpanel').getByText('Waiting', { exact: true }).first().waitFor({ timeout: LIMIT_MS });
    await operator.page.getByRole('button', { name: /^Show changes of [0-9a-f]{8}$/ }).click();
    const changes = operator.page.getByRole('region', { name: /^What commit [0-9a-f]{8} would change$/ });
    // Once among the values, once in the object.
    await changes
      .getByText(/^\s*replicas: 2$/)
      .first()
      .waitFor({ timeout: LIMIT_MS });
    const deployment = changes.getByRole('listitem').filter({ hasText: 'Deployment reports' }).first();
    await expect.poll(() => deployment.textContent(), POLL).toMatch(/^New/i);
    await decide(operator.page, 'Approve commit');
    await gate.getByText('1 of 2 approvals: operator').first().waitFor({ timeout: LIMIT_MS });
    await open(approver, 'reports');
    await panel(approver.page, 'Commit approval').getByText('1 of 2 approvals: operator').first().waitFor({ timeout: LIMIT_MS });
    expect((await read('reports'))?.lastAct).toBeNull();
    await decide(approver.page, 'Approve commit');
    for (const { page } of [operator, approver]) await state(page, 'In sync').waitFor({ timeout: LIMIT_MS });
    await gate.getByText('by approver and operator').first().waitFor({ timeout: LIMIT_MS });
    expect([operator.faults, approver.faults]).toEqual([[], []]);
  });

  it('[issue 12.1] goes to an older commit than the newest that waits, which people approve in the list of commits, also with the keyboard', async () => {
    await declare('digest', { replicas: 2 }, { 'slipway.dev/approvals': '2' });
    await until('its first commit waits', async () => (await read('digest'))?.gate?.waiting?.subject === 'digest: begin');
    const chosen = charts.commitChart('digest', { 'values.yaml': 'replicas: 1\nnote: two\n' }, 'digest: a note');
    const newest = charts.commitChart('digest', { 'values.yaml': 'replicas: 1\nnote: three\n' }, 'digest: another note');
    await open(operator, 'digest');
    await decide(operator.page, 'Sync now');
    await until('the newest waits', async () => (await read('digest'))?.gate?.waiting?.commit === newest);

    const short = chosen.slice(0, 8);
    const line = (page: Page) => page.getByRole('tabpanel').getByRole('listitem').filter({ hasText: 'digest: a note' });
    const act = (page: Page) => line(page).getByRole('button', { name: `Approve commit ${short}` });
    await operator.page.goto(`${server.origin}/releases/shop/helmrelease/digest?tab=commits&commit=${chosen}`);
    await line(operator.page).getByText('0 of 2 approvals').waitFor({ timeout: LIMIT_MS });
    expect(await line(operator.page).getAttribute('aria-current')).toBe('true');
    await act(operator.page).click();
    const dialog = operator.page.getByRole('dialog', { name: 'Approve commit: digest' });
    await dialog.getByRole('region', { name: 'The commit' }).getByText(chosen).waitFor({ timeout: LIMIT_MS });
    const change = (shown: typeof dialog) =>
      shown
        .getByRole('region', { name: `What commit ${short} would change` })
        .getByRole('listitem')
        .filter({ hasText: 'Deployment digest' })
        .first();
    await change(dialog).waitFor({ timeout: LIMIT_MS });
    await dialog.getByRole('button', { name: 'Approve commit', exact: true }).click();
    await dialog.waitFor({ state: 'hidden', timeout: LIMIT_MS });
    await line(operator.page).getByText('1 of 2 approvals: operator; needs 1 more').waitFor({ timeout: LIMIT_MS });
    await expectBlocked(act(operator.page));

    await open(viewer, 'digest');
    await viewer.page.getByRole('tab', { name: 'Commits', exact: true }).click();
    await expectBlocked(act(viewer.page));

    // The newest has no approval, and is not what the second one goes to.
    const { page } = approver;
    await page.goto(`${server.origin}/releases/shop/helmrelease/digest?tab=commits`);
    await line(page).getByText('1 of 2 approvals: operator; needs 1 more').waitFor({ timeout: LIMIT_MS });
    await act(page).focus();
    await page.keyboard.press('Enter');
    const second = page.getByRole('dialog', { name: 'Approve commit: digest' });
    await second
      .getByRole('region', { name: 'The commit' })
      .getByText('1 of 2 approvals: operator; needs 1 more')
      .waitFor({ timeout: LIMIT_MS });
    await change(second).waitFor({ timeout: LIMIT_MS });
    expect(await axeFindings(page, 'any')).toEqual([]);
    await second.getByRole('button', { name: 'Approve commit', exact: true }).focus();
    await page.keyboard.press('Enter');
    await second.waitFor({ state: 'hidden', timeout: LIMIT_MS });
    await until('it is released there', async () => (await read('digest'))?.lastAct?.storedRevision === 1);
    expect(await read('digest')).toMatchObject({ revision: chosen, gate: { approved: { commit: chosen }, waiting: { commit: newest } } });
    await line(page).getByText('Released', { exact: true }).waitFor({ timeout: LIMIT_MS });
    await page.goto(`${server.origin}/`);
    await page.getByRole('link', { name: /^digest A release waits/ }).click();
    await page.waitForURL(/digest\?tab=commits&commit=/);
    await page
      .getByRole('listitem')
      .filter({ hasText: 'digest: another note' })
      .and(page.locator('[aria-current=true]'))
      .waitFor({ timeout: LIMIT_MS });
    expect([operator.faults, approver.faults, viewer.faults]).toEqual([[], [], []]);
  });
});
