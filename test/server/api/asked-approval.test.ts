import { expect, it } from 'vitest';
import { releaseRoutes } from '@/server/api/routes/release-routes';
import { releaseDetail } from '../../support/fixture/releases';
import { backFrom } from '../../support/fixture/times';
import type { FakeRules } from '../auth/fake-cluster';
import { createApiRig } from './rig';

const ROUTE = '/api/v1/namespaces/:ns/releases/:name/commits/:commit/approval';
const PATH = `/api/v1/namespaces/shop/releases/web/commits/${'a'.repeat(40)}/approval?kind=helmrelease`;

const RELEASE = {
  'release/shop/helmrelease/web': [{ ...releaseDetail(backFrom(Date.UTC(2026, 0, 1))), release: { namespace: 'shop', name: 'web' } }],
};

it('[issue 12.1] a commit to approve is read in turn, in full by whoever may approve it, and while they wait', async () => {
  const read = async (may: FakeRules['may']) => {
    const rig = await createApiRig({ ...(may ? { may } : {}), namespaces: ['shop'] }, RELEASE);
    return (await rig.send(PATH)).json();
  };
  expect(await read(() => true)).toMatchObject({ chart: 'c'.repeat(40), why: null });
  const lacks = await read(({ verb }) => verb !== 'approve');
  expect(lacks).toMatchObject({ chart: null, why: expect.stringContaining('"approve" on helmreleases') as string });
  const route = releaseRoutes.find(({ path, method }) => path === ROUTE && method === 'get');
  expect(route?.isQueued?.({ params: {}, query: {}, body: undefined })).toBe(true);
});
