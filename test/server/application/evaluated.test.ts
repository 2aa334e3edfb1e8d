import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { SUSPENDED } from '@/lib/kube/paused-by';
import type { RunPlan } from '@/server/application/decide/model';
import { digestOfFields, toChangePlan, toLine } from '@/server/application/plan/change-plan';
import type { ManifestContext } from '@/server/application/plan/evaluate-manifest';
import { evaluateManifest } from '@/server/application/plan/evaluate-manifest';
import type { GarbageItem, LiveState } from '@/server/dispatch';
import { configMap, holding, revisionOf, seenAfter } from './seen';
import { planned } from './staged-shop';

const at: ObjectAddress = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'a' };
const OURS = { 'app.oam.dev/name': 'web', 'app.oam.dev/namespace': 'shop' };
const live = (data: object, more: object = {}): KubeObject =>
  ({ ...configMap('a', {}, { namespace: 'shop', uid: 'u', labels: OURS, ...more }), data }) as KubeObject;
const present = (object: KubeObject): LiveState => ({ kind: 'present', object });
const ABSENT: LiveState = { kind: 'absent' };
const readOnly = { 'read-only': { rules: [{ selector: { resourceTypes: ['ConfigMap'] } }] } };
const keepData = (affect: string) => ({
  'apply-once': { enable: true, rules: [{ selector: { resourceTypes: ['ConfigMap'] }, strategy: { path: ['data.a'], affect } }] },
});

interface Given {
  readonly state: LiveState;
  readonly home?: LiveState;
  readonly policies?: Readonly<Record<string, object>>;
  readonly isLeft?: boolean;
  readonly isApplied?: boolean;
  readonly isStored?: boolean;
  readonly unserved?: string;
  readonly place?: ObjectAddress;
  readonly accepted?: readonly string[];
  readonly manifest?: KubeObject;
}
function judged({
  state,
  home = ABSENT,
  policies = {},
  isLeft = false,
  isApplied = false,
  isStored = false,
  unserved,
  place = at,
  accepted = [],
  manifest = { ...configMap('a', { a: '1' }), metadata: { name: 'a', namespace: 'shop' } },
}: Given) {
  const object = holding([configMap('a', { a: '1' })], policies);
  const plan: RunPlan = planned(seenAfter(isStored ? [revisionOf(object)] : [], object));
  const context: ManifestContext = {
    plan: { ...plan, isApplied, isLeft },
    claims: { trackers: [], trackerNamed: () => undefined, recordedBy: () => undefined },
    accepted,
    stateOf: ({ kind }) => (kind === 'Namespace' ? home : state),
  };
  return evaluateManifest({ manifest, at: place, unserved }, context);
}
const verdict = (given: Given) => {
  const { verdict: told, why } = judged(given);
  return [told, why];
};

