import { describe, expect, it } from 'vitest';
import type { StatusesBody } from '@/lib/contract/object-statuses';
import type { ApiRig } from './rig';
import { APPLICATION, aShop, eventsOf, FRONT, line, OF_WEB, SETTINGS } from './status-rig';

describe('a stream of statuses', () => {
  it('[issue 9] begins with everything, tells each change, and a sign of life when there is none', async () => {
    const rig = await aShop();
    const answer = await rig.send(`${OF_WEB}?watch`);
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    const events = eventsOf(answer);
    expect(await events.next()).toMatchObject({ event: 'statuses', data: { status: 'Current' } });
    rig.statuses.tell(FRONT, 'InProgress', { message: 'Available: 2/3' });
    expect(await events.next()).toMatchObject({
      event: 'change',
      data: {
        status: 'InProgress',
        message: 'Deployment front: Available: 2/3',
        object: { kind: 'Deployment', name: 'front', status: 'InProgress' },
      },
    });
    const quiet = events.next();
    await rig.clock.advance(15_000);
    expect(await quiet).toBe(': still here');
    await events.cancel();
    await rig.clock.settle();
    expect(rig.statuses.open()).toBe(0);
  });

  it('[issue 9] follows what joins and what leaves the application', async () => {
    const rig = await aShop();
    const events = eventsOf(await rig.send(`${OF_WEB}?watch`));
    await events.next();
    rig.statuses.list('shop/web', [FRONT, { ...SETTINGS, name: 'other' }]);
    const joined = events.next();
    await rig.clock.advance(50);
    expect(await joined).toMatchObject({ event: 'change', data: { object: { name: 'other', status: 'NotFound' } } });
    expect(await events.next()).toMatchObject({ event: 'gone', data: { kind: 'ConfigMap', ns: 'shop', name: 'settings' } });
    await events.cancel();
  });

  it('[issue 9] keeps no backlog for who reads slowly: it tells the latest', async () => {
    const rig = await aShop();
    const events = eventsOf(await rig.send(`${OF_WEB}?watch`));
    await events.next();
    for (let ready = 0; ready <= 1000; ready++) rig.statuses.tell(FRONT, 'InProgress', { message: `Available: ${ready}` });
    await rig.clock.settle();
    expect(await events.next()).toMatchObject({ data: { object: { message: 'Available: 1000' } } });
    const quiet = events.next();
    await rig.clock.advance(15_000);
    expect(await quiet).toBe(': still here');
    await events.cancel();
  });

  it('[issue 9] with a wait ends by saying how it came out', async () => {
    const rig = await aShop();
    rig.statuses.tell(FRONT, 'InProgress');
    const events = eventsOf(await rig.send(`${OF_WEB}?watch&for=current&timeout=5m`));
    expect(await events.next()).toMatchObject({ event: 'statuses', data: { status: 'InProgress' } });
    rig.statuses.tell(FRONT, 'Current');
    expect(await events.next()).toMatchObject({ event: 'change', data: { status: 'Current' } });
    expect(await events.next()).toMatchObject({ event: 'end', data: { outcome: 'reached' } });
    expect(await events.next()).toBeUndefined();
    expect(rig.statuses.open()).toBe(0);
  });

  it('[issue 9] ends with the sentence when the right is withdrawn, and tells nothing after that', async () => {
    let allowed = true;
    const rig = await aShop({ may: () => allowed });
    const events = eventsOf(await rig.send(`${OF_WEB}?watch`));
    await events.next();
    allowed = false;
    const end = events.next();
    await rig.clock.advance(20_000);
    expect(await end).toMatchObject({
      event: 'end',
      data: { outcome: 'ended', sentence: expect.stringContaining('operator may not do this') },
    });
    rig.statuses.tell(FRONT, 'Failed', { message: 'a secret of the shop' });
    expect(await events.next()).toBeUndefined();
    expect(rig.statuses.open()).toBe(0);
  });

  it('[issue 9] ends with the session, and so does a wait', async () => {
    const rig = await aShop();
    rig.statuses.tell(FRONT, 'InProgress');
    const events = eventsOf(await rig.send(`${OF_WEB}?watch`));
    await events.next();
    const answering = rig.send(`${OF_WEB}?for=current`);
    await rig.clock.settle();
    await rig.send('/api/v1/session', { method: 'DELETE' });
    const end = events.next();
    await rig.clock.advance(4000);
    expect(await end).toMatchObject({ event: 'end', data: { outcome: 'ended', sentence: expect.stringContaining('sign in again') } });
    expect((await answering).status).toBe(401);
    expect(rig.statuses.open()).toBe(0);
  });

  it('[issue 10, 1] ends with the right within five seconds, past what is kept of reviews', async () => {
    let allowed = true;
    const rig = await aShop({ may: () => allowed });
    const events = eventsOf(await rig.send(`${OF_WEB}?watch`));
    await events.next();
    await rig.clock.advance(3500);
    await rig.send(OF_WEB); // keeps a review that grants it
    allowed = false;
    const end = events.next();
    await rig.clock.advance(5000);
    expect(await end).toMatchObject({ event: 'end', data: { outcome: 'ended', sentence: expect.stringContaining('may not do this') } });
  });

  it('[issue 9] a cluster that cannot be asked for a while takes no right away', async () => {
    let broken = false;
    const rig = await aShop({
      may: () => {
        if (broken) throw new Error('connection refused');
        return true;
      },
    });
    const events = eventsOf(await rig.send(`${OF_WEB}?watch`));
    await events.next();
    broken = true;
    const quiet = events.next();
    await rig.clock.advance(15_000);
    expect(await quiet).toBe(': still here');
    await events.cancel();
  });

  it('[issue 9] cleans up when the client goes away', async () => {
    const rig = await aShop();
    const leaving = new AbortController();
    const events = eventsOf(await rig.send(`${OF_WEB}?watch`, { signal: leaving.signal }));
    await events.next();
    const next = events.next();
    leaving.abort();
    expect(await next).toBeUndefined();
    await rig.clock.settle();
    expect(rig.statuses.open()).toBe(0);
  });
});

