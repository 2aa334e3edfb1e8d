import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { RemoteCluster } from '@/server/kube/remote/create';
import type { Visit } from './browser';
import { expectBlocked } from './controls';
import { actions, decide, figuresOf, waitsAtGate } from './rollout-page';
import { until } from './until';

const LIMIT_MS = 90_000;
const POLL = { timeout: LIMIT_MS, interval: 100 } as const;

// Ten replicas, 45% a stage: the engine stops at 40, 80 and 100 percent, so a gate at 38% holds once.
const REPLICAS = 10;
const GATES = [{ atPercent: 38 }];
const RATIO = 45;

/** A server with a person in front of it, and the cluster that it drives. */
export interface RolloutGround extends AsyncDisposable {
  readonly origin: string;
  readonly operator: Visit;
  readonly cluster: RemoteCluster;
  /** Two namespaces of the test's own: one is changed by the console, one by kubectl. */
  readonly namespaces: { readonly console: string; readonly kubectl: string };
}

const storefront = (namespace: string, image: string): KubeObject => ({
  ...KINDS.application,
  metadata: { name: 'web', namespace },
  spec: {
    components: [
      {
        name: 'web',
        type: 'webservice',
        properties: { image, ports: [{ port: 8080, expose: true }], cpu: '0.01', memory: '16Mi' },
        traits: [{ type: 'scaler', properties: { replicas: REPLICAS } }],
      },
    ],
    policies: [
      {
        name: 'staged',
        type: 'rollout',
        properties: { component: 'web', ratio: RATIO, control: { gates: GATES, scaleDownDelaySeconds: 1 } },
      },
    ],
  },
});

/** A Deployment as whoever rolls out without an application makes it. */
function aDeployment(namespace: string, { name, replicas }: { readonly name: string; readonly replicas: number }): KubeObject {
  const labels = { 'serving.knative.dev/service': 'web', 'serving.knative.dev/revision': name };
  const requests = { cpu: '0.01', memory: '16Mi' };
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: 'web', image: `registry.example.com/web:${name.slice(-1)}`, resources: { requests } }] },
  };
  return { ...KINDS.deployment, metadata: { name, namespace, labels }, spec: { replicas, selector: { matchLabels: labels }, template } };
}

/** The same change without an application, its ratio in the annotation that the original reads. */
function byKubectl(namespace: string, { name = 'web', gates = GATES as unknown } = {}): KubeObject {
  const entry = (revisionName: string) => ({ revisionName, percent: 100, minScale: REPLICAS, maxScale: REPLICAS });
  return {
    ...KINDS.rolloutOrchestrator,
    metadata: { name, namespace, annotations: { 'rollout.knative.dev/over-consumption-ratio': String(RATIO) } },
    spec: {
      initialRevisions: [entry(`${name}-v1`)],
      targetRevisions: [entry(`${name}-v2`)],
      rolloutStrategy: 'availability',
      control: { gates, scaleDownDelaySeconds: 1 },
    },
  };
}

const textsOf = async (locator: Locator) => (await locator.allTextContents()).map((text) => text.replace(/\s+/g, ' ').trim());
const panelOf = (page: Page, heading: string | RegExp) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: heading }) });
const stages = (page: Page) => page.getByRole('list', { name: 'Stages' }).getByRole('listitem');

/** The figures of both revisions, without the tooltip of the chart, where the pointer rests. */
const lanesOf = async (page: Page) => (await figuresOf(page)).filter((text) => text.includes('Ready pods'));

/** Waits until each revision has as many ready pods as are desired: what shares and consequences are told by. */
async function waitsAtRest(page: Page): Promise<void> {
  await waitsAtGate(page, 1);
  await expect.poll(async () => (await lanesOf(page)).map((text) => /\b(\d+) of \1 desired/.test(text)), POLL).toEqual([true, true]);
}

