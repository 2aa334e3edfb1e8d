import { describe, expect, it } from 'vitest';
import { DEEPEST_APPLICATION } from '@/lib/kube/depth';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import type { InlineValues, Observation } from '@/server/application/observe/observe';
import { isPermitted, permittedAnnotations } from '@/server/application/permission/permitted';
import { rightsOfChange } from '@/server/application/permission/rights-of-change';
import type { Revision } from '@/server/application/revision';
import { parseApplication } from '@/server/application/spec/parse';
import { toReference } from '@/server/application/values/reference';
import type { TrackerEntry } from '@/server/dispatch';
import { configMap, entry, holding, recording, revisionOf, seenAfter } from './seen';

const NOW = 0 as Instant;
const RBAC = 'rbac.authorization.k8s.io/v1';
const rightsOf = (seen: Observation) => {
  const needed = rightsOfChange(seen, NOW);
  if (needed === undefined) return undefined;
  const written = needed.written.map(
    ({ object: { kind, metadata }, verbs, deed }) => `${deed ?? verbs.join(',')} ${kind} ${metadata.namespace ?? '*'}/${metadata.name}`,
  );
  const going = needed.going.map(({ apiVersion, kind, namespace, name }) => `delete ${apiVersion} ${kind} ${namespace ?? '*'}/${name}`);
  return [...written, ...going];
};
/** Which rights an application needs that becomes another one. */
const between = (before: KubeObject, after: KubeObject, more: Partial<Observation> = {}) =>
  rightsOf(seenAfter([revisionOf(before)], after, more));
const about = (kind: string, more: object = {}) => ({ rules: [{ selector: { resourceTypes: [kind] }, ...more }] });
const collecting = (more: object) => ({ 'garbage-collect': about('Secret', more) });