describe('statuses of many objects', () => {
  const references = (count: number) => Array.from({ length: count }, (_, index) => ({ ...SETTINGS, name: `settings-${index}` }));
  const ask = (rig: ApiRig, objects: readonly object[], query = '', over: object = {}) =>
    rig.send(`/api/v1/status${query}`, { body: { objects, ...over } });

  it('[issue 9] answers 500 in their order, by one review', async () => {
    const rig = await aShop();
    for (const at of references(500)) rig.statuses.tell(at, 'Current');
    const answer = await ask(rig, references(500));
    const { objects } = (await answer.json()) as StatusesBody;
    expect(objects.map(({ name }) => name)).toEqual(references(500).map(({ name }) => name));
    expect(objects.every(({ status }) => status === 'Current')).toBe(true);
    expect(rig.cluster.asked.map(({ verb, resource }) => `${verb} ${resource}`)).toEqual(['get configmaps']);
  });

  it.each([
    [
      '501 objects',
      references(501),
      '{"error":{"code":"invalid","message":"the body does not fit: objects must name at most 500 objects, found a list of 501"}}',
    ],
    ['none', [], 'must name at least one object'],
    [
      'a name that climbs, and does not repeat it',
      [{ ...SETTINGS, name: '../secrets/key' }],
      'objects[0].name must be the name of an object, found a string of 14 characters',
    ],
    ['a kind that is none', [{ ...SETTINGS, kind: 'config maps' }], 'must be a kind such as Deployment'],
    ['an apiVersion that is none', [{ ...SETTINGS, apiVersion: 'apps' }], 'must be an apiVersion such as v1 or apps/v1'],
    ['a namespace that is none', [{ ...SETTINGS, namespace: 'Shop!' }], 'must be the name of a namespace'],
    ['a member it does not know', [{ ...SETTINGS, uid: '1' }], 'uid'],
  ])('[issue 9] refuses %s with a sentence', async (_what, objects, sentence) => {
    const rig = await aShop();
    const answer = await ask(rig, objects);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(sentence);
    expect(rig.cluster.asked).toEqual([]);
  });

  it('[issue 9] tells Unknown with the missing right, and of a kind that is not served, beside the others', async () => {
    const rig = await aShop({ may: ({ resource }) => resource !== 'secrets' });
    const answer = await ask(rig, [
      { ...SETTINGS, kind: 'Secret', name: 'key' },
      SETTINGS,
      { apiVersion: 'x.io/v1', kind: 'Nonsense', name: 'a' },
    ]);
    expect(answer.status).toBe(200);
    expect(((await answer.json()) as StatusesBody).objects.map(line)).toEqual([
      'Secret key Unknown: operator may not do this: it requires the right "get" on secrets key in namespace shop',
      'ConfigMap settings Current: Resource is always ready',
      'Nonsense a Unknown: the cluster serves no kind Nonsense in x.io/v1 or any other version',
    ]);
  });

  it('[issue 9] puts what names no namespace where the request says, and cluster-scoped objects nowhere', async () => {
    const rig = await aShop();
    const objects = [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings' },
      { apiVersion: 'v1', kind: 'Namespace', name: 'shop', namespace: 'shop' },
    ];
    const { objects: told } = (await (await ask(rig, objects, '', { namespace: 'shop' })).json()) as StatusesBody;
    expect(told).toMatchObject([
      { ns: 'shop', status: 'Current' },
      { ns: null, name: 'shop' },
    ]);
  });

  it('[issue 9] says the same of an application as its own address does', async () => {
    const rig = await aShop();
    rig.statuses.tell(FRONT, 'Failed', { message: '1 pod has failed' });
    const { status, message, objects } = (await (await rig.send(OF_WEB)).json()) as StatusesBody;
    const body = (await (await ask(rig, [APPLICATION])).json()) as StatusesBody;
    expect(body.objects[0]).toMatchObject({ status, message, generated: objects.slice(1) });
  });

  it('[issue 9] a wait does not go on for what one may not see', async () => {
    const rig = await aShop({ may: ({ resource }) => resource !== 'secrets' });
    const answer = await ask(rig, [SETTINGS, { ...SETTINGS, kind: 'Secret', name: 'key' }], '?for=current');
    expect(answer.status).toBe(409);
    expect(await answer.json()).toMatchObject({
      outcome: 'failed',
      message: expect.stringContaining('Secret key: operator may not do this'),
    });
  });

  it('[issue 9] a right withdrawn during a stream makes that object Unknown, and nothing more of it is told', async () => {
    let allowed = true;
    const rig = await aShop({ may: ({ resource }) => allowed || resource !== 'deployments' });
    const events = eventsOf(await ask(rig, [FRONT, SETTINGS], '?watch'));
    await events.next();
    allowed = false;
    const lost = events.next();
    await rig.clock.advance(20_000);
    expect(await lost).toMatchObject({
      event: 'change',
      data: { object: { name: 'front', status: 'Unknown', message: expect.stringContaining('deployments.apps front') } },
    });
    expect(await events.next()).toBe(': still here');
    rig.statuses.tell(FRONT, 'Failed', { message: 'a secret of the shop' });
    rig.statuses.tell(SETTINGS, 'InProgress');
    const told = await events.next();
    expect(told).toMatchObject({ data: { object: { name: 'settings' } } });
    expect(JSON.stringify(told)).not.toContain('a secret of the shop');
    await events.cancel();
    await rig.clock.settle();
    expect(rig.statuses.open()).toBe(0);
  });
});
