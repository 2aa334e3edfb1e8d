import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLUX_KINDS } from '@/lib/kube/flux-kinds';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { RemoteCluster } from '@/server/kube/remote/create';
import type { Visit, Visitors } from '../support/browser';
import { startBrowser } from '../support/browser';
import { openCluster } from '../support/census';
import { expectBlocked } from '../support/controls';
import { aFluxRelease, FLUX_DEFINITIONS, fluxCondition, itsSources } from '../support/flux-definitions';
import { actions } from '../support/rollout-page';
import type { ServerProcess } from '../support/server-process';
import { startServerProcess } from '../support/server-process';
import { until } from '../support/until';

const LIMIT_MS = 60_000;
const POLL = { timeout: LIMIT_MS, interval: 100 } as const;
const PODINFO = { ...FLUX_KINDS['helmrelease-v2'], namespace: 'shop', name: 'podinfo' };
const status = (page: Page) => page.locator('section').filter({ has: page.getByRole('heading', { name: 'Status', exact: true }) });
const ask = async (page: Page, word: string, check: readonly string[] = []) => {
  await actions(page).getByRole('button', { name: word, exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('region', { name: 'What happens' }).waitFor({ timeout: LIMIT_MS });
  for (const box of check) await dialog.getByLabel(box).check();
  await dialog.getByRole('button', { name: word, exact: true }).click();
  await dialog.waitFor({ state: 'hidden', timeout: LIMIT_MS });
};

describe('the page of a release that Flux drives', () => {
  let server: ServerProcess;
  let visitors: Visitors;
  let cluster: RemoteCluster;
  let operator: Visit;
  let viewer: Visit;

  /** Applies an object with the status that a controller of Flux would have written. */
  const put = async ({ status: told, metadata: { name = '', namespace = '' }, ...object }: KubeObject) => {
    await cluster.create({ ...object, metadata: { name, namespace } } as KubeObject);
    await cluster.patch({ ...object, namespace, name } as never, { type: 'merge', body: { status: told } }, { subresource: 'status' });
  };
  const read = () => cluster.get(PODINFO);

  beforeAll(async () => {
    server = await startServerProcess(['--demonstration', 'off']);
    visitors = await startBrowser();
    cluster = openCluster(path.join(server.dataDir, 'cluster/kubeconfig'));
    await cluster.create({ ...KINDS.namespace, metadata: { name: 'shop' } });
    operator = await visitors.visit(server.address);
    await operator.page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor({ timeout: LIMIT_MS });
    const answer = await operator.context.request.post(`${server.origin}/api/v1/session/links`, {
      data: { role: 'viewer' },
      headers: { origin: server.origin },
    });
    viewer = await visitors.visit(((await answer.json()) as { url: string }).url);
    await viewer.page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor({ timeout: LIMIT_MS });
  });

  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    await visitors?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  it('[issue 12] appears among the releases once Flux is installed, with its sources behind it', async () => {
    const { page, faults } = operator;
    await page.goto(`${server.origin}/releases`);
    await page.getByText('No releases yet').waitFor({ timeout: LIMIT_MS });
    for (const definition of FLUX_DEFINITIONS) await cluster.create(definition);
    await until('the kinds are served', () =>
      put(aFluxRelease('podinfo', 'shop')).then(
        () => true,
        () => false,
      ),
    );
    for (const source of itsSources('podinfo', 'shop')) await put(source);
    const chart = `${server.origin}/api/v1/rows?topic=${encodeURIComponent('flux/shop/helmchart/shop-podinfo')}`;
    await until('its chart is known', async () => (await operator.context.request.get(chart)).ok());
    await page
      .getByRole('link', { name: /^podinfo/ })
      .first()
      .click({ timeout: LIMIT_MS });
    await page.getByRole('heading', { name: 'podinfo', level: 1 }).waitFor({ timeout: LIMIT_MS });
    await page.getByText('Driven by Flux; Slipway shows it').first().waitFor({ timeout: LIMIT_MS });
    await page.getByRole('link', { name: 'HelmChart shop-podinfo', exact: true }).waitFor({ timeout: LIMIT_MS });
    await page.getByRole('link', { name: 'HelmRepository podinfo', exact: true }).waitFor({ timeout: LIMIT_MS });
    await page
      .getByRole('tabpanel')
      .filter({ hasText: /Revision 2.*podinfo 6\.5\.4.*Revision 1/ })
      .waitFor({ timeout: LIMIT_MS });
    expect(await page.content()).not.toContain('robot:pw');
    await page.goto(`${server.origin}/releases/sources`);
    await expect.poll(() => page.getByRole('row').count(), POLL).toBe(3);
    await page
      .getByRole('link', { name: /^podinfo/ })
      .first()
      .waitFor({ timeout: LIMIT_MS });
    expect(faults).toEqual([]);
  });

  it('[issue 12] asks Flux as the person, and says whether it was taken up', async () => {
    const { page, faults } = operator;
    await page.goto(`${server.origin}/releases/shop/helmrelease-v2/podinfo`);
    await page.getByRole('link', { name: 'HelmRepository podinfo', exact: true }).waitFor({ timeout: LIMIT_MS });
    await ask(page, 'Reconcile now', ['Fetch its sources first: HelmChart shop-podinfo and HelmRepository podinfo']);
    await status(page).getByText('not yet handled by Flux').first().waitFor({ timeout: LIMIT_MS });
    const token = (await read()).metadata.annotations?.['reconcile.fluxcd.io/requestedAt'];
    const repository = await cluster.get({ ...FLUX_KINDS.helmrepository, namespace: 'shop', name: 'podinfo' });
    expect(repository.metadata.annotations?.['reconcile.fluxcd.io/requestedAt']).toBe(token);
    await cluster.patch(PODINFO, { type: 'merge', body: { status: { lastHandledReconcileAt: token } } }, { subresource: 'status' });
    await status(page).getByText('handled by Flux').filter({ hasNotText: 'not yet' }).first().waitFor({ timeout: LIMIT_MS });
    await page.getByRole('tab', { name: /On record/ }).click();
    await page.getByText('flux.reconcile').first().waitFor({ timeout: LIMIT_MS });

    await ask(page, 'Suspend');
    await until('it is suspended', async () => ((await read()).spec as { suspend?: boolean }).suspend === true);
    await actions(page).getByRole('button', { name: 'Resume', exact: true }).waitFor({ timeout: LIMIT_MS });
    await expectBlocked(actions(page).getByRole('button', { name: 'Force', exact: true }));
    await ask(page, 'Resume');
    await until('it is resumed', async () => ((await read()).spec as { suspend?: boolean }).suspend === false);
    const { generation: observedGeneration } = (await read()).metadata;
    const stalled = { ...fluxCondition('Stalled', 'True', ['RetriesExceeded', 'Failed to upgrade after 3 attempts']), observedGeneration };
    const failed = { observedGeneration, conditions: [stalled], upgradeFailures: 3 };
    await cluster.patch(PODINFO, { type: 'merge', body: { status: failed } }, { subresource: 'status' });
    await status(page).getByText('Failed to upgrade after 3 attempts').first().waitFor({ timeout: LIMIT_MS });
    expect(faults).toEqual([]);
  });

  it('[issue 12] has its acts disabled, with the reason, for whoever may not patch it', async () => {
    const { page } = viewer;
    await page.goto(`${server.origin}/releases/shop/helmrelease-v2/podinfo`);
    const button = actions(page).getByRole('button', { name: 'Reconcile now', exact: true });
    await expectBlocked(button, /"patch" on helmreleases\.helm\.toolkit\.fluxcd\.io/);
    const before = (await read()).metadata.resourceVersion;
    const body = {
      kind: 'helmrelease-v2',
      verb: 'suspend',
      uid: (await read()).metadata.uid,
      generation: (await read()).metadata.generation,
    };
    const answer = await viewer.context.request.post(`${server.origin}/api/v1/namespaces/shop/flux/podinfo/actions`, {
      data: body,
      headers: { origin: server.origin },
    });
    expect(answer.status()).toBe(403);
    expect((await read()).metadata.resourceVersion).toBe(before);
  });
});
