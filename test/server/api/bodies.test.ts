import { describe, expect, it } from 'vitest';
import { errorBody } from '@/lib/contract/pages/answers';
import { releaseDetail } from '../../support/fixture/releases';
import { backFrom } from '../../support/fixture/times';
import { ADDRESS, CHANGE, change, createApiRig } from './rig';

describe('bodies', () => {
  it.each([
    ['a form', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }, 400],
    ['text', JSON.stringify(change), { 'content-type': 'text/plain' }, 400],
    ['no JSON', '{', {}, 400],
    ['an unknown member', { ...change, force: true }, {}, 400],
    ['__proto__', `{"component":"front","image":"x","generation":2,"__proto__":{"a":1}}`, {}, 400],
    ['a wrong type', { ...change, replicas: 'many' }, {}, 400],
    ['more than the limit', { ...change, image: 'x'.repeat(70_000) }, {}, 413],
    ['a length that lies', change, { 'content-length': '999999' }, 413],
  ])('[design 8] with %s are refused', async (_what, body, headers, status) => {
    const { send, cluster } = await createApiRig();
    const answer = await send(CHANGE, { body, headers });
    expect(answer.status).toBe(status);
    expect(errorBody.parse(await answer.json()).error.message).not.toBe('');
    expect(cluster.writes).toEqual([]);
  });

  it.each([
    ['{"token": hunter2', 'the body is not valid JSON'],
    ['{"token": "a" hunter2', 'the body is not valid JSON at position 14'],
    ['hunter2', 'the body is not valid JSON'],
  ])('[issue 10.5] that cannot be read as JSON, such as %s, are refused without a word of what is in them', async (body, message) => {
    const { send } = await createApiRig();
    const answer = await send('/api/v1/session', { body });
    expect([answer.status, await answer.json()]).toEqual([400, { error: { code: 'invalid', message } }]);
  });

  it('[design 8] with manifests are read for so long as one person writes', async () => {
    const { send, clock } = await createApiRig();
    // Without a length each counts for as much as it may be, two million bytes.
    const check = async () => (await send('/api/v1/applications/check', { body: { manifest: 'a: 1' } })).status;
    expect([await check(), await check(), await check()]).toEqual([200, 200, 429]);
    expect((await send('/api/v1/schemas/application')).status).toBe(200);
    await clock.advance(10_000);
    expect(await check()).toBe(200);
  });

  it('[design 8] without an end are cut at the limit', async () => {
    const { api, cookie } = await createApiRig();
    let pulled = 0;
    const endless = new ReadableStream({
      pull(controller) {
        pulled++;
        controller.enqueue(new Uint8Array(10_000).fill(32));
      },
    });
    const init = { method: 'POST', headers: { cookie, 'content-type': 'application/json' }, body: endless, duplex: 'half' };
    expect((await api.request(`${ADDRESS}${CHANGE}`, init as RequestInit)).status).toBe(413);
    expect(pulled).toBeLessThan(20);
  });

  it('[issue 10.4] that end before they are whole are no failure of the server, which would write each into its log', async () => {
    const { api, cookie } = await createApiRig();
    const post = (path: string, headers: Record<string, string>) => {
      const body = new ReadableStream({ pull: (controller) => controller.error(new Error('aborted')) });
      const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body, duplex: 'half' };
      return api.request(`${ADDRESS}${path}`, init as RequestInit);
    };
    for (const answer of [await post(CHANGE, { cookie }), await post('/api/v1/session', {})])
      expect([answer.status, await answer.json()]).toEqual([400, { error: { code: 'invalid', message: 'the body is incomplete' } }]);
  });

  it('[issue 12] of git servers are taken as bytes from nobody in particular, answered without detail, and bounded', async () => {
    const { api, calls } = await createApiRig();
    const post = (id: string, body: string, headers = {}) =>
      api.request(`${ADDRESS}/api/v1/hooks/git/${id}`, { method: 'POST', body, headers });
    const answer = await post('known', 'payload=not json', {
      'content-type': 'application/x-www-form-urlencoded',
      'X-Hub-Signature-256': 'sha256=aa',
    });
    expect([answer.status, await answer.text()]).toEqual([202, '']);
    expect(calls).toEqual([{ signature: 'sha256=aa', bytes: 16 }]);
    expect((await post('known', ' '.repeat(1_048_577))).status).toBe(413);
    expect((await post('other', '')).status).toBe(404);
    expect((await post('known', '', { origin: 'https://elsewhere.example' })).status).toBe(403);
    expect(calls).toHaveLength(1);
  });

  it('[issue 12.4] compare stored revisions, each object and the values by the right to them', async () => {
    const release = {
      'release/shop/helmrelease/web': [{ ...releaseDetail(backFrom(Date.UTC(2026, 0, 1))), release: { namespace: 'shop', name: 'web' } }],
    };
    const path = '/api/v1/namespaces/shop/releases/web/compare?from=1&to=2';
    const all = await (await createApiRig({}, release)).send(path);
    expect(await all.json()).toMatchObject({
      from: 1,
      to: 2,
      hidesValues: false,
      notes: 'said',
      objects: [{ diff: [{ sign: '+' }] }, { diff: [{ sign: '+' }] }],
    });
    const some = await (await createApiRig({ may: ({ resource }) => resource !== 'secrets' }, release)).send(path);
    expect(await some.json()).toMatchObject({
      hidesValues: true,
      notes: null,
      objects: [
        { kind: 'ConfigMap', diff: [{ sign: '+' }] },
        { kind: 'Secret', diff: null },
      ],
    });
  });

  it('[issue 12.4] show what a stored revision holds, the newest where none is named, each object and the values by the right to them', async () => {
    const release = {
      'release/shop/helmrelease/web': [{ ...releaseDetail(backFrom(Date.UTC(2026, 0, 1))), release: { namespace: 'shop', name: 'web' } }],
    };
    const path = '/api/v1/namespaces/shop/releases/web/content';
    const all = await (await createApiRig({}, release)).send(path);
    expect(await all.json()).toMatchObject({
      revision: 2,
      hidesValues: false,
      notes: 'said',
      objects: [{ text: 'a: 1\n' }, { text: 'a: 1\n' }],
    });
    const rig = await createApiRig({ may: ({ resource }) => resource !== 'secrets' }, release);
    expect(await (await rig.send(`${path}?revision=1`)).json()).toMatchObject({
      revision: 1,
      hidesValues: true,
      notes: null,
      objects: [
        { kind: 'ConfigMap', text: 'a: 1\n', why: null },
        { kind: 'Secret', text: null, why: 'hidden' },
      ],
    });
    expect((await rig.send(`${path}?revision=0`)).status).toBe(400);
  });

  it('[issue 12.1] say of a release that no resource declares why nobody may uninstall it, before whether the caller may', async () => {
    const { send } = await createApiRig();
    const refusalOf = async (name: string) =>
      ((await (await send(`/api/v1/namespaces/shop/undeclared-releases/${name}`)).json()) as { readonly refusal: string | null }).refusal;
    expect([await refusalOf('unserved'), await refusalOf('web')]).toEqual(['it is not known', null]);
  });

  it('[issue 12.1] show of a release that no resource declares nothing without the right to what Helm stored, and each object by the right to it', async () => {
    const path = '/api/v1/namespaces/shop/undeclared-releases/web/content';
    expect(await (await (await createApiRig()).send(path)).json()).toMatchObject({
      revision: 2,
      notes: 'said',
      objects: [{ text: 'a: 1\n' }, { text: 'a: 1\n' }],
    });
    const stored = await createApiRig({ may: ({ resource, name }) => resource !== 'secrets' || name === 'sh.helm.release.v1.web.v1' });
    expect((await stored.send(path)).status).toBe(403);
    expect(await (await stored.send(`${path}?revision=1`)).json()).toMatchObject({
      revision: 1,
      objects: [
        { kind: 'ConfigMap', text: 'a: 1\n', why: null },
        { kind: 'Secret', text: null, why: 'hidden' },
      ],
    });
    expect((await stored.send(`${path}?revision=0`)).status).toBe(400);
  });

  it('[issue 12.4] compare a release three ways, each object by the right to it and values by the right to what Helm stored', async () => {
    const release = {
      'release/shop/helmrelease/web': [{ ...releaseDetail(backFrom(Date.UTC(2026, 0, 1))), release: { namespace: 'shop', name: 'web' } }],
    };
    const path = '/api/v1/namespaces/shop/releases/web/three-way';
    const all = await (await createApiRig({}, release)).send(path);
    expect(await all.json()).toMatchObject({ hidesValues: false, objects: [{ live: 'differs' }, { live: 'differs', first: 'data.a' }] });
    const some = await (await createApiRig({ may: ({ resource }) => resource !== 'secrets' }, release)).send(path);
    expect(await some.json()).toMatchObject({
      hidesValues: true,
      objects: [
        { kind: 'ConfigMap', live: 'differs', headDiff: [{ sign: '+' }], liveDiff: [{ sign: '+' }] },
        { kind: 'Secret', live: 'hidden', headDiff: null, liveDiff: null, first: null, by: null, fields: 0 },
      ],
    });
  });

  it('[issue 12] of git servers are taken so often from one address, whatever they hold', async () => {
    const { api, clock } = await createApiRig();
    const post = async () => (await api.request(`${ADDRESS}/api/v1/hooks/git/other`, { method: 'POST', body: '' })).status;
    const answers: number[] = [];
    for (let calls = 0; calls < 11; calls++) answers.push(await post());
    expect(answers).toEqual([...Array.from({ length: 10 }, () => 404), 429]);
    await clock.advance(1000);
    expect(await post()).toBe(404);
  });

  it.each([
    '/api/v1/namespaces/Shop/applications/web/manifest',
    '/api/v1/namespaces/shop/applications/..%2f..%2fx/manifest',
    '/api/v1/objects?apiVersion=v1&kind=Secret&name=..',
    '/api/v1/objects?apiVersion=v1%2Fx%2Fy&kind=Pod&name=x',
    '/api/v1/rows?topic=nonsense',
    '/api/v1/rows',
  ])('[design 8] and addresses that do not fit are refused: %s', async (path) => {
    const { send } = await createApiRig();
    expect((await send(path)).status).toBe(400);
  });
});
