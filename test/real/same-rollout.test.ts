import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { toAddress } from '@/lib/kube/object';
import { installMissing, readManifests } from '@/server/installation';
import { isNotFound } from '@/server/kube';
import { realClock } from '@/server/platform';
import { aController, rightsOfControllers } from '../support/applications';
import { startBrowser } from '../support/browser';
import { openCluster } from '../support/census';
import { defineSameRollout } from '../support/define-same-rollout';
import { aDefinition } from '../support/definitions';
import { actions } from '../support/rollout-page';
import { startServerProcess } from '../support/server-process';
import { silentLog } from '../support/silent-log';
import { until } from '../support/until';

const LIMIT_MS = 90_000;
const POLL = { timeout: LIMIT_MS, interval: 100 } as const;

const ground = defineSameRollout('on a real control plane', async () => {
  const cluster = openCluster(process.env.KUBECONFIG ?? '');
  const roles = await readManifests('deploy/rbac');
  await installMissing(roles, { cluster, clock: realClock, log: silentLog });
  const server = await startServerProcess(['--kubeconfig', path.join(process.env.SLIPWAY_CLUSTER_DIR ?? '', 'slipway.kubeconfig')]);
  const visitors = await startBrowser();
  const suffix = randomUUID().slice(0, 8);
  const namespaces = { console: `slipway-console-${suffix}`, kubectl: `slipway-kubectl-${suffix}` };
  const web = { ...KINDS.application, namespace: namespaces.console, name: 'web' };
  return {
    origin: server.origin,
    operator: await visitors.visit(server.address),
    cluster,
    namespaces,
    async [Symbol.asyncDispose]() {
      // Only a running engine lets go of it; what stayed would be taken up by the engines of another test.
      await cluster.delete(web).catch(() => undefined);
      await until('the application is gone', () => cluster.get(web).then(() => false, isNotFound)).catch(() => undefined);
      for (const name of Object.values(namespaces)) await cluster.delete({ ...KINDS.namespace, name }).catch(() => undefined);
      await visitors[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await cluster[Symbol.asyncDispose]();
    },
  };
});

describe('an engine that must not act', () => {
  const page = () => ground().operator.page;
  const states = () =>
    actions(page())
      .getByRole('button')
      .evaluateAll((all) => all.map((one) => one.getAttribute('aria-disabled')));
  const allRefused = async () => {
    await expect.poll(async () => [...new Set(await states())], POLL).toEqual(['true']);
  };
  const open = async () => {
    const { origin, namespaces } = ground();
    await page().goto(`${origin}/rollouts/${namespaces.console}/web`);
    await expect.poll(async () => (await states()).includes(null), POLL).toBe(true);
  };
  const decideByApi = async (verb: string) => {
    const { origin, namespaces, operator, cluster } = ground();
    const { metadata } = await cluster.get({ ...KINDS.rolloutOrchestrator, namespace: namespaces.console, name: 'web' });
    const answer = await operator.context.request.post(`${origin}/api/v1/namespaces/${namespaces.console}/rollouts/web/decisions`, {
      data: { verb, uid: metadata.uid, revision: 'web-v2', reason: 'a test' },
      headers: { origin },
      maxRetries: 2, // the server ends a connection that was not used for a while
    });
    return { status: answer.status(), text: await answer.text() };
  };

  it('[issue 9.3] is held by a definition that would drop what it must remember: page and API refuse every verb and name the field, until it is fixed', async () => {
    const { cluster } = ground();
    const right = await aDefinition('rolloutorchestrators');
    const wrong = await aDefinition('rolloutorchestrators', (schema) => schema.remove('status.stageRevisionStatus'));
    const replaceBy = async (definition: typeof right) => {
      const { metadata } = await cluster.get(toAddress(definition));
      await cluster.update({ ...definition, metadata });
    };
    await open();
    try {
      await replaceBy(wrong);
      await page().getByText('Stopped', { exact: true }).filter({ visible: true }).first().waitFor({ timeout: LIMIT_MS });
      await page()
        .getByText(/The rollout engine does nothing: .*status\.stageRevisionStatus/)
        .first()
        .waitFor({ timeout: LIMIT_MS });
      await allRefused();
      const refused = await decideByApi('abort');
      expect(refused.status).toBe(503);
      expect(refused.text).toContain('status.stageRevisionStatus');
    } finally {
      await replaceBy(right);
    }
    await page().getByText('Stopped', { exact: true }).filter({ visible: true }).first().waitFor({ state: 'hidden', timeout: LIMIT_MS });
    await expect.poll(async () => (await states()).includes(null), POLL).toBe(true);
  });

  it('[issue 9.3] only looks on beside another controller within a minute: every verb, abort too, is refused with who drives', async () => {
    const { cluster, namespaces } = ground();
    await open();
    const foreign = aController('progressive-rollout', 'registry.example.com/serving-progressive-rollout:1');
    for (const object of rightsOfControllers(namespaces.kubectl)) await cluster.create(object);
    await cluster.create({ ...foreign, metadata: { ...foreign.metadata, namespace: namespaces.kubectl } });
    await page().getByText('Observing only', { exact: true }).filter({ visible: true }).first().waitFor({ timeout: LIMIT_MS });
    await allRefused();
    const why = page().getByText(new RegExp(`progressive-rollout.*${namespaces.kubectl}|${namespaces.kubectl}.*progressive-rollout`));
    await why.first().waitFor({ timeout: LIMIT_MS });
    for (const verb of ['abort', 'pause']) {
      const refused = await decideByApi(verb);
      expect(refused.status, refused.text).toBe(503);
      expect(refused.text).toContain('progressive-rollout');
    }
  });
});