describe('what becomes of one manifest', () => {
  it.each<[string, Given, readonly [string, string]]>([
    ['made where nothing is there', { state: ABSENT }, ['new', 'revision web-v1 makes it']],
    [
      'refused where its kind is not served, whatever is there',
      { state: present(live({ a: '1' })), unserved: 'no such kind' },
      ['refused', 'no such kind'],
    ],
    ['unknown where nobody can tell', { state: { kind: 'unknown', why: 'not read' } }, ['unknown', 'not read']],
    ['unknown also where it is read only', { state: { kind: 'unknown', why: 'not read' }, policies: readOnly }, ['unknown', 'not read']],
    [
      'used as it is where it is read only',
      { state: present(live({ a: '9' })), policies: readOnly },
      ['kept', 'the read-only policy uses it as it is'],
    ],
    [
      'refused where it is read only and not there',
      { state: ABSENT, policies: readOnly },
      ['refused', 'ConfigMap a in shop must exist, because the read-only policy names it, but it does not'],
    ],
    ['changed where it differs', { state: present(live({ a: '9' })) }, ['changed', 'revision web-v1 changes it']],
    [
      'taken over where it is the same, by a new revision',
      { state: present(live({ a: '1' })) },
      ['handed-over', 'it is already as written; revision web-v1 takes it over'],
    ],
    [
      'kept where it is the same and the revision is there',
      { state: present(live({ a: '1' })), isStored: true },
      ['kept', 'it is already as written'],
    ],
    [
      'left where it was applied once',
      { state: present(live({ a: '9' })), isLeft: true },
      ['kept', 'it was applied once, and the apply-once policy leaves it from then on'],
    ],
    [
      'not made again where it was applied once',
      { state: ABSENT, isLeft: true },
      ['kept', 'it was applied once and is gone; the apply-once policy does not create it again'],
    ],
    [
      'refused where its namespace is being deleted, also where it was applied once',
      {
        state: ABSENT,
        isLeft: true,
        home: present({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', deletionTimestamp: 'x' } }),
      },
      ['refused', 'namespace shop is being deleted and accepts no new objects'],
    ],
    [
      'made where its namespace is there',
      { state: ABSENT, home: present({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }) },
      ['new', 'revision web-v1 makes it'],
    ],
    [
      'kept in what apply-once keeps, on a change',
      { state: present(live({ a: '9' })), policies: keepData('onUpdate'), isStored: true },
      ['kept', 'it is already as written'],
    ],
    [
      'changed where apply-once keeps it only once it is applied',
      { state: present(live({ a: '9' })), policies: keepData('onStateKeep') },
      ['changed', 'revision web-v1 changes it'],
    ],
    [
      'kept in what apply-once keeps once it is applied',
      { state: present(live({ a: '9' })), policies: keepData('onStateKeep'), isApplied: true, isStored: true },
      ['kept', 'it is already as written'],
    ],
  ])('[dispatch 13] is %s', (_what, given, expected) => {
    expect(verdict(given)).toEqual(expected);
  });

  it('[dispatch P2] is refused where it is somebody else’s, applied once or not', () => {
    const [told, why] = verdict({ state: present(live({ a: '1' }, { labels: {} })), isLeft: true });
    expect([told, why]).toEqual(['refused', expect.stringContaining('belongs to no application')]);
    const controlled = live(
      { a: '1' },
      {
        annotations: { 'oam.dev/kubevela-version': 'slipway' },
        ownerReferences: [{ ...KINDS.resourceTracker, name: 'web-v0-shop', uid: 'rt0', controller: true }],
      },
    );
    expect(verdict({ state: present(controlled), accepted: ['rt1'] })[0]).toBe('refused');
    expect(verdict({ state: present(controlled), accepted: ['rt0'] })[0]).toBe('handed-over');
  });

  it('[dispatch 13] is refused where it cannot be written over what is there', () => {
    expect(verdict({ state: present({ ...live({ a: '9' }), immutable: true } as KubeObject) })[0]).toMatch(/refused|changed/);
  });

  it('[issue 10.7] is refused where nobody can tell which entry of a list is which', () => {
    const service = (ports: readonly object[]): KubeObject => ({
      ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'a', namespace: 'shop', uid: 'u', labels: OURS }, spec: { ports } },
    });
    const given = { manifest: service([{ targetPort: 80 }]), state: present(service([{ port: 80 }])), place: { ...at, kind: 'Service' } };
    expect(verdict(given)).toEqual(['refused', expect.stringContaining('does not contain declared merge key: port')]);
  });

  it('[design 11] is told with the object that is there, and the fields that are written', () => {
    const changed = judged({ state: present(live({ a: '9' })) });
    expect(changed).toMatchObject({
      id: 'ConfigMap/shop/a',
      at,
      uid: 'u',
      wanted: { fields: { data: { a: '1' } }, live: { data: { a: '9' } } },
    });
    expect(changed.wanted?.digest).toBe(digestOfFields(at, changed.wanted?.fields ?? {}));
    const made = judged({ state: ABSENT });
    expect([made.uid, made.wanted?.live, made.wanted?.fields]).toEqual([
      undefined,
      undefined,
      expect.objectContaining({ data: { a: '1' } }),
    ]);
    const { namespace: _none, ...clusterWide } = at;
    expect(judged({ state: ABSENT, place: clusterWide }).wanted?.manifest.metadata).toEqual({ name: 'a' });
    expect(judged({ state: ABSENT, place: { ...at, namespace: 'other' } }).wanted?.manifest.metadata.namespace).toBe('other');
    expect(judged({ state: present(live({ a: '1' })) }).wanted?.fields).toEqual({});
  });
});

