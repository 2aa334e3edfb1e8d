import { expect, it } from 'vitest';
import { createClientAddresses } from '@/server/auth';
import { createApiRig } from '@/test/server/api/rig';
import type { AuthRig } from '@/test/server/auth/rig';
import { cookieOf, createAuthRig } from '@/test/server/auth/rig';
import type { Seen } from '@/test/server/realtime/rig';
import { admission, startHub, subscribe } from '@/test/server/realtime/rig';

const MANIFESTS = '/api/v1/applications/check';
const RELEASE = '/api/v1/namespaces/shop/releases/web';
const APPLICATION = '/api/v1/namespaces/shop/applications/web';

type Rig = AuthRig;

/** Cookies of the same person, each of a session of its own. */
async function sessionsOf({ auth }: Pick<Rig, 'auth'>, count: number): Promise<readonly string[]> {
  const signedIn = await Promise.all(
    Array.from({ length: count }, () => auth.signIn(auth.commandToken ?? '', undefined, { isCommand: true })),
  );
  return signedIn.map(({ setCookie }) => cookieOf(setCookie));
}

/** The cookie of another person. */
async function cookieOfViewer({ auth }: Pick<Rig, 'auth'>, cookie: string): Promise<string> {
  const inviting = (await auth.readSession(cookie)) ?? never();
  return cookieOf((await auth.signIn(await auth.createLink(inviting, 'viewer'))).setCookie);
}

it('[issue 10.4] a person sends so many bytes of manifests, over however many sessions, and another person goes on', async () => {
  const rig = await createApiRig();
  const send = (cookie: string) => rig.send(MANIFESTS, { body: { manifest: 'kind: X' }, headers: { cookie, 'content-length': '1000000' } });
  const sessions = await sessionsOf(rig, 5);
  const answers = await Promise.all(sessions.map(send));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 429]);
  expect((await send(await cookieOfViewer(rig, rig.cookie))).status).toBe(200);
  await rig.clock.advance(10_000);
  expect((await send(sessions[4] ?? '')).status).toBe(200);
});

it('[issue 10.4] a person says so much on sockets, over however many sessions, and another person is heard', async () => {
  await using rig = await startHub({ topics: { inbox: [] } });
  const other = rig.connect({ headers: { cookie: await cookieOfViewer(rig, rig.cookie) } });
  const browsers = (await sessionsOf(rig, 5)).map((cookie) => rig.connect({ headers: { cookie } }));
  await Promise.all([...browsers, other].map(admission));
  // Of each session no more than one may say.
  for (const { client } of browsers) for (let at = 0; at < 200; at++) client.emit('unsubscribe', 'inbox');
  const cutOff = ({ client }: Seen) => client.disconnected;
  await expect.poll(() => browsers.filter(cutOff).length).toBeGreaterThanOrEqual(1);
  expect(await subscribe(other, 'inbox')).toMatchObject({ kind: 'snapshot' });
});

