import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { RunPlan } from '@/server/application/decide/model';
import type { Observation } from '@/server/application/observe/observe';
import { planServed } from '@/server/application/served/plan-served';
import { revisionRenderer } from '@/server/application/served/render-revision';
import { servedPolicy } from '@/server/application/served/served-policy';
import { servedRevisions } from '@/server/application/served/served-revisions';
import { parsePolicies } from '@/server/application/spec/policies';
import type { TrackerEntry } from '@/server/dispatch';
import { entry, revisionOf, seenAfter } from './seen';
import { first, plain, planned, rollout, second, shop, tracker } from './staged-shop';

const third = revisionOf(shop('web:3'), {}, 3);
const deployment = (name: string, more: Partial<TrackerEntry> = {}) => entry('Deployment', name, { apiVersion: 'apps/v1', ...more });
const recorded = (revision: string, ...more: readonly TrackerEntry[]) =>
  tracker(`${revision}-shop`, { entries: [deployment(revision), ...more] });
const named = (...names: readonly string[]) => rollout({ target: 'web-v2', isUnderWay: true, named: names });
const seen = (trackers: readonly ReturnType<typeof tracker>[], more: Partial<Observation> = {}) =>
  seenAfter([first, second], shop('web:2'), { latest: 'web-v1', trackers, rollout: named('web-v1', 'web-v2'), ...more });
const servedBy = (of: Observation, plan: RunPlan = planned(of)) =>
  planServed(plan, of, revisionRenderer(of.object)).map(({ revision, workload, rendered }) => [
    revision.name,
    workload,
    rendered.manifests.map(({ kind, metadata }) => `${kind}/${metadata.name}`),
  ]);
const own = ['web-v1', 'web-v1', ['Deployment/web-v1']];

describe('what a plan keeps of revisions that its rollout serves', () => {
  it('[issue 10, 2] is what their records list and the applied one lacks, as they were made', () => {
    const of = seen([recorded('web-v1', deployment('api')), recorded('web-v2', deployment('api'))]);
    expect(servedBy(of)).toEqual([own]);
    expect(planned(of).served).toMatchObject([{ revision: { name: 'web-v1', number: 1, hash: first.hash, stored: first } }]);
    expect(JSON.stringify(planned(of).served[0]?.rendered.manifests), 'with the hash of their revision').toContain(first.hash);
    expect(servedBy(seen([tracker('web-v1-shop', { entries: [] })]))).toEqual([]);
    expect(servedBy(seen([recorded('web-v1', entry('ConfigMap', 'unrendered'))])), 'what it was not made with is not').toEqual([own]);
  });

  it('[issue 10, 2] is nothing of a record that is going, of a revision that is gone, and without a rollout', () => {
    expect(servedBy(seen([tracker('web-v1-shop', { entries: [deployment('web-v1')], deletionTimestamp: 'x' })]))).toEqual([]);
    expect(
      servedBy(seenAfter([second], shop('web:2'), { trackers: [recorded('web-v1')], rollout: named('web-v1'), latest: 'web-v1' })),
    ).toEqual([]);
    const plainly = seenAfter([revisionOf(plain('web:1'))], plain('web:1'), { trackers: [recorded('web-v1')] });
    expect(servedBy(plainly)).toEqual([]);
    expect(
      servedBy(seen([recorded('web-v1')]), { ...planned(seen([recorded('web-v1')])), rollout: { kind: 'remove', rollout: named() } }),
    ).toEqual([]);
  });

  it('[issue 10, 2] is also of what the rollout is to start from, while it has not begun', () => {
    const of = seen([recorded('web-v1')], { rollout: undefined });
    expect(servedBy(of)).toEqual([own]);
    const waits = { ...planned(of), rollout: { kind: 'leave', why: 'x' } as const };
    expect(servedBy(of, waits)).toEqual([]);
  });

  it('[design 13 B] is of the rejected one too while nothing of it is applied, but for what is restored', () => {
    const rejected = rollout({ target: 'web-v2', rejected: 'web-v2', isUnderWay: true, named: ['web-v1', 'web-v2'] });
    const of = seen([recorded('web-v1', deployment('api')), recorded('web-v2')], { rollout: rejected });
    expect(servedBy(of)).toEqual([own, ['web-v2', 'web-v2', ['Deployment/web-v2']]]);
    const through = { ...rejected, isUnderWay: false, completeSince: 1 as never };
    expect(servedBy({ ...of, rollout: through }).map(([name]) => name)).toEqual(['web-v1']);
  });

  it('[issue 10, 2] is of what runs while another is about to be rolled out, though the rollout to it is complete', () => {
    const complete = rollout({ target: 'web-v1', completeSince: 1 as never, named: ['web-v1'] });
    expect(servedBy(seen([recorded('web-v1')], { rollout: complete }))).toEqual([own]);
  });

  it('[issue 10, 2] is rendered once for each revision', () => {
    const renderOf = revisionRenderer(shop('web:2'));
    expect(renderOf(first)).toBe(renderOf(first));
    expect(renderOf(third).workloads.web?.name).toBe('web-v3');
  });
});

