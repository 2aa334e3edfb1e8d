import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import type { ManifestPolicy } from '@/server/dispatch';
import { changed } from './bench';

const manifest: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop', labels: { tier: 'front' } },
  spec: { replicas: 2, template: { spec: { containers: [{ name: 'web', image: 'web:1' }] } } },
};
const withSpec = (spec: object) => (live: KubeObject) => ({ ...live, spec: { ...(live.spec as object), ...spec } });

describe('an object that apply-once leaves whole', () => {
  it('[dispatch 13] of an object that apply-once keeps whole nothing is written, and what others added stays once the policy ends', async () => {
    const bench = await changed(
      manifest,
      (live) => ({
        ...withSpec({ replicas: 5 })(live),
        metadata: { ...live.metadata, labels: { ...live.metadata.labels, added: 'by-hand' } },
      }),
      { keep: ['*'] },
    );
    expect(bench.find().map(({ path, kept }) => [path, kept])).toEqual([['spec.replicas', 'apply-once']]);
    expect(await bench.dispatch()).toBe(0);
    expect(await bench.dispatch({})).toBe(1);
    expect(bench.live).toMatchObject({ metadata: { labels: { added: 'by-hand', tier: 'front' } }, spec: { replicas: 2 } });
  });

  it('[dispatch 13] an object that is left whole goes to the tracker of each revision, and stays what it was; nothing of others is taken away afterwards', async () => {
    const whole: ManifestPolicy = { keep: ['*'] };
    const others = { apiVersion: 'v1', kind: 'ConfigMap', name: 'theirs', uid: 'theirs' };
    const bench = await changed(manifest, (live) => ({
      ...withSpec({ replicas: 5, paused: true })(live),
      metadata: {
        ...live.metadata,
        labels: { ...live.metadata.labels, added: 'by-hand' },
        ownerReferences: [...(live.metadata.ownerReferences ?? []), others],
      },
    }));
    for (const name of ['web-v2', 'web-v3']) {
      expect(await bench.dispatch(whole, name)).toBe(1);
      expect(await bench.dispatch(whole, name)).toBe(0);
      expect(bench.live.spec).toMatchObject({ replicas: 5, paused: true });
    }
    await bench.dispatch({}, 'web-v4');
    expect(bench.live).toMatchObject({ metadata: { labels: { added: 'by-hand' } }, spec: { replicas: 2, paused: true } });
    expect(bench.live.metadata.ownerReferences?.map(({ name }) => name).sort()).toEqual(['theirs', 'web-v4-shop']);
  });
});
