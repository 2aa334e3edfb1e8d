import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReleaseDetail } from '@/lib/contract/release-rows';
import { readField } from '@/lib/kube/fields';
import { KINDS, PLAN } from '@/lib/kube/kinds';
import type { RemoteCluster } from '@/server/kube/remote/create';
import type { Visit, Visitors } from '../support/browser';
import { startBrowser } from '../support/browser';
import { openCluster } from '../support/census';
import { aChart, ChartRepository } from '../support/chart-repository';
import { expectBlocked } from '../support/controls';
import { actions } from '../support/rollout-page';
import type { ServerProcess } from '../support/server-process';
import { startQuietChartServer } from '../support/server-process';
import { until } from '../support/until';

const LIMIT_MS = 60_000;
const POLL = { timeout: LIMIT_MS, interval: 100 } as const;
const HIDDEN = 'value-of-a-secret-7f31';
const LEDGER = { ...KINDS.helmRelease, namespace: 'shop', name: 'ledger' };
const config = (name: string, data: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\ndata: { ${data} }\n`;
const SCHEMA = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: {
    replicas: { type: 'integer', minimum: 1, maximum: 9, description: 'How many pods run.' },
    mode: { enum: ['quiet', 'loud'], description: 'How much it says.' },
    extra: { type: 'array' },
  },
};
const CHART = {
  'values.schema.json': JSON.stringify(SCHEMA),
  'templates/token.yaml': config('ledger-token', 'token: "{{ randAlphaNum 24 }}"'),
  'templates/loud.yaml': `{{- if eq (.Values.mode | default "quiet") "loud" }}\n${config('ledger-loud', 'a: b')}{{- end }}\n`,
};
const extra = [{ kind: 'Secret', metadata: { name: 'key' }, stringData: { password: HIDDEN } }];

describe('editing a release', () => {
  let server: ServerProcess;
  let charts: ChartRepository;
  let visitors: Visitors;
  let cluster: RemoteCluster;
  let operator: Visit;

  const read = async (): Promise<ReleaseDetail | undefined> => {
    const answer = await operator.context.request.get(`${server.origin}/api/v1/rows?topic=release/shop/helmrelease/ledger`);
    return answer.ok() ? ((await answer.json()) as { rows: readonly ReleaseDetail[] }).rows[0] : undefined;
  };
  const live = async () => readField(await cluster.get({ ...KINDS.deployment, namespace: 'shop', name: 'ledger' }), 'spec', 'replicas');
  const stored = async () => (await read())?.lastAct?.storedRevision;
  const open = ({ page }: Visit) => page.goto(`${server.origin}/releases/shop/helmrelease/ledger`);
  const edit = async ({ page }: Visit) => {
    await open(operator);
    await actions(page).getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByRole('heading', { name: 'Edit ledger', level: 1, exact: true }).waitFor({ timeout: LIMIT_MS });
    await page.getByRole('textbox', { name: 'Values', exact: true }).waitFor({ timeout: LIMIT_MS });
  };
  const preview = async ({ page }: Visit) => {
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    await page.getByRole('button', { name: 'Apply as previewed', exact: true }).waitFor({ timeout: LIMIT_MS });
  };

  beforeAll(async () => {
    server = await startQuietChartServer();
    charts = new ChartRepository(server.dataDir);
    charts.commitChart('ledger', aChart(CHART), 'ledger: begin');
    visitors = await startBrowser();
    cluster = openCluster(path.join(server.dataDir, 'cluster/kubeconfig'));
    await cluster.create({ ...KINDS.namespace, metadata: { name: 'shop' } });
    operator = await visitors.visit(server.address);
    await operator.page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor({ timeout: LIMIT_MS });
    const spec = { releaseName: 'ledger', chart: { git: charts.url, ref: 'main', path: 'charts/ledger' }, values: { replicas: 2, extra } };
    await cluster.create({ ...KINDS.helmRelease, metadata: { namespace: 'shop', name: 'ledger' }, spec });
    await until('it is installed', async () => (await stored()) === 1);
  });

  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    await visitors?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  it('[issue 12.4] shows what a change of values would do, object by object, and does that; a hidden value stays as it is', async () => {
    const { page, faults } = operator;
    await edit(operator);
    const text = page.getByRole('textbox', { name: 'Values', exact: true });
    expect(await text.textContent()).not.toContain(HIDDEN);
    await page.getByLabel('replicas', { exact: true }).fill('12');
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    // The chart's schema is judged by Helm.
    await page
      .getByText(/maximum/)
      .first()
      .waitFor({ timeout: LIMIT_MS });
    await page.getByLabel('replicas', { exact: true }).fill('3');
    await page.getByLabel('mode', { exact: true }).selectOption('loud');
    await expect.poll(() => text.textContent(), POLL).toMatch(/replicas: 3[\s\S]*mode: loud/);
    await preview(operator);
    const told = (
      await page
        .getByRole('listitem')
        .filter({ hasText: /^(New|Changed|Deleted)/i })
        .allInnerTexts()
    ).map((line) => line.split('\n').slice(0, 3).join(' '));
    expect(told.join('; ')).toMatch(/new.*ConfigMap ledger-loud in shop.*changed.*Deployment ledger in shop/i);
    await page.getByRole('region', { name: 'Different each time' }).getByText('data.token').first().waitFor({ timeout: LIMIT_MS });
    expect([await stored(), await live()]).toEqual([1, 2]);

    await page.getByRole('button', { name: 'Apply as previewed', exact: true }).click();
    await expect.poll(live, POLL).toBe(3);
    await page.getByRole('heading', { name: /^ledger\b/, level: 1 }).waitFor({ timeout: LIMIT_MS });
    const written = await cluster.get(LEDGER);
    expect(readField(written, 'spec', 'values')).toEqual({ replicas: 3, extra, mode: 'loud' });
    await until('the plan is spent', async () => (await cluster.get(LEDGER)).metadata.annotations?.[PLAN.seen] === undefined);
    expect(faults.filter((fault) => !/422|409|400/.test(fault))).toEqual([]);
  });

  it('[issue 12.4] runs nothing once a commit moved the chart, shows both plans, and releases what a person accepts', async () => {
    const { page } = operator;
    await until('the first change is told', async () => (await stored()) === 2);
    await edit(operator);
    await page.getByLabel('replicas', { exact: true }).fill('4');
    await preview(operator);
    charts.commitChart('ledger', { 'templates/more.yaml': config('ledger-more', 'a: b') }, 'ledger: more');
    await sync();
    await until('the commit is released', async () => (await stored()) === 3);
    await page.getByRole('button', { name: 'Apply as previewed', exact: true }).click();
    await until('it waits', async () => (await read())?.state === 'moved');
    const panel = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Change on hold: the plan has changed' }) });
    await panel.getByText('What changed: the chart').first().waitFor({ timeout: LIMIT_MS });
    for (const side of ['Previewed', 'Now'])
      await panel.getByRole('region', { name: side, exact: true }).getByText('Deployment').first().waitFor({ timeout: LIMIT_MS });
    expect([await stored(), await live()]).toEqual([3, 3]);
    await page.goto(`${server.origin}/`);
    await page.getByText('Change on hold: the plan has changed').first().waitFor({ timeout: LIMIT_MS });
    await open(operator);
    await panel.getByRole('button', { name: 'Apply the current plan' }).click({ timeout: LIMIT_MS });
    await expect.poll(live, POLL).toBe(4);
    await panel.waitFor({ state: 'detached', timeout: LIMIT_MS });
  });

  it('[design 8] is offered to nobody who may not change the resource', async () => {
    const viewer = await visitors.visit(await linkFor('viewer'));
    await viewer.page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor({ timeout: LIMIT_MS });
    await open(viewer);
    const button = actions(viewer.page).getByRole('button', { name: 'Edit', exact: true });
    await expectBlocked(button);
  });

  /** Somebody else brings the newest commit to the release. */
  async function sync(): Promise<void> {
    const data = { kind: 'helmrelease', verb: 'sync', uid: (await read())?.uid };
    const path = '/api/v1/namespaces/shop/releases/ledger/decisions';
    const answer = await operator.context.request.post(`${server.origin}${path}`, { data, headers: { origin: server.origin } });
    expect(answer.status()).toBe(202);
  }

  async function linkFor(role: string): Promise<string> {
    const answer = await operator.context.request.post(`${server.origin}/api/v1/session/links`, {
      data: { role },
      headers: { origin: server.origin },
    });
    return ((await answer.json()) as { url: string }).url;
  }
});
