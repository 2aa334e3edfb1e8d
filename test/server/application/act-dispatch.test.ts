import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { act } from '@/server/application/act/act';
import { dispatch } from '@/server/application/act/dispatch';
import { decide } from '@/server/application/decide/decide';
import type { RunPlan } from '@/server/application/decide/model';
import type { Observation } from '@/server/application/observe/observe';
import { LABEL } from '@/server/dispatch';
import type { Passes } from './act-passes';
import { data, of, passes, put, spec } from './act-passes';
import { configMap } from './seen';
import { POLICY, planned, shop } from './staged-shop';

const ownersOf = (one: Passes, name: string) => one.world.at(of(name))?.metadata.ownerReferences?.map((owner) => owner.name);
const apply = (one: Passes, plan: RunPlan, seen: Observation) => dispatch(one.world.context(), plan, seen);

describe('a dispatch', () => {
  it('[issue 10.7] writes nothing where another application took the name of its record since it was looked at', async () => {
    const one = passes();
    const seen = one.seen();
    const plan = planned(seen);
    one.world.server.seed({
      ...KINDS.resourceTracker,
      metadata: { name: 'web-v1-shop', uid: 't', labels: { [LABEL.appName]: 'web-v1', [LABEL.appNamespace]: 'other' } },
      spec: { type: 'versioned', applicationGeneration: 1 },
    });
    await expect(apply(one, plan, seen)).rejects.toThrow('belongs to application other/web-v1; application shop/web needs it too');
    expect([one.world.writes(), one.world.at(of('a'))]).toEqual([[], undefined]);
  });

  it('[issue 10.7] takes over what the revision before it has also where the copies lack the record of that one', async () => {
    const one = passes();
    await one.pass();
    await one.change({ spec: spec(put('a', '2'), put('b', '1')) });
    const lagging: Observation = { ...one.seen(), trackers: [], trackerNamed: () => undefined, latest: 'web-v1' };
    const plan = planned(lagging);
    expect([plan.previous, plan.accepted]).toEqual(['web-v1', []]);
    await apply(one, plan, lagging);
    expect([ownersOf(one, 'a'), ownersOf(one, 'b'), data(one.world.at(of('a')))]).toEqual([['web-v2-shop'], ['web-v2-shop'], { key: '2' }]);
  });

  it('[issue 10.7] asks for no record but its own where no revision was before it', async () => {
    const one = passes();
    await one.pass();
    const records = one.world.server.requests.filter(({ kind }) => kind === 'ResourceTracker').map(({ key }) => key.split('|').at(-1));
    expect([...new Set(records)]).toEqual(['web-v1-shop']);
  });

  it('[issue 10.7] begins without replicas only the workload of the rollout, and nothing else of its name', async () => {
    const staged = shop('web:1');
    const { components, policies } = staged.spec as { readonly components: readonly object[]; readonly policies: readonly object[] };
    const twin = { name: 'set', type: 'k8s-objects', properties: { objects: [configMap('web-v1', { a: 'b' })] } };
    const one = passes({ ...staged, spec: { components: [...components, twin], policies } });
    await one.pass();
    expect(one.world.at({ ...KINDS.deployment, metadata: { name: 'web-v1', namespace: 'shop' } })?.spec).toHaveProperty('replicas', 0);
    expect(one.world.at(of('web-v1'))).toMatchObject({ data: { a: 'b' } });
    expect(one.world.at(of('web-v1'))).not.toHaveProperty('spec');
  });
});

describe('a pass whose application changes while it keeps what is still served', () => {
  it('[issue 10.7] goes no further, neither to the rollout nor to what is collected', async () => {
    const one = passes(shop('web:1'));
    await one.pass();
    const status = { ...(one.application.status as object), latestRevision: { name: 'web-v1', revision: 1, revisionHash: 'h' } };
    one.world.server.seed({ ...one.application, status });
    await one.change({ spec: shop('web:2').spec });
    await one.pass();
    const looser = [{ ...POLICY, properties: { ...POLICY.properties, ratio: 90 } }];
    await one.change({ spec: shop('web:2', looser).spec });
    const workload = one.world.at({ ...KINDS.deployment, metadata: { name: 'web-v1', namespace: 'shop' } }) as KubeObject;
    const spoiled = structuredClone(workload.spec) as { template: { spec: { containers: { image: string }[] } } };
    for (const container of spoiled.template.spec.containers) container.image = 'evil:1';
    await one.world.server.update({ ...workload, spec: spoiled });
    const seen = one.seen();
    await one.change({}, { annotations: { 'slipway.dev/suspended': 'true' } });
    const rollout = () => one.world.at({ ...KINDS.rolloutOrchestrator, metadata: { name: 'web', namespace: 'shop' } });
    const before = rollout();
    expect(await act(decide(seen, one.world.now as never), { ...one.world.context(), seen })).toBe(1000);
    expect([before?.metadata.name, rollout()]).toEqual(['web', before]);
    await one.change({}, { annotations: {} });
    await one.pass();
    expect(rollout(), 'the next pass follows the policy').not.toEqual(before);
  });
});
