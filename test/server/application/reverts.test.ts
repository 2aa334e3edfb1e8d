import { describe, expect, it } from 'vitest';
import { PUT_BACK } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { RunPlan } from '@/server/application/decide/model';
import { repairOf } from '@/server/application/decide/repair';
import {
  answerRevert,
  isRevertRequested,
  manifestsToRevert,
  onlyRequestedReverts,
  replacedObjectReason,
  requestedReverts,
  requestRevert,
} from '@/server/application/decide/revert';
import type { Rendered } from '@/server/application/spec/model';
import { configMap, holding, revisionOf, seenAfter } from './seen';
import { planned } from './staged-shop';

const named = (asked: string | undefined, more: object = {}) =>
  holding([configMap('a'), configMap('b')], {}, { annotations: { ...(asked === undefined ? {} : { [PUT_BACK.asked]: asked }), ...more } });
const at = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name });
const object = (name: string, more: object = {}): KubeObject => configMap(name, { key: 'wanted' }, { namespace: 'shop', ...more });
const planOf = (application: KubeObject, more: Partial<RunPlan> = {}): RunPlan => ({
  ...planned(seenAfter([revisionOf(application)], application)),
  ...more,
});

describe('what people ask to be put back', () => {
  it('[design 14] is written with the object that was seen, and with who asks', () => {
    const first = requestRevert(named(undefined, { mine: 'x' }), { ...at('a'), uid: 'u1' }, { user: 'ada', groups: ['ops'] });
    expect(first?.metadata).toMatchObject({
      name: 'web',
      annotations: { mine: 'x', [PUT_BACK.asked]: 'ConfigMap/shop/a%u1', [PUT_BACK.user]: 'ada', [PUT_BACK.groups]: 'ops' },
    });
    const second = first && requestRevert(first, at('b'));
    expect(second?.metadata.annotations?.[PUT_BACK.asked]).toBe('ConfigMap/shop/a%u1,ConfigMap/shop/b');
    expect([...requestedReverts(second ?? first ?? named(''))]).toEqual(['ConfigMap/shop/a', 'ConfigMap/shop/b']);
    expect(requestRevert(named(undefined), at('a'))?.metadata.annotations).not.toHaveProperty([PUT_BACK.user]);
    expect([...requestedReverts(named('')), ...requestedReverts({ ...named(''), metadata: { name: 'web' } })]).toEqual([]);
    expect([...requestedReverts(named('ConfigMap/shop/a,'))]).toEqual(['ConfigMap/shop/a']);
  });

  it('[design 14] ends at fifty objects, and takes one again that is among them', () => {
    const asked = (count: number) => named(Array.from({ length: count }, (_, at) => `ConfigMap/shop/c${at}`).join(','));
    expect([requestRevert(asked(49), at('a')), requestRevert(asked(50), at('a'))].map((next) => next === undefined)).toEqual([false, true]);
    expect(requestRevert(asked(50), at('c3'))).toBeDefined();
  });

  it('[design 14] is not what was made anew since', () => {
    const application = named('ConfigMap/shop/a%u1,ConfigMap/shop/b');
    const reason = (name: string, uid?: string) =>
      replacedObjectReason(application, object(name), uid === undefined ? undefined : object(name, { uid }));
    expect(reason('a', 'u2')).toBe('ConfigMap a in shop was deleted and created again since it was requested');
    expect([reason('a', 'u1'), reason('a'), reason('b', 'u2'), reason('c', 'u2')]).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('[dispatch 13] is of the applied revision, of what is given back to the one before it, or of one that is served beside it, and nothing that nobody named', () => {
    const rendered = (name: string): Rendered => ({ manifests: [object(name), object('other')], workloads: {} });
    const served = [{ revision: {} as never, rendered: rendered('c'), workload: 'w' }];
    const plan = planOf(named('ConfigMap/shop/a,ConfigMap/shop/c'), { served });
    expect(manifestsToRevert(plan).map(({ metadata }) => metadata.name)).toEqual(['a', 'c']);
    const rejected = { ...plan, dispatch: false };
    expect(manifestsToRevert(rejected).map(({ metadata }) => metadata.name)).toEqual(['c']);
    const before = revisionOf(plan.application.object);
    const restore = { revision: { ...before, stored: before }, rendered: { manifests: [object('a'), object('b')], workloads: {} } };
    expect(manifestsToRevert({ ...rejected, restore }).map(({ metadata }) => metadata.name)).toEqual(['a', 'c']);
    expect(onlyRequestedReverts(plan)?.rendered.manifests.map(({ metadata }) => metadata.name)).toEqual(['a']);
    expect(onlyRequestedReverts(plan)).toMatchObject({ revision: plan.revision, rendered: { workloads: plan.rendered.workloads } });
    expect(onlyRequestedReverts(planOf(named('ConfigMap/shop/c'), { served }))).toBeUndefined();
    expect([isRevertRequested(new Set(), object('a')), isRevertRequested(new Set(['ConfigMap//a']), object('a'))]).toEqual([false, true]);
  });

  it.each<[string, RunPlan, string | undefined, string | undefined]>([
    [
      'nothing where nobody asked',
      planOf({ ...named(undefined), metadata: { ...named(undefined).metadata, annotations: {} } }),
      undefined,
      undefined,
    ],
    [
      'that it is done',
      planOf(named('ConfigMap/shop/a,ConfigMap/shop/b', { [PUT_BACK.user]: 'ada' })),
      undefined,
      'ConfigMap/shop/a,ConfigMap/shop/b was reverted at the request of ada',
    ],
    [
      'that it is done for nobody',
      planOf(named('ConfigMap/shop/a')),
      undefined,
      'ConfigMap/shop/a was reverted at the request of an unknown user',
    ],
    [
      'why it is refused',
      planOf(named('ConfigMap/shop/a', { [PUT_BACK.user]: 'ada' })),
      'no',
      'ConfigMap/shop/a was not reverted, although ada requested it: no',
    ],
    [
      'that there is no such object',
      planOf(named('ConfigMap/shop/c', { [PUT_BACK.user]: 'ada' })),
      undefined,
      'ConfigMap/shop/c was not reverted, although ada requested it: web-v1 has no such object',
    ],
    [
      'that nothing is applied',
      planOf(named('ConfigMap/shop/a', { [PUT_BACK.user]: 'ada' }), { dispatch: false }),
      undefined,
      'ConfigMap/shop/a was not reverted, although ada requested it: nothing of web is currently being applied',
    ],
  ])('[dispatch 13] is answered: %s', (_what, plan, refusal, sentence) => {
    const answer = answerRevert(plan, refusal);
    expect(answer?.sentence).toBe(sentence);
    expect(answer?.action).toBe(sentence && (sentence.includes(' not ') ? 'drift.put-back.refused' : 'drift.put-back.done'));
  });
});

describe('what is told of a repair', () => {
  const data = (count: number, value: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${String(at).padStart(2, '0')}`, value]));
  const repaired = (wanted: object, found: object | undefined, owned: object = {}) => {
    const live = (more: object) => ({ ...configMap('a'), metadata: { name: 'a', namespace: 'shop', uid: 'u' }, data: more });
    const managedFields = [
      { manager: 'kubectl', operation: 'Update', time: '2026-01-01T00:00:00Z', fieldsType: 'FieldsV1', fieldsV1: owned },
    ];
    const before = found && { ...live(found), metadata: { ...live(found).metadata, managedFields } };
    const tracker = { name: 't', uid: 't' };
    const { fields, ...rest } = repairOf({ manifest: live(wanted), tracker, before, after: live(wanted) } as never, {});
    return { ...rest, fields: fields.filter(({ path }: { path?: string }) => path?.startsWith('data')) };
  };

  it('[dispatch 13] names five fields, who set them, and how many more there are', () => {
    const six = repaired(data(6, 'x'), data(6, 'y'));
    const setBy = (name: string) => `data.${name} (set by an unknown manager)`;
    expect(six.sentence).toBe(`ConfigMap a in shop was reverted: ${['k00', 'k01', 'k02', 'k03', 'k04'].map(setBy).join(', ')} and 1 more`);
    expect(repaired(data(5, 'x'), data(5, 'y')).sentence).not.toContain('more');
    expect(repaired(data(60, 'x'), data(60, 'y')).fields.length).toBeLessThanOrEqual(50);
    expect(six.fields[0]).toEqual({ path: 'data.k00', kind: 'changed' });
    expect(six.key).toMatch(/^u .*data\.k00 undefined/);
  });

  it('[dispatch 13] says who set a field and when, and of one that is gone only that', () => {
    const set = repaired({ a: 'x', b: 'x' }, { a: 'y' }, { 'f:data': { 'f:a': {} } });
    expect(set.sentence).toBe('ConfigMap a in shop was reverted: data.a (set by kubectl), data.b (had been removed)');
    expect(set.fields).toEqual([
      { path: 'data.a', kind: 'changed', manager: 'kubectl', since: '2026-01-01T00:00:00Z' },
      { path: 'data.b', kind: 'removed' },
    ]);
    expect(set.key).toContain('data.a kubectl');
  });

  it('[dispatch 13] has nothing of an object that was gone, and is another for another object', () => {
    expect(repaired({ a: 'x' }, undefined)).toEqual({
      key: 'ConfigMap a in shop ',
      object: expect.anything(),
      sentence: 'ConfigMap a in shop was missing and was recreated',
      fields: [],
    });
  });
});
