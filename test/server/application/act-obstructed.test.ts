import { describe, expect, it } from 'vitest';
import { readString } from '@/lib/kube/fields';
import { KINDS, PLAN, REQUESTED_BY } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { act } from '@/server/application/act/act';
import { decide } from '@/server/application/decide/decide';
import { withPreviewedPlan } from '@/server/application/plan/previewed-plan';
import { readTracker } from '@/server/dispatch';
import type { Passes } from './act-passes';
import { data, of, passes, put, spec } from './act-passes';
import { holding } from './seen';
import { POLICY, shop } from './staged-shop';

describe('a pass that something is in the way of', () => {
  it('[dispatch P2] writes no object where one is somebody else’s, and says whose', async () => {
    const one = passes(undefined, put('b', 'theirs', { namespace: 'shop' }) as KubeObject);
    expect(await one.pass()).toBe(10_000);
    expect([one.world.at(of('a')), data(one.world.at(of('b'))), one.condition('Applied')]).toEqual([
      undefined,
      { key: 'theirs' },
      ['False', 'ObjectTaken', expect.stringContaining('ConfigMap b in shop exists and belongs to no application')],
    ]);
    expect(one.world.events, 'the condition says so for all to see').toEqual([]);
  });

  it('[issue 10.7] keeps the status of what is applied while copies are read, and puts nothing back meanwhile', async () => {
    const one = passes();
    await one.pass();
    await one.pass();
    const status = structuredClone(one.application.status);
    await one.world.server.update({ ...(one.world.at(of('a')) as KubeObject), data: { key: 'theirs' } } as KubeObject);
    one.world.unknown = { againMs: 7, why: 'not listed' };
    expect([await one.pass(), one.application.status, data(one.world.at(of('a')))]).toEqual([7, status, { key: 'theirs' }]);
  });

  it('[issue 10.1] writes nothing that its requester or the server may not, and tells of either', async () => {
    const asked = holding([put('a', '1')], {}, { annotations: { [REQUESTED_BY.user]: 'ada' } });
    const one = passes(asked);
    one.world.mayDo = false;
    expect(await one.pass()).toBe(10_000);
    expect([one.condition('Applied').slice(0, 2), one.actions(), one.application.metadata.finalizers]).toEqual([
      ['False', 'NotPermitted'],
      ['application.change.refused'],
      undefined,
    ]);
    const two = passes(asked);
    two.world.ungranted = 'grant it';
    expect(await two.pass()).toBe(30_000);
    expect([two.condition('Applied'), two.world.events, two.actions()]).toEqual([
      ['False', 'NotGranted', 'grant it'],
      [['NotGranted', 'grant it']],
      [],
    ]);
  });

  it('[design 11] writes nothing of a plan that moved, on record, and takes one away that is done', async () => {
    const seenBy = async (digest: string, one: Passes) => {
      const { metadata } = withPreviewedPlan(one.application, { digest, act: 'x' }, { user: 'ada', groups: [] });
      await one.change({}, metadata);
    };
    const one = passes();
    await seenBy('sha256:other', one);
    expect(await one.pass()).toBe(10_000);
    expect([one.condition('Applied').slice(0, 2), one.actions()]).toEqual([['False', 'PlanMoved'], ['plan.moved']]);
    const { now } = (one.world.record[0]?.data ?? {}) as { readonly now: string };
    await seenBy(now, one);
    await one.pass();
    expect([one.actions().slice(1), one.condition('Ready')[0]]).toEqual([
      ['plan.accepted', 'revision.created', 'application.dispatched', 'application.completed'],
      'True',
    ]);
    expect(one.application.metadata.annotations).not.toHaveProperty([PLAN.seen]);
  });

  it('[dispatch 13] ends where it is refused, with what was parsed', async () => {
    const one = passes({ ...holding([put('a', '1')]), spec: { components: [{ name: 'x', type: 'no-such' }] } });
    expect(await one.pass()).toBeUndefined();
    expect([
      one.condition('Parsed').slice(0, 2),
      one.condition('Applied').slice(0, 2),
      readString(one.application, 'status', 'status'),
    ]).toEqual([['False', 'Invalid'], ['Unknown', 'Invalid'], 'rendering']);
    const two = passes();
    await two.pass({ trackerFaults: ['it was changed'] });
    expect([two.condition('Parsed')[0], two.condition('Applied')]).toEqual(['True', ['False', 'TrackerUnreliable', 'it was changed']]);
  });

  it('[issue 10.1] tells of values that stand in it whatever is in its way', async () => {
    const inline = { secrets: [], places: ['spec.x'], written: { spec: {} }, move: undefined } as never;
    const taken = passes(undefined, put('b', 'theirs', { namespace: 'shop' }) as KubeObject);
    const refused = passes();
    await taken.pass({ inline });
    await refused.pass({ inline, trackerFaults: ['it was changed'] });
    for (const one of [taken, refused]) {
      expect([one.condition('Applied')[0], one.condition('Confidential').slice(0, 2)]).toEqual(['False', ['False', 'InlineValues']]);
      expect(one.world.events.map(([reason]) => reason)).toEqual(['InlineValues']);
    }
  });

  it('[issue 10.1] takes back nothing it told of such values while it cannot be read, or goes', async () => {
    const inline = { secrets: [], places: ['spec.x'], written: { spec: {} }, move: undefined } as never;
    const one = passes();
    await one.pass({ inline, trackerFaults: ['it was changed'] });
    await one.pass({ application: { fault: 'a type that nobody knows' } });
    expect([one.condition('Parsed')[0], one.condition('Confidential').slice(0, 2)]).toEqual(['False', ['False', 'InlineValues']]);
    const { object } = one.seen();
    const going = { ...object, metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    await one.pass({ object: going, trackerFaults: ['it was changed'] });
    expect(one.condition('Confidential').slice(0, 2)).toEqual(['False', 'InlineValues']);
    await one.pass({ trackerFaults: ['it was changed'] });
    expect(one.condition('Confidential')[0]).toBe('True');
  });

  it('[design 13 K] is looked at again soon where the application changed before its first write', async () => {
    const one = passes();
    await one.pass();
    await one.change({ spec: spec(put('a', '2')) });
    const seen = one.seen();
    await one.change({ spec: spec(put('a', '3')) });
    const again = await act(decide(seen, one.world.now as never), { ...one.world.context(), seen });
    expect([again, data(one.world.at(of('a')))]).toEqual([1000, { key: '1' }]);
  });

  it('[issue 9] says at which step it failed, and keeps what it lacks unless its policy lets that go', async () => {
    const failing = async (policies: Readonly<Record<string, object>>) => {
      const one = passes(holding([put('a', '1'), put('b', '1')], policies));
      await one.pass();
      await one.change({ spec: holding([put('a', '2')], policies).spec });
      await one.pass().catch(() => undefined);
      await one.change({ spec: holding([put('a', '3'), put('c', '1')], policies).spec });
      one.world.server.addFaults([{ verb: 'patch', kind: 'ConfigMap', name: 'a', code: 500, times: 1000 }]);
      await one.pass().catch(() => undefined);
      await one.pass().catch(() => undefined);
      return one;
    };
    const one = await failing({});
    expect([one.condition('Applied').slice(0, 2), one.condition('RolledOut')[0]]).toEqual([['False', 'DispatchFailed'], 'Unknown']);
    await expect(one.pass()).rejects.toThrow();
    const held = one.world.server
      .all()
      .filter(({ kind }) => kind === 'ResourceTracker')
      .map(({ metadata }) => metadata.name);
    expect(held).toContain('web-v2-shop');
    const go = await failing({ 'garbage-collect': { continueOnFailure: true } });
    expect(go.condition('Applied').slice(0, 2)).toEqual(['False', 'DispatchFailed']);
  });
});

describe('a pass under a rollout', () => {
  it('[design 13 R] writes a new workload with nothing running, and never scales it after that', async () => {
    const one = passes(shop('web:1'));
    await one.pass();
    const workload = { ...KINDS.deployment, metadata: { name: 'web-v1', namespace: 'shop' } };
    expect(one.world.at(workload)?.spec).toHaveProperty('replicas', 0);
    expect(one.world.at({ ...KINDS.deployment, metadata: { name: 'api', namespace: 'shop' } })?.spec).not.toHaveProperty('replicas', 0);
    expect(one.world.at({ ...KINDS.rolloutOrchestrator, metadata: { name: 'web', namespace: 'shop' } })).toBeDefined();
    const live = one.world.at(workload) as KubeObject;
    await one.world.server.update({ ...live, spec: { ...(live.spec as object), replicas: 4 } });
    await one.pass();
    expect(one.world.at(workload)?.spec).toHaveProperty('replicas', 4);
    expect(one.condition('RolledOut').slice(0, 2)).toEqual(['Unknown', 'RollingOut']);
  });

  it('[design 13 B] restores what a rejected revision shares with the stable one, on record once', async () => {
    const one = passes(shop('web:1'));
    await one.pass();
    const rollout = { ...KINDS.rolloutOrchestrator, metadata: { name: 'web', namespace: 'shop' } };
    await one.change({
      status: { ...(one.application.status as object), latestRevision: { name: 'web-v1', revision: 1, revisionHash: 'h' } },
    });
    one.world.server.seed({
      ...one.application,
      status: { ...(one.application.status as object), latestRevision: { name: 'web-v1', revision: 1, revisionHash: 'h' } },
    });
    await one.change({ spec: { ...(shop('web:2').spec as object), policies: [POLICY] } });
    await one.pass();
    const live = one.world.at(rollout) as KubeObject;
    one.world.server.seed({
      ...live,
      status: { observedGeneration: 9, conditions: [], control: { abort: true, abortDone: true, rejectedRevision: 'web-v2' } },
    });
    const told = () => one.world.record.filter(({ action }) => action === 'application.restored');
    await one.pass();
    expect(told(), 'as soon as it is restored').toHaveLength(1);
    await one.pass();
    expect(one.condition('Applied').slice(0, 2)).toEqual(['False', 'Rejected']);
    expect(told()).toMatchObject([
      {
        id: 'application.restored:app:web-v2',
        message: 'web-v2 was rejected; 1 object that it shares with web-v1 is restored to that revision',
      },
    ]);
    const api = one.world.at({ ...KINDS.deployment, metadata: { name: 'api', namespace: 'shop' } });
    expect(api?.metadata.ownerReferences?.map(({ name }) => name)).toEqual(['web-v1-shop']);
    expect(
      readTracker(one.world.server.all().find(({ metadata }) => metadata.name === 'web-v1-shop') as KubeObject).entries.map(
        ({ name }) => name,
      ),
    ).toContain('api');
    const { latestRevision } = one.application.status as { readonly latestRevision: object };
    one.world.server.seed({ ...one.application, status: { latestRevision } });
    await one.pass();
    expect(one.condition('Applied').slice(0, 2), 'also where its conditions went').toEqual(['False', 'Rejected']);
  });
});
