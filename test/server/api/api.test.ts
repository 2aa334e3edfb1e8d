import { describe, expect, it } from 'vitest';
import { AppError } from '@/lib/contract/app-error';
import { ERROR_CODES } from '@/lib/contract/error-code';
import { sessionView } from '@/lib/contract/requests';
import { rightsPath } from '@/lib/contract/rights-of';
import type { Topic } from '@/lib/contract/topic';
import { createReads } from '@/server/api';
import { STATUS_OF } from '@/server/api/error-answer';
import { ROUTES } from '@/server/api/routes';
import { createOrigins } from '@/server/auth';
import { toAppError } from '@/server/commands';
import { KubeApiError, KubeTransportError } from '@/server/kube';
import { cookieOf } from '../auth/rig';
import { aSecret, CANARY } from '../commands/rig';
import { ADDRESS, CHANGE, change, createApiRig } from './rig';

describe('a session over HTTP', () => {
  it('[design 13 L] begins with the printed token and ends with a sign-out', async () => {
    const { api, auth, session } = await createApiRig();
    const token = await auth.createLink(session, 'approver');
    const json = { 'content-type': 'application/json' };
    const begun = await api.request(`${ADDRESS}/api/v1/session`, { method: 'POST', headers: json, body: JSON.stringify({ token }) });
    expect(sessionView.parse(await begun.json())).toMatchObject({ user: 'approver', groups: ['slipway:approvers'], mayInvite: false });
    const cookie = cookieOf(begun.headers.get('set-cookie') ?? '');
    expect(await (await api.request(`${ADDRESS}/api/v1/session`, { headers: { cookie } })).json()).toMatchObject({ user: 'approver' });
    const ended = await api.request(`${ADDRESS}/api/v1/session`, { method: 'DELETE', headers: { cookie } });
    expect([ended.status, ended.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')]);
    expect((await api.request(`${ADDRESS}/api/v1/session`, { headers: { cookie } })).status).toBe(401);
  });

  it('[design 13 L] makes links that open the console for another role', async () => {
    const { send } = await createApiRig();
    expect(await (await send('/api/v1/session/links', { body: { role: 'viewer' } })).json()).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:3000\/sign-in\?token=[\w-]{43}$/),
    });
  });
});

