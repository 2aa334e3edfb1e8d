import { describe, expect, it } from 'vitest';
import { KINDS, PLAN } from '@/lib/kube/kinds';
import type { ChangePlan } from '@/server/application';
import { ApplicationHouse } from '../../support/application-house';

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const configMap = (name: string, value = '1') => ({ ...CONFIG_MAP, metadata: { name }, data: { value } });
const holding = (...objects: readonly object[]) => ({ components: [{ name: 'set', type: 'k8s-objects', properties: { objects } }] });
const staged = (image: string, objects: readonly object[], policies: readonly object[] = []) => ({
  components: [{ name: 'web', type: 'webservice', properties: { image } }, ...holding(...objects).components],
  policies: [{ type: 'rollout', properties: { component: 'web', ratio: 50, control: { scaleDownDelaySeconds: 0 } } }, ...policies],
});

const verdicts = ({ objects }: ChangePlan) =>
  Object.fromEntries(objects.map(({ at: { kind, name }, verdict }) => [`${kind}/${name}`, verdict]));
const dataOf = (house: ApplicationHouse, name: string) =>
  (house.get(CONFIG_MAP, name) as { data?: { value?: string } } | undefined)?.data?.value;
const applied = (house: ApplicationHouse) => house.condition('Applied')?.reason;
const accepted = (house: ApplicationHouse, revision: string) =>
  house.get(KINDS.applicationRevision, revision)?.metadata.annotations?.['slipway.dev/accepted-plan'];
const note = (house: ApplicationHouse) => house.application().metadata.annotations?.[PLAN.seen] ?? '';
const contents = (house: ApplicationHouse) =>
  house
    .takeWrites()
    .filter((write) => / (ConfigMap|Deployment)\//.test(write))
    .sort();

/** Sets the plan that travels, as kubectl annotate does. */
async function annotate(house: ApplicationHouse, seen: string): Promise<void> {
  const { metadata, ...rest } = house.application();
  await house.server.update({ ...rest, metadata: { ...metadata, annotations: { ...metadata.annotations, [PLAN.seen]: seen } } });
}

/** An engine that is away while something is asked for and something else moves. */
async function whileAway(house: ApplicationHouse, work: () => Promise<void>): Promise<void> {
  await house.stop();
  await work();
  house.takeWrites();
  await house.start();
  await house.clock.advance(1000);
}

describe('a plan that says itself that it cannot be done', () => {
  it('[issue 9.4] is not accepted: once another application gives up what it lacked, somebody is asked, and until then nothing of it is written', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply(holding(configMap('shared', 'theirs')), 'rival');
    await house.applySeen(holding(configMap('a')));
    const plan = await house.applySeen(holding(configMap('b'), configMap('shared')));
    expect(verdicts(plan)).toMatchObject({ 'ConfigMap/shared': 'refused', 'ConfigMap/b': 'new', 'ConfigMap/a': 'deleted' });
    await house.clock.advance(60_000);
    expect([applied(house), house.get(KINDS.applicationRevision, 'web-v2'), house.get(CONFIG_MAP, 'b')]).toEqual([
      'PlanRefused',
      undefined,
      undefined,
    ]);
    expect(house.condition('Applied')?.message).toContain('belongs to application shop/rival');
    await house.apply(holding(configMap('other')), 'rival');
    await house.clock.advance(60_000);
    expect([applied(house), dataOf(house, 'a'), house.get(CONFIG_MAP, 'b')]).toEqual(['PlanMoved', '1', undefined]);
    await house.applySeen(holding(configMap('b'), configMap('shared')));
    await house.clock.advance(12_000);
    expect([house.latest(), dataOf(house, 'shared'), house.get(CONFIG_MAP, 'a')]).toEqual(['web-v2', '1', undefined]);
  });
});

describe('a plan that is set by hand', () => {
  const asked = holding(configMap('b'));

  it('[issue 9.4] counts for what it says: the right one is done, any other holds the change', async () => {
    await using house = await new ApplicationHouse().start();
    await house.applySeen(holding(configMap('a')));
    const { digest } = await house.plan(asked);
    await whileAway(house, async () => {
      await house.applySeen(asked);
      await annotate(house, note(house).replace(digest, `sha256:${'0'.repeat(64)}`));
    });
    expect([applied(house), contents(house)]).toEqual(['PlanMoved', []]);
    await annotate(house, note(house).replace(`sha256:${'0'.repeat(64)}`, digest));
    await house.clock.advance(12_000);
    expect([house.latest(), accepted(house, 'web-v2')]).toEqual(['web-v2', expect.stringContaining(digest)]);
  });

  it.each([
    [
      'made for another spec',
      (own: string, other: string) => own.replace(/ sha256:[0-9a-f]{64}/, other.match(/ sha256:[0-9a-f]{64}/)?.[0] ?? ''),
    ],
    ['of no form at all', () => 'sha256:1 yes'],
  ])('[issue 9.4] is none when it is %s: the change goes by the rules of a change without a preview', async (_what, forge) => {
    await using house = await new ApplicationHouse().start();
    await house.applySeen(holding(configMap('a')));
    const other = note(house);
    await whileAway(house, async () => {
      await house.applySeen(asked);
      await annotate(house, forge(note(house), other === '' ? ` sha256:${'1'.repeat(64)}` : other));
    });
    expect([house.latest(), accepted(house, 'web-v2')]).toEqual(['web-v2', undefined]);
  });

  it('[issue 9.4] is no second act: a plan that was done once does not vouch for what is done again', async () => {
    await using house = await new ApplicationHouse().start();
    await house.applySeen(holding(configMap('a')));
    await house.stop();
    await house.applySeen(holding(configMap('b')));
    const first = note(house);
    await house.start();
    await house.clock.advance(1000);
    expect([house.latest(), note(house)]).toEqual(['web-v2', '']);
    const digest = first.split(' ')[0] ?? '';
    await whileAway(house, async () => {
      await house.applySeen(holding(configMap('b')), { ...(await house.plan(holding(configMap('b')))), digest });
    });
    expect(applied(house)).toBe('PlanMoved');
  });
});

