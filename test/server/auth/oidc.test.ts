import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuthDeps } from '@/server/auth/auth';
import { splitGroups } from '@/server/auth/oidc/groups';
import type { OidcSettings } from '@/server/auth/oidc/provider';
import { toSessionView } from '@/server/auth/session';
import { ManualClock } from '@/test/support/manual-clock';
import type { OidcProvider } from '@/test/support/oidc-provider';
import { startOidcProvider } from '@/test/support/oidc-provider';
import type { FakeRules } from './fake-cluster';
import { cookieOf, createAuthRig } from './rig';

const CLIENT = 'slipway';
const HOUR = 3_600_000;
const OURS = 'https://slipway.example.com/sign-in';
const ADA = { sub: 'ada', groups: ['operators', 'everybody'] };
const FROM = { source: '10.0.0.1' };
/** What the server's role names, as a rules review tells it. */
const named = (groups: readonly string[], way: 'full' | 'constrained' = 'full') =>
  way === 'full'
    ? [{ verbs: ['impersonate'], apiGroups: [''], resources: ['groups'], resourceNames: groups }]
    : [{ verbs: ['impersonate:user-info'], apiGroups: ['authentication.k8s.io'], resources: ['groups'], resourceNames: groups }];

describe('signing in with a provider', () => {
  let provider: OidcProvider;
  let clock: ManualClock;
  beforeEach(async () => {
    clock = new ManualClock();
    provider = await startOidcProvider(CLIENT, { now: () => clock.now() });
  });
  afterEach(() => provider[Symbol.asyncDispose]());

  function open(rules: FakeRules = {}, over: Partial<AuthDeps> = {}, settings: Partial<OidcSettings> = {}) {
    const oidc: OidcSettings = {
      issuer: provider.issuer,
      clientId: CLIENT,
      clientSecret: undefined,
      usernameClaim: 'sub',
      prefix: 'oidc:',
      ...settings,
    };
    return createAuthRig({ ownRules: named(['oidc:operators']), ...rules }, { mode: 'oidc', host: '0.0.0.0', clock, oidc, ...over });
  }
  type Rig = ReturnType<typeof open>;
  const signIn = async ({ auth }: Rig) => {
    const { address, setCookie } = await auth.beginWithProvider(OURS);
    return auth.signInReturned(await provider.visit(address), cookieOf(setCookie), undefined, FROM);
  };

  it.each(['full', 'constrained'] as const)(
    '[issue 10.1] takes whom it names, by prefix, and leaves out groups that the role does not name, where the right is %s',
    async (way) => {
      const rig = open({ ownRules: named(['oidc:operators'], way) });
      provider.tell({ ...ADA, groups: ['operators', 'everybody', 'system:masters'] });
      const { session, setCookie } = await signIn(rig);
      expect(session.expiresAt).toBe(clock.now() + HOUR);
      const expected = { user: 'oidc:ada', groups: ['oidc:operators'], leftOut: ['oidc:everybody', 'oidc:system:masters'] };
      expect(session).toMatchObject({
        ...expected,
        mode: 'oidc',
        mayInvite: false,
        person: { user: 'oidc:ada', groups: ['oidc:operators'] },
      });
      expect(session.person).not.toHaveProperty('uid');
      expect(toSessionView(session)).toMatchObject(expected);
      expect(await rig.auth.readSession(cookieOf(setCookie))).toMatchObject(expected);
    },
  );

  it('[issue 10.1] takes whom it names without a word of groups into none', async () => {
    provider.tell({ sub: 'ada' });
    expect((await signIn(open())).session).toMatchObject({ user: 'oidc:ada', groups: [], leftOut: [] });
  });

  it('[issue 10.1] takes nobody into a group of the system, though nothing is put before groups and the role names it', async () => {
    const rig = open(
      { ownRules: named(['system:masters', ' system:masters', 'operators', 'operators ', 'slipway:servers']) },
      {},
      { prefix: '' },
    );
    const others = ['system:masters', ' system:masters', 'operators ', 'slipway:servers'];
    provider.tell({ ...ADA, groups: [...others, 'operators'] });
    expect((await signIn(rig)).session).toMatchObject({ groups: ['operators'], leftOut: others });
  });

  it.each([
    ['system:admin', 'is a part of the cluster'],
    ['a\nb', 'must not contain line breaks'],
    ['  ', 'has no claim sub'],
    [' system:admin', 'must not begin or end with white space'],
    ['ada ', 'must not begin or end with white space'],
  ])('[design 8] takes nobody who is called "%s", though nothing is put before names', async (sub, why) => {
    provider.tell({ ...ADA, sub });
    await expect(signIn(open({}, {}, { prefix: '' }))).rejects.toThrow(why);
  });

  it('[issue 10.4] asks about a thousand groups of a person at most, each once, and leaves the others out', async () => {
    const many = Array.from({ length: 20_000 }, (_, at) => `group-${at}`);
    const asked: string[] = [];
    const rights = {
      lacks: async (wanted: readonly { readonly name?: string }[]) => {
        asked.push(...wanted.map(({ name = '' }) => name));
        return wanted.filter(({ name }) => name !== 'operators') as never;
      },
    };
    const { groups, leftOut } = await splitGroups(['operators', 'operators', ...many], rights);
    expect([groups, leftOut.length, new Set(asked).size, asked.length]).toEqual([['operators'], 20_000, 1000, 2000]);
  });

  it('[issue 10.1] asks again which groups count when a session comes from the store, and none counts until that is known', async () => {
    const first = open();
    provider.tell(ADA);
    const { setCookie } = await signIn(first);
    const cookie = cookieOf(setCookie);
    await expect.poll(() => first.rows.size).toBe(1);
    const store = first.deps.store;
    const widened = open({ ownRules: named(['oidc:everybody']) }, { store });
    expect(await widened.auth.readSession(cookie)).toMatchObject({ groups: ['oidc:everybody'], leftOut: ['oidc:operators'] });
    const silent = open({ ownRules: new Error('no answer') }, { store });
    expect(await silent.auth.readSession(cookie)).toMatchObject({ groups: [], person: { groups: [] } });
  });

  it('[design 8] takes a code once, and in the browser that began', async () => {
    const rig = open();
    provider.tell(ADA);
    const { address, setCookie } = await rig.auth.beginWithProvider(OURS);
    expect(setCookie).toMatch(/HttpOnly; SameSite=Lax$/);
    const returned = await provider.visit(address);
    const other = await rig.auth.beginWithProvider(OURS);
    const end = (cookie: string | undefined) => rig.auth.signInReturned(returned, cookie, undefined, FROM);
    for (const cookie of [undefined, 'slipway_sign_in_test=e30', cookieOf(other.setCookie)])
      await expect(end(cookie)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect((await end(`other=1;  ${cookieOf(setCookie)}`)).session.user).toBe('oidc:ada');
    await expect(end(cookieOf(setCookie))).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it.each([
    ['signed by somebody else', { key: 'foreign' }],
    ['signed by nobody', { header: { alg: 'none' } }],
    ['signed with a secret', { header: { alg: 'HS256' } }],
    ['with a condition that is not understood', { header: { crit: ['b64'] } }],
    ['by another provider', { claims: { iss: 'https://login.example.com' } }],
    ['for another client', { claims: { aud: 'grafana' } }],
    ['for several, and issued to another', { claims: { aud: [CLIENT, 'grafana'], azp: 'grafana' } }],
    ['that is over', { claims: { exp: 1_000 } }],
    ['of a time to come', { claims: { iat: 99_999_999_999 } }],
    ['of another sign-in', { claims: { nonce: 'another' } }],
  ] as const)('[design 8] takes no token %s', async (_what, how) => {
    provider.tell(ADA, how);
    await expect(signIn(open())).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('[design 8] takes a verified address of mail alone, where that is who people are', async () => {
    const rig = open({}, {}, { usernameClaim: 'email', prefix: 'oidc:' });
    provider.tell({ ...ADA, email: 'ada@example.com' });
    await expect(signIn(rig)).rejects.toThrow('has not verified ada@example.com');
    provider.tell({ ...ADA, email: 'ada@example.com', email_verified: true });
    expect((await signIn(rig)).session.user).toBe('oidc:ada@example.com');
  });

  it('[issue 10.4] counts who comes back with what is not taken, by address, and leaves others alone', async () => {
    const { auth } = open({}, { maxSignIns: 1 });
    const end = (state: string, source: string) => auth.signInReturned({ code: 'c', state }, undefined, undefined, { source });
    await expect(end('one', '10.0.0.1')).rejects.toMatchObject({
      code: 'unauthenticated',
      message: expect.stringContaining('did not start this sign-in'),
    });
    await expect(end('two', '10.0.0.1')).rejects.toMatchObject({ code: 'too-many', message: expect.stringContaining('from 10.0.0.1') });
    await expect(end('two', '10.0.0.2')).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('[issue 10.4] counts neither what the provider leaves out of a person nor that it does not answer', async () => {
    const rig = open({}, { maxSignIns: 1 }, { usernameClaim: 'email' });
    provider.tell(ADA);
    for (const _ of [1, 2])
      await expect(signIn(rig)).rejects.toMatchObject({ code: 'forbidden', message: expect.stringContaining('has no claim email') });
    const { address, setCookie } = await rig.auth.beginWithProvider(OURS);
    const returned = await provider.visit(address);
    await provider[Symbol.asyncDispose]();
    const end = () => rig.auth.signInReturned(returned, cookieOf(setCookie), undefined, FROM);
    for (const _ of [1, 2])
      await expect(end()).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('does not answer') });
  });

  it('[design 8] takes no printed and no cluster token there, and no provider elsewhere', async () => {
    await expect(open().auth.signIn('tok')).rejects.toThrow('with the provider of your organisation');
    await expect(createAuthRig().auth.beginWithProvider(OURS)).rejects.toMatchObject({ code: 'invalid' });
  });

  it('[design 8] asks no provider where people sign in otherwise, whatever was said of one', async () => {
    const { auth } = open({}, { mode: 'token' });
    const refused = { code: 'invalid', message: 'sign-in mode token takes a token and has no provider' };
    await expect(auth.beginWithProvider(OURS)).rejects.toMatchObject(refused);
    await expect(auth.signInReturned({ code: 'c', state: 's' }, undefined, undefined, FROM)).rejects.toMatchObject(refused);
  });

  it('[issue 10.4] begins a session of a browser, in place of the one there was', async () => {
    const rig = open({}, { maxSessions: 1 });
    provider.tell(ADA);
    const [first, second] = [await signIn(rig), await signIn(rig)];
    const isOpen = async ({ setCookie }: { readonly setCookie: string }) => (await rig.auth.readSession(cookieOf(setCookie))) !== undefined;
    await expect.poll(() => isOpen(first)).toBe(false);
    expect(await isOpen(second)).toBe(true);

    const many = open();
    const { session } = await signIn(many);
    const ended: string[] = [];
    many.auth.onEnd(session, (reason) => ended.push(reason));
    const { address, setCookie } = await many.auth.beginWithProvider(OURS);
    await many.auth.signInReturned(await provider.visit(address), cookieOf(setCookie), session, FROM);
    expect(ended).toEqual(['You signed in again.']);
  });

  it('[design 8] needs a provider, and one over https', () => {
    expect(() => createAuthRig({}, { mode: 'oidc', host: '0.0.0.0' })).toThrow('--oidc-issuer');
    expect(() => open({}, {}, { issuer: 'http://login.example.com' })).toThrow('must be https');
  });
});