describe('which revisions a rollout serves', () => {
  const of = (entries: readonly TrackerEntry[], facts = named('web-v1')) =>
    servedRevisions(facts, { trackers: [{ name: 't', entries }], applied: new Set(), to: 'web-v3' }).map(({ workload, ids }) => [
      workload,
      [...ids],
    ]);

  it('[issue 10, 2] is told by their Deployments that are there, in this cluster', () => {
    expect(of([deployment('web-v1')])).toEqual([['web-v1', ['Deployment.apps/shop/web-v1']]]);
    expect(of([deployment('web-v1', { apiVersion: 'apps/v1beta1' })])).toHaveLength(1);
    for (const other of [
      deployment('web-v1', { deleted: true }),
      deployment('web-v1', { cluster: 'far' }),
      entry('Deployment', 'web-v1', { apiVersion: 'theirs/v1' }),
      entry('StatefulSet', 'web-v1', { apiVersion: 'apps/v1' }),
      deployment('web-v9'),
    ])
      expect(of([other])).toEqual([]);
    expect(
      of([deployment('web-v1'), entry('ConfigMap', 'gone', { deleted: true }), entry('ConfigMap', 'far', { cluster: 'far' })])[0]?.[1],
    ).toHaveLength(1);
    expect(
      servedRevisions(undefined, { trackers: [{ name: 't', entries: [deployment('web-v1')] }], applied: new Set(), to: 'web-v3' }),
    ).toEqual([]);
    expect(
      servedRevisions(undefined, {
        trackers: [{ name: 't', entries: [deployment('web-v1')] }],
        applied: new Set(),
        to: 'web-v3',
        from: 'web-v1',
      }),
    ).toHaveLength(1);
  });
});

describe('the policy of what is served', () => {
  const place = { object: 'Application web in shop', path: [] };
  const policyOf = (manifest: KubeObject, policies: readonly object[] = []) =>
    servedPolicy(parsePolicies(policies, place), manifest, 'web-v1');
  const workload = (name: string, kind = 'Deployment'): KubeObject => ({ ...KINDS.deployment, kind, metadata: { name } });
  const autoscaler = (name: string | undefined, kind = 'HorizontalPodAutoscaler'): KubeObject => ({
    apiVersion: 'autoscaling/v2',
    kind,
    metadata: { name: 'hpa' },
    spec: { scaleTargetRef: { name } },
  });

  it('[issue 10, 2] leaves the scale of its workload, and the bounds of its autoscaler, to the rollout', () => {
    expect([policyOf(workload('web-v1')).scale, policyOf(autoscaler('web-v1')).scale]).toEqual([
      ['spec.replicas'],
      ['spec.minReplicas', 'spec.maxReplicas'],
    ]);
    for (const other of [
      workload('api'),
      workload('web-v1', 'StatefulSet'),
      autoscaler('api'),
      autoscaler(undefined),
      autoscaler('web-v1', 'Other'),
    ])
      expect(policyOf(other)).not.toHaveProperty('scale');
  });

  it('[dispatch 13] is that of what is kept, not of what is new', () => {
    const once = (affect: string) => [
      {
        type: 'apply-once',
        properties: { enable: true, rules: [{ selector: { resourceTypes: ['Deployment'] }, strategy: { path: ['spec'], affect } }] },
      },
    ];
    expect(policyOf(workload('web-v1'), once('onStateKeep')).keep).toEqual(['spec']);
    expect(policyOf(workload('web-v1'), once('onUpdate'))).not.toHaveProperty('keep');
  });
});
