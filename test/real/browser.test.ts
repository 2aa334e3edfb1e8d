import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { readManifests } from '@/server/installation';
import { isAlreadyExists, isNotFound } from '@/server/kube';
import type { RemoteCluster } from '@/server/kube/remote/create';
import type { Visit, Visitors } from '../support/browser';
import { startBrowser } from '../support/browser';
import { openCluster } from '../support/census';
import { controlPlane } from '../support/control-plane';
import { printFigure } from '../support/figure';
import { actions, decide, figuresOf, waitsAtGate } from '../support/rollout-page';
import type { ServerProcess } from '../support/server-process';
import { startServerProcess } from '../support/server-process';

const LIMIT_MS = 100_000;
const STOPPED_MS = 10_000;
const WHO = { fieldManager: 'browser-test' } as const;
// Its own, for a namespace that still goes away from an earlier run takes nothing new.
const NAMESPACE = `slipway-browser-${randomUUID().slice(0, 8)}`;

const storefront = (image: string) => ({
  ...KINDS.application,
  metadata: { name: 'web', namespace: NAMESPACE },
  spec: {
    components: [
      {
        name: 'web',
        type: 'webservice',
        properties: { image, ports: [{ port: 8080, expose: true }], cpu: '0.01', memory: '16Mi' },
        traits: [{ type: 'scaler', properties: { replicas: 4 } }],
      },
    ],
    policies: [
      {
        name: 'staged',
        type: 'rollout',
        properties: { component: 'web', ratio: 50, control: { gates: 'every-stage', scaleDownDelaySeconds: 1 } },
      },
    ],
  },
});

describe('the whole of Slipway on a real control plane', () => {
  let server: ServerProcess;
  let visitors: Visitors;
  let cluster: RemoteCluster;
  let operator: Visit;

  /** Writes the application as the person who is signed in. */
  const apply = async (image: string) => {
    const answer = await operator.context.request.post(`${server.origin}/api/v1/applications`, {
      data: { manifest: JSON.stringify(storefront(image)) },
      headers: { origin: server.origin },
    });
    expect(answer.status(), await answer.text()).toBe(202);
  };
  const deployments = async () => {
    const names: string[] = [];
    for await (const page of cluster.list({ ...KINDS.deployment, namespace: NAMESPACE }))
      names.push(...page.items.flatMap(({ metadata }) => metadata.name ?? []));
    return names.sort();
  };

  beforeAll(async () => {
    cluster = openCluster(process.env.KUBECONFIG ?? '');
    const roles = await readManifests('deploy/rbac');
    for (const object of [{ ...KINDS.namespace, metadata: { name: NAMESPACE } }, ...roles]) {
      await cluster.create(object, WHO).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    }
    server = await startServerProcess(['--kubeconfig', path.join(process.env.SLIPWAY_CLUSTER_DIR ?? '', 'slipway.kubeconfig')]);
    visitors = await startBrowser();
    operator = await visitors.visit(server.address);
    await operator.page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor({ timeout: LIMIT_MS });
  });

  afterEach(() => {
    controlPlane().continue('kube-apiserver');
  });

  afterAll(async () => {
    try {
      await visitors?.[Symbol.asyncDispose]();
      const web = { ...KINDS.application, namespace: NAMESPACE, name: 'web' };
      await cluster?.delete(web).catch(() => undefined);
      // Only a running engine lets go of it; what stayed would be taken up by the engines of another test.
      await vi.waitFor(async () => expect(isNotFound(await cluster.get(web).catch((error: unknown) => error))).toBe(true), {
        timeout: LIMIT_MS,
        interval: 200,
      });
    } finally {
      await cluster?.delete({ ...KINDS.namespace, name: NAMESPACE }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
      await cluster?.[Symbol.asyncDispose]();
      await server?.[Symbol.asyncDispose]();
    }
  });

  it('[design 3] an operator rolls out with a gate, approves in the browser, and the old revision goes', async () => {
    const { page, faults } = operator;
    await apply('registry.example.com/web:1');
    await page.goto(`${server.origin}/applications/${NAMESPACE}/web`);
    await page.getByText('everything is ready').filter({ visible: true }).first().waitFor({ timeout: LIMIT_MS });
    await apply('registry.example.com/web:2');
    await page.goto(`${server.origin}/rollouts/${NAMESPACE}/web`);
    await waitsAtGate(page, 1);
    const figures = await figuresOf(page);
    await decide(page, 'Approve');
    await vi.waitFor(async () => expect(await figuresOf(page)).not.toEqual(figures), { timeout: LIMIT_MS, interval: 100 });
    await page.getByText('all traffic goes to web-v2').filter({ visible: true }).first().waitFor({ timeout: LIMIT_MS });
    await vi.waitFor(async () => expect(await deployments()).toEqual(['web-v2']), { timeout: LIMIT_MS, interval: 200 });
    expect(faults).toEqual([]);
  });

  it('[design 7] the API server is stopped for 10 s: the screen says so, refuses decisions, and catches up without a reload', async () => {
    const { page } = operator;
    await apply('registry.example.com/web:3');
    await waitsAtGate(page, 1);
    const loaded = await page.evaluate(() => performance.timeOrigin);
    const plane = controlPlane();
    const stopped = performance.now();
    plane.stop('kube-apiserver');
    const banner = page.getByRole('alert').filter({ hasText: 'The data may be out of date' });
    await banner.waitFor({ timeout: LIMIT_MS });
    printFigure('the screen shows that the API server is away after', performance.now() - stopped, 8000, 'ms');
    const approve = actions(page).getByRole('button', { name: 'Approve', exact: true });
    await vi.waitFor(async () => expect(await approve.getAttribute('aria-disabled')).toBe('true'), { timeout: LIMIT_MS });
    await page
      .getByText(/^As of /)
      .first()
      .waitFor({ timeout: LIMIT_MS });
    await vi.waitFor(() => expect(performance.now() - stopped).toBeGreaterThan(STOPPED_MS), { timeout: LIMIT_MS, interval: 100 });
    plane.continue('kube-apiserver');
    const continued = performance.now();
    await banner.waitFor({ state: 'hidden', timeout: LIMIT_MS });
    printFigure('the screen is live again after', performance.now() - continued, 5000, 'ms');
    await decide(page, 'Approve');
    await page.getByText('all traffic goes to web-v3').filter({ visible: true }).first().waitFor({ timeout: LIMIT_MS });
    await vi.waitFor(async () => expect(await deployments()).toEqual(['web-v3']), { timeout: LIMIT_MS, interval: 200 });
    expect(await page.evaluate(() => performance.timeOrigin)).toBe(loaded);
  });
});
