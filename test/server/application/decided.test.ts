import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { decide } from '@/server/application/decide/decide';
import type { Observation } from '@/server/application/observe/observe';
import { parseApplication } from '@/server/application/spec/parse';
import { LABEL } from '@/server/dispatch';
import { seenAfter } from './seen';
import { first, inForce, NOW, POLICY, plain, planned, rollout, second, shop, tracker } from './staged-shop';

const GONE = '2026-01-01T00:00:00Z';
const told = (seen: Observation) => decide(seen, NOW);
const refused = (seen: Observation) => {
  const decision = told(seen);
  return decision.kind === 'refuse' ? [decision.condition, decision.reason, decision.phase, decision.sentence] : decision.kind;
};

describe('what an application needs next', () => {
  it('[dispatch 13] is nothing while a record of it cannot be relied on, also while it is being deleted', () => {
    const faults = { trackerFaults: ['it was changed', 'another'] };
    expect(refused(seenAfter([], shop('web:1'), faults))).toEqual(['Applied', 'TrackerUnreliable', 'held', 'it was changed']);
    expect(refused(seenAfter([], shop('web:1', [POLICY], { deletionTimestamp: GONE }), faults))[2]).toBe('deleting');
  });

  it('[dispatch 13] is its end once it is deleted, whatever it says, with everything that it has', () => {
    const trackers = [tracker('web-v1-shop')];
    const gone = seenAfter([], shop('web:1', [POLICY], { deletionTimestamp: GONE }), { trackers, application: { fault: 'x' } });
    expect(told(gone)).toEqual({ kind: 'finalize', olds: trackers });
  });

  it('[dispatch 13] is nothing where it cannot be read or rendered', () => {
    expect(refused(seenAfter([], shop('web:1'), { application: { fault: 'x' } }))).toEqual(['Parsed', 'Invalid', 'rendering', 'x']);
    const objects = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }];
    const set = (name: string) => ({ name, type: 'k8s-objects', properties: { objects } });
    const twins = { ...shop('web:1'), spec: { components: [set('one'), set('two')], policies: [] } };
    expect(refused(seenAfter([], twins)).slice(0, 3)).toEqual(['Parsed', 'Invalid', 'rendering']);
  });

  it('[rollout 13] is nothing while its policy is removed in mid-rollout, unless the rollout is of somebody else', () => {
    const seen = (more: object, owner?: string) => seenAfter([first], plain('web:1'), { rollout: rollout(more, owner), latest: 'web-v1' });
    expect(refused(seen({ isUnderWay: true, target: 'web-v2' }))).toEqual([
      'Applied',
      'RolloutUnderWay',
      'held',
      expect.stringContaining('web rolls out to web-v2; put it back'),
    ]);
    expect(refused(seen({ isUnderWay: true, target: undefined }))[3]).toContain('rolls out to a revision;');
    expect(planned(seen({ isUnderWay: true }, 'other')).rollout).toEqual({ kind: 'none' });
    const idle = seen({});
    expect(planned(idle).rollout).toEqual({ kind: 'remove', rollout: idle.rollout });
    const unowned = { object: { ...KINDS.rolloutOrchestrator, metadata: { name: 'web' } }, isUnderWay: true };
    expect(planned(seen(unowned)).rollout).toEqual({ kind: 'none' });
  });

  it('[rollout 13] is nothing where the policy was removed before the revision was rolled out', () => {
    const stranded = seenAfter([first, second], plain('web:2'), { latest: 'web-v1' });
    expect(refused(stranded)).toEqual(['Applied', 'RolloutUnderWay', 'held', expect.stringContaining('removed before web-v2 was')]);
    expect(planned({ ...stranded, latest: undefined }).revision.name).toBe('web-v2');
    expect(planned(seenAfter([first, second], shop('web:2'), { latest: 'web-v1' })).revision.name).toBe('web-v2');
    expect(planned(seenAfter([first, second], plain('web:3'), { latest: 'web-v1' })).revision.name).toBe('web-v3');
  });

  it('[issue 10.2] gives no rollout up whose terms ask people', () => {
    const seen = (object: KubeObject, more: object = {}) =>
      seenAfter([first], object, { latest: 'web-v1', rollout: rollout({ inForce, ...more }) });
    expect(refused(seen(plain('web:1')))).toEqual([
      'Applied',
      'PolicyInForce',
      'held',
      'the rollout policy of web cannot be removed while its gates are in force; apply a policy without gates and approvals first; once that is approved (loosen), it can be done',
    ]);
    const other = [{ ...POLICY, properties: { ...POLICY.properties, component: 'api' } }];
    expect(refused(seen(shop('web:1', other)))[3]).toContain(
      'the rollout policy of web cannot name api while the gates of web are in force; ',
    );
    expect(told(seen(shop('web:1'))).kind).toBe('run');
    expect(told(seen(shop('web:1', other), { component: undefined })).kind).toBe('run');
    expect(told(seen(shop('web:1', other), { inForce: undefined })).kind).toBe('run');
  });
});