it('[issue 10.4] searches, comparisons and previews of a person wait for one another, over however many sessions; to pause and to abort never do', async () => {
  const answers: (() => void)[] = [];
  const body = async function* () {
    yield Buffer.from(JSON.stringify({ kind: 'Table', columnDefinitions: [], rows: [], metadata: {} }));
  };
  const rig = await createApiRig({
    request: () => new Promise((resolve) => answers.push(() => resolve({ status: 200, headers: {}, body: body() }))),
  });
  const sessions = await sessionsOf(rig, 20);
  const full = Array.from({ length: 52 }, (_, at) =>
    rig.send('/api/v1/kinds/core/ConfigMap/table?q=web', { headers: { cookie: sessions[at % 20] ?? '' } }),
  );
  await expect.poll(() => answers.length).toBe(2);
  const seen = { uid: 'u', generation: 1 };
  const costly: readonly (readonly [path: string, body?: object])[] = [
    ['/api/v1/applications', { manifest: 'kind: X', dryRun: true }],
    [`${APPLICATION}/change`, { component: 'front', image: 'web:2', generation: 2, dryRun: true }],
    [`${APPLICATION}/outdated-plan`],
    [`${APPLICATION}/compare?from=web-v1&to=web-v2`],
    [`${APPLICATION}/delete`, { uid: 'u', objects: 'delete', dryRun: true }],
    [
      '/api/v1/objects/edit',
      { apiVersion: 'v1', kind: 'ConfigMap', ns: 'shop', name: 'web', manifest: 'kind: X', seen: { uid: 'u', state: 's' }, dryRun: true },
    ],
    [`${RELEASE}/edit`, { kind: 'helmrelease', ...seen, values: 'a: 1', dryRun: true }],
    [`${RELEASE}/outdated-plan`],
    [`${RELEASE}/rollback?to=1`],
    [`${RELEASE}/content?revision=1`],
    [`${RELEASE.replace('/releases/', '/undeclared-releases/')}/content?revision=1`],
    [`${RELEASE}/compare?from=1&to=2`],
    [`${RELEASE}/commits/${'a'.repeat(40)}`],
    [`${RELEASE}/commits/${'a'.repeat(40)}/approval`],
    [`${RELEASE}/three-way`],
    ['/api/v1/namespaces/shop/rollouts/web/decisions', { verb: 'rollback', uid: 'u', revision: 'web-v1', dryRun: true }],
  ];
  for (const [at, [path, asked]] of costly.entries()) {
    const answer = await rig.send(path, { ...(asked === undefined ? {} : { body: asked }), headers: { cookie: sessions[at] ?? '' } });
    expect([path, answer.status, answer.status === 429 ? '' : await answer.text()]).toEqual([path, 429, '']);
  }
  for (const verb of ['pause', 'abort']) {
    const decided = await rig.send('/api/v1/namespaces/shop/rollouts/web/decisions', {
      body: { verb, uid: 'u' },
      headers: { cookie: sessions[0] ?? '' },
    });
    expect(decided.status).not.toBe(429);
  }
  const other = await rig.send(`${RELEASE}/compare?from=1&to=2`, { headers: { cookie: await cookieOfViewer(rig, rig.cookie) } });
  expect(other.status).not.toBe(429);
  for (let at = 0; at < 52; at++) {
    await expect.poll(() => answers.length).toBeGreaterThan(at);
    answers[at]?.();
  }
  expect((await Promise.all(full)).map(({ status }) => status)).toEqual(Array(52).fill(200));
});

it('[issue 10.4] a stranger who has a whole network of IPv6 addresses tries ten tokens with all of them, and the network beside it goes on', async () => {
  const { auth } = createAuthRig({ tokens: { 'head.ada.sig': { username: 'ada', groups: [] } } }, { mode: 'token' });
  const peers = createClientAddresses({ mode: 'token', publicUrl: undefined, trustedProxies: [] });
  const source = (remoteAddress: string) => peers.sourceOf({ headers: {}, socket: { remoteAddress } });
  const attack = (at: number) =>
    auth.signIn(`head.guess-${at}.sig`, undefined, { source: source(`2001:db8:1:2:${at.toString(16)}::${at}`) });
  for (let at = 0; at < 10; at++) await expect(attack(at)).rejects.toMatchObject({ code: 'unauthenticated' });
  await expect(attack(10)).rejects.toMatchObject({
    code: 'too-many',
    message: expect.stringContaining('10 sign-ins from 2001:db8:1:2::/64 failed'),
  });
  expect((await auth.signIn('head.ada.sig', undefined, { source: source('2001:db8:1:3::1') })).session.user).toBe('ada');
});

it('[issue 10.4] calls of a webhook count by the network of an IPv6 address, and the network beside it is served', async () => {
  const rig = await createApiRig();
  const call = (remoteAddress: string) =>
    rig.api.request(
      'http://127.0.0.1:3000/api/v1/hooks/git/known',
      { method: 'POST', body: '{}' },
      { incoming: { headers: {}, socket: { remoteAddress } } },
    );
  const statuses = await Promise.all(Array.from({ length: 30 }, async (_, at) => (await call(`2001:db8:1:2::${at.toString(16)}`)).status));
  expect(statuses.filter((status) => status !== 429)).toHaveLength(10);
  expect((await call('2001:db8:1:3::1')).status).not.toBe(429);
});

function never(): never {
  throw new Error('nobody is signed in');
}
