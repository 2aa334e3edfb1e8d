import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import type { ManifestPolicy } from '@/server/dispatch';
import { ENGINE_MERGE_OPTIONS } from '@/server/dispatch';
import { isBookkeeping } from '@/server/dispatch/dispatch-metadata';
import type { DriftField } from '@/server/dispatch/drift/find-drift';
import { findDrift } from '@/server/dispatch/drift/find-drift';
import { Bench, changed } from './bench';

const CANARY = 'canary-7f31';
const OPTIONS = ENGINE_MERGE_OPTIONS;

const container = (over: object = {}) => ({
  name: 'web',
  image: 'web:1',
  args: ['--a', '--b'],
  resources: { limits: { cpu: '0.5' } },
  ...over,
});
const deployment = (spec: object = {}, pod: object = { containers: [container()] }): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop', labels: { tier: 'front' } },
  spec: { replicas: 2, template: { spec: pod }, ...spec },
});
const service = (ports: readonly object[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { selector: { app: 'web' }, ports },
});
const widget = (spec: object): KubeObject => ({
  apiVersion: 'example.dev/v1',
  kind: 'Widget',
  metadata: { name: 'web', namespace: 'shop' },
  spec,
});
const secret = (text: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'keys', namespace: 'shop' },
  stringData: { password: text, other: 'same' },
});

const told = (fields: readonly DriftField[]) => fields.map(({ path, kind, wanted, found }) => [path, kind, wanted, found]);
const withSpec = (spec: object) => (live: KubeObject) => ({ ...live, spec: { ...(live.spec as object), ...spec } });
const withPod = (pod: object) => withSpec({ template: { spec: pod } });