describe('a plan of a change', () => {
  const object = (more: object = {}) =>
    ({ id: 'ConfigMap/shop/a', at, uid: 'u', verdict: 'changed', why: 'x', wanted: { digest: 'sha256:f' }, ...more }) as never;
  const item = { id: 'ConfigMap/shop/b', uid: 'v', verdict: 'deleted', entry: { ...at, name: 'b' }, why: 'y' } as unknown as GarbageItem;
  const plan = (more: object = {}, application = holding([])) =>
    toChangePlan(application, { revision: { name: 'web-v1', isNew: true }, objects: [object()], refused: undefined, ...more });

  it('[design 11] has lines of what is bound: which object, what becomes of it, and the fields', () => {
    expect(toLine(object())).toBe('ConfigMap/shop/a|u|changed|sha256:f');
    expect(toLine(object({ uid: undefined, wanted: undefined }))).toBe('ConfigMap/shop/a||changed|');
    expect(toLine(object({ garbage: item }))).not.toContain('ConfigMap/shop/a');
  });

  it.each<[string, object]>([
    ['another object', { objects: [object({ uid: 'other' })] }],
    ['another end', { objects: [object({ verdict: 'kept' })] }],
    ['other fields', { objects: [object({ wanted: { digest: 'sha256:g' } })] }],
    ['one more', { objects: [object(), object({ id: 'ConfigMap/shop/c' })] }],
    ['another revision', { revision: { name: 'web-v2', isNew: true } }],
    ['none', { revision: undefined, objects: [], refused: 'no' }],
  ])('[design 11] is another plan by %s', (_what, more) => {
    expect(plan(more).digest).not.toBe(plan().digest);
  });

  it('[design 11] is the same by order and reason, but for the reason why nothing is done', () => {
    const two = [object(), object({ id: 'ConfigMap/shop/c' })];
    expect(plan({ objects: two }).digest.split('.')[0]).toBe(plan({ objects: [...two].reverse() }).digest.split('.')[0]);
    expect(plan({ refused: 'a' }).digest).toBe(plan({ refused: 'b' }).digest);
    expect(plan({ objects: [], refused: 'a' }).digest).not.toBe(plan({ objects: [], refused: 'b' }).digest);
    expect(plan({}, holding([], {}, { name: 'other' })).digest).not.toBe(plan().digest);
    expect(plan({ objects: [object({ garbage: item })] }).deletions).not.toBe(plan().deletions);
  });

  it('[issue 14.3] says that nothing happens while the application is suspended', () => {
    const annotated = (name: string) => plan({}, holding([], {}, { annotations: { [name]: 'true' } })).suspended;
    expect(annotated(SUSPENDED)).toBe('Application web in shop is suspended: none of this happens until it is resumed');
    expect(annotated('cluster.x-k8s.io/paused')).toBe(
      'Application web in shop is suspended by its annotation cluster.x-k8s.io/paused: none of this happens until it is resumed',
    );
    expect(plan().suspended).toBeUndefined();
  });

  it('[design 8] has no digest over the values of a Secret, and one over its keys', () => {
    const secret = (data: object) => digestOfFields({ apiVersion: 'v1', kind: 'Secret' }, { data });
    expect(secret({ token: 'YQ==' })).toBe(secret({ token: 'Yg==' }));
    expect(secret({ token: 'YQ==' })).not.toBe(secret({ other: 'YQ==' }));
    const map = (data: object) => digestOfFields({ apiVersion: 'v1', kind: 'ConfigMap' }, { data });
    expect(map({ token: 'a' })).not.toBe(map({ token: 'b' }));
    expect(map({ token: 'a' })).toMatch(/^sha256:[0-9a-f]{64}$/);
  });
});
