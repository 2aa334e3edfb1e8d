import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RolloutDetail } from '@/lib/contract/rollout-rows';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { RemoteCluster } from '@/server/kube/remote/create';
import type { ApiPerson } from '../support/api-person';
import { sentenceOf, signIn } from '../support/api-person';
import type { Visit, Visitors } from '../support/browser';
import { startBrowser } from '../support/browser';
import { openCluster, versions } from '../support/census';
import { demonstrationInPlace } from '../support/demonstration';
import { manifest, write } from '../support/editor-page';
import type { ServerProcess } from '../support/server-process';
import { startServerProcess } from '../support/server-process';

const LIMIT_MS = 60_000;
const WHO = { fieldManager: 'a-person' } as const;
const WEB = { name: 'web', type: 'webservice', properties: { image: 'registry.example.com/trial/web:1' } };

interface Spec {
  readonly components: readonly object[];
  readonly policies?: readonly object[];
}

const applicationOf = (namespace: string, name: string, spec: Spec) => ({ ...KINDS.application, metadata: { name, namespace }, spec });
const configOf = (name: string) => ({
  name: 'settings',
  type: 'k8s-objects',
  properties: { objects: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { colour: 'blue' } }] },
});
const staged = (ratio: number) => [{ name: 'staged', type: 'rollout', properties: { component: 'web', ratio } }];

