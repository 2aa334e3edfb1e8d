import { describe, expect, it } from 'vitest';
import { KINDS, PLAN } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { ChangePlan } from '@/server/application';
import { ApplicationHouse } from '../../support/application-house';

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const SECRET = { apiVersion: 'v1', kind: 'Secret' };
const configMap = (name: string, data: object = { from: 'git' }) => ({ ...CONFIG_MAP, metadata: { name }, data });
const OURS = { 'app.oam.dev/name': 'web', 'app.oam.dev/namespace': 'shop' };
const secret = (name: string, value = 'c2VjcmV0') => ({ ...SECRET, metadata: { name }, data: { token: value } });
const holding = (...objects: readonly object[]) => ({ components: [{ name: 'set', type: 'k8s-objects', properties: { objects } }] });
const web = (image: string, replicas = 2) => ({
  name: 'web',
  type: 'webservice',
  properties: { image },
  traits: [{ type: 'scaler', properties: { replicas } }],
});
const staged = (image: string, ...objects: readonly object[]) => ({
  components: [web(image), ...holding(...objects).components],
  policies: [{ type: 'rollout', properties: { component: 'web', ratio: 50, control: { scaleDownDelaySeconds: 0 } } }],
});

const verdicts = ({ objects }: ChangePlan) =>
  Object.fromEntries(objects.map(({ at: { kind, name }, verdict }) => [`${kind}/${name}`, verdict]));
const contents = (house: ApplicationHouse) =>
  house
    .takeWrites()
    .filter(
      (write) =>
        !/ ((ResourceTracker|Application|ApplicationRevision|RolloutOrchestrator|Event)\/|Secret\/web-values-[0-9a-f]{20}$)/.test(write),
    )
    .sort();
const noted = (house: ApplicationHouse, revision: string) =>
  house.get(KINDS.applicationRevision, revision)?.metadata.annotations?.['slipway.dev/accepted-plan'];
const travelling = (house: ApplicationHouse) => house.application().metadata.annotations?.[PLAN.seen];

/** Somebody else changes an object in the cluster. */
async function meddle(
  house: ApplicationHouse,
  name: string,
  change: (live: KubeObject) => object,
  type: typeof CONFIG_MAP = CONFIG_MAP,
): Promise<void> {
  const live = house.get(type, name);
  if (live === undefined) throw new Error(`no ${name}`);
  await house.server.update({ ...live, ...change(live) });
}

/** An engine that is not there while a change is asked for and something else moves. */
async function whileAway(house: ApplicationHouse, work: () => Promise<void>): Promise<void> {
  await house.stop();
  await work();
  house.takeWrites();
  await house.start();
  await house.clock.advance(1000);
}

