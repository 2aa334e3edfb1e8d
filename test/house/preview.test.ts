import { describe, expect, it } from 'vitest';
import { getCondition } from '@/lib/kube/condition';
import { KINDS, PLAN } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { THING } from '../support/preview/contents';
import { emptyTally, livePreviewRun } from '../support/preview/preview-runs';
import { PreviewWorld } from '../support/preview/preview-world';

const RUNS = 300;
const PIECE = 100;
const STAGED_RUNS = 8;
const LIMIT_MS = 600_000;
const NS = 'shop';
/** With names as long as these, more than an annotation holds. */
const MANY = 450;

async function live(world: PreviewWorld, from: number, runs: number) {
  const broken: string[] = [];
  const tally = emptyTally();
  for (let seed = from; seed < from + runs; seed++) broken.push(...(await livePreviewRun(world, seed, tally)));
  return { broken, tally };
}

describe('what was previewed is what is executed, and nothing else', () => {
  it.each(Array.from({ length: RUNS / PIECE }, (_, at) => at * PIECE))(
    `[issue 9.4] whoever asks and whatever moves in between: ${PIECE} seeded runs from %i`,
    async (from) => {
      await using world = await new PreviewWorld().open();
      const { broken, tally } = await live(world, from, PIECE);
      expect(broken).toEqual([]);
      // A sample in which nothing ever moved, waited or was masked would prove nothing.
      for (const count of [tally.executed, tally.moved, tally.conflicts, tally.deleted, tally.masked])
        expect(count).toBeGreaterThan(PIECE / 20);
      expect(tally.met['held approved'] ?? 0).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );

  it(
    `[issue 9.4] to the end of a rollout: ${STAGED_RUNS} seeded runs of staged applications`,
    async () => {
      await using world = await new PreviewWorld({ isAlive: true }).open();
      expect((await live(world, 10_000, STAGED_RUNS)).broken).toEqual([]);
    },
    LIMIT_MS,
  );
});

const configMap = (name: string, value = '1', namespace = NS) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data: { value },
});
const thing = (name: string) => ({ ...THING, metadata: { name, namespace: NS }, spec: { value: '1' } });
const holding = (...objects: readonly object[]): KubeObject => ({
  ...KINDS.application,
  metadata: { name: 'web', namespace: NS },
  spec: { components: [{ name: 'set', type: 'k8s-objects', properties: { objects } }] },
});

async function openShop({ isAlive = false } = {}): Promise<PreviewWorld> {
  const world = await new PreviewWorld({ isAlive }).open();
  for (const name of [NS, 'other']) await world.drive(world.cluster.create({ ...KINDS.namespace, metadata: { name } }));
  return world;
}

/** Applies what was previewed, after something happened in between; the engine is not there meanwhile. */
async function applyAfter(world: PreviewWorld, next: KubeObject, between: () => Promise<unknown>): Promise<void> {
  await world.stopEngines();
  const shown = await world.dryRun('root', next);
  if (shown === undefined) throw new Error('the change is refused as it is written');
  await between();
  await world.drive(world.commands.applyApplication(world.session('root'), { manifest: JSON.stringify(next), plan: shown.plan }));
  await world.startEngines();
  await world.clock.advance(12_000);
}

const verdictsNow = async (world: PreviewWorld) => {
  const { now } = await world.drive(world.commands.readMovedPlan(world.session('root'), { ns: NS, name: 'web' }));
  return Object.fromEntries(now.changes.map(({ id, verdict }) => [id, verdict]));
};