describe('the drift of one object', () => {
  it.each<[string, KubeObject, (live: KubeObject) => KubeObject, unknown]>([
    ['another value', deployment(), withSpec({ replicas: 5 }), [['spec.replicas', 'changed', 2, 5]]],
    ['a field that is gone', deployment({ paused: true }), withSpec({ paused: undefined }), [['spec.paused', 'removed', true, undefined]]],
    [
      'an entry of a list under its key',
      deployment(),
      withPod({ containers: [{ ...container(), image: 'evil:2' }, { name: 'mesh' }] }),
      [['spec.template.spec.containers[name=web].image', 'changed', 'web:1', 'evil:2']],
    ],
    [
      'a list that is owned whole',
      deployment(),
      withPod({ containers: [container({ args: ['--a', '--b', '--c'] })] }),
      [['spec.template.spec.containers[name=web].args[2]', 'added', undefined, '--c']],
    ],
    [
      'an entry that is gone',
      deployment({}, { containers: [container(), { name: 'log', image: 'log:1' }] }),
      withPod({ containers: [container()] }),
      [['spec.template.spec.containers[name=log]', 'removed', { name: 'log', image: 'log:1' }, undefined]],
    ],
    [
      'another order',
      deployment({}, { containers: [container(), { name: 'log', image: 'log:1' }] }),
      withPod({ containers: [{ name: 'log', image: 'log:1' }, container()] }),
      [['spec.template.spec.containers', 'reordered', ['web', 'log'], ['log', 'web']]],
    ],
    [
      'a label that somebody took',
      deployment(),
      (live) => ({ ...live, metadata: { ...live.metadata, labels: {} } }),
      [['metadata.labels.tier', 'removed', 'front', undefined]],
    ],
    [
      'a field of a custom kind',
      widget({ rules: [{ host: 'a' }] }),
      withSpec({ rules: [{ host: 'b' }] }),
      [['spec.rules[0].host', 'changed', 'a', 'b']],
    ],
    [
      'nothing where the server says the same in other words',
      deployment(),
      withPod({ containers: [container({ resources: { limits: { cpu: '500m' } } })] }),
      [],
    ],
    ['nothing where others set what we do not', deployment(), withSpec({ progressDeadlineSeconds: 60 }), []],
    [
      'a port under another number, both where it should be and where it is',
      service([{ name: 'http', port: 80 }]),
      withSpec({ ports: [{ name: 'http', port: 9999, protocol: 'TCP' }] }),
      [
        ['spec.ports[port=80]', 'removed', { name: 'http', port: 80 }, undefined],
        ['spec.ports[port=9999]', 'added', undefined, { name: 'http', port: 9999, protocol: 'TCP' }],
      ],
    ],
    [
      'a container under another name',
      deployment(),
      withPod({ containers: [{ ...container(), name: 'other' }] }),
      [
        ['spec.template.spec.containers[name=web]', 'removed', container(), undefined],
        ['spec.template.spec.containers[name=other]', 'added', undefined, { ...container(), name: 'other' }],
      ],
    ],
    [
      'nothing where a port was put beside ours',
      service([{ name: 'http', port: 80 }]),
      withSpec({
        ports: [
          { name: 'http', port: 80 },
          { name: 'x', port: 81 },
        ],
      }),
      [],
    ],
  ])('[dispatch 13] tells %s', async (_title, manifest, edit, expected) => {
    const bench = await changed(manifest, edit);
    expect(told(bench.find())).toEqual(expected);
    expect(await bench.dispatch()).toBe((expected as unknown[]).length === 0 ? 0 : 1);
    expect(bench.find()).toEqual([]);
  });

  it('[dispatch 13] names what left the manifest while the record still lists it', async () => {
    const bench = await changed(deployment(), (live) => {
      const key = 'app.oam.dev/last-applied-configuration';
      const record = JSON.parse(live.metadata.annotations?.[key] ?? '{}');
      const annotations = { ...live.metadata.annotations, [key]: JSON.stringify({ ...record, spec: { ...record.spec, paused: true } }) };
      return withSpec({ paused: true })({ ...live, metadata: { ...live.metadata, annotations } });
    });
    expect(told(bench.find())).toContainEqual(['spec.paused', 'added', undefined, true]);
  });

  it('[dispatch A1] tells that somebody edited our record, and not what it says', async () => {
    const key = 'app.oam.dev/last-applied-configuration';
    const bench = await changed(deployment(), (live) => ({ ...live, metadata: { ...live.metadata, annotations: { [key]: '{}' } } }));
    expect(bench.find()).toMatchObject([{ path: `metadata.annotations["${key}"]`, hidden: 'record', wanted: undefined, found: undefined }]);
  });

  it('[dispatch 13] a field that apply-once keeps is told with the policy; the others are put back', async () => {
    const bench = await changed(
      deployment(),
      (live) => withSpec({ replicas: 5, template: { spec: { containers: [container({ image: 'evil:2' })] } } })(live),
      {
        keep: ['spec.replicas'],
      },
    );
    expect(bench.find().map(({ path, kept }) => [path, kept])).toEqual([
      ['spec.template.spec.containers[name=web].image', null],
      ['spec.replicas', 'apply-once'],
    ]);
    expect(await bench.dispatch()).toBe(1);
    expect(bench.find().map(({ path, kept }) => [path, kept])).toEqual([['spec.replicas', 'apply-once']]);
  });

  it('[dispatch 13] of a read-only object everything is kept, and our own marks are not missed', () => {
    const live = { ...deployment({ replicas: 7 }), metadata: { name: 'web', namespace: 'shop', uid: 'u', labels: { tier: 'front' } } };
    const fields = findDrift({
      manifest: deployment(),
      live,
      tracker: { name: 't', uid: 'u' },
      policy: { readOnly: true },
      options: OPTIONS,
    });
    expect(fields.map(({ path, kept }) => [path, kept])).toEqual([['spec.replicas', 'read-only']]);
  });

  it('[design 13.R] replicas that are in no manifest never drift', async () => {
    const staged = deployment({ replicas: undefined });
    const bench = await changed(staged, withSpec({ replicas: 9 }));
    expect(bench.find()).toEqual([]);
  });

  it('[design 8] of a Secret it tells keys and marks, never a value', async () => {
    const bench = await changed(secret(`${CANARY}-wanted`), (live) => ({
      ...live,
      data: { ...(live.data as object), password: Buffer.from(`${CANARY}-found`).toString('base64') },
    }));
    const fields = bench.find();
    expect(fields).toMatchObject([{ path: 'data.password', kind: 'changed', hidden: 'secret', wanted: undefined, found: undefined }]);
    const text = JSON.stringify(fields);
    for (const leak of [CANARY, Buffer.from(`${CANARY}-found`).toString('base64'), Buffer.from(`${CANARY}-wanted`).toString('base64')])
      expect(text).not.toContain(leak);
  });

  it.each<[string, unknown, unknown]>([
    ['changed', { kind: 'Secret', data: { a: CANARY } }, { kind: 'Secret', data: { a: 'x' } }],
    ['disguised', { kind: 'Secret', data: { a: CANARY } }, { kind: 'Sekret', data: { a: 'x' } }],
    ['gone', { kind: 'Secret', data: { a: CANARY } }, undefined],
    ['copied', { metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': CANARY } } }, { metadata: {} }],
    ['noted', { metadata: { annotations: { original: `{"kind":"Secret","data":{"a":"${CANARY}"}}` } } }, { metadata: {} }],
  ])('[design 8] nor of a Secret that another object holds, when it is %s', async (_title, wanted, found) => {
    const bench = await changed(widget({ template: wanted, size: 1 }), withSpec({ template: found }));
    const fields = bench.find();
    expect(fields.length).toBeGreaterThan(0);
    expect(JSON.stringify(fields)).not.toContain(CANARY);
  });

  it('[design 8] nor what another tool noted of a Secret on the object itself', async () => {
    const noted = (value: string) => ({ original: `{"kind":"Secret","data":{"a":"${value}"}}` });
    const made = widget({ size: 1 });
    const wanted = { ...made, metadata: { ...made.metadata, annotations: noted(CANARY) } };
    const bench = await changed(wanted, (live) => ({
      ...live,
      metadata: { ...live.metadata, annotations: { ...live.metadata.annotations, ...noted('other') } },
    }));
    expect(bench.find()).toMatchObject([{ path: 'metadata.annotations.original', hidden: 'record', wanted: undefined, found: undefined }]);
  });

  it.each([
    ['a password of an address', `https://app:${CANARY}@host`, 'https://app:other@host'],
    ['a Secret in a text', `kind: Secret\nstringData: { a: ${CANARY} }`, ''],
  ])('[issue 10.1] nor %s', async (_what, wanted, found) => {
    const bench = await changed(widget({ at: wanted }), withSpec({ at: found }));
    expect(bench.find()).toMatchObject([{ path: 'spec.at', kind: 'changed', hidden: 'secret', wanted: undefined, found: undefined }]);
    const gone = await changed(widget({ size: 1, at: { inner: wanted } }), withSpec({ at: undefined }));
    expect(JSON.stringify(gone.find())).not.toContain(CANARY);
  });

  it('[dispatch 13] names the manager and the time, and nobody for what is gone', async () => {
    const managedFields = [
      {
        manager: 'kubectl-edit',
        operation: 'Update',
        time: '2026-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:replicas': {} } },
      },
    ];
    const bench = await changed(deployment({ paused: true }), (live) => ({
      ...withSpec({ replicas: 5, paused: undefined })(live),
      metadata: { ...live.metadata, managedFields },
    }));
    expect(bench.find().map(({ path, setBy }) => [path, setBy?.manager, setBy?.since])).toEqual([
      ['spec.replicas', 'kubectl-edit', '2026-01-01T00:00:00Z'],
      ['spec.paused', undefined, undefined],
    ]);
  });
});