describe('the rights that a change of an application needs', () => {
  it('[issue 10.1] are those to all of it where it is new, and are asked for in its name', () => {
    const seen = seenAfter([], holding([configMap('a'), configMap('b', {}, { namespace: 'bank' })]));
    expect(rightsOf(seen)).toEqual(['create,patch ConfigMap shop/a', 'create,patch ConfigMap bank/b']);
    expect(rightsOfChange(seen, NOW)).toMatchObject({ application: 'Application web in shop', namespace: 'shop' });
    // What an earlier release has on record goes with the first revision.
    const recorded = { trackers: [recording(entry('Secret', 'key'))] };
    expect(rightsOf(seenAfter([], holding([configMap('a')]), recorded))).toEqual([
      'create,patch ConfigMap shop/a',
      'delete v1 Secret shop/key',
    ]);
  });

  it('[issue 10.1] are none at all where neither content nor policies are others than were permitted', () => {
    expect(between(holding([configMap('a')]), holding([configMap('a')]))).toBeUndefined();
    const owned = { 'read-only': about('ConfigMap') };
    expect(between(holding([configMap('a')], owned), holding([configMap('a')], owned))).toBeUndefined();
  });

  it('[issue 10.1] are those to what was added and what is written otherwise, and to nothing beside it', () => {
    const before = holding([configMap('same'), configMap('other', { a: '1' })]);
    const after = holding([configMap('same'), configMap('other', { a: '2' }), configMap('new')]);
    expect(between(before, after)).toEqual(['patch ConfigMap shop/other', 'create,patch ConfigMap shop/new']);
  });

  it('[issue 10.1] go by the newest revision, and by no older one', () => {
    const [old, newer] = [holding([configMap('a', { a: '1' })]), holding([configMap('a', { a: '2' })])];
    const revisions = [revisionOf(old), revisionOf(newer, {}, 2)];
    expect(rightsOf(seenAfter(revisions, newer))).toBeUndefined();
    expect(rightsOf(seenAfter(revisions, old))).toEqual(['patch ConfigMap shop/a']);
  });

  it('[issue 10.1] are those to what gets another label of its own, since labels may give rights, and to none for the name of the revision', () => {
    const role = (labels: object) => ({ apiVersion: RBAC, kind: 'ClusterRole', metadata: { name: 'r', labels }, rules: [] });
    const before = holding([role({}), configMap('a')]);
    expect(between(before, holding([role({ 'rbac.authorization.k8s.io/aggregate-to-view': 'true' }), configMap('a')]))).toEqual([
      'patch ClusterRole shop/r',
    ]);
  });

  it('[issue 10.1] are those to all that is applied once again with each revision, and to none of it by a policy beside that', () => {
    const once = { 'apply-once': { enable: true } };
    const before = holding([configMap('a'), configMap('b')], once);
    expect(between(before, holding([configMap('a', { a: '1' }), configMap('b')], once))).toEqual([
      'create,patch ConfigMap shop/a',
      'create,patch ConfigMap shop/b',
    ]);
    expect(between(before, holding([configMap('a'), configMap('b')], { ...once, 'garbage-collect': {} }))).toEqual([]);
  });

  it('[issue 10.1] leave out the labels of the application itself, which whoever labelled it is asked about', () => {
    const labelled = holding([configMap('a'), configMap('b')], {}, { labels: { team: 'red' }, annotations: { note: 'x' } });
    expect(between(holding([configMap('a')]), labelled)).toEqual(['create,patch ConfigMap shop/b']);
  });

  it('[issue 10.1] are those to all of it where its newest revision can be read no more', () => {
    const made = revisionOf(holding([configMap('a')]));
    const broken: Revision = { ...made, object: { ...made.object, spec: { application: { spec: { components: 'lost' } } } } };
    const seen = seenAfter([broken], holding([configMap('a'), configMap('b')]), { trackers: [recording(entry('Secret', 'key'))] });
    const all = [
      'create,patch ConfigMap shop/a',
      'create,patch ConfigMap shop/b',
      'delete v1 Secret shop/key',
      'delete v1 ConfigMap shop/a',
    ];
    expect(rightsOf(seen)).toEqual([...all, 'delete v1 ConfigMap shop/b']);
    // A rule may have held what goes at the end from now on; what one holds now needs no such right.
    const rules = (kind: string, strategy: string) => ({ 'garbage-collect': about(kind, { strategy }) });
    const later = (policies: Readonly<Record<string, object>>) =>
      rightsOf({ ...seenAfter([broken], holding([configMap('a', { a: '2' })], policies)), trackers: [recording(entry('Secret', 'key'))] });
    expect(later(rules('Secret', 'onAppDelete'))).toEqual([
      'create,patch ConfigMap shop/a',
      'delete v1 Secret shop/key',
      'delete v1 ConfigMap shop/a',
    ]);
    expect(later(rules('Secret', 'never'))).toEqual(['create,patch ConfigMap shop/a', 'delete v1 ConfigMap shop/a']);
    expect(later(rules('ConfigMap', 'never'))).toEqual(['create,patch ConfigMap shop/a', 'delete v1 Secret shop/key']);
  });

  it('[issue 10.1] are those to the workload that a rollout begins to move, though nothing else of it changes', () => {
    const of = (policies: readonly object[]): KubeObject => ({
      ...holding([]),
      spec: {
        components: [
          { name: 'set', type: 'k8s-objects', properties: { objects: [configMap('a')] } },
          { name: 'front', type: 'webservice', properties: { image: 'registry.example.com/front:1', ports: [{ port: 80, expose: true }] } },
        ],
        policies,
      },
    });
    const rollout = { name: 'r', type: 'rollout', properties: { component: 'front' } };
    const kept = { name: 'g', type: 'garbage-collect', properties: { keepLegacyResource: true } };
    expect(between(of([]), of([rollout]))).toEqual(['patch Deployment shop/front']);
    expect(between(of([rollout]), of([rollout, kept]))).toEqual([]);
    expect(rightsOf(seenAfter([], of([rollout])))).toEqual([
      'create,patch ConfigMap shop/a',
      'create,patch Deployment shop/front-v1',
      'create,patch Service shop/front',
    ]);
  });
});