describe('between preview and execution', () => {
  const definition = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: 'things.things.example.dev' };

  it('[issue 9.4] a kind that disappears holds the change, and nothing of it is written', async () => {
    await using world = await openShop();
    await applyAfter(world, holding(configMap('a'), thing('f')), () => world.drive(world.cluster.delete(definition)));
    expect(await world.isMoved(NS)).toBe(true);
    expect([...(await world.contents([NS])).keys()]).toEqual([]);
    expect(await verdictsNow(world)).toMatchObject({ 'Thing.things.example.dev/shop/f': 'refused', 'ConfigMap/shop/a': 'new' });
  });

  it('[issue 9.4] a kind that comes after it was shown as refused is no consent: the change waits, and nothing of it is written', async () => {
    await using world = await openShop();
    const held = await world.get(definition);
    await world.drive(world.cluster.delete(definition));
    await applyAfter(world, holding(configMap('a'), thing('f')), async () => undefined);
    expect(await world.appliedReason(NS)).toBe('PlanRefused');
    const { uid: _uid, resourceVersion: _version, ...metadata } = held?.metadata ?? {};
    await world.drive(world.cluster.create({ ...held, ...definition, metadata: { ...metadata, name: definition.name } } as KubeObject));
    await world.clock.advance(60_000);
    expect([await world.isMoved(NS), [...(await world.contents([NS])).keys()]]).toEqual([true, []]);
  });

  it('[issue 9.4] an object that was to go and went with its kind is gone as planned', async () => {
    await using world = await openShop();
    await applyAfter(world, holding(configMap('a'), thing('f')), async () => undefined);
    await applyAfter(world, holding(configMap('a', '2')), () => world.drive(world.cluster.delete(definition)));
    expect(await world.isMoved(NS)).toBe(false);
    expect((await world.get({ ...configMap('a'), namespace: NS, name: 'a' }))?.data).toEqual({ value: '2' });
  });

  it('[issue 9.4] a namespace that begins to go holds what was to be made in it', async () => {
    await using world = await openShop();
    await applyAfter(world, holding(configMap('a'), configMap('there', '1', 'other')), () =>
      world.drive(world.cluster.delete({ ...KINDS.namespace, name: 'other' })),
    );
    expect(await world.isMoved(NS)).toBe(true);
    expect([...(await world.contents([NS])).keys()]).toEqual([]);
    expect(await verdictsNow(world)).toMatchObject({ 'ConfigMap/other/there': 'refused' });
  });

  it('[issue 9.4] the second of two people sees what the first changed, and whose change it is', async () => {
    await using world = await openShop();
    await applyAfter(world, holding(configMap('a')), async () => undefined);
    const held = await world.application(NS);
    const { uid = '', generation = 0 } = held?.metadata ?? {};
    const mine = holding(configMap('a', 'mine'));
    const shown = await world.dryRun('author', mine);
    const theirs = JSON.stringify(holding(configMap('a', 'theirs')));
    await world.drive(world.commands.applyApplication(world.session('root'), { manifest: theirs, seen: { uid, generation } }));
    const second = { manifest: JSON.stringify(mine), seen: { uid, generation }, ...(shown ? { plan: shown.plan } : {}) };
    const refusal = await world.drive(world.commands.applyApplication(world.session('author'), second).catch((error: unknown) => error));
    expect(refusal).toMatchObject({
      code: 'conflict',
      message: 'Application web in shop was changed by root since you opened it',
      details: { theirs: { by: 'root' } },
    });
    const { lines } = (refusal as { details: { theirs: { lines: readonly { sign: string; text: string }[] } } }).details.theirs;
    expect(lines.filter(({ sign }) => sign === '+' || sign === '-').map(({ sign, text }) => sign + text.trim())).toEqual([
      '-value: "1"',
      '+value: theirs',
    ]);
  });
});

describe('a plan', () => {
  it('[issue 9.4] too large for an annotation travels by its digest anyway, and is done', async () => {
    await using world = await openShop();
    const many = Array.from({ length: MANY }, (_, at) => configMap(`map-${'x'.repeat(200)}-${at}`));
    const next = holding(...many);
    await world.stopEngines();
    const shown = await world.dryRun('root', next);
    expect(JSON.stringify(shown).length).toBeGreaterThan(256 * 1024);
    await world.drive(
      world.commands.applyApplication(world.session('root'), { manifest: JSON.stringify(next), ...(shown ? { plan: shown.plan } : {}) }),
    );
    expect((await world.application(NS))?.metadata.annotations?.[PLAN.seen]?.length).toBeLessThan(300);
    await world.startEngines();
    await world.clock.advance(30_000);
    expect([await world.isMoved(NS), (await world.contents([NS])).size]).toEqual([false, MANY]);
  });

  it.each([
    ['was put back by the engine goes at the end as it was seen', false],
    ['somebody put there is theirs, and stays', true],
  ])('[issue 9.4] in mid-rollout something that is to go is deleted: what %s', async (_what, isTheirs) => {
    await using world = await openShop({ isAlive: true });
    const web = (image: string, ...objects: readonly object[]): KubeObject => ({
      ...holding(configMap('a'), ...objects),
      spec: {
        components: [
          { name: 'set', type: 'k8s-objects', properties: { objects: [configMap('a'), ...objects] } },
          { name: 'web', type: 'webservice', properties: { image }, traits: [{ type: 'scaler', properties: { replicas: 2 } }] },
        ],
        policies: [
          { type: 'rollout', properties: { component: 'web', ratio: 50, control: { gates: 'every-stage', pause: { duration: '10m' } } } },
        ],
      },
    });
    await applyAfter(world, web('web:1', configMap('limits')), async () => undefined);
    await world.clock.advance(60_000);
    await applyAfter(world, web('web:2'), async () => undefined);
    await world.clock.advance(30_000);
    const limits = { apiVersion: 'v1', kind: 'ConfigMap', namespace: NS, name: 'limits' };
    const uidOf = async () => (await world.get(limits))?.metadata.uid;
    const former = await uidOf();
    const put = async () => {
      await world.cluster.delete(limits);
      if (isTheirs) await world.cluster.create(configMap('limits', 'theirs'));
    };
    await world.drive(put());
    await world.clock.advance(30_000);
    expect([former, undefined]).not.toContain(await uidOf());
    await world.clock.advance(3_600_000);
    const isCollected = getCondition((await world.application(NS)) as KubeObject, 'Collected')?.status;
    expect([isCollected, (await uidOf()) === undefined]).toEqual(['True', !isTheirs]);
  });

  it('[dispatch A8] of an object without a name of its own is refused by preview and engine alike: it would be created again with every pass', async () => {
    await using world = await openShop();
    const nameless = holding({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'map-', namespace: NS } });
    expect(await world.dryRun('root', nameless)).toBeUndefined();
    await world.drive(world.cluster.create(nameless));
    await world.clock.advance(12_000);
    const application = await world.application(NS);
    expect(application && getCondition(application, 'Parsed')).toMatchObject({
      status: 'False',
      message: expect.stringContaining('metadata.name'),
    });
    expect((await world.contents([NS])).size).toBe(0);
  });
});
