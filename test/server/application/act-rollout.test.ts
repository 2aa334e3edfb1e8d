import { describe, expect, it } from 'vitest';
import { KINDS, PUT_BACK, REQUESTED_BY } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { clearRevertRequest, explainRefusedRevert } from '@/server/application/act/revert';
import { actOnRollout } from '@/server/application/act/rollout';
import { isStaleObservation } from '@/server/application/observe/live-checks';
import type { Observation } from '@/server/application/observe/observe';
import { readObservedRollout } from '@/server/application/observe/observed-rollout';
import { LABEL } from '@/server/dispatch';
import { ActWorld } from './act-world';
import { configMap, holding, revisionOf, seenAfter } from './seen';
import { first, POLICY, plain, planned, second, shop } from './staged-shop';

const stored = (of: ActWorld, object: KubeObject): KubeObject => {
  of.server.seed(object);
  return of.at(object) ?? object;
};
describe('the rollout of a plan', () => {
  const seen = (more: Partial<Observation> = {}, object = shop('web:2')) =>
    seenAfter([first, second], object, { latest: 'web-v1', ...more });
  const deployment = (name: string, more: object = {}): KubeObject => ({
    ...KINDS.deployment,
    metadata: { name, namespace: 'shop', ...more },
    spec: { replicas: 3 },
  });
  const rolloutIn = (of: ActWorld) => of.server.all().find(({ kind }) => kind === 'RolloutOrchestrator');
  const asked = shop('web:2', undefined, { annotations: { [REQUESTED_BY.user]: 'ada' } });

  it('[rollout 3] is on record before it is written, by whoever asked', async () => {
    const of = new ActWorld();
    await actOnRollout(of.context(), planned(seen({}, asked)), seen({}, asked));
    expect(of.record).toMatchObject([
      {
        id: 'rollout.started:app:web-v2',
        action: 'rollout.started',
        about: { kind: 'RolloutOrchestrator', name: 'web' },
        message: 'web rolls out to web-v2, requested by ada',
      },
    ]);
    expect(rolloutIn(of)?.metadata.annotations).toMatchObject({ [REQUESTED_BY.user]: 'ada' });
    const live = rolloutIn(of) as KubeObject;
    const same = seen({ rollout: readObservedRollout(live, []) }, asked);
    const writes = of.writes().length;
    await actOnRollout(of.context(), planned(same), same);
    expect([of.writes().length, of.record.length]).toEqual([writes, 1]);
    const third = revisionOf(shop('web:3'), {}, 3);
    const next = seenAfter([first, second, third], shop('web:3'), { latest: 'web-v1', rollout: readObservedRollout(live, []) });
    await actOnRollout(of.context(), planned(next), next);
    expect(rolloutIn(of)?.spec).toMatchObject({ targetRevisions: [{ revisionName: 'web-v3' }] });
  });

  it('[rollout 3] that is there already is looked at again, and any other failure told', async () => {
    const of = new ActWorld({ ...KINDS.rolloutOrchestrator, metadata: { name: 'web', namespace: 'shop' } });
    const outdated = await actOnRollout(of.context(), planned(seen()), seen()).catch((error: unknown) => error);
    expect([isStaleObservation(outdated), (outdated as Error).message]).toEqual([
      true,
      'the watch of RolloutOrchestrators lags behind: it has not delivered web yet',
    ]);
    const failing = new ActWorld();
    failing.server.addFaults([{ verb: 'create', code: 500, times: 1 }]);
    expect(isStaleObservation(await actOnRollout(failing.context(), planned(seen()), seen()).catch((error: unknown) => error))).toBe(false);
  });

  it('[design 13 O] adopts the plain workload that it starts from, once', async () => {
    const before = revisionOf(plain('web:1'));
    const from = (workloads: readonly KubeObject[] = []) => seenAfter([before], shop('web:2'), { latest: 'web-v1', workloads });
    const of = new ActWorld(deployment('web'));
    await actOnRollout(of.context(), planned(from()), from());
    expect(of.at(deployment('web'))?.metadata.labels).toEqual({ [LABEL.rolloutService]: 'web', [LABEL.rolloutRevision]: 'web' });
    expect(rolloutIn(of)?.spec).toMatchObject({ initialRevisions: [{ revisionName: 'web', minScale: 4 }] });
    const unscaled = {
      ...shop('web:2'),
      spec: { ...(shop('web:2').spec as object), components: [{ name: 'web', type: 'webservice', properties: { image: 'web:2' } }] },
    };
    const old = revisionOf({ ...unscaled, spec: { ...(unscaled.spec as object), policies: [] } });
    const late = seenAfter(
      [old],
      {
        ...unscaled,
        spec: { ...(unscaled.spec as object), components: [{ name: 'web', type: 'webservice', properties: { image: 'web:3' } }] },
      },
      { latest: 'web-v1', workloads: [deployment('web-v9', { uid: 'another' })] },
    );
    const scaled = new ActWorld(deployment('web'));
    await actOnRollout(scaled.context(), planned(late), late);
    expect([rolloutIn(scaled)?.spec]).toMatchObject([{ initialRevisions: [{ revisionName: 'web', minScale: 3, maxScale: 3 }] }]);
    const alone = new ActWorld(deployment('web'));
    await actOnRollout(alone.context(), planned(late), { ...late, workloads: [] });
    expect(rolloutIn(alone)?.spec, 'where it is the only one').toMatchObject({ initialRevisions: [{ minScale: 3, maxScale: 3 }] });
    const lost = new ActWorld();
    await actOnRollout(lost.context(), planned(late), late);
    expect(rolloutIn(lost)?.spec, 'where it is gone').toHaveProperty('initialRevisions', [{ revisionName: 'web', percent: 100 }]);
    const adopted = new ActWorld(of.at(deployment('web')) as KubeObject);
    await actOnRollout(
      adopted.context(),
      planned(from([of.at(deployment('web')) as KubeObject])),
      from([of.at(deployment('web')) as KubeObject]),
    );
    expect(adopted.writes()).toEqual(['create RolloutOrchestrator/web']);
    const gone = new ActWorld();
    await actOnRollout(gone.context(), planned(from()), from());
    expect(gone.writes()).toEqual(['create RolloutOrchestrator/web']);
  });

  it('[rollout 13] is taken away by its uid, with what it owns, and is no failure where it is gone', async () => {
    const of = new ActWorld({
      ...KINDS.rolloutOrchestrator,
      metadata: { name: 'web', namespace: 'shop', ownerReferences: [{ ...KINDS.application, name: 'web', uid: 'app', controller: true }] },
    });
    const live = rolloutIn(of) as KubeObject;
    const unwished = seenAfter([revisionOf(plain('web:1'))], plain('web:1'), { latest: 'web-v1', rollout: readObservedRollout(live, []) });
    await actOnRollout(of.context(), planned(unwished), unwished);
    expect([rolloutIn(of), of.deletions]).toMatchObject([
      undefined,
      [['web', { preconditions: { uid: live.metadata.uid }, propagationPolicy: 'Background' }]],
    ]);
    await actOnRollout(of.context(), planned(unwished), unwished);
    const { uid: _uid, ...metadata } = live.metadata;
    const bare = { ...unwished, rollout: readObservedRollout({ ...live, metadata }, []) };
    await actOnRollout(of.context(), planned(bare), bare);
    expect(of.deletions.at(-1)?.[1]).not.toHaveProperty('preconditions');
  });

  it('[design 13 B] of a rejected revision follows its policy, and no more is told of it', async () => {
    const of = new ActWorld();
    await actOnRollout(of.context(), planned(seen()), seen());
    const before = rolloutIn(of) as KubeObject;
    const every = [{ ...POLICY, properties: { ...POLICY.properties, control: { gates: 'every-stage' } } }];
    const rejected = { ...readObservedRollout(before, []), rejected: 'web-v2' };
    const held = seen({ rollout: rejected }, shop('web:2', every));
    expect(planned(held).rollout.kind).toBe('leave');
    const told = of.record.length;
    await actOnRollout(of.context(), planned(held), held);
    expect([rolloutIn(of)?.spec, of.record.length]).toMatchObject([
      { control: { gates: 'every-stage' }, targetRevisions: [{ revisionName: 'web-v2' }] },
      told,
    ]);
  });

  it('[rollout 13] is left where there is none, and where it waits for that of another component', async () => {
    const of = new ActWorld();
    const none = seenAfter([], plain('web:1'));
    await actOnRollout(of.context(), planned(none), none);
    await actOnRollout(of.context(), { ...planned(seen()), rollout: { kind: 'leave', why: 'x' } }, seen());
    expect(of.server.requests).toEqual([]);
  });
});