describe('the right to delete', () => {
  const before = holding([configMap('a')]);
  const after = holding([configMap('b')]);
  const deletedBetween = (from: KubeObject, to: KubeObject, ...entries: readonly TrackerEntry[]) =>
    between(from, to, { trackers: [recording(...entries)] })?.filter((right) => right.startsWith('delete'));

  it('[issue 10.1] is needed for what is on record and is wanted no more, once for each object', () => {
    const trackers = [recording(entry('ConfigMap', 'a'), entry('ConfigMap', 'b')), recording(entry('ConfigMap', 'a'))];
    expect(between(before, after, { trackers })).toEqual(['create,patch ConfigMap shop/b', 'delete v1 ConfigMap shop/a']);
  });

  it('[issue 10.1] is needed for what KubeVela marked for deletion as well, which goes if it is there, and not for what a record leaves alone', () => {
    const marked = entry('ConfigMap', 'a', { deleted: true });
    const left = entry('ConfigMap', 'a', { skipGC: true });
    expect([deletedBetween(before, after, marked), deletedBetween(before, after, left)]).toEqual([['delete v1 ConfigMap shop/a'], []]);
  });

  it('[issue 10.1] is needed where one record leaves alone what another lets go, whichever comes first', () => {
    const ninth = recording(entry('ConfigMap', 'a', { skipGC: true }));
    const tenth = recording(entry('ConfigMap', 'a'));
    for (const trackers of [
      [ninth, tenth],
      [tenth, ninth],
    ])
      expect(between(before, after, { trackers })).toEqual(['create,patch ConfigMap shop/b', 'delete v1 ConfigMap shop/a']);
  });

  it('[issue 10.1] names no namespace for what has none, which counts as wanted where its manifest is', () => {
    const role = { apiVersion: RBAC, kind: 'ClusterRole', metadata: { name: 'r' }, rules: [] };
    const { namespace: _none, ...recorded } = entry('ClusterRole', 'r', { apiVersion: RBAC });
    expect(deletedBetween(holding([role]), after, recorded)).toEqual([`delete ${RBAC} ClusterRole */r`]);
    expect(deletedBetween(holding([role]), holding([role, configMap('b')]), recorded)).toEqual([]);
    const needed = rightsOfChange(seenAfter([revisionOf(holding([role]))], after, { trackers: [recording(recorded)] }), NOW);
    expect(needed?.going).toEqual([{ apiVersion: RBAC, kind: 'ClusterRole', name: 'r' }]);
  });

  const key = entry('Secret', 'key');
  const [plain, legacy] = [holding([configMap('a')]), holding([configMap('a')], { 'garbage-collect': { keepLegacyResource: true } })];
  const never = holding([configMap('a')], collecting({ strategy: 'never' }));
  const atTheEnd = holding([configMap('a')], collecting({ strategy: 'onAppDelete' }));
  const [orphan, cascading] = [
    holding([configMap('a')], collecting({ propagation: 'orphan' })),
    holding([configMap('a')], collecting({ propagation: 'cascading' })),
  ];
  it.each<[string, KubeObject, KubeObject, boolean]>([
    ['goes now and stayed as something older', legacy, plain, true],
    ['goes now and stayed until the end', atTheEnd, plain, true],
    ['goes now and never went', never, plain, true],
    ['goes at the end and never went', never, atTheEnd, true],
    ['stays as something older and never went', never, legacy, true],
    ['goes with what it owns and left that alone', orphan, cascading, true],
    ['leaves alone what it owns and took that along', cascading, orphan, true],
    ['goes in a way that it did not before', plain, cascading, true],
    ['stays from now on', plain, legacy, false],
    ['stays until the end from now on', plain, atTheEnd, false],
    ['never goes from now on', plain, never, false],
    ['never goes from now on and stayed until the end', atTheEnd, never, false],
    ['stays until the end and stayed as something older', legacy, atTheEnd, false],
  ])('[issue 10.1] is asked for by a change of a policy alone, where what is on record %s: %#', (_what, from, to, asked) => {
    expect(between(from, to, { trackers: [recording(key)] })).toEqual(asked ? ['delete v1 Secret shop/key'] : []);
  });

  it('[issue 10.1] is not asked for where what never went is wanted again', () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key' } };
    expect(between(never, holding([configMap('a'), secret]), { trackers: [recording(key)] })).toEqual(['create,patch Secret shop/key']);
  });

  it('[issue 10.1] is not asked for once more where what goes went before', () => {
    const { spec } = plain;
    const more = { ...(spec as object), policies: [{ name: 'g', type: 'garbage-collect', properties: { continueOnFailure: true } }] };
    expect(between(plain, { ...plain, spec: more }, { trackers: [recording(key)] })).toEqual([]);
  });

  it('[issue 10.1] is needed for what is wanted on, where a rule never let it go and does no more', () => {
    const held = (strategy: string) =>
      holding([configMap('a'), { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 's' } }], {
        'garbage-collect': about('ConfigMap', { strategy }),
      });
    const bare = holding([configMap('a'), { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 's' } }]);
    expect(between(held('never'), bare)).toEqual(['delete v1 ConfigMap shop/a']);
    expect(between(held('never'), held('onAppDelete'))).toEqual(['delete v1 ConfigMap shop/a']);
    expect([between(bare, held('never')), between(held('onAppDelete'), bare)]).toEqual([[], []]);
    const stillHeld = holding([configMap('a'), configMap('c')], { 'garbage-collect': about('ConfigMap', { strategy: 'never' }) });
    expect(between(held('never'), stillHeld)).toEqual(['create,patch ConfigMap shop/c']);
  });
});