describe('a link that signs somebody else in', () => {
  it.each(['viewer', 'operator', 'approver'] as const)(
    '[issue 9, 6] carries the role that it was made for and no other: %s',
    async (role) => {
      const { api, send } = await createApiRig();
      const { url } = (await (await send('/api/v1/session/links', { body: { role } })).json()) as { url: string };
      const body = JSON.stringify({ token: new URL(url).searchParams.get('token') });
      const begun = await api.request(`${ADDRESS}/api/v1/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      expect(sessionView.parse(await begun.json())).toMatchObject({ user: role, groups: [`slipway:${role}s`], mayInvite: false });
    },
  );
});

describe('writes from elsewhere', () => {
  it.each([
    ['the page itself', { origin: ADDRESS, 'sec-fetch-site': 'same-origin' }, 202],
    ['the same machine by name', { origin: 'http://localhost:3000' }, 202],
    ['a client that is no browser', {}, 202],
    ['another site', { origin: 'https://evil.example' }, 403],
    ['another port', { origin: 'http://127.0.0.1:3001' }, 403],
    ['a page of the same site', { 'sec-fetch-site': 'same-site' }, 403],
    ['another site without an origin', { 'sec-fetch-site': 'cross-site' }, 403],
    ['a sandboxed page', { origin: 'null' }, 403],
    ['a page that rebound its name', { origin: 'http://evil.example:3000', host: 'evil.example:3000' }, 403],
  ])('[design 8] are judged by their origin: %s', async (_who, headers, status) => {
    const { send, cluster } = await createApiRig();
    expect((await send(CHANGE, { body: change, headers })).status).toBe(status);
    expect(cluster.writes.length > 0).toBe(status === 202);
  });

  it('[design 8] behind a proxy the public address is ours, and without one the host that was asked', () => {
    const proxied = createOrigins({ publicUrl: 'https://slipway.example.com/', host: '0.0.0.0', port: () => 3000 });
    expect(proxied.address()).toBe('https://slipway.example.com');
    expect(proxied.isOurs('https://slipway.example.com', 'whatever')).toBe(true);
    expect(proxied.isOurs('http://10.0.0.1:3000', '10.0.0.1:3000')).toBe(false);
    const open = createOrigins({ publicUrl: undefined, host: '0.0.0.0', port: () => 3000 });
    expect(open.isOurs('http://10.0.0.1:3000', '10.0.0.1:3000')).toBe(true);
    expect(open.isOurs('http://evil.example', '10.0.0.1:3000')).toBe(false);
  });
});

describe('answers', () => {
  it('[design 8] forbid framing, sniffing and caching', async () => {
    const { send } = await createApiRig();
    for (const path of ['/api/v1/session', '/api/v1/nothing', '/healthz']) {
      const { headers } = await send(path);
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  it('[style 3.3] know one status for each code', () => {
    expect(Object.keys(STATUS_OF).sort()).toEqual([...ERROR_CODES].sort());
  });

  it.each([
    [new KubeApiError({ code: 403, reason: 'Forbidden', message: 'pods is forbidden' }), 'forbidden', 'pods is forbidden'],
    [new KubeApiError({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' }), 'unauthenticated', 'Unauthorized'],
    [new KubeApiError({ code: 404, reason: 'NotFound', message: 'no such pod' }), 'not-found', 'no such pod'],
    [new KubeApiError({ code: 409, reason: 'Conflict', message: 'modified' }), 'conflict', 'modified'],
    [new KubeApiError({ code: 422, reason: 'Invalid', message: 'spec.x: Required value' }), 'invalid', 'Required value'],
    [new KubeApiError({ code: 429, reason: 'TooManyRequests', message: 'slow down' }), 'too-many', 'slow down'],
    [new KubeApiError({ code: 503, reason: 'ServiceUnavailable', message: 'etcd' }), 'unavailable', 'etcd'],
    [new KubeTransportError('connect ECONNREFUSED'), 'unavailable', 'does not answer'],
    [new AppError('stale', 'too old'), 'stale', 'too old'],
    [new Error('password=hunter2'), 'internal', 'its log says what'],
  ])('[style 3.3] tell %s as %s', (error, code, sentence) => {
    const told = toAppError(error);
    expect(told.code).toBe(code);
    expect(told.message).toContain(sentence);
    expect(told.message).not.toContain('hunter2');
  });

  it('[design 8] carry no secret in any form', async () => {
    const { send } = await createApiRig({ objects: [aSecret()] });
    const answer = await send('/api/v1/objects?apiVersion=v1&kind=Secret&ns=shop&name=key');
    const text = await answer.text();
    expect(JSON.parse(text)).toMatchObject({ masked: true, events: [] });
    expect(text).not.toContain(CANARY);
  });

  it('[api] of the record are a page, its lines, and whether it is intact', async () => {
    const { send } = await createApiRig();
    expect(await (await send('/api/v1/activity?q=web&page=0')).json()).toMatchObject({
      total: 2,
      rows: [{ key: 'a', ns: 'shop' }, { key: 'b' }],
    });
    const lines = await send('/api/v1/activity/export');
    expect(lines.headers.get('content-type')).toContain('application/jsonl');
    expect(
      (await lines.text())
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { id: string }).id),
    ).toEqual(['a', 'b']);
    expect(await (await send('/api/v1/activity/verify')).json()).toMatchObject({ entries: 2, intact: true, brokenAt: null });
  });

  it('[issue 10, 4] of a page of the record say where the next one begins', async () => {
    const { send } = await createApiRig();
    expect(await (await send('/api/v1/activity?size=1')).json()).toMatchObject({ total: 2, more: false, next: 1 });
    expect(await (await send('/api/v1/activity')).json()).toMatchObject({ next: null });
    expect(await (await send('/api/v1/activity?before=2')).json()).toMatchObject({ rows: [{ key: 'a' }] });
    const refused = await send('/api/v1/activity?before=2&sort=actor');
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining('before cannot be combined with sort: it needs the newest entries first'),
    ]);
  });

  it('[issue 10, 7] of a record whose chain is broken say so, and where', async () => {
    const { send } = await createApiRig(
      {},
      {},
      { entries: 2, intact: false, brokenAt: 2, why: 'entry 2 is missing', signed: null, head: 'h' },
    );
    expect(await (await send('/api/v1/activity/verify')).json()).toMatchObject({ intact: false, brokenAt: 2, why: 'entry 2 is missing' });
  });

  it('[api] of the record hold only what the reader may see', async () => {
    const { send } = await createApiRig({ may: ({ namespace }) => namespace === 'bank', namespaces: ['bank', 'shop'] });
    expect(await (await send('/api/v1/activity')).json()).toMatchObject({ rows: [] });
    expect(await (await send('/api/v1/activity/export')).text()).toBe('');
  });

  it('[api] describe themselves from the schemas that check them', async () => {
    const { send } = await createApiRig();
    const document = (await (await send('/api/v1/openapi.json')).json()) as {
      paths: Record<string, Record<string, { parameters?: { name: string }[]; requestBody?: object }>>;
    };
    expect(document.paths['/api/v1/namespaces/{ns}/rollouts/{name}/decisions']?.post).toMatchObject({
      parameters: [
        { name: 'ns', in: 'path' },
        { name: 'name', in: 'path' },
      ],
      requestBody: { content: { 'application/json': { schema: { required: ['verb', 'uid'], additionalProperties: false } } } },
    });
    expect(Object.keys(document.paths).sort()).toEqual([...new Set(ROUTES.map(({ path }) => path.replace(/:(\w+)/g, '{$1}')))].sort());
  });
});

describe('the former paths', () => {
  it('[api] answer by the same handlers for one release, and name the path that stays', async () => {
    const { send } = await createApiRig();
    const former = await send('/api/session');
    expect(await former.json()).toEqual(await (await send('/api/v1/session')).json());
    expect([former.headers.get('deprecation'), former.headers.get('link')]).toEqual(['true', '</api/v1/session>; rel="successor-version"']);
    expect((await send('/api/v1/session')).headers.get('deprecation')).toBeNull();
    expect((await send('/api/healthz')).status).toBe(404);
  });

  it.each([
    ['/api/v1/inbox/turns', '/api/v1/inbox/assignees'],
    ['/api/inbox/turns', '/api/v1/inbox/assignees'],
    ['/api/v1/live', '/api/v1/rows'],
    ['/api/v1/namespaces/shop/applications/turns/moved-plan', '/api/v1/namespaces/shop/applications/turns/outdated-plan'],
  ])('[issue 11.2] of a route that was renamed, %s, answer as it does and name it', async (path, now) => {
    const { send } = await createApiRig();
    const [former, present] = [await send(path), await send(now)];
    expect([former.status, await former.text()]).toEqual([present.status, await present.text()]);
    expect([former.headers.get('deprecation'), former.headers.get('link')]).toEqual(['true', `<${now}>; rel="successor-version"`]);
    expect(present.headers.get('deprecation')).toBeNull();
  });
});

describe('whose turn it is', () => {
  it('[issue 14] is told of the page of the inbox that is narrowed alike', async () => {
    const row = { key: 'rollout/shop/web', group: 'waits', kind: 'rollout', ns: 'shop', name: 'web', title: 'Stage 2 waits' };
    const entry = { ...row, sentence: 'Waits.', health: 'Current', since: null, href: '/rollouts/shop/web' };
    const { send } = await createApiRig({}, { inbox: [], 'inbox?kind=rollout&page=1': [entry] });
    const told = async (path: string) => Object.keys(((await (await send(path)).json()) as { turns: object }).turns);
    expect(await told('/api/v1/inbox/assignees')).toEqual([]);
    expect(await told('/api/v1/inbox/assignees?kind=rollout&page=1')).toEqual([entry.key]);
    expect((await send(`/api/v1/inbox/assignees?q=${'x'.repeat(501)}`)).status).toBe(400);
  });
});

describe('readiness and figures', () => {
  it('[design 8] are for whoever asks from the same machine, unless a proxy asks for somebody else', async () => {
    const { api, reasons } = await createApiRig();
    const ask = (path: string, address: string, headers: Record<string, string> = {}) =>
      api.request(`${ADDRESS}${path}`, { headers }, { incoming: { socket: { remoteAddress: address } } });
    expect((await ask('/metrics', '::ffff:127.0.0.1')).status).toBe(200);
    expect((await ask('/metrics', '10.0.0.9')).status).toBe(401);
    expect((await ask('/metrics', '127.0.0.1', { 'x-forwarded-for': '10.0.0.9' })).status).toBe(401);
    expect((await ask('/readyz', '127.0.0.1')).status).toBe(200);
    reasons.push('The watch of Pod is lost');
    const unready = await ask('/readyz', '127.0.0.1');
    expect([unready.status, await unready.text()]).toEqual([503, 'The watch of Pod is lost\n']);
  });

  it('[issue 10.5] of a request with a token go to the monitor that the cluster knows by it, and nothing else does', async () => {
    const rules = {
      token: 'of-ann',
      tokens: {
        'of-ann': { username: 'ann', groups: [] },
        'of-prometheus': { username: 'system:serviceaccount:monitoring:prometheus', groups: [] },
      },
      may: ({ user, verb, resource }: { readonly user: string; readonly verb: string; readonly resource: string }) =>
        user === 'system:serviceaccount:monitoring:prometheus' && verb === 'get' && resource === '/metrics',
    };
    const { api } = await createApiRig(rules);
    const ask = async (path: string, authorization: string) =>
      (await api.request(`${ADDRESS}${path}`, { headers: { authorization } }, { incoming: { socket: { remoteAddress: '10.0.0.9' } } }))
        .status;
    expect(await ask('/metrics', 'Bearer of-prometheus')).toBe(200);
    expect(await ask('/metrics', 'Bearer other')).toBe(401);
    expect(await ask('/metrics', 'Basic of-prometheus')).toBe(401);
    expect(await ask('/api/v1/session', 'Bearer of-prometheus')).toBe(401);
    expect(await ask('/api/v1/applications', 'Bearer of-prometheus')).toBe(401);
    expect(await ask('/metrics', 'Bearer of-ann'), 'by a token alone').toBe(403);
  });

  it('[issue 9.1] name what may not be watched beside being ready, since the rest is served', async () => {
    const { api, limits } = await createApiRig();
    limits.push('Pod objects may not be watched, they are polled every 10s: pods is forbidden');
    const ready = await api.request(`${ADDRESS}/readyz`, {}, { incoming: { socket: { remoteAddress: '127.0.0.1' } } });
    expect([ready.status, await ready.text()]).toEqual([
      200,
      'ok\nPod objects may not be watched, they are polled every 10s: pods is forbidden\n',
    ]);
  });

  it('[issue 10.5] whether it is ready is told to the probes of a cluster too, which cannot sign in, and nothing else is', async () => {
    const { api, send, reasons, limits } = await createApiRig();
    limits.push('Secret objects of namespace shop may not be listed');
    const probe = async () => {
      const answer = await api.request(`${ADDRESS}/readyz`, {}, { incoming: { socket: { remoteAddress: '10.0.0.9' } } });
      return [answer.status, await answer.text()];
    };
    expect(await probe()).toEqual([200, 'ok\n']);
    reasons.push('The watch of Pod in shop is lost');
    expect(await probe()).toEqual([503, 'not ready\n']);
    expect(await (await send('/readyz')).text()).toContain('The watch of Pod in shop is lost\nSecret objects of namespace shop');
  });

  it('[design 8] are not for a page of another site whose name leads to this machine', async () => {
    const { api, limits } = await createApiRig();
    limits.push('Pod objects may not be watched');
    const WHOLE = 'ok\nPod objects may not be watched\n';
    const ask = (path: string, host: string) =>
      api.request(`${ADDRESS}${path}`, { headers: { host } }, { incoming: { socket: { remoteAddress: '127.0.0.1' } } });
    for (const host of ['127.0.0.1:3000', 'localhost:3000', '[::1]:3000', 'localhost'])
      expect([(await ask('/metrics', host)).status, await (await ask('/readyz', host)).text()], host).toEqual([200, WHOLE]);
    for (const host of [
      'evil.example:3000',
      '127.0.0.1.evil.example',
      'localhost.evil.example:3000',
      '',
      '127.0.0.1@evil.example',
      '[::1',
      'x:y:z',
    ])
      expect([(await ask('/metrics', host)).status, await (await ask('/readyz', host)).text()], host).toEqual([401, 'ok\n']);
  });

  it('[design 11] count each route by its pattern and status', async () => {
    const { send } = await createApiRig();
    await send('/api/v1/namespaces/shop/rollouts/web/garbage');
    expect(await (await send('/metrics')).text()).toContain(
      'slipway_http_request_seconds_count{route="GET /api/v1/namespaces/:ns/rollouts/:name/garbage",status="200"} 1',
    );
  });
});

describe('live rows over HTTP and on pages', () => {
  it('[design 7] are the snapshot of a window, which is let go again', async () => {
    const { send, readModel } = await createApiRig({}, { inbox: [{ key: 'a' }] });
    expect(await (await send('/api/v1/rows?topic=inbox')).json()).toMatchObject({
      seq: { bootId: 'boot-1', seq: 1 },
      total: 1,
      order: ['a'],
      rows: [{ key: 'a' }],
    });
    expect(readModel.opened).toEqual([]);
    expect((await send('/api/v1/rows?topic=rollout/shop/none')).status).toBe(404);
  });

  it('[issue 12.4] of an object that is gone while its page is still open somewhere are refused as those of none', async () => {
    const { send } = await createApiRig({}, { 'release/shop/helmrelease/web': [], 'flux/shop/helmrelease-v2/web': [] });
    const parts = ['', '/log', '/hooks', '/status', '/history'].map((part) => `releases/web${part}?kind=helmrelease`);
    for (const path of [...parts, 'flux/web?kind=helmrelease-v2', 'flux/web/status'])
      expect([path, (await send(`/api/v1/namespaces/shop/${path}`)).status]).toEqual([path, 404]);
  });

  it('[issue 9] are complete: what is still being computed is waited for, and nothing of before is sent', async () => {
    const { send, readModel } = await createApiRig({}, { inbox: [{ key: 'a' }] });
    const asked: Topic[] = [];
    readModel.whenComplete = async (topic) => {
      asked.push(topic);
      readModel.put('inbox', { key: 'b' });
    };
    expect(await (await send('/api/v1/rows?topic=inbox')).json()).toMatchObject({ total: 2, order: ['a', 'b'] });
    expect(asked).toEqual([{ kind: 'inbox' }]);
  });

  it('[design 12.1] pages read with the rights of the cookie', async () => {
    const rig = await createApiRig(
      { may: ({ resource }) => resource === 'applications' },
      { inbox: [{ key: 'a' }], 'rollout/shop/web': [{ key: 'shop/web' }] },
    );
    const reads = createReads(rig);
    expect(await reads(null)).toBeUndefined();
    const mine = await reads(rig.cookie);
    expect(mine?.session.user).toBe('operator');
    expect(await mine?.snapshot('inbox')).toMatchObject({ order: ['a'] });
    await expect(mine?.snapshot('rollout/shop/web')).rejects.toMatchObject({ code: 'forbidden' });
    await expect(mine?.snapshot('application/shop/none')).rejects.toMatchObject({ code: 'not-found' });
  });

  it('[issue 9] pages come with what their reader may do, the same as over HTTP, and without it where it may not be read or is late', async () => {
    const rig = await createApiRig({ may: ({ verb }) => verb !== 'abort' });
    const mine = await createReads(rig)(rig.cookie);
    const rollout = { kind: 'rollout', ns: 'shop', name: 'web' } as const;
    const known = await mine?.rights(rollout);
    expect(known).toMatchObject({ approve: null, abort: expect.stringContaining('operator may not') });
    expect(known).toEqual(await (await rig.send(rightsPath(rollout))).json());
    const application = { ...rollout, kind: 'application' } as const;
    expect(await mine?.rights(application)).toEqual(await (await rig.send(rightsPath(application))).json());
    expect(await mine?.rights({ kind: 'applications' })).toEqual(await (await rig.send(rightsPath({ kind: 'applications' }))).json());
    const blind = await createApiRig({ may: () => false });
    expect(await (await createReads(blind)(blind.cookie))?.rights(rollout)).toBeUndefined();
    const late = createReads({
      ...rig,
      commands: { ...rig.commands, readRights: () => new Promise(() => {}) },
      clock: {
        now: () => rig.clock.now(),
        schedule(_ms, task) {
          queueMicrotask(task);
          return () => undefined;
        },
        hold: () => () => undefined,
        sleep: async () => undefined,
      },
    });
    expect(await (await late(rig.cookie))?.rights(rollout)).toBeUndefined();
  });
});
