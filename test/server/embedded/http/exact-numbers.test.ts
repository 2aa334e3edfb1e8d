import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { CallStats, countCalls } from '@/server/kube';
import { textOf } from '@/test/contract/ask';
import { startQuiet } from '../cluster';

const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'counts.test.example' },
  spec: {
    group: 'test.example',
    scope: 'Namespaced',
    names: { plural: 'counts', kind: 'Count' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};
const COUNT = { apiVersion: 'test.example/v1', kind: 'Count', namespace: 'default' };
const COUNTS = '/apis/test.example/v1/namespaces/default/counts';

describe('whole numbers beyond 2^53', () => {
  it('[issue 10, 4] outlast a restart', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'exact-'));
    {
      await using embedded = await startQuiet({ dataDir });
      await embedded.cluster.create(DEFINITION);
      const body = '{"apiVersion":"test.example/v1","kind":"Count","metadata":{"name":"a"},"n":9007199254740993,"text":"9007199254740993"}';
      await textOf(embedded.cluster, { method: 'POST', path: COUNTS, headers: { 'content-type': 'application/json' }, body });
    }
    await using embedded = await startQuiet({ dataDir });
    expect((await textOf(embedded.cluster, { path: `${COUNTS}/a` })).text).toContain('"n":9007199254740993,"text":"9007199254740993"');
    await rm(dataDir, { recursive: true });
  });

  it('[issue 10, 4] are shown as they are, and never written back by us: the refusal names path and value', async () => {
    await using embedded = await startQuiet();
    await embedded.cluster.create(DEFINITION);
    const body = '{"apiVersion":"test.example/v1","kind":"Count","metadata":{"name":"a"},"spec":{"list":[{"n":-9007199254740993}]}}';
    await textOf(embedded.cluster, { method: 'POST', path: COUNTS, headers: { 'content-type': 'application/json' }, body });
    const ours = countCalls(embedded.cluster, new CallStats(embedded.clock), embedded.clock);
    const seen = await ours.get({ ...COUNT, name: 'a' });
    expect(seen.spec).toEqual({ list: [{ n: -9_007_199_254_740_993n }] });
    expect(JSON.stringify(seen.spec)).toBe('{"list":[{"n":"-9007199254740993"}]}');
    await expect(ours.update({ ...seen, more: true })).rejects.toThrow('spec.list[0].n, which is -9007199254740993');
    await expect(ours.patch({ ...COUNT, name: 'a' }, { type: 'merge', body: { spec: seen.spec } })).rejects.toThrow('spec.list[0].n');
    await ours.patch({ ...COUNT, name: 'a' }, { type: 'merge', body: { more: true } });
    expect((await textOf(embedded.cluster, { path: `${COUNTS}/a` })).text).toContain('"n":-9007199254740993');
  });
});