describe('what cannot be done is refused with a sentence, and nothing changes', () => {
  let server: ServerProcess;
  let visitors: Visitors;
  let cluster: RemoteCluster;
  let operator: ApiPerson;
  let screen: Visit;

  const checkout = () => operator.row<RolloutDetail>('rollout/shop/checkout');
  const messageOf = async (topic: string) => (await operator.row<{ message: string }>(topic))?.message ?? '';
  const apply = (object: unknown) => operator.post('/api/v1/applications', { manifest: JSON.stringify(object) });

  beforeAll(async () => {
    server = await startServerProcess();
    visitors = await startBrowser();
    cluster = openCluster(path.join(server.dataDir, 'cluster/kubeconfig'));
    screen = await visitors.visit(server.address);
    await screen.page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor({ timeout: LIMIT_MS });
    const invited = await screen.context.request.post(`${server.origin}/api/v1/session/links`, {
      data: { role: 'operator' },
      headers: { origin: server.origin },
    });
    operator = await signIn(server, ((await invited.json()) as { url: string }).url);
    await demonstrationInPlace(operator);
  });

  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    await visitors?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  it.each([
    [
      'an unknown component type',
      { components: [{ ...WEB, type: 'webservise' }] },
      ['spec.components[0].type', 'must be one of webservice', '"webservise"'],
    ],
    [
      'a webservice without image',
      { components: [{ ...WEB, properties: {} }] },
      ['spec.components[0].properties.image', 'must be a string', 'found nothing'],
    ],
    ['a ratio of 0', { components: [WEB], policies: staged(0) }, ['spec.policies[0].properties.ratio', 'must be at least 1', 'found 0']],
    [
      'a ratio of 101',
      { components: [WEB], policies: staged(101) },
      ['spec.policies[0].properties.ratio', 'must be at most 100', 'found 101'],
    ],
    [
      'negative replicas',
      { components: [{ ...WEB, traits: [{ type: 'scaler', properties: { replicas: -1 } }] }] },
      ['spec.components[0].traits[0].properties.replicas', 'must be at least 0', 'found -1'],
    ],
  ])('[issue bad input] %s', async (_what, spec, parts) => {
    const before = await versions(cluster);
    const answer = await apply(applicationOf('shop', 'trial', spec));
    expect(answer.status).toBe(400);
    for (const part of ['Application trial in shop', ...parts]) expect(sentenceOf(answer)).toContain(part);
    expect(await versions(cluster)).toEqual(before);
  });

  it('[issue bad input] an editor shows the refusal and keeps what was written', async () => {
    const { page } = screen;
    await page.goto(`${server.origin}/applications`);
    await page.getByRole('link', { name: 'New application', exact: true }).first().click({ timeout: LIMIT_MS });
    await write(page, JSON.stringify(applicationOf('shop', 'trial', { components: [{ ...WEB, type: 'webservise' }] })));
    await page.getByText('spec.components[0].type must be one of webservice').first().waitFor({ timeout: LIMIT_MS });
    expect(await manifest(page).textContent()).toContain('webservise');
  });

  it('[issue bad input] two applications claim one object: the second says so and changes nothing', async () => {
    const before = await versions(cluster, [{ apiVersion: 'v1', kind: 'ConfigMap' }, KINDS.resourceTracker, KINDS.deployment]);
    expect((await apply(applicationOf('shop', 'thief', { components: [configOf('storefront-settings')] }))).status).toBe(202);
    const sentence =
      'ConfigMap storefront-settings in shop belongs to application shop/storefront, and application shop/thief needs it too';
    await expect.poll(() => messageOf('application/shop/thief'), { timeout: LIMIT_MS }).toContain(sentence);
    expect(await versions(cluster, [{ apiVersion: 'v1', kind: 'ConfigMap' }, KINDS.resourceTracker, KINDS.deployment])).toEqual(before);
    await screen.page.goto(`${server.origin}/applications/shop/thief`);
    await screen.page.getByText(sentence).first().waitFor({ timeout: LIMIT_MS });
  });

  it('[issue bad input] two applications come to one tracker: the second says so and changes nothing', async () => {
    await cluster.create({ ...KINDS.namespace, metadata: { name: 'v1-shop' } }, WHO);
    expect((await apply(applicationOf('v1-shop', 'twin', { components: [configOf('one')] }))).status).toBe(202);
    await expect.poll(() => messageOf('application/v1-shop/twin'), { timeout: LIMIT_MS }).toMatch(/^everything is ready/i);
    const before = await versions(cluster, [{ apiVersion: 'v1', kind: 'ConfigMap' }, KINDS.resourceTracker]);
    expect((await apply(applicationOf('shop', 'twin-v1', { components: [configOf('two')] }))).status).toBe(202);
    const sentence =
      'ResourceTracker twin-v1-v1-shop belongs to application v1-shop/twin, and application shop/twin-v1 has the same tracker name';
    await expect.poll(() => messageOf('application/shop/twin-v1'), { timeout: LIMIT_MS }).toContain(sentence);
    expect(await versions(cluster, [{ apiVersion: 'v1', kind: 'ConfigMap' }, KINDS.resourceTracker])).toEqual(before);
    await screen.page.goto(`${server.origin}/applications/shop/twin-v1`);
    await screen.page.getByText(sentence).first().waitFor({ timeout: LIMIT_MS });
  });

  describe('decisions', () => {
    /** An approval of what the rollout waits for now. */
    const anApproval = async () => {
      const rollout = await checkout();
      const { stage, revision, seen } = rollout?.actions.find(({ verb }) => verb === 'approve') ?? {};
      return { verb: 'approve', uid: rollout?.uid, stage, revision, seen };
    };
    const send = async (decision: object) => {
      const answer = await operator.post('/api/v1/namespaces/shop/rollouts/checkout/decisions', decision);
      expect(answer.status).toBe(202);
      return fateOf((answer.body as { accepted: { name: string } }).accepted.name);
    };
    /** Sends an approval and answers what became of it. */
    const decided = async (change: object) => send({ ...(await anApproval()), ...change });
    const fateOf = async (name: string) => {
      const read = async () =>
        (await cluster.get({ ...KINDS.stageDecision, namespace: 'shop', name })).status as { phase?: string; message?: string } | undefined;
      await expect.poll(async () => (await read())?.phase, { timeout: LIMIT_MS }).toMatch(/Accepted|Rejected|Expired/);
      return read();
    };
    const moving = [KINDS.deployment, KINDS.stagePodAutoscaler];

    it('[issue bad input] an approval for another stage or revision, an expired one: each is refused by what it names', async () => {
      const before = await versions(cluster, moving);
      expect(await decided({ stage: 7 })).toMatchObject({
        phase: 'Rejected',
        message: expect.stringMatching(/^it was decided at stage 7, but the rollout has completed stage 1$/i),
      });
      expect(await decided({ revision: 'checkout-v9' })).toMatchObject({
        phase: 'Rejected',
        message: expect.stringMatching(/^it was decided about checkout-v9, but the rollout goes to checkout-v2$/i),
      });
      const late: KubeObject = {
        ...KINDS.stageDecision,
        metadata: { name: 'too-late', namespace: 'shop' },
        spec: {
          rolloutRef: { name: 'checkout', uid: (await checkout())?.uid },
          verb: 'pause',
          actor: { user: 'operator' },
          expiresAt: '2020-01-01T00:00:00Z',
        },
      };
      await cluster.as({ user: 'operator', groups: ['slipway:operators'] }).create(late, WHO);
      expect(await fateOf('too-late')).toMatchObject({ phase: 'Expired', message: expect.stringContaining('nothing was done') });
      expect(await versions(cluster, moving)).toEqual(before);
      await screen.page.goto(`${server.origin}/rollouts/shop/checkout`);
      await screen.page.getByRole('tab', { name: /Decisions/ }).click({ timeout: LIMIT_MS });
      await screen.page
        .getByText(/^it was decided at stage 7, but the rollout has completed stage 1$/i)
        .first()
        .waitFor({ timeout: LIMIT_MS });
    });

    it('[design 5] of two approvals at once one counts, and one for a stage that has passed does not', async () => {
      const approval = await anApproval();
      const [first, second] = await Promise.all([send(approval), send(approval)]);
      expect([first?.phase, second?.phase].sort()).toEqual(['Accepted', 'Rejected']);
      await expect.poll(async () => (await checkout())?.activity, { timeout: LIMIT_MS }).toBe('idle');
      expect(await decided({ stage: 1, revision: 'checkout-v2', seen: { rollout: 'as it was' } })).toMatchObject({
        phase: 'Rejected',
        message: expect.stringMatching(/^it was decided at stage 1, but the rollout has completed stage \d/i),
      });
    });
  });

  it('[dispatch 9] a tracker edited by hand is named, on the screen too, and nothing rests on it', async () => {
    const address = { ...KINDS.resourceTracker, name: 'recommendations-v1-labs' };
    const tracker = await cluster.get(address);
    const before = await versions(cluster, [KINDS.deployment]);
    const spec = { ...(tracker.spec as object), managedResources: [{ apiVersion: 'v1', kind: 'ConfigMap' }] };
    await cluster.update({ ...tracker, spec }, WHO);
    const sentence = 'ResourceTracker recommendations-v1-labs: entry 0 needs a kind and a name, found';
    await expect.poll(() => messageOf('application/labs/recommendations'), { timeout: LIMIT_MS }).toContain(sentence);
    expect(await messageOf('tracker/recommendations-v1-labs')).toContain(sentence);
    await screen.page.goto(`${server.origin}/trackers/recommendations-v1-labs`);
    await screen.page.getByText(sentence).first().waitFor({ timeout: LIMIT_MS });
    const change = applicationOf('labs', 'recommendations', { components: [{ ...WEB, name: 'recommender' }] });
    const answer = await apply(change);
    expect(answer.status).toBe(400);
    expect(sentenceOf(answer)).toContain(sentence);
    await cluster.patch(
      { ...KINDS.application, namespace: 'labs', name: 'recommendations' },
      { type: 'merge', body: { spec: change.spec } },
      WHO,
    );
    await expect.poll(() => messageOf('application/labs/recommendations'), { timeout: LIMIT_MS }).toContain(sentence);
    expect(await versions(cluster, [KINDS.deployment])).toEqual(before);
    expect(screen.faults.filter((fault) => !fault.includes('status of 400'))).toEqual([]);
  });
});