describe('a plan that was accepted', () => {
  it('[issue 9.4] binds the deletions at the end of a rollout also where a client drops it from the application on the way', async () => {
    await using house = await new ApplicationHouse().start();
    await house.applySeen(staged('web:1', [configMap('a'), configMap('b')]));
    await house.finishRollout();
    await house.clock.advance(1000);
    await house.applySeen(staged('web:2', [configMap('a')]));
    const { metadata, ...rest } = house.application();
    const { [PLAN.seen]: _dropped, ...annotations } = { ...metadata.annotations };
    await house.server.update({ ...rest, metadata: { ...metadata, annotations } });
    const live = house.get(CONFIG_MAP, 'b');
    const asking = { ...live?.metadata, annotations: { ...live?.metadata.annotations, 'app.oam.dev/skipGC': 'true' } };
    if (live !== undefined) await house.server.update({ ...live, metadata: asking });
    await house.finishRollout();
    await house.clock.advance(60_000);
    expect([house.deployments(), house.condition('Collected')?.message]).toEqual([
      ['web-v1', 'web-v2'],
      expect.stringContaining('not what was seen'),
    ]);
  });
});

describe('while nothing is written', () => {
  it('[issue 9.4] the application itself is not touched either, but for what its status says', async () => {
    await using house = await new ApplicationHouse().start();
    await whileAway(house, async () => {
      await house.applySeen(holding(configMap('a')));
      await house.server.create({ ...configMap('a', 'theirs'), metadata: { name: 'a', namespace: 'shop' } });
    });
    expect([applied(house), house.takeWrites(), house.application().metadata.finalizers]).toEqual(['PlanMoved', [], undefined]);
  });
});

describe('what became of the records', () => {
  it('[issue 9.4] a tracker that is lost between preview and execution takes its deletions out of the plan, so somebody is asked', async () => {
    await using house = await new ApplicationHouse().start();
    await house.applySeen(holding(configMap('a'), configMap('b')));
    await whileAway(house, async () => {
      expect(verdicts(await house.applySeen(holding(configMap('a', '2'))))).toEqual({ 'ConfigMap/a': 'changed', 'ConfigMap/b': 'deleted' });
      await house.server.delete({ ...KINDS.resourceTracker, name: 'web-v1-shop' }, { propagationPolicy: 'Orphan' });
    });
    expect([applied(house), contents(house), dataOf(house, 'a'), dataOf(house, 'b')]).toEqual(['PlanMoved', [], '1', '1']);
  });

  it('[issue 9.4] a record of what nobody saw, added before the end of a rollout, lets nothing go', async () => {
    await using house = await new ApplicationHouse().start();
    await house.applySeen(staged('web:1', [configMap('a'), configMap('b')]));
    await house.finishRollout();
    await house.clock.advance(1000);
    await house.applySeen(staged('web:2', [configMap('a')]));
    // Days later an object turns up in the cluster that an older tracker lists: nobody was shown that it goes.
    await house.clock.advance(3 * 86_400_000);
    const tracker = house.server.peek({ ...KINDS.resourceTracker, name: 'web-v1-shop' });
    const spec = tracker?.spec as { managedResources: readonly { name: string; kind: string }[] };
    const listed = spec.managedResources.find(({ kind, name }) => kind === 'ConfigMap' && name === 'b');
    const stranger = await house.server.create({ ...configMap('stranger'), metadata: { name: 'stranger', namespace: 'shop' } });
    const entry = { ...listed, name: 'stranger', uid: stranger.metadata.uid };
    if (tracker !== undefined)
      await house.server.update({ ...tracker, spec: { ...spec, managedResources: [...spec.managedResources, entry] } });
    await house.finishRollout();
    await house.clock.advance(60_000);
    expect([dataOf(house, 'stranger'), dataOf(house, 'b')]).toEqual(['1', '1']);
  });
});

describe('while a revision is rejected', () => {
  const ONCE = { type: 'apply-once', properties: { enable: true } };

  it('[issue 9.4] the plan of a change of policies tells what goes back to the stable revision', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply(staged('web:1', [configMap('a')], [ONCE]));
    await house.finishRollout();
    await house.apply(staged('web:2', [configMap('a', '2')], [ONCE]));
    await house.setRolloutStatus({
      observedGeneration: 2,
      conditions: [],
      control: { abort: true, abortDone: true, rejectedRevision: 'web-v2' },
    });
    await house.clock.advance(1000);
    const live = house.get(CONFIG_MAP, 'a');
    if (live !== undefined) await house.server.update({ ...live, data: { value: 'by hand' } });
    const plan = await house.plan(staged('web:2', [configMap('a', '2')]));
    expect([verdicts(plan), plan.refused]).toEqual([{ 'ConfigMap/a': 'changed' }, expect.stringContaining('web-v2 was rejected')]);
    await house.applySeen(staged('web:2', [configMap('a', '2')]), plan);
    await house.clock.advance(1000);
    expect(dataOf(house, 'a')).toBe('1');
  });
});