describe('an application in an application', () => {
  const inner = (objects: readonly object[], policies: Readonly<Record<string, object>> = {}, name = 'inner') => ({
    ...holding(objects, policies),
    metadata: { name, namespace: 'shop' },
  });

  it('[issue 10.1] needs the rights to all that it holds of whoever changes the outer one, and by policies of its own', () => {
    expect(between(holding([configMap('a')]), holding([configMap('a'), inner([configMap('b', {}, { namespace: 'bank' })])]))).toEqual([
      'create,patch Application shop/inner',
      'create,patch ConfigMap bank/b',
    ]);
    const reading = inner([configMap('b')], { 'read-only': about('ConfigMap') });
    expect(rightsOf(seenAfter([], holding([configMap('a'), reading])))).toEqual([
      'create,patch ConfigMap shop/a',
      'create,patch Application shop/inner',
      'get ConfigMap shop/b',
    ]);
    expect(between(holding([reading]), holding([inner([configMap('b')])]))).toEqual([
      'patch Application shop/inner',
      'create,patch ConfigMap shop/b',
    ]);
  });

  it('[issue 10.1] needs the right to delete what it holds no longer, and only that', () => {
    const [both, one] = [holding([inner([configMap('b'), configMap('c')])]), holding([inner([configMap('b')])])];
    expect(between(both, one)).toEqual(['patch Application shop/inner', 'delete v1 ConfigMap shop/c']);
    expect(between(one, both)).toEqual(['patch Application shop/inner', 'create,patch ConfigMap shop/c']);
    const without = between(both, holding([configMap('x')]), { trackers: [recording(entry('Application', 'inner', KINDS.application))] });
    expect(without).toEqual(['create,patch ConfigMap shop/x', 'delete core.oam.dev/v1beta1 Application shop/inner']);
  });

  it('[issue 10.1] keeps what lies in it apart from what lies beside it under the same name', () => {
    const beside = holding([configMap('b', { a: '1' }), inner([configMap('b', { a: '2' }, { namespace: 'bank' })])]);
    const moved = holding([configMap('b', { a: '1' }), inner([configMap('b', { a: '3' }, { namespace: 'bank' })])]);
    expect(between(beside, moved)).toEqual(['patch Application shop/inner', 'patch ConfigMap bank/b']);
  });

  it('[issue 10.1] does not vouch for what goes beside it: what the outer one holds no longer needs the right to delete it', () => {
    const role = { apiVersion: RBAC, kind: 'ClusterRole', metadata: { name: 'r' }, rules: [] };
    const { namespace: _none, ...recorded } = entry('ClusterRole', 'r', { apiVersion: RBAC });
    const reading = inner([role], { 'read-only': about('ClusterRole') });
    expect(between(holding([role]), holding([reading]), { trackers: [recording(recorded)] })).toEqual([
      'create,patch Application shop/inner',
      'get ClusterRole shop/r',
      `delete ${RBAC} ClusterRole */r`,
    ]);
  });

  it('[issue 10.1] hides nothing behind an object whose name reads like what lies in it', () => {
    for (const name of ['inner > ConfigMap/shop/b', 'inner""ConfigMap/shop/b', 'inner"ConfigMap/shop/b'])
      expect(rightsOf(seenAfter([], holding([inner([configMap('b')]), { ...inner([]), metadata: { name } }])))).toEqual([
        'create,patch Application shop/inner',
        'create,patch ConfigMap shop/b',
        `create,patch Application shop/${name}`,
      ]);
  });

  it('[issue 10.1] is looked into as deep as applications may lie in each other', () => {
    const nested = (levels: number): object =>
      Array.from({ length: levels }, (_, at) => `level-${at}`).reduce<object>(
        (content, name) => inner([content], {}, name),
        configMap('deep'),
      );
    const rights = rightsOf(seenAfter([], holding([nested(DEEPEST_APPLICATION)])));
    expect([rights?.length, rights?.at(-1)]).toEqual([DEEPEST_APPLICATION + 1, 'create,patch ConfigMap shop/deep']);
    const changed = holding([inner([inner([configMap('deep', { a: '1' })], {}, 'in')])]);
    expect(between(holding([inner([inner([configMap('deep')], {}, 'in')])]), changed)).toEqual([
      'patch Application shop/inner',
      'patch Application shop/in',
      'patch ConfigMap shop/deep',
    ]);
  });

  it('[issue 10.1] counts by itself where it cannot be read, and where it is an application of somebody else', () => {
    const unread = { ...inner([]), spec: { components: 'lost' } };
    const argo = { ...inner([configMap('b')]), apiVersion: 'argoproj.io/v1alpha1' };
    const other = { ...inner([configMap('b')]), kind: 'Workload' };
    for (const [object, kind] of [
      [unread, 'Application'],
      [argo, 'Application'],
      [other, 'Workload'],
    ] as const)
      expect(rightsOf(seenAfter([], holding([object])))).toEqual([`create,patch ${kind} shop/inner`]);
  });
});

