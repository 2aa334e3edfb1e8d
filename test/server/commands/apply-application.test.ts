import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { ApplyRequest } from '@/lib/contract/requests';
import { readList } from '@/lib/kube/fields';
import { PLAN, REQUESTED_BY } from '@/lib/kube/kinds';
import { MASK } from '@/lib/kube/mask';
import type { KubeObject } from '@/lib/kube/object';
import { KubeApiError, toPlanText } from '@/server/kube';
import type { FakeRules } from '../auth/fake-cluster';
import { anApplication, createCommandRig } from './rig';

const SEEN = { uid: 'app-uid', generation: 2 };
const KEY = 'core.oam.dev/Application shop/web';
const conflict = new KubeApiError({ code: 409, reason: 'Conflict', message: 'the object has been modified' });
const front = (image: string) => ({ components: [{ name: 'front', type: 'webservice', properties: { image } }] });

const written = (over: object = {}, metadata: object = {}) =>
  stringify({
    apiVersion: 'core.oam.dev/v1beta1',
    kind: 'Application',
    metadata: { name: 'web', namespace: 'shop', ...metadata },
    spec: front('web:9'),
    ...over,
  });

async function apply(request: Partial<ApplyRequest>, rules: FakeRules = {}) {
  const rig = await createCommandRig({ objects: [anApplication()], ...rules });
  const answer = await rig.commands.applyApplication(rig.session, { manifest: written(), ...request }).catch((error: unknown) => error);
  return { ...rig, answer, done: rig.cluster.writes.filter(({ dryRun, object }) => !dryRun && object.kind === 'Application') };
}

/** What was written, as an author would see it. */
const ofDone = ({ done }: { readonly done: readonly { readonly object: KubeObject }[] }) => done[0]?.object;

describe('applying an application', () => {
  it.each([
    ['create', []],
    ['update', [anApplication()]],
  ])('[design 8] asks for the right to %s it, previewed or not, and without it nothing is tried', async (verb, objects) => {
    for (const dryRun of [true, false]) {
      const { answer, cluster } = await apply({ dryRun }, { objects, may: (right) => right.verb !== verb });
      expect(answer).toMatchObject({
        code: 'forbidden',
        message: expect.stringContaining(`it requires the right "${verb}" on applications.core.oam.dev`),
      });
      expect(cluster.writes).toEqual([]);
    }
  });

  it('[design 3] is tried again where it was changed meanwhile, but not on a state that the text names', async () => {
    let times = 0;
    const often = await apply({}, { refuse: ({ dryRun }) => (!dryRun && times++ < 2 ? conflict : undefined) });
    expect(often.done).toHaveLength(1);
    let asked = 0;
    const refuse = ({ dryRun }: { readonly dryRun: boolean }) => (!dryRun && asked++ < 2 ? conflict : undefined);
    const once = await apply({ manifest: written({}, { resourceVersion: '7' }) }, { refuse });
    expect(once.answer).toBe(conflict);
    expect(asked).toBe(1);
    const older = await apply({ manifest: written({}, { resourceVersion: '6' }) });
    expect(older.answer).toMatchObject({ status: { code: 409 } });
    expect(older.cluster.writes).toEqual([]);
  });

  it('[design 8] fails where it cannot be read, and is not taken for one that is not there', async () => {
    const rig = await createCommandRig({ objects: [anApplication()] });
    const broken = new KubeApiError({ code: 500, reason: 'InternalError', message: 'etcd is away' });
    const as = rig.cluster.as.bind(rig.cluster);
    Object.assign(rig.cluster, { as: (person: Parameters<typeof as>[0]) => ({ ...as(person), get: async () => Promise.reject(broken) }) });
    await expect(rig.commands.applyApplication(rig.session, { manifest: written() })).rejects.toBe(broken);
    expect(rig.cluster.writes).toEqual([]);
  });

  it.each<readonly [string, ApplyRequest['seen'], readonly KubeObject[], string | undefined]>([
    ['nothing was seen, and nothing is there', 'absent', [], undefined],
    ['nothing was seen, and one is there', 'absent', [anApplication()], 'Application web in shop already exists'],
    ['it was seen and is gone', SEEN, [], 'Application web in shop was deleted since you opened it'],
    ['it is as it was seen', SEEN, [anApplication()], undefined],
    ['its spec is another', { ...SEEN, generation: 1 }, [anApplication()], 'was changed by someone else'],
    ['another one has its name', { ...SEEN, uid: 'former' }, [anApplication()], 'was changed by someone else'],
    ['nobody says what they saw', undefined, [anApplication()], undefined],
  ])('[design 1] where %s', async (_what, seen, objects, sentence) => {
    const { answer, done } = await apply({ seen }, { objects });
    if (sentence === undefined) return expect(done).toHaveLength(1);
    expect(answer).toMatchObject({ code: 'conflict', message: expect.stringContaining(sentence) });
    expect(done).toEqual([]);
  });

  it('[design 1] writes nothing, and puts nothing on record, where nothing is other than it is', async () => {
    const held = { ...anApplication(), spec: { components: readList(anApplication(), 'spec', 'components').slice(0, 1) } };
    const same = { manifest: written({ spec: held.spec }) };
    for (const plan of [undefined, `sha256:${'1'.repeat(64)}`]) {
      const { answer, done, recorded } = await apply({ ...same, ...(plan === undefined ? {} : { plan }) }, { objects: [held] });
      expect(answer).toMatchObject({ accepted: { uid: 'app-uid' } });
      expect([done, recorded]).toEqual([[], []]);
    }
    // A label is a change as well, and so is a spec of the same labels.
    expect((await apply({ manifest: written({ spec: held.spec }, { labels: { team: 'a' } }) }, { objects: [held] })).done).toHaveLength(1);
    expect((await apply({}, { objects: [held] })).done).toHaveLength(1);
  });
});

