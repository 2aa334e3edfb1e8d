import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { apply } from '@/server/dispatch';
import { isRefusedForContent } from '@/server/kube';
import { FakeApiServer } from '../../support/dispatch-server';

const LONG = 2n ** 53n + 1n;
const OPTIONS = { skipUnchanged: true } as const;
const widget = (spec: object): KubeObject => ({
  apiVersion: 'test.example/v1',
  kind: 'Widget',
  metadata: { name: 'a', namespace: 'shop' },
  spec,
});
const pod = (spec: object): KubeObject => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'shop' }, spec });

/** Applies a manifest, lets somebody else set what no JavaScript number holds, and applies the next one. */
async function applyOver(first: KubeObject, edit: (spec: Record<string, unknown>) => void, next: KubeObject) {
  const server = new FakeApiServer();
  const { object } = await apply(server, first, OPTIONS);
  const live = structuredClone(object) as KubeObject & { spec: Record<string, unknown> }; // as it was written above
  edit(live.spec);
  server.seed(live);
  server.requests.length = 0;
  const applied = apply(server, next, OPTIONS);
  const writes = () => server.requests.filter(({ verb }) => verb !== 'get').map(({ verb }) => verb);
  const at = { apiVersion: first.apiVersion, kind: first.kind, namespace: 'shop', name: 'a' };
  return { applied, writes, spec: () => server.peek(at)?.spec };
}

describe('a whole number beyond 2^53 that somebody else set', () => {
  it.each<[string, KubeObject, (spec: Record<string, unknown>) => void, KubeObject, string]>([
    [
      'a wanted value',
      widget({ n: 1 }),
      (spec) => Object.assign(spec, { n: LONG }),
      widget({ n: 1 }),
      'spec.n of Widget a holds 9007199254740993',
    ],
    [
      'the removal of a field',
      widget({ n: 1 }),
      (spec) => Object.assign(spec, { n: { deep: LONG } }),
      widget({}),
      'spec.n of Widget a holds',
    ],
    [
      'a list that is replaced whole',
      widget({ l: [1, 2] }),
      (spec) => Object.assign(spec, { l: [1, LONG] }),
      widget({ l: [1, 2] }),
      'spec.l[1] of Widget a',
    ],
    [
      'the removal of an entry',
      pod({ containers: [{ name: 'a' }, { name: 'b' }] }),
      (spec) => Object.assign(spec, { containers: [{ name: 'a' }, { name: 'b', securityContext: { runAsUser: LONG } }] }),
      pod({ containers: [{ name: 'a' }] }),
      'spec.containers[name=b] of Pod a holds 9007199254740993',
    ],
  ])('[issue 10.4] is not lost to %s: the write is refused by path and value, and not sent', async (_what, first, edit, next, sentence) => {
    const { applied, writes } = await applyOver(first, edit, next);
    const error: unknown = await applied.catch((failure: unknown) => failure);
    expect(error).toMatchObject({ message: expect.stringContaining(sentence) });
    expect(isRefusedForContent(error)).toBe(true);
    expect(writes()).toEqual([]);
  });

  it('[issue 10.4] keeps nobody from changing what stands beside it', async () => {
    const { applied, writes, spec } = await applyOver(widget({ n: 1 }), (held) => Object.assign(held, { other: LONG }), widget({ n: 2 }));
    expect((await applied).verb).toBe('patched');
    expect(writes()).toEqual(['patch']);
    expect(spec()).toEqual({ n: 2, other: LONG });
  });
});