describe('policies that were permitted after the revision was made', () => {
  const reading = { 'read-only': about('ConfigMap') };
  const [bare, owned] = [holding([configMap('a')]), holding([configMap('a')], reading)];
  const parsed = (object: KubeObject) => parseApplication(object);

  it('[issue 10.1] are noted on it, so that they are asked about once', () => {
    const noted = permittedAnnotations(revisionOf(owned), parsed(bare));
    expect(noted).toEqual({ 'slipway.dev/permitted-policies': '[]' });
    expect(rightsOf(seenAfter([revisionOf(owned, noted)], bare))).toBeUndefined();
    expect(rightsOf(seenAfter([revisionOf(owned)], bare))).toEqual(['create,patch ConfigMap shop/a']);
    // And what was permitted with it is new again.
    expect(rightsOf(seenAfter([revisionOf(bare, permittedAnnotations(revisionOf(bare), parsed(owned)))], bare))).toEqual([
      'create,patch ConfigMap shop/a',
    ]);
    const changed = holding([configMap('a', { a: '1' })]);
    expect(rightsOf(seenAfter([revisionOf(owned, noted)], changed))).toEqual(['patch ConfigMap shop/a']);
  });

  it('[issue 10.1] are noted nowhere where the revision says so itself, and without a revision nothing is permitted', () => {
    const { policies: _none, ...spec } = bare.spec as { readonly policies: unknown };
    const silent = parsed({ ...bare, spec });
    expect([permittedAnnotations(revisionOf(owned), parsed(owned)), permittedAnnotations(revisionOf(bare), silent)]).toEqual([{}, {}]);
    expect(permittedAnnotations(revisionOf(owned), silent)).toEqual({ 'slipway.dev/permitted-policies': '[]' });
    expect([isPermitted(undefined, parsed(bare)), isPermitted(revisionOf(silent.object), silent)]).toEqual([false, true]);
  });
});

