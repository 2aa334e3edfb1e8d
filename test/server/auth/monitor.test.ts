import { describe, expect, it } from 'vitest';
import type { Act } from '@/server/auth';
import { bearerTokenOf } from '@/server/auth';
import type { AskedRight, FakeRules } from './fake-cluster';
import { createAuthRig } from './rig';

const PROMETHEUS = 'system:serviceaccount:monitoring:prometheus';
const tokens: FakeRules['tokens'] = {
  scrape: { username: PROMETHEUS, groups: ['system:serviceaccounts'] },
  person: { username: 'ada', groups: [] },
  node: { username: 'system:node:a', groups: [] },
};
const mayMeasure = ({ user, verb, resource }: AskedRight) => user === PROMETHEUS && verb === 'get' && resource === '/metrics';
const measure = (token: string, source = '10.0.0.9'): Act => ({ kind: 'measure', fromLoopback: false, bearer: { token, source } });

describe('a monitor that sends a token of the cluster', () => {
  it('[issue 10.5] gets the metrics where its account may get /metrics, and is asked about once in three seconds', async () => {
    const { auth, cluster, clock } = createAuthRig({ tokens, may: mayMeasure }, { mode: 'token' });
    for (const _ of [1, 2]) expect(await auth.authorise(undefined, measure('scrape'))).toEqual({ visibility: 'all' });
    expect(cluster.asked).toMatchObject([{ user: PROMETHEUS, groups: ['system:serviceaccounts'], verb: 'get', resource: '/metrics' }]);
    await clock.advance(3_000);
    await auth.authorise(undefined, measure('scrape'));
    expect(cluster.asked).toHaveLength(2);
  });

  it('[issue 10.5] gets none without that right, as a part of the cluster, or where the cluster knows no such token', async () => {
    const { auth } = createAuthRig(
      { tokens, may: mayMeasure },
      { mode: 'oidc', oidc: { issuer: 'https://id.example', clientId: 'x', scopes: [], prefix: 'oidc:' } as never },
    );
    await expect(auth.authorise(undefined, measure('person'))).rejects.toMatchObject({
      code: 'forbidden',
      message: 'ada may not do this: it requires the right "get" on the path /metrics',
    });
    await expect(auth.authorise(undefined, measure('node'))).rejects.toMatchObject({ code: 'forbidden' });
    await expect(auth.authorise(undefined, measure('any'))).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('[issue 10.4] is counted as whoever fails to sign in, by source and token, and nobody else is', async () => {
    const { auth } = createAuthRig({ tokens, may: mayMeasure }, { mode: 'token', maxSignIns: 2 });
    for (const token of ['guess-1', 'guess-2'])
      await expect(auth.authorise(undefined, measure(token))).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(auth.authorise(undefined, measure('guess-3'))).rejects.toMatchObject({ code: 'too-many' });
    expect(await auth.authorise(undefined, measure('scrape', '10.0.0.10'))).toEqual({ visibility: 'all' });
  });

  it('[issue 10.5] is nobody in mode local, and may do nothing else by its token', async () => {
    const local = createAuthRig({ tokens, may: mayMeasure });
    await expect(local.auth.authorise(undefined, measure('scrape'))).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(local.cluster.asked).toEqual([]);
    const { auth } = createAuthRig({ tokens }, { mode: 'token' });
    await expect(auth.authorise(undefined, { ...measure('scrape'), kind: 'see-self' } as Act)).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });

  it('[issue 10.5] is asked for nothing but its token, and whoever is signed in for their rights, whatever token they send', async () => {
    const { auth, signIn } = createAuthRig({ tokens, may: ({ user }) => user !== PROMETHEUS }, { mode: 'token' });
    const bare: Act = { kind: 'measure', fromLoopback: false };
    await expect(auth.authorise(undefined, bare)).rejects.toMatchObject({ code: 'unauthenticated' });
    const { session } = await signIn('person');
    expect(await auth.authorise(session, measure('scrape'))).toEqual({ visibility: 'all' });
  });

  it('[issue 10.5] sends it as a bearer token, in whatever case', () => {
    expect(['Bearer abc', 'bearer  abc', 'Basic abc', 'Bearer', 'Bearer a b', 'Other Bearer abc', undefined].map(bearerTokenOf)).toEqual([
      'abc',
      'abc',
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