/** What a person reads of a rollout that waits at its gate: the rail, why it waits, and what each verb would do. */
async function readRollout(page: Page) {
  const head = await panelOf(page, /^Stage \d/)
    .getByRole('heading')
    .textContent();
  const why = await textsOf(panelOf(page, 'Why it is waiting').locator('p:not([role="status"]), li'));
  const buttons = actions(page).getByRole('button');
  const dialogs: Record<string, readonly string[]> = {};
  for (const verb of await textsOf(buttons)) {
    const button = buttons.filter({ hasText: verb }).first();
    // A rollback changes the application, which only one of them has.
    if (verb === 'Roll back' || (await button.getAttribute('aria-disabled')) === 'true') continue;
    await button.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('region', { name: 'What happens' }).waitFor({ timeout: LIMIT_MS });
    dialogs[verb] = [
      ...(await textsOf(dialog.getByRole('region', { name: 'What happens' }).getByRole('listitem'))),
      ...(await textsOf(dialog.getByRole('region', { name: 'Replicas' }).locator('tr, p'))),
    ];
    await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();
    await dialog.waitFor({ state: 'hidden', timeout: LIMIT_MS });
  }
  return { head, why, rail: await textsOf(stages(page)), figures: await lanesOf(page), dialogs };
}

/** Replicas of both revisions as their Deployments have them. */
async function replicasOf(cluster: RemoteCluster, namespace: string): Promise<string> {
  const counts: string[] = [];
  for await (const { items } of cluster.list({ ...KINDS.deployment, namespace })) {
    for (const { metadata, status } of items)
      counts.push(`${metadata.name} ${(status as { readyReplicas?: number } | undefined)?.readyReplicas ?? 0}`);
  }
  return counts.sort().join(', ');
}

