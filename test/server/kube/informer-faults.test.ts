import { describe, expect, it, vi } from 'vitest';
import { until } from '@/test/support/until';
import { CONFIG_MAPS, namesOf, startRig, watchConfigMaps } from './rig';
import type { Received } from './stand-in';
import { acts, isList, isWatch } from './stand-in';

const GONE_EVENT = { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' } };
const isSecondPage = (received: Received) => isList(received) && received.query.has('continue');

describe('a watch that breaks', () => {
  it('[cluster I1] resumes from the last version after a reset, without another list', async () => {
    await using rig = await startRig();
    rig.standIn.put('a');
    const { store, told } = await watchConfigMaps(rig);
    rig.standIn.put('b');
    await until('b is known', () => told.length === 1);
    rig.standIn.cut();
    rig.standIn.put('c');
    await until('c is known', () => told.length === 2);
    expect(told).toEqual(['new b', 'new c']);
    expect(rig.standIn.received.filter(isList)).toHaveLength(1);
    expect(rig.standIn.received.filter(isWatch).map(({ query }) => query.get('resourceVersion'))).toEqual(['101', '102']);
    expect(store.health().state).toEqual({ kind: 'watching' });
  });

  it('[cluster I1] asks for bookmarks and a time-out of 240 to 300 seconds, and resumes from a bookmark', async () => {
    await using rig = await startRig();
    rig.standIn.put('a');
    const { store } = await watchConfigMaps(rig);
    rig.standIn.put('elsewhere');
    rig.standIn.remove('elsewhere');
    rig.standIn.bookmark();
    await until('the bookmark is heard', () => store.health().resourceVersion === '103');
    rig.standIn.endWatches();
    await until('it watches again', () => rig.standIn.received.filter(isWatch).length === 2);
    const [first, second] = rig.standIn.received.filter(isWatch).map(({ query }) => query);
    expect(first?.get('allowWatchBookmarks')).toBe('true');
    expect(Number(first?.get('timeoutSeconds'))).toBeGreaterThanOrEqual(240);
    expect(Number(first?.get('timeoutSeconds'))).toBeLessThanOrEqual(300);
    expect(second?.get('resourceVersion')).toBe('103');
  });

  it.each([
    ['a line cut in the middle', '{"type":"ADDED","object":{"kind":"Conf'],
    ['a line that is no JSON', 'so sorry\n'],
    ['an event of an unknown type', '{"type":"PERHAPS","object":{"metadata":{}}}\n'],
    ['an event without an object', '{"type":"ADDED"}\n'],
  ])('[cluster I1] survives %s', async (_title, text) => {
    await using rig = await startRig();
    const { told } = await watchConfigMaps(rig);
    rig.standIn.writeRaw(text);
    rig.standIn.endWatches();
    await until('it watches again', () => rig.standIn.received.filter(isWatch).length === 2);
    rig.standIn.put('late');
    await until('late is known', () => told.includes('new late'));
    expect(rig.standIn.received.filter(isList)).toHaveLength(1);
  });

  it.each([
    ['a 500', acts.status(500, 'InternalError')],
    ['a page of HTML', acts.page],
    ['a 403', acts.status(403, 'Forbidden')],
  ])('[cluster I5] says why it is retrying on %s, and recovers', async (_title, act) => {
    await using rig = await startRig();
    const { store, told } = await watchConfigMaps(rig);
    const states: string[] = [];
    store.onHealth(({ state }) => states.push(state.kind));
    rig.standIn.fault(isWatch, act, 2);
    rig.standIn.cut();
    rig.standIn.put('late');
    await until('late is known', () => told.includes('new late'));
    expect(states[0]).toBe('retrying');
    expect(states.at(-1)).toBe('watching');
  });

  it('[issue 9, 1] leaves a kind to polls once the server has answered its watches with faults for a minute, and watches again when it may', async () => {
    await using rig = await startRig(200);
    rig.standIn.put('a');
    const { store, told } = await watchConfigMaps(rig);
    const states: string[] = [];
    store.onHealth(({ state }) => states.push(state.kind));
    rig.standIn.fault(isWatch, acts.status(500, 'InternalError'), 1000);
    rig.standIn.cut();
    await until('it was left to polls', () => store.health().state.kind === 'refused');
    expect(states[0]).toBe('retrying');
    expect(store.health().state).toMatchObject({ verb: 'watch', reason: 'InternalError it is' });
    const lists = rig.standIn.received.filter(isList).length;
    await store.acceptPoll({}, { objects: [] }, 10_000);
    expect([namesOf(store), store.knowledge('default/a').kind]).toEqual([[], 'polled']);
    rig.standIn.forgive();
    await until('it is watched again', () => store.health().state.kind === 'watching' && namesOf(store).join() === 'a');
    expect(rig.standIn.received.filter(isList).length).toBeGreaterThan(lists);
    rig.standIn.put('late');
    await until('late is known', () => told.includes('new late'));
  });

  it('[issue 9, 1] goes on trying where the server answers nothing at all: then nothing can be polled either', async () => {
    await using rig = await startRig(200);
    const { store } = await watchConfigMaps(rig);
    const states = new Set<string>();
    store.onHealth(({ state }) => states.add(state.kind));
    rig.standIn.fault(() => true, acts.status(503, 'ServiceUnavailable'), 1000);
    rig.standIn.cut();
    await until('two minutes have passed', () => {
      const { state } = store.health();
      return state.kind === 'retrying' && rig.clock.now() - state.since > 120_000;
    });
    expect([...states]).toEqual(['retrying']);
  });

  it('[cluster I1] ends a watch that has been silent for too long and resumes it', async () => {
    await using rig = await startRig(500);
    const { told } = await watchConfigMaps(rig);
    rig.standIn.fault(isWatch, acts.hang);
    rig.standIn.cut();
    await until('a watch hangs', () => rig.standIn.received.filter(isWatch).length === 2);
    rig.standIn.put('unheard');
    await until('it gave up and heard of it', () => told.includes('new unheard'));
  });

  it('[cluster I5] waits as long as Retry-After asks', async () => {
    await using rig = await startRig(20);
    const { told } = await watchConfigMaps(rig);
    rig.standIn.fault(isWatch, acts.status(429, 'TooManyRequests', { 'retry-after': '5' }));
    const sleep = vi.spyOn(rig.clock, 'sleep');
    rig.standIn.cut();
    rig.standIn.put('late');
    await until('late is known', () => told.includes('new late'));
    expect(Math.max(...sleep.mock.calls.map(([waitMs]) => waitMs))).toBe(5000);
  });
});

describe('a version that is gone', () => {
  it.each([
    ['status', acts.status(410, 'Expired')],
    ['event', acts.event(GONE_EVENT)],
  ])('[cluster I1] lists again after a 410 as %s and emits the difference', async (_title, act) => {
    await using rig = await startRig();
    for (const name of ['kept', 'changed', 'dropped']) rig.standIn.put(name);
    const { store, told } = await watchConfigMaps(rig);
    rig.standIn.fault(isWatch, act);
    rig.standIn.cut();
    rig.standIn.put('changed', { now: 'so' });
    rig.standIn.remove('dropped');
    rig.standIn.put('added');
    await until('it watches again', () => rig.standIn.watchers() === 1 && store.list().length === 3 && told.length === 3);
    expect([...told].sort()).toEqual(['changed changed', 'gone dropped', 'new added']);
    expect(rig.standIn.received.filter(isList)).toHaveLength(2);
  });

  it('[cluster I5] never takes a list that failed on a later page for the whole', async () => {
    await using rig = await startRig();
    for (let at = 0; at < 1201; at++) rig.standIn.put(`m${at}`);
    const { store, told } = await watchConfigMaps(rig);
    rig.standIn.fault(isSecondPage, acts.status(410, 'Expired'), 2);
    rig.standIn.fault(isWatch, acts.status(410, 'Expired'));
    rig.standIn.cut();
    await until('the list was repeated', () => rig.standIn.received.filter(isList).length === 3 + 2 + 2 + 3);
    await until('it watches again', () => rig.standIn.watchers() === 1);
    expect(store.list()).toHaveLength(1201);
    expect(told).toEqual([]);
    expect(rig.standIn.received.filter(isList).map(({ query }) => query.get('limit'))).toEqual(Array(10).fill('500'));
  });

  it.each([
    ['went backwards', 50],
    ['went backwards and has overtaken ours since', 500],
  ])('[cluster I7] comes out right when the version %s', async (_title, version) => {
    await using rig = await startRig(100);
    for (const name of ['a', 'b', 'c']) rig.standIn.put(name);
    const { store } = await watchConfigMaps(rig);
    await rig.standIn.stop();
    await until('the loss is noticed', () => store.health().state.kind === 'retrying');
    rig.standIn.restore(version, ['b', 'z']);
    await until('the outage lasted', () => {
      const { state } = store.health();
      return state.kind === 'retrying' && rig.clock.now() - state.since > 1_000;
    });
    await rig.standIn.restart();
    await until('the restored state is known', () => namesOf(store).join() === 'b,z');
    expect(store.get('default/b')?.metadata.uid).toBe('uid-b-2');
    rig.standIn.put('after');
    await until('changes arrive', () => namesOf(store).join() === 'b,z,after');
  });

  it('[cluster I7] a restart of the server without loss leads to no list of everything', async () => {
    await using rig = await startRig(100);
    rig.standIn.put('a');
    const { store, told } = await watchConfigMaps(rig);
    await rig.standIn.stop();
    await until('the loss is noticed', () => store.health().state.kind === 'retrying');
    rig.standIn.put('b');
    await rig.standIn.restart();
    await until('b is known', () => told.includes('new b'));
    expect(rig.standIn.received.filter(isList).filter(({ query }) => query.get('limit') === '500')).toHaveLength(1);
  });
});

describe('a list that fails', () => {
  it.each([
    ['500s', acts.status(500, 'InternalError')],
    ['resets', acts.reset],
    [
      'half a body',
      ((_received, response) =>
        void response
          .writeHead(200, { 'content-type': 'application/json', 'content-length': '999' })
          .write('{"kind":"Conf', () => response.socket?.destroy())) as typeof acts.reset,
    ],
    ['a page of HTML', acts.page],
  ])('[cluster I5] is not synced after %s and lists again', async (_title, act) => {
    await using rig = await startRig();
    rig.standIn.put('a');
    rig.standIn.fault(isList, act, 6);
    const { store } = rig.informers.open(CONFIG_MAPS);
    await until('it failed', () => store.health().state.kind === 'retrying');
    expect(store.health().synced).toBe(false);
    await store.synced();
    expect(namesOf(store)).toEqual(['a']);
  });

  it('[cluster I1] gives up a list that hangs, and never runs two lists of a kind at once', async () => {
    await using rig = await startRig(500);
    rig.standIn.put('a');
    rig.standIn.fault(isList, acts.hang);
    const stores = [
      rig.informers.open(CONFIG_MAPS).store,
      rig.informers.open({ ...CONFIG_MAPS, labelSelector: 'app' }).store,
      rig.informers.open({ ...CONFIG_MAPS, labelSelector: 'tier' }).store,
    ];
    await Promise.all(stores.map((store) => store.synced()));
    expect(rig.standIn.mostListsAtOnce).toBe(1);
  });

  it('[cluster I1] takes a slow body for what it is', async () => {
    await using rig = await startRig();
    rig.standIn.fault(isList, async (_received, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      for (const part of ['{"kind":"ConfigMapList","apiVersion":"v1",', '"metadata":{"resourceVersion":"100"},', '"items":[]}']) {
        response.write(part);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      response.end();
    });
    const { store } = rig.informers.open(CONFIG_MAPS);
    await store.synced();
    expect(store.health().resourceVersion).toBe('100');
  });

  it('[cluster I5] stops at any moment without a word', async () => {
    for (const moment of [isList, isWatch]) {
      await using rig = await startRig();
      rig.standIn.fault(moment, acts.hang, 100);
      const { store } = rig.informers.open(CONFIG_MAPS);
      await until('it is under way', () => rig.standIn.received.some(moment));
      await rig.informers[Symbol.asyncDispose]();
      expect(store.health().state).toEqual({ kind: 'stopped' });
    }
  });
});