describe('an application of which a change waits with a plan that somebody saw', () => {
  const spec = front('web:9');
  const annotations = { [PLAN.seen]: toPlanText(spec, { digest: `sha256:${'5'.repeat(64)}`, act: 'act' }), [REQUESTED_BY.user]: 'tom' };
  const objects = [{ ...anApplication({ annotations }), spec }];

  it('[issue 9.4] is accepted by applying it once more with the plan of now, and stays requested by whoever requested it', async () => {
    expect((await apply({}, { objects })).done).toEqual([]);
    const accepted = await apply({ plan: `sha256:${'1'.repeat(64)}` }, { objects });
    expect(accepted.done).toHaveLength(1);
    expect(ofDone(accepted)?.metadata.annotations?.[REQUESTED_BY.user]).toBe('tom');
  });
});

describe('an application that is written', () => {
  const OWNED = {
    ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'a' }],
    finalizers: ['a.example/b'],
    uid: 'mine',
    generation: 9,
    deletionGracePeriodSeconds: 0,
  };

  it('[design 8] where there was none holds name, namespace, labels, annotations and spec, and nothing else that the text has', async () => {
    const words = { labels: { team: 'a' }, annotations: { note: 'b' } };
    const made = await apply({ manifest: written({ status: { phase: 'running' } }, { ...OWNED, ...words }) }, { objects: [] });
    const { labels, annotations = {}, ...metadata } = ofDone(made)?.metadata ?? {};
    expect(metadata).toEqual({ name: 'web', namespace: 'shop' });
    expect([labels, annotations.note]).toEqual([words.labels, 'b']);
    expect(ofDone(made)).toMatchObject({ spec: front('web:9') });
    expect(ofDone(made)).not.toHaveProperty('status');
    expect(made.recorded).toMatchObject([{ action: 'application.create', message: 'creates the application' }]);
    const bare = ofDone(await apply({}, { objects: [] }));
    expect(bare?.metadata).not.toHaveProperty('labels');
  });

  it('[design 8] over another keeps what the server keeps of it, labels that the text does not speak of, and annotations beside those that it has', async () => {
    const held = anApplication({ finalizers: ['slipway.dev/x'], labels: { team: 'a' }, annotations: { note: 'b', other: 'c' } });
    const objects = [{ ...held, status: { phase: 'running' } }];
    const silent = ofDone(await apply({ manifest: written({}, OWNED) }, { objects }));
    expect(silent).toMatchObject({
      metadata: { uid: 'app-uid', generation: 2, resourceVersion: '7', finalizers: ['slipway.dev/x'], labels: { team: 'a' } },
    });
    expect(silent?.metadata).not.toHaveProperty('ownerReferences');
    expect(silent?.metadata.annotations).toMatchObject({ note: 'b', other: 'c' });
    const said = await apply({ manifest: written({}, { labels: { tier: 'b' }, annotations: { note: 'd' } }) }, { objects });
    expect(ofDone(said)?.metadata.labels).toEqual({ tier: 'b' });
    expect(ofDone(said)?.metadata.annotations).toMatchObject({ note: 'd', other: 'c' });
    expect(said.recorded).toMatchObject([{ action: 'application.replace', message: 'replaces the application with the written manifest' }]);
  });

  it('[design 8] with hidden values keeps them on a state that was read, and is refused on any other', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key', namespace: 'shop' }, stringData: { key: MASK } };
    const masked = { spec: { components: [{ name: 'settings', type: 'k8s-objects', properties: { objects: [secret] } }] } };
    for (const seen of [undefined, 'absent'] as const) {
      const { answer, done, cluster } = await apply({ manifest: written(masked), seen });
      expect(answer).toMatchObject({ code: seen === undefined ? 'invalid' : 'conflict' });
      expect(done).toEqual([]);
      expect(cluster.objects.get(KEY)?.metadata.resourceVersion).toBe('7');
    }
    expect((await apply({ manifest: written(masked), seen: SEEN })).done).toHaveLength(1);
    expect((await apply({ manifest: written(masked, { resourceVersion: '7' }) })).done).toHaveLength(1);
    expect(JSON.stringify(ofDone(await apply({ manifest: written(masked), seen: SEEN })))).not.toContain(MASK);
  });
});