describe('a request to put back', () => {
  const asked = (ids: string) =>
    holding([configMap('a'), configMap('b')], {}, { annotations: { [PUT_BACK.asked]: ids, [PUT_BACK.user]: 'ada', mine: 'x' } });
  const plan = (object: KubeObject) => planned(seenAfter([revisionOf(object)], object));
  const there = (name: string, uid = 'u'): KubeObject => configMap(name, {}, { namespace: 'shop', uid });

  it('[issue 10.1] is refused where whoever asked may not write each object, by what is there', async () => {
    const of = new ActWorld(there('a'));
    const object = asked('ConfigMap/shop/a,ConfigMap/shop/b');
    expect(await explainRefusedRevert(of.context(), plan(object))).toBeUndefined();
    const verbs = async (ids: string) => {
      const fresh = new ActWorld(there('a'));
      await explainRefusedRevert(fresh.context(), plan(asked(ids)));
      return [...new Set(fresh.asked.map(([person, right]) => `${person.user} ${right.verb}`))];
    };
    expect([await verbs('ConfigMap/shop/a'), await verbs('ConfigMap/shop/b')]).toEqual([['ada patch'], ['ada create']]);
    of.mayDo = false;
    expect(await explainRefusedRevert(of.context(), plan(object))).toContain('ada');
    const asks = of.asked.length;
    expect(await explainRefusedRevert(of.context(), { ...plan(object), dispatch: false })).toBeUndefined();
    expect(await explainRefusedRevert(of.context(), plan(asked('ConfigMap/shop/none')))).toBeUndefined();
    expect(of.asked).toHaveLength(asks);
    expect(await explainRefusedRevert(of.context(), plan(asked('ConfigMap/shop/a%other')))).toBe(
      'ConfigMap a in shop was deleted and created again since it was requested',
    );
  });

  it('[dispatch 13] is taken away once it was answered, on record first', async () => {
    const of = new ActWorld();
    const object = stored(of, asked('ConfigMap/shop/a'));
    const cleared = await clearRevertRequest(of.context(), plan(object), object, undefined);
    expect(cleared.metadata.annotations).toEqual({ mine: 'x' });
    expect(of.record).toMatchObject([
      {
        id: `drift.put-back.done:app:${object.metadata.resourceVersion}`,
        action: 'drift.put-back.done',
        message: 'ConfigMap/shop/a was reverted at the request of ada',
      },
    ]);
    const bare = holding([configMap('a')]);
    expect(await clearRevertRequest(of.context(), plan(bare), bare, undefined)).toBe(bare);
    const again = stored(of, asked('ConfigMap/shop/a'));
    await clearRevertRequest(of.context(), plan(again), again, 'no');
    expect(of.told().at(-1)).toMatch(/^drift\.put-back\.refused: .*: no$/);
    await expect(clearRevertRequest(of.context(), plan(object), object, undefined)).rejects.toThrow('was changed');
  });
});
