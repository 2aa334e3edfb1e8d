import { describe, expect, it } from 'vitest';
import type { DeletionPreview } from '@/lib/contract/acts/application-deletion';
import { createApiRig } from '@/test/server/api/rig';
import type { FakeRules } from '@/test/server/auth/fake-cluster';
import { anApplication } from '@/test/server/commands/rig';

const URL = '/api/v1/namespaces/shop/applications/web';
const seen = { uid: 'app-uid' };
const EDIT = {
  ...{ apiVersion: 'v1', kind: 'ConfigMap', ns: 'shop', name: 'own' },
  manifest: 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: own, namespace: shop }\ndata: { a: "2" }\n',
};
const config = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'shop', name: 'own', uid: 'own-uid', resourceVersion: '3' },
  data: { a: '1' },
};

async function open(rules: FakeRules = {}) {
  const rig = await createApiRig({ objects: [anApplication(), config], ...rules });
  const post = (path: string, body: object, headers?: Record<string, string>) => rig.send(path, { body, ...(headers ? { headers } : {}) });
  const written = () => rig.cluster.writes.filter(({ dryRun, object }) => !dryRun && object.kind !== 'SubjectAccessReview');
  return { rig, post, written };
}
const LOOKS = ['get', 'list', 'watch'];
/** Somebody who only looks. */
const viewer: FakeRules = { may: ({ verb }) => LOOKS.includes(verb) };

describe('acts of whoever only looks', () => {
  it.each(['refresh', 'suspend', 'resume'])('[issue 14.1] %s changes nothing and is on record as refused', async (verb) => {
    const { rig, post, written } = await open(viewer);
    expect((await post(`${URL}/actions`, { verb, ...seen })).status).toBe(403);
    await expect.poll(() => rig.recorded.map(({ action }) => action)).toContain('application.change.refused');
    expect(written()).toEqual([]);
  });

  it('[issue 14.1] deleting an application is refused, its preview too, and so are half of the rights', async () => {
    const { rig, post, written } = await open(viewer);
    for (const body of [
      { ...seen, objects: 'delete', dryRun: true },
      { ...seen, objects: 'keep', plan: 'sha256:0' },
    ])
      expect((await post(`${URL}/delete`, body)).status).toBe(403);
    await expect.poll(() => rig.recorded.map(({ action }) => action)).toContain('application.delete.refused');
    expect(written()).toEqual([]);
    const half = await open({ may: ({ verb, resource }) => resource !== 'applications' || verb !== 'update' });
    expect((await half.post(`${URL}/delete`, { ...seen, objects: 'delete', dryRun: true })).status).toBe(403);
  });

  it('[issue 14.1] editing an object is refused without the right to update it, and a right to patch or delete it is none', async () => {
    for (const may of [viewer.may, ({ verb }: { readonly verb: string }) => verb !== 'update']) {
      const { rig, post, written } = await open(may ? { may } : {});
      const answer = await post('/api/v1/objects/edit', { ...EDIT, seen: { uid: 'own-uid', state: 'any' }, dryRun: true });
      expect(answer.status).toBe(403);
      await expect.poll(() => rig.recorded.map(({ action }) => action)).toContain('object.edit.refused');
      expect(written()).toEqual([]);
    }
  });
});

describe('acts with every right', () => {
  it('[issue 14.1] delete the application as shown, as the person; from another site or with a foreign plan nothing happens', async () => {
    const { rig, post, written } = await open();
    const preview = (await (await post(`${URL}/delete`, { ...seen, objects: 'delete', dryRun: true })).json()) as DeletionPreview;
    const foreign = await post(
      `${URL}/delete`,
      { ...seen, objects: 'delete', plan: preview.plan },
      { origin: 'https://elsewhere.example' },
    );
    expect(foreign.status).toBe(403);
    // What was shown of one way is no leave for the other, unless both come to the same.
    expect((await post(`${URL}/delete`, { ...seen, objects: 'delete', plan: 'sha256:0' })).status).toBe(409);
    expect(written()).toEqual([]);
    expect((await post(`${URL}/delete`, { ...seen, objects: 'delete', plan: preview.plan })).status).toBe(202);
    expect(written().map(({ verb, person }) => [verb, person?.user])).toEqual([
      ['update', 'operator'],
      ['delete', 'operator'],
    ]);
    expect(rig.recorded.map(({ action }) => action)).toContain('application.delete');
  });

  it.each(['__proto__: {}', 'metadata: *a', '- [[[[[[[['])('[issue 14.1] an edit of %s is refused with a sentence', async (line) => {
    const { post, written } = await open();
    const answer = await post('/api/v1/objects/edit', {
      ...EDIT,
      manifest: `${EDIT.manifest}${line}\n`,
      seen: { uid: 'own-uid', state: 'any' },
      dryRun: true,
    });
    expect([answer.status, await answer.json()]).toEqual([400, { error: expect.objectContaining({ code: 'invalid' }) }]);
    expect(written()).toEqual([]);
  });
});