/** The same rollout made by the console and by kubectl, as a person sees and decides it in the browser; the console's goes on waiting at its gate. */
export function defineSameRollout(title: string, prepare: () => Promise<RolloutGround>): () => RolloutGround {
  let ground: RolloutGround;
  afterAll(() => ground?.[Symbol.asyncDispose]());
  describe(`one rollout, two ways to make it, ${title}`, () => {
    const page = () => ground.operator.page;
    const open = (namespace: string, name = 'web') => page().goto(`${ground.origin}/rollouts/${namespace}/${name}`);
    const apply = async (image: string) => {
      const answer = await ground.operator.context.request.post(`${ground.origin}/api/v1/applications`, {
        data: { manifest: JSON.stringify(storefront(ground.namespaces.console, image)) },
        headers: { origin: ground.origin },
      });
      expect(answer.status(), await answer.text()).toBe(202);
    };

    beforeAll(async () => {
      ground = await prepare();
      const { cluster, namespaces } = ground;
      await page().getByRole('heading', { name: 'Inbox', level: 1 }).waitFor({ timeout: LIMIT_MS });
      for (const name of Object.values(namespaces)) await cluster.create({ ...KINDS.namespace, metadata: { name } });
      await apply('registry.example.com/web:1');
      await cluster.create(aDeployment(namespaces.kubectl, { name: 'web-v1', replicas: REPLICAS }));
      await cluster.create(aDeployment(namespaces.kubectl, { name: 'web-v2', replicas: 0 }));
      const atRest = `web-v1 ${REPLICAS}`;
      await until('both first revisions run', async () =>
        (await Promise.all(Object.values(namespaces).map((name) => replicasOf(cluster, name)))).every((found) => found.startsWith(atRest)),
      );
      await page().goto(`${ground.origin}/applications/${namespaces.console}/web`);
      await page().getByText('everything is ready').first().waitFor({ timeout: LIMIT_MS });
      await apply('registry.example.com/web:2');
      await cluster.create(byKubectl(namespaces.kubectl));
    });

    it('[issue 9.3] has the same rail, the same gate, the same words and the same consequences on its page', async () => {
      const { namespaces } = ground;
      await open(namespaces.console);
      await waitsAtRest(page());
      const byConsole = await readRollout(page());
      await open(namespaces.kubectl);
      await waitsAtRest(page());
      const other = await readRollout(page());
      // Only an application has objects that both revisions share, and puts them back.
      const shared = /^Shared objects, such as/;
      expect(byConsole.dialogs.Abort?.filter((line) => shared.test(line))).toHaveLength(1);
      // The API server notes who asked for either, each in their own name.
      const asker = /^Requested by /;
      const unsigned = (lines: readonly string[]) => lines.filter((line) => !asker.test(line));
      for (const { why } of [byConsole, other]) expect(why.length - unsigned(why).length).toBe(1);
      expect({ ...other, why: unsigned(other.why) }).toEqual({
        ...byConsole,
        why: unsigned(byConsole.why),
        dialogs: { ...byConsole.dialogs, Abort: byConsole.dialogs.Abort?.filter((line) => !shared.test(line)) },
      });
      expect(byConsole.rail.map((stage) => /Gate: closed/.test(stage))).toEqual([true, false, false]);
      expect(byConsole.rail[0]).toMatch(/^Stage 1, done. 40%/);
      const back = actions(page()).getByRole('button', { name: 'Roll back', exact: true });
      await expectBlocked(back, /this rollout has none/);
      expect(Object.keys(byConsole.dialogs)).toEqual(expect.arrayContaining(['Approve', 'Promote fully', 'Pause', 'Abort']));
    });

    it('[issue 9.3] is aborted as its dialog said, and after a retry each attempt keeps its own stages and its own time', async () => {
      const { cluster, namespaces } = ground;
      await open(namespaces.kubectl);
      await waitsAtGate(page(), 1);
      await actions(page()).getByRole('button', { name: 'Abort', exact: true }).click();
      const dialog = page().getByRole('dialog');
      const rows = dialog.getByRole('region', { name: 'Replicas' }).locator('tbody tr');
      await rows.nth(1).waitFor({ timeout: LIMIT_MS });
      const promised = await rows.evaluateAll((rows) =>
        rows.map((row) => `${row.querySelector('th')?.textContent} ${row.querySelector('td:last-child')?.textContent}`),
      );
      await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();
      await dialog.waitFor({ state: 'hidden', timeout: LIMIT_MS });
      await decide(page(), 'Abort', 'the error rate rose');
      await page().getByText('Aborted', { exact: true }).first().waitFor({ timeout: LIMIT_MS });
      await expect.poll(() => replicasOf(cluster, namespaces.kubectl), POLL).toBe(promised.sort().join(', '));
      const aborted = ['Stage 1, done. 40%4 new · 6 old', 'Back, stage 1, done. 0%0 new · 10 old'];
      await expect.poll(() => textsOf(stages(page())), POLL).toEqual(aborted);
      await decide(page(), 'Retry', 'it was the network');
      await waitsAtGate(page(), 1);
      await decide(page(), 'Promote fully', 'seen enough');
      await page().getByText('all traffic goes to web-v2').first().waitFor({ timeout: LIMIT_MS });
      const chart = panelOf(page(), 'Replicas and traffic');
      const attempts = page().getByRole('group', { name: 'Attempts' });
      await expect
        .poll(() => textsOf(attempts.getByRole('button')), POLL)
        .toEqual(['Rollout to web-v2, aborted', 'Retry of web-v2, completed']);
      await attempts.getByRole('button', { name: 'Rollout to web-v2, aborted' }).click();
      await expect.poll(() => textsOf(stages(page())), POLL).toEqual(aborted);
      await chart.getByText('for the period of Rollout to web-v2, aborted').first().waitFor({ timeout: LIMIT_MS });
    });

    it('[issue 9.3] with a policy that cannot be read is Degraded, its page names the field, and nothing moves', async () => {
      const { cluster, namespaces } = ground;
      await cluster.create(aDeployment(namespaces.kubectl, { name: 'odd-v1', replicas: 2 }));
      await cluster.create(aDeployment(namespaces.kubectl, { name: 'odd-v2', replicas: 0 }));
      await cluster.create(byKubectl(namespaces.kubectl, { name: 'odd', gates: 'sometimes' }));
      const topic = `${ground.origin}/api/v1/rows?topic=rollout/${namespaces.kubectl}/odd`;
      await until('it is known', async () => (await ground.operator.context.request.get(topic)).ok());
      await open(namespaces.kubectl, 'odd');
      await page()
        .getByText(/spec\.control\.gates/)
        .first()
        .waitFor({ timeout: LIMIT_MS });
      await page().getByText('Failed', { exact: true }).first().waitFor({ timeout: LIMIT_MS });
      expect(await replicasOf(cluster, namespaces.kubectl)).toContain('odd-v1 2, odd-v2 0');
      expect(ground.operator.faults).toEqual([]);
    });
  });
  return () => ground;
}