describe('drift and dispatch', () => {
  const env = fc.uniqueArray(fc.record({ name: fc.constantFrom('A', 'B', 'C'), value: fc.constantFrom('1', '2') }), {
    selector: ({ name }) => name,
  });
  const one = fc.record(
    {
      name: fc.constantFrom('a', 'b', 'c'),
      image: fc.constantFrom('x', 'y'),
      args: fc.array(fc.constantFrom('-p', '-q'), { maxLength: 2 }),
      env,
    },
    { requiredKeys: ['name', 'image'] },
  );
  const volume = fc.oneof(
    fc.record({ name: fc.constantFrom('v', 'w'), emptyDir: fc.constant({}) }),
    fc.record({ name: fc.constantFrom('v', 'w'), configMap: fc.record({ name: fc.constantFrom('m', 'n') }) }),
  );
  const spec = fc
    .record(
      {
        replicas: fc.integer({ min: 0, max: 3 }),
        strategy: fc.constantFrom({ type: 'Recreate' }, { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } }),
        containers: fc.uniqueArray(one, { selector: ({ name }) => name }),
        volumes: fc.uniqueArray(volume, { selector: ({ name }) => name }),
        cpu: fc.constantFrom('0.5', '500m', '1'),
      },
      { requiredKeys: [] },
    )
    .map(({ containers, volumes, cpu, ...rest }) => ({
      ...rest,
      template: { spec: { ...(containers ? { containers } : {}), ...(volumes ? { volumes } : {}), ...(cpu ? { overhead: { cpu } } : {}) } },
    }));
  const finalizers = fc.uniqueArray(fc.constantFrom('ours', 'theirs'));
  const anObject = fc.record({ spec, finalizers, custom: fc.boolean() }).map(({ spec: held, finalizers: ends, custom }): KubeObject => {
    const metadata = { name: 'web', namespace: 'shop', ...(ends.length > 0 ? { finalizers: ends } : {}) };
    return custom
      ? { apiVersion: 'example.dev/v1', kind: 'Widget', metadata, spec: held }
      : { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: held };
  });
  const policies: fc.Arbitrary<ManifestPolicy> = fc.constantFrom<ManifestPolicy>(
    {},
    { keep: ['spec.replicas'] },
    { keep: ['spec.template.spec.containers[0].image', 'spec.strategy'] },
    { keep: ['*'] },
    { readOnly: true },
  );

  it('[dispatch A3] there is none exactly when a dispatch would write nothing, whoever changed what and whatever a policy keeps', async () => {
    await fc.assert(
      fc.asyncProperty(anObject, anObject, policies, async (manifest, other, policy) => {
        const bench = new Bench(manifest, policy);
        await bench.dispatch({});
        bench.change((live) => ({
          ...live,
          metadata: { ...live.metadata, finalizers: other.metadata.finalizers ?? [] },
          spec: other.spec,
        }));
        const repaired = bench.find().filter(({ kept }) => kept === null);
        expect(await bench.dispatch()).toBe(repaired.length === 0 ? 0 : 1);
      }),
      { numRuns: 300 },
    );
  });

  it('[dispatch A3] without a policy it tells every field by a path of its own', async () => {
    await fc.assert(
      fc.asyncProperty(anObject, anObject, async (manifest, other) => {
        const bench = new Bench(manifest);
        await bench.dispatch();
        bench.change((live) => ({ ...live, spec: other.spec }));
        const fields = bench.find();
        expect(new Set(fields.map(({ path }) => path)).size).toBe(fields.length);
        expect(fields.some(({ steps }) => isBookkeeping(steps))).toBe(false);
        expect(await bench.dispatch()).toBe(fields.length === 0 ? 0 : 1);
      }),
    );
  });
});