describe('the name of what an application makes', () => {
  const named = (labels: object) =>
    seenAfter([first], shop('web:1'), { trackerNamed: (name) => (name === 'web-v1-shop' ? tracker(name, { labels }) : undefined) });

  it.each([
    ['is its own', { [LABEL.appName]: 'web', [LABEL.appNamespace]: 'shop' }, 'run'],
    ['is nobody’s', {}, 'run'],
    ['tells no namespace', { [LABEL.appName]: 'other' }, 'run'],
    ['tells no name', { [LABEL.appNamespace]: 'other' }, 'run'],
    ['is of another application', { [LABEL.appName]: 'web-v1', [LABEL.appNamespace]: 'shop' }, 'refuse'],
    ['is of one in another namespace', { [LABEL.appName]: 'web', [LABEL.appNamespace]: 'store' }, 'refuse'],
    ['is of another by the misspelt label', { [LABEL.appName]: 'web', [LABEL.appNamespaceMisspelt]: 'store' }, 'refuse'],
  ])('[dispatch N] may be taken where the record %s', (_what, labels, kind) => {
    expect(told(named(labels)).kind).toBe(kind);
  });

  it('[dispatch N] is told with whose it is', () => {
    expect(refused(named({ [LABEL.appName]: 'b', [LABEL.appNamespace]: 'a' }))).toEqual([
      'Applied',
      'NameTaken',
      'held',
      'ResourceTracker web-v1-shop belongs to application a/b, and application shop/web has the same tracker name; rename one of them; nothing was changed',
    ]);
  });

  it('[rollout 13] is not taken from a rollout that another controller has', () => {
    const seen = (object: KubeObject, owner: string) => seenAfter([first], object, { latest: 'web-v1', rollout: rollout({}, owner) });
    expect(refused(seen(shop('web:1'), 'other'))).toEqual([
      'Applied',
      'NameTaken',
      'held',
      'RolloutOrchestrator web in shop belongs to Application other, and application web needs one of that name; rename one of them; nothing was changed',
    ]);
    expect(told(seen(shop('web:1'), 'app')).kind).toBe('run');
    expect(told(seen(plain('web:1'), 'other')).kind).toBe('run');
    const free = { ...KINDS.rolloutOrchestrator, metadata: { name: 'web' } };
    expect(told(seenAfter([first], shop('web:1'), { latest: 'web-v1', rollout: rollout({ object: free }) })).kind).toBe('run');
  });

  it('[design 12.8] is that of the newest revision while it says the same, else the next number', () => {
    const name = (seen: Observation) => planned(seen).revision;
    expect(name(seenAfter([first], shop('web:1')))).toEqual({ name: 'web-v1', number: 1, hash: first.hash, stored: first });
    expect(name(seenAfter([first, second], shop('web:1')))).toMatchObject({ name: 'web-v3', number: 3, stored: undefined });
    expect(name(seenAfter([first], shop('web:1'), { trackers: [tracker('web-v7-shop')], highestNumber: 7 }))).toMatchObject({
      name: 'web-v8',
    });
    const inline = { written: parseApplication(shop('web:1')) } as unknown as Observation['inline'];
    expect(name(seenAfter([first], shop('web:2'), { inline: inline as never }))).toMatchObject({ name: 'web-v1', stored: first });
    expect(name(seenAfter([second], shop('web:3'), { inline: inline as never }))).toMatchObject({ name: 'web-v3', stored: undefined });
  });
});