describe('what was previewed', () => {
  it('[issue 9.4] is done exactly: made, changed, handed over and deleted as shown', async () => {
    await using house = await new ApplicationHouse().start();
    expect(verdicts(await house.applySeen(holding(configMap('a'), configMap('b'), secret('c'))))).toEqual({
      'ConfigMap/a': 'new',
      'ConfigMap/b': 'new',
      'Secret/c': 'new',
    });
    expect(contents(house)).toEqual(['create ConfigMap/a', 'create ConfigMap/b', 'create Secret/c']);
    const next = holding(configMap('a', { from: 'elsewhere' }), configMap('b'), configMap('d'));
    expect(verdicts(await house.applySeen(next))).toEqual({
      'ConfigMap/a': 'changed',
      'ConfigMap/b': 'handed-over',
      'ConfigMap/d': 'new',
      'Secret/c': 'deleted',
    });
    await house.clock.advance(1000);
    expect(contents(house)).toEqual(['create ConfigMap/d', 'delete Secret/c', 'patch ConfigMap/a', 'patch ConfigMap/b']);
    expect(house.latest()).toBe('web-v2');
  });

  it('[issue 9.4] is noted as accepted on the revision before anything is written, and is spent once all of it is done', async () => {
    await using house = await new ApplicationHouse().start();
    const seen: (string | undefined)[] = [];
    house.server.onRequest = (verb, { kind }) => {
      if (verb === 'create' && kind === 'ConfigMap') seen.push(noted(house, 'web-v1'));
    };
    const { digest } = await house.applySeen(holding(configMap('a')));
    expect(seen).toEqual([expect.stringContaining(digest)]);
    await house.clock.advance(1000);
    expect(travelling(house)).toBeUndefined();
    expect([...house.record.values()].map(({ action, message }) => `${action}: ${message}`)).toContainEqual(
      'plan.accepted: web-v1 is applied as ada previewed it: nothing has changed since',
    );
    house.takeWrites();
    await house.clock.advance(30 * 60_000);
    expect(house.takeWrites()).toEqual([]);
  });

  it.each<[string, (house: ApplicationHouse) => Promise<unknown>]>([
    ['a field that would be written is another', (house) => meddle(house, 'a', () => ({ data: { from: 'somebody', more: 'x' } }))],
    ['an object that would be changed is gone', (house) => house.server.delete({ ...CONFIG_MAP, namespace: 'shop', name: 'a' })],
    [
      'an object that would be made is there',
      (house) => house.server.create({ ...configMap('d'), metadata: { name: 'd', namespace: 'shop', labels: OURS } }),
    ],
    [
      'an object that would go asks to stay',
      (house) =>
        meddle(house, 'c', ({ metadata }) => ({ metadata: { ...metadata, annotations: { 'app.oam.dev/skipGC': 'true' } } }), SECRET),
    ],
  ])(
    '[issue 9.4] is not done when %s: nothing is written, and what it would do now is accepted by an act of its own',
    async (_what, move) => {
      await using house = await new ApplicationHouse().start();
      await house.applySeen(holding(configMap('a', { from: 'git', gone: 'soon' }), secret('c')));
      const next = holding(configMap('a', { from: 'elsewhere' }), configMap('d'));
      await whileAway(house, async () => {
        await house.applySeen(next);
        await move(house);
      });
      expect(contents(house)).toEqual([]);
      expect([house.phase(), house.condition('Applied')?.reason, house.get(KINDS.applicationRevision, 'web-v2')]).toEqual([
        'held',
        'PlanMoved',
        undefined,
      ]);
      expect([...house.record.values()].map(({ action }) => action)).toContain('plan.moved');
      await house.clock.advance(60_000);
      expect(contents(house)).toEqual([]);
      await house.applySeen(next);
      await house.clock.advance(1000);
      expect([house.latest(), house.phase(), travelling(house)]).toEqual(['web-v2', 'running', undefined]);
    },
  );

  it('[issue 9.4] is done although what nobody would write has moved: replicas under an autoscaler, status, an object that was to go anyway', async () => {
    await using house = await new ApplicationHouse().start();
    const scaled = (image: string) => ({ ...web(image), traits: [{ type: 'hpa', properties: { min: 1, max: 9 } }] });
    await house.applySeen({ components: [scaled('web:1'), ...holding(configMap('a'), configMap('b')).components] });
    await whileAway(house, async () => {
      await house.applySeen({ components: [scaled('web:2'), ...holding(configMap('a')).components] });
      const { spec } = house.get(KINDS.deployment, 'web') as { spec?: object };
      await meddle(house, 'web', () => ({ spec: { ...spec, replicas: 7 } }), KINDS.deployment as unknown as typeof CONFIG_MAP);
      await meddle(house, 'a', () => ({ status: { seen: true } }));
      await house.server.delete({ ...CONFIG_MAP, namespace: 'shop', name: 'b' });
    });
    expect(house.latest()).toBe('web-v2');
    expect(house.get(KINDS.deployment, 'web')?.spec).toMatchObject({ replicas: 7 });
  });

  it('[issue 9.4] is void for any other spec: a change by kubectl has no preview and goes by the rules of collection alone', async () => {
    await using house = await new ApplicationHouse().start();
    await house.applySeen(holding(configMap('a'), configMap('b')));
    await whileAway(house, async () => {
      await house.applySeen(holding(configMap('a')));
      await house.apply(holding(configMap('b'), configMap('c')));
    });
    expect(contents(house)).toEqual(['create ConfigMap/c', 'delete ConfigMap/a', 'patch ConfigMap/b']);
    expect(noted(house, 'web-v2')).toBeUndefined();
  });

  it('[design 13 G] has its deletions compared once more at the end of a rollout: another set waits for a decision', async () => {
    await using house = await new ApplicationHouse().start();
    await house.applySeen(staged('web:1', configMap('a'), configMap('b')));
    await house.finishRollout();
    await house.clock.advance(1000);
    const { deletions } = await house.applySeen(staged('web:2', configMap('a')));
    expect(noted(house, 'web-v2')).toBeDefined();
    expect(house.get(KINDS.applicationRevision, 'web-v2')?.metadata.annotations?.['slipway.dev/accepted-deletions']).toBe(deletions);
    await meddle(house, 'b', ({ metadata }) => ({
      metadata: { ...metadata, annotations: { ...metadata.annotations, 'app.oam.dev/skipGC': 'true' } },
    }));
    await house.finishRollout();
    await house.clock.advance(60_000);
    expect([house.deployments(), house.condition('Collected')?.message]).toEqual([
      ['web-v1', 'web-v2'],
      expect.stringContaining('not what was seen when the change was requested'),
    ]);
    expect(travelling(house)).toBeDefined();
    const garbage = house.condition('Collected')?.message.match(/sha256:[0-9a-f]+/)?.[0];
    await house.decide({ seen: { garbage } });
    await house.clock.advance(60_000);
    expect([house.deployments(), house.get(CONFIG_MAP, 'b') !== undefined, travelling(house)]).toEqual([['web-v2'], true, undefined]);
  });

  it('[issue 9.4] holds to the end of a rollout, restarts included, and an object that went meanwhile is gone as planned', async () => {
    await using house = await new ApplicationHouse().start();
    await house.applySeen(staged('web:1', configMap('a'), configMap('b')));
    await house.finishRollout();
    await house.clock.advance(1000);
    await house.applySeen(staged('web:2', configMap('a')));
    await house.server.delete({ ...CONFIG_MAP, namespace: 'shop', name: 'b' });
    await house.restart();
    await house.clock.advance(60_000);
    await house.finishRollout();
    await house.clock.advance(60_000);
    expect([house.deployments(), house.latest(), travelling(house)]).toEqual([['web-v2'], 'web-v2', undefined]);
  });

  it('[design 8] that was shown to wait for a decision waits, also where so much went meanwhile that the rest would need none', async () => {
    await using house = await new ApplicationHouse().start();
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    await house.applySeen(holding(...names.map((name) => configMap(name))));
    await whileAway(house, async () => {
      const { refused } = await house.applySeen(holding(configMap('a')));
      expect(refused).toContain('it would delete 5 of 6 objects');
      await house.server.delete({ ...CONFIG_MAP, namespace: 'shop', name: 'b' });
    });
    expect([house.phase(), house.get(CONFIG_MAP, 'c') !== undefined]).toEqual(['held', true]);
    const collection = house.application().status as { collection?: { digest?: string } };
    await house.decide({ seen: { garbage: collection.collection?.digest }, garbage: { count: 4 } });
    await house.clock.advance(12_000);
    expect([house.phase(), house.get(CONFIG_MAP, 'c')]).toEqual(['running', undefined]);
  });

  it('[issue 9.4] reads Secrets as the server does, tells none of their values, and does not depend on them', async () => {
    await using house = await new ApplicationHouse().start();
    await house.applySeen(holding(configMap('a'), secret('c')));
    const plan = await house.plan(holding(configMap('a')));
    expect(verdicts(plan)).toEqual({ 'ConfigMap/a': 'handed-over', 'Secret/c': 'deleted' });
    const one = await house.plan(holding(configMap('a'), secret('c', 'b25l')));
    const other = await house.plan(holding(configMap('a'), secret('c', 'b3RoZXI=')));
    expect(verdicts(one)).toMatchObject({ 'Secret/c': 'changed' });
    expect(one.digest).toBe(other.digest);
  });

  it('[issue 9] warns of a rollout policy that nobody could meet, before it is in force', async () => {
    await using house = await new ApplicationHouse().start();
    const wanting = (required: number) => ({
      ...staged('web:1'),
      policies: [{ type: 'rollout', properties: { component: 'web', control: { gates: 'every-stage', approvals: { required } } } }],
    });
    expect((await house.plan(wanting(99))).unmeetable).toContain('the policy requires 99 approvals at each gate');
    expect((await house.plan(wanting(2))).unmeetable).toBeUndefined();
  });

  it('[dispatch R1] tells with its phase that a dispatch failed', async () => {
    await using house = await new ApplicationHouse().start();
    house.server.addFaults([{ verb: 'create', kind: 'ConfigMap', code: 500, times: 100 }]);
    await house.apply(holding(configMap('a')));
    expect([house.condition('Applied')?.reason, house.phase()]).toEqual(['DispatchFailed', 'unhealthy']);
  });
});
