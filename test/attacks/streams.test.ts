import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { Channel } from '@/lib/std/channel';
import type { WatchEvent } from '@/server/kube';
import { createApiRig } from '@/test/server/api/rig';
import type { FakeRules } from '@/test/server/auth/fake-cluster';

const EVENTS = '/api/v1/kinds/core/ConfigMap/events?ns=shop&name=web&watch';
const ROOT: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'shop', name: 'web', uid: 'u' } };

const anEvent = (reason: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { namespace: 'shop', name: reason, uid: reason, resourceVersion: '1' },
  involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'web', uid: 'u' },
  reason,
  message: 'm',
});

/** A person with a token, whose events the test tells. */
async function open(over: FakeRules = {}) {
  const news = new Channel<WatchEvent>(100);
  const tokens = { t: { username: 'ann', groups: ['readers'] } };
  const rig = await createApiRig({
    objects: [ROOT, anEvent('First')],
    token: 't',
    tokens,
    async *watch(_of, signal) {
      signal?.addEventListener('abort', () => news.close(), { once: true });
      for await (const told of news) yield told;
    },
    ...over,
  });
  const reader = ((await rig.send(EVENTS)).body as ReadableStream<Uint8Array>).getReader();
  const next = async () => {
    const { done, value } = await reader.read();
    return done ? undefined : Buffer.from(value).toString();
  };
  const tell = (reason: string) => news.send({ type: 'ADDED', object: anEvent(reason) });
  expect(await next()).toContain('First');
  return { ...rig, tokens, next, tell };
}

describe('a stream that is open', () => {
  it('[issue 10, 1] of events ends with the group that gave the right to them, though the object itself may still be read', async () => {
    const mayRead: FakeRules = { may: ({ resource, groups }) => resource !== 'events' || groups.includes('readers') };
    const { tokens, next, tell, clock } = await open(mayRead);
    await tell('While');
    const while_ = next();
    await clock.advance(1000);
    expect(await while_).toContain('While');
    tokens.t = { username: 'ann', groups: [] };
    const end = next();
    await clock.advance(65_000); // a token is reviewed each minute
    for (let text = await end; ; text = await next()) {
      if (text?.startsWith(': still here')) continue;
      expect(text).toMatch(/^event: end\ndata: .*ann may not do this: it requires the right \\"list\\" on events/);
      break;
    }
    await tell('After');
    expect(await next()).toBeUndefined();
  });

  it('[issue 10, 1] that nobody reads tells nothing of what came after the right was withdrawn, however late it is read', async () => {
    let may = true;
    const { next, tell, clock } = await open({ may: () => may });
    await clock.advance(1000); // the next answer is being made, and nobody asks for it
    may = false;
    await tell('After');
    await clock.advance(60_000);
    await tell('Later');
    const rest: string[] = [];
    for (let text = await next(); text !== undefined; text = await next()) rest.push(text);
    expect(rest).toEqual([expect.stringMatching(/^event: end\ndata: .*ann may not do this/)]);
  });

  it('[issue 10.4] of events is one of thirty of a person, each a watch of theirs; whoever closes one has room for another', async () => {
    const { send } = await open();
    const held = await Promise.all(Array.from({ length: 29 }, () => send(EVENTS)));
    expect(new Set(held.map(({ status }) => status))).toEqual(new Set([200]));
    const more = await send(EVENTS);
    expect([more.status, await more.text()]).toEqual([429, expect.stringContaining('follows the events of 30 objects')]);
    await held[0]?.body?.cancel();
    expect((await send(EVENTS)).status).toBe(200);
  });

  it('[issue 10, 1] of events goes on while the right is held and the cluster cannot be asked, and ends with the session', async () => {
    let answers = true;
    const { next, tell, clock, auth, session } = await open({
      may() {
        if (!answers) throw new Error('the API server does not answer');
        return true;
      },
    });
    answers = false;
    await clock.advance(9000);
    answers = true;
    await tell('Still');
    const still = next();
    await clock.advance(1000);
    expect(await still).toContain('Still');
    await auth.signOut(session);
    const end = next();
    await clock.advance(5000);
    expect(await end).toContain('your session has ended');
  });
});

describe('a page of another site, or of another port of the same host', () => {
  it.each([
    [EVENTS],
    ['/api/v1/namespaces/shop/pods/web/log?follow'],
    ['/api/v1/namespaces/shop/applications/web/logs'],
    ['/api/v1/namespaces/shop/applications/web/status?watch'],
  ])('[issue 10.5] opens no stream of a person, so that it takes none of those they may have: %s', async (path) => {
    const rig = await createApiRig({ objects: [ROOT] });
    for (const headers of [{ 'sec-fetch-site': 'same-site' }, { 'sec-fetch-site': 'cross-site' }, { origin: 'http://127.0.0.1:9999' }]) {
      const answer = await rig.send(path, { headers });
      expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('are not accepted')]);
    }
    const own = await rig.send(EVENTS, { headers: { 'sec-fetch-site': 'same-origin', origin: 'http://127.0.0.1:3000' } });
    expect([own.status, own.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    await own.body?.cancel();
  });

  it.each(['/api/v1/activity/export', '/api/v1/activity/verify', '/api/v1/activity?text=a', '/api/v1/objects/find?q=web', '/api/v1/kinds'])(
    '[issue 10.5] has nothing read in the name of a person, so that it takes no share of theirs: %s',
    async (path) => {
      const rig = await createApiRig({ objects: [ROOT] });
      for (const dest of ['empty', 'image', 'iframe']) {
        const answer = await rig.send(path, { headers: { 'sec-fetch-site': 'same-site', 'sec-fetch-dest': dest } });
        expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('are not accepted')]);
      }
      const ways = [
        {},
        { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' },
        { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' },
        { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' },
      ];
      for (const headers of ways) {
        const own = await rig.send(path, { headers });
        expect(own.status).toBe(200);
        await own.body?.cancel();
      }
    },
  );
});