describe('values that stand inline', () => {
  const secret = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'shop' } });
  const key = (more: object) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key' }, ...more });
  const [inline, moved] = [key({ stringData: { a: '1' } }), key({ type: 'moved' })];
  const seen = (before: Revision, move: InlineValues['move'], secrets: readonly KubeObject[] = []) =>
    rightsOf(
      seenAfter([before], holding([moved, configMap('b')]), {
        inline: { written: parseApplication(holding([inline, configMap('b')])), secrets, places: [], move },
      }),
    );

  it('[issue 10.1] are put into Secrets by whoever wrote them there, who needs the right to create those', () => {
    const asItIs = (object: KubeObject) => ({ object }) as never;
    const secrets = [secret('web-values-1'), secret('web-values-2')];
    expect(seen(revisionOf(holding([moved])), asItIs, secrets)).toEqual([
      'create,patch ConfigMap shop/b',
      'create Secret shop/web-values-1',
      'create Secret shop/web-values-2',
    ]);
    const referring = key({ stringData: { a: toReference({ name: 'web-values-1', key: 'a' }) } });
    expect(seen(revisionOf(holding([referring])), asItIs, secrets)).toEqual([
      'patch Secret shop/key',
      'create,patch ConfigMap shop/b',
      'create Secret shop/web-values-2',
    ]);
  });

  it('[issue 10.1] count as written before where the newest revision held them, and as changed where it cannot be moved', () => {
    const before = revisionOf(holding([inline], {}, { labels: { team: 'red' } }));
    const given: unknown[] = [];
    const move = (object: KubeObject) => {
      given.push(object);
      return { object: holding([moved]) } as never;
    };
    expect(seen(before, move)).toEqual(['create,patch ConfigMap shop/b']);
    const metadata = expect.objectContaining({ name: 'web', namespace: 'shop', labels: { team: 'red' } });
    expect(given).toEqual([{ ...KINDS.application, metadata, spec: holding([inline]).spec }]);
    const fails = () => {
      throw new Error('it holds what cannot be moved');
    };
    expect(seen(before, fails)).toEqual(['patch Secret shop/key', 'create,patch ConfigMap shop/b']);
  });
});

describe('an application that cannot be carried out', () => {
  const change = seenAfter([], holding([configMap('a')]));

  it('[issue 10.1] is refused with the sentence about it where it cannot be read', () => {
    expect(() => rightsOfChange({ ...change, application: { fault: 'it has no components' } }, NOW)).toThrow('it has no components');
    const both = { ...change, application: { fault: 'it has no components' }, trackerFaults: ['somebody edited the record'] };
    expect(() => rightsOfChange(both, NOW)).toThrow('it has no components');
    const twins = seenAfter([], holding([configMap('a'), configMap('a')]));
    expect(() => rightsOfChange(twins, NOW)).toThrow(/ConfigMap a/);
  });

  it('[issue 10.1] is refused where what is on record cannot be relied on', () => {
    expect(() => rightsOfChange({ ...change, trackerFaults: ['somebody edited the record'] }, NOW)).toThrow('somebody edited the record');
  });

  it('[issue 10.1] needs no rights where nothing is done for it', () => {
    const taken = { name: 'web-v1-shop', labels: { 'app.oam.dev/name': 'other', 'app.oam.dev/namespace': 'shop' } };
    expect(rightsOfChange({ ...change, trackerNamed: () => taken as never }, NOW)).toBeUndefined();
    const ending = holding([configMap('a')], {}, { deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect(rightsOfChange(seenAfter([], ending), NOW)).toBeUndefined();
  });
});
