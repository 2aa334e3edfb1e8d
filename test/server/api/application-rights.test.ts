import { describe, expect, it } from 'vitest';
import type { FakeRules } from '../auth/fake-cluster';
import { createApiRig } from './rig';

const RIGHTS = '/api/v1/namespaces/shop/applications/web/rights';
const UPDATE = 'operator may not do this: it requires the right "update" on applications.core.oam.dev web in namespace shop';

async function read(path: string, may: FakeRules['may']): Promise<unknown> {
  const rig = await createApiRig({ ...(may ? { may } : {}), namespaces: ['shop', 'web'] });
  const answer = await rig.send(path);
  expect(answer.status).toBe(200);
  expect(rig.cluster.writes).toEqual([]);
  return answer.json();
}

describe('what a person may do with an application', () => {
  it('[design 8] is told verb by verb before anything is asked for, and nothing is in the way of who holds every right', async () => {
    expect(await read(RIGHTS, () => true)).toEqual({ change: null, decide: null, 'put-back': null, create: null, delete: null });
  });

  it('[design 8] names verb, object and person of each right that a viewer lacks', async () => {
    expect(await read(RIGHTS, ({ verb }) => ['get', 'list', 'watch'].includes(verb))).toEqual({
      change: UPDATE,
      decide: 'operator may not do this: it requires the right "create" on stagedecisions.slipway.dev in namespace shop',
      'put-back': UPDATE,
      create: 'operator may not do this: it requires the right "create" on applications.core.oam.dev in namespace shop',
      delete: 'operator may not do this: it requires the right "delete" on applications.core.oam.dev web in namespace shop',
    });
  });

  it('[design 8] to decide needs the verb on the application beside the right to write decisions', async () => {
    const rights = await read(RIGHTS, ({ verb }) => verb !== 'approve');
    expect(rights).toMatchObject({ decide: expect.stringContaining('"approve" on applications.core.oam.dev web'), change: null });
  });

  it('[design 8] is the very sentence that the refused request answers', async () => {
    const rig = await createApiRig({ may: ({ verb }) => verb === 'get' });
    const refused = await rig.send('/api/v1/namespaces/shop/applications/web/change', {
      body: { component: 'front', image: 'web:2', generation: 2 },
    });
    expect(await refused.json()).toMatchObject({ error: { message: UPDATE } });
  });

  it('[design 8] to create is known before a namespace is named: in any one, or nowhere', async () => {
    expect(await read('/api/v1/applications/rights', ({ verb, namespace }) => verb !== 'create' || namespace === 'shop')).toEqual({
      create: null,
      grant: [],
    });
    expect(await read('/api/v1/applications/rights', ({ verb }) => verb !== 'create')).toEqual({
      create: 'operator may not do this: it requires the right "create" on applications.core.oam.dev in all namespaces or in any one',
      grant: expect.arrayContaining([expect.stringMatching(/^kubectl create /)]) as string[],
    });
  });
});
