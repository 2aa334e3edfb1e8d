import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { readDeclared } from '@/server/chartsync/model/declared';
import { gitHookOf, requestsFetch } from '@/server/chartsync/webhooks/git-hook';
import { isSignedBy } from '@/server/chartsync/webhooks/signature';

const SECRET = 'a-secret-of-32-characters-or-more';
const BODY = Buffer.from('{"ref":"refs/heads/main"}');
const hex = (secret: string | Buffer, algorithm = 'sha256', body = BODY) => createHmac(algorithm, secret).update(body).digest('hex');
const standard = (key: string | Buffer) => `v1,${createHmac('sha256', key).update('m1.1700000000.').update(BODY).digest('base64')}`;
const times = { 'webhook-id': 'm1', 'webhook-timestamp': '1700000000' };

const GOOD: readonly [string, Readonly<Record<string, string>>, string?][] = [
  ['GitHub', { 'x-hub-signature-256': `sha256=${hex(SECRET)}` }],
  ['Gitea', { 'x-gitea-signature': hex(SECRET) }],
  ['Forgejo', { 'x-forgejo-signature': hex(SECRET) }],
  ['anything by HMAC', { 'x-signature': `sha512=${hex(SECRET, 'sha512')}` }],
  ['GitLab by its signature', { ...times, 'webhook-signature': standard(SECRET) }],
  [
    'GitLab by a key in its own form',
    { ...times, 'webhook-signature': standard(Buffer.from('key')) },
    `whsec_${Buffer.from('key').toString('base64')}`,
  ],
  ['GitLab while a key is exchanged', { ...times, 'webhook-signature': `${standard('former')} ${standard(SECRET)}` }],
  ['GitLab by its token', { 'x-gitlab-token': SECRET }],
];

const BAD: readonly [string, Readonly<Record<string, string>>][] = [
  ['nothing', {}],
  ['another secret', { 'x-hub-signature-256': `sha256=${hex('other')}` }],
  ['another body', { 'x-hub-signature-256': `sha256=${hex(SECRET, 'sha256', Buffer.from('{}'))}` }],
  ['SHA-1', { 'x-hub-signature-256': `sha1=${hex(SECRET, 'sha1')}` }],
  ['SHA-1 in its own header', { 'x-hub-signature': `sha1=${hex(SECRET, 'sha1')}` }],
  ['an empty digest', { 'x-gitea-signature': '' }],
  ['a part of the digest', { 'x-gitea-signature': hex(SECRET).slice(0, 32) }],
  ['a token that is longer', { 'x-gitlab-token': `${SECRET}x` }],
  ['a signature of another time', { ...times, 'webhook-timestamp': '1700000001', 'webhook-signature': standard(SECRET) }],
  ['a wrong signature beside the right token', { ...times, 'webhook-signature': standard('other'), 'x-gitlab-token': SECRET }],
];

describe('the signature of a git server', () => {
  it.each(GOOD)('[issue 12] of %s is taken', (_of, headers, secret = SECRET) => {
    expect(isSignedBy(secret, { headers, body: BODY })).toBe(true);
  });

  it.each(BAD)('[issue 12] is refused with %s', (_with, headers) => {
    expect(isSignedBy(SECRET, { headers, body: BODY })).toBe(false);
  });

  it.each(['whsec_', 'whsec_!!!'])('[issue 12, 5] is refused where the secret is the form of a key and none: %s', (secret) => {
    expect(isSignedBy(secret, { headers: { ...times, 'webhook-signature': standard('') }, body: BODY })).toBe(false);
  });
});

const OWN = { repository: 'https://git.example.com/own.git', repositorySecret: { namespace: 'slipway-system', name: 'git' } };
const URL = 'https://git.example.com/charts.git';

function hookOf(chart: object, { namespace = 'pay', annotations = {}, own = OWN as Parameters<typeof gitHookOf>[1] } = {}) {
  return gitHookOf(readDeclared({ ...KINDS.helmRelease, metadata: { namespace, name: 'web', annotations }, spec: { chart } }), own);
}

const baseHook = (own: Parameters<typeof gitHookOf>[1], annotations = {}) =>
  gitHookOf(
    readDeclared({ ...KINDS.fluxHelmRelease, metadata: { namespace: 'pay', name: 'web', annotations }, spec: { chartGitPath: 'web' } }),
    own,
  );

describe('the hook of a repository', () => {
  it('[issue 12] is that of its credentials, read as the account of the resource, or of the Secret that the annotation names', () => {
    const credentials = { git: URL, path: 'web', secretRef: { name: 'deploy-key' } };
    expect(hookOf(credentials)).toMatchObject({
      secret: { namespace: 'pay', name: 'deploy-key' },
      reader: { namespace: 'pay', account: undefined },
    });
    const named = hookOf(credentials, { annotations: { 'slipway.dev/webhook-secret': 'push' } });
    expect(named).toMatchObject({ secret: { namespace: 'pay', name: 'push' }, reader: { namespace: 'pay', account: undefined } });
    expect(named?.id).not.toBe(hookOf(credentials)?.id);
    expect(hookOf({ git: URL, path: 'web' })).toBeUndefined();
    expect(hookOf({ repository: 'https://charts.example.com', name: 'web', version: '1.0.0' })).toBeUndefined();
  });

  it('[issue 12] is one for all who share repository, Secret and account, and nobody else', () => {
    const chart = (path: string, git = URL) => ({ git, path, secretRef: { name: 'deploy-key', namespace: 'keys' } });
    expect(hookOf(chart('web'))?.id).toBe(hookOf(chart('other'))?.id);
    expect(hookOf(chart('web'))?.id).not.toBe(hookOf(chart('web', `${URL}2`))?.id);
    expect(hookOf(chart('web'))?.id).not.toBe(hookOf(chart('web'), { namespace: 'shop' })?.id);
  });

  it('[issue 12] of the server’s own repository is signed by --git-secret, which the server reads itself', () => {
    expect(baseHook(OWN)).toMatchObject({ secret: OWN.repositorySecret, reader: null });
    expect(hookOf({ git: OWN.repository, path: 'web' })?.id).toBe(baseHook(OWN)?.id);
    expect(baseHook({ ...OWN, repositorySecret: undefined })).toBeUndefined();
    expect(baseHook({ repository: undefined, repositorySecret: undefined }, { 'slipway.dev/webhook-secret': 'push' })).toBeUndefined();
    expect(baseHook(OWN, { 'slipway.dev/webhook-secret': 'push' })).toMatchObject({
      secret: { namespace: 'pay', name: 'push' },
      reader: { namespace: 'pay', account: undefined },
    });
  });

  it('asks for a fetch by a new value of the annotation only', () => {
    const at = (time?: string) => ({
      ...KINDS.helmRelease,
      metadata: time === undefined ? {} : { annotations: { 'slipway.dev/fetch-requested-at': time } },
    });
    expect(requestsFetch(at(), at('1'))).toBe(true);
    expect(requestsFetch(at('1'), at('2'))).toBe(true);
    expect(requestsFetch(at('1'), at('1'))).toBe(false);
    expect(requestsFetch(at('1'), at())).toBe(false);
  });
});
