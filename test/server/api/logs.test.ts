import { describe, expect, it } from 'vitest';
import { MAX_FOLLOWED } from '@/lib/contract/log-stream';
import { aPod, createLogRig, OF_WEB, readStream } from './log-rig';

const at = (ms: number) =>
  `2026-01-01T09:00:${String(Math.floor(ms / 1000)).padStart(2, '0')}.${String(ms % 1000).padStart(3, '0')}000000Z`;

describe('logs that are read', () => {
  it('[issue 14.1] come as the person reads them, merged by time, until all are read', async () => {
    const rig = await createLogRig();
    rig.put(aPod('a'), aPod('b'));
    const stream = readStream(await rig.send(`${OF_WEB}?tail=5`));
    const lines = stream.rest();
    await rig.clock.settle();
    await rig.logOf('a').write(`${at(1000)} one\n${at(3000)} three\n`);
    await rig.logOf('b').write(`${at(2000)} two\n${at(4000)} four\n`);
    for (const log of rig.logs) log.end();
    await rig.clock.advance(1000);
    expect(await lines).toEqual(['a one', 'b two', 'a three', 'b four', 'end: everything was read']);
    expect(rig.logs.map(({ query, person }) => [query.get('tailLines'), query.get('follow'), person?.user])).toEqual([
      ['5', null, 'operator'],
      ['5', null, 'operator'],
    ]);
  });

  it('[issue 14.1] keep lines without a time where they arrived, and order times of other zones', async () => {
    const rig = await createLogRig();
    rig.put(aPod('a'), aPod('b'));
    const stream = readStream(await rig.send(OF_WEB));
    const lines = stream.rest();
    await rig.clock.settle();
    await rig.logOf('a').write('2026-01-01T11:00:01.5+02:00 one\nwithout a time\n');
    await rig.logOf('b').write(`${at(2000)} two\n`);
    for (const log of rig.logs) log.end();
    await rig.clock.advance(1000);
    expect(await lines).toEqual(['a one', 'a without a time', 'b two', 'end: everything was read']);
  });

  it('[issue 14.1] are cut at 16 KB a line, and escape what terminals and bidirectional text would do', async () => {
    const rig = await createLogRig();
    rig.put(aPod('a'));
    const stream = readStream(await rig.send(OF_WEB));
    const lines = stream.rest();
    await rig.clock.settle();
    const long = 'x'.repeat(20_000);
    await rig.logOf('a').write(`${at(0)} \u001b[31mred\u001b[0m \u202eabc\r\n${at(0)} over\rwritten\n${at(1)} ${long}`);
    await rig.logOf('a').write(`${long}\n`);
    rig.logOf('a').end();
    await rig.clock.advance(1000);
    const [first, second, third = ''] = await lines;
    expect(first).toBe('a \\u001b[31mred\\u001b[0m \\u202eabc');
    expect(second).toBe('a over\\u000dwritten');
    const kept = third.indexOf(' +') - 2;
    expect(kept).toBeGreaterThanOrEqual(16 * 1024);
    expect(kept).toBeLessThan(16 * 1024 + 41);
    expect(Number(third.split('+')[1])).toBe(40_000 - kept);
  });

  it('[issue 14.1] mark in the stream that a container restarted, that a pod came, and that one is gone', async () => {
    const rig = await createLogRig();
    rig.put(aPod('a'));
    const stream = readStream(await rig.send(`${OF_WEB}?follow`));
    const first = stream.lines(6);
    await rig.clock.settle();
    await rig.logOf('a').write(`${at(1000)} one\n`);
    rig.logOf('a').end();
    const ended = {
      terminated: { exitCode: 137, reason: 'OOMKilled', startedAt: '2026-01-01T09:00:00Z', finishedAt: '2026-01-01T09:00:02Z' },
    };
    await rig.have(aPod('a', { state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: ended, restarts: 1 }));
    expect(stream.sources.get(0)).toMatchObject({ pod: 'a', state: expect.any(String) });
    await rig.have(
      aPod('a', { state: { running: { startedAt: '2026-01-01T09:00:05Z' } }, lastState: ended, restarts: 1 }),
      aPod('b', { revision: 'web-v2' }),
    );
    await rig.logOf('a').write(`${at(6000)} again\n`);
    rig.logOf('a').end();
    await rig.have(aPod('b', { revision: 'web-v2' }));
    await rig.clock.advance(1000);
    expect(await first).toEqual([
      'a one',
      'a [exited] ended: exit code 137, OOMKilled',
      'b [joined] pod b joined',
      'a [restarted] started again, restart 1',
      'a again',
      'a [gone] pod a is gone',
    ]);
    expect(rig.logs.map(({ pod, query }) => [pod, query.get('tailLines')])).toEqual([
      ['a', '200'],
      ['b', null],
      ['a', null],
    ]);
    await stream.cancel();
    expect(rig.logOf('b').isAborted()).toBe(true);
  });

  it('[issue 14.1] go on where a connection broke, and tell nothing twice', async () => {
    const rig = await createLogRig();
    rig.put(aPod('a'));
    const stream = readStream(await rig.send(`${OF_WEB}?follow`));
    const lines = stream.lines(2);
    await rig.clock.settle();
    await rig.logOf('a').write(`${at(1000)} one\n`);
    rig.logOf('a').end(); // its container runs on, as the cluster says
    await rig.clock.advance(1000);
    expect(rig.logs.map(({ query }) => query.get('sinceTime'))).toEqual([null, '2026-01-01T09:00:01Z']);
    await rig.logOf('a').write(`${at(1000)} one\n${at(1500)} two\n`);
    await rig.clock.advance(1000);
    expect(await lines).toEqual(['a one', 'a two']);
    await stream.cancel();
  });

  it('[issue 14.1] of one revision and one container leave all others out; the run before the last restart is asked for as such', async () => {
    const rig = await createLogRig();
    rig.put(aPod('a', { containers: ['app', 'proxy'] }), aPod('b', { revision: 'web-v2', containers: ['app', 'proxy'] }));
    const stream = readStream(await rig.send(`${OF_WEB}?revision=web-v2&container=proxy&previous`));
    const rest = stream.rest();
    await rig.clock.settle();
    expect(rig.logs.map(({ pod, container, query }) => [pod, container, query.get('previous')])).toEqual([['b', 'proxy', 'true']]);
    rig.logOf('b').end();
    await rig.clock.advance(1000);
    expect(await rest).toEqual(['end: everything was read']);
  });

  it('[issue 14.1] say of a container that may not be read, or has not started, why', async () => {
    const sentence = 'pods "a" is forbidden: no';
    const rig = await createLogRig({
      refuseLog: (pod) =>
        pod === 'a'
          ? {
              status: 403,
              headers: {},
              body: (async function* () {
                yield Buffer.from(JSON.stringify({ message: sentence }));
              })(),
            }
          : undefined,
    });
    rig.put(aPod('a'), aPod('b', { state: { waiting: { reason: 'ErrImagePull', message: 'no such image' } } }));
    const stream = readStream(await rig.send(OF_WEB));
    const rest = stream.rest();
    await rig.clock.advance(1000);
    await rest;
    expect([...stream.sources.values()].map(({ pod, state, note }) => [pod, state, note])).toEqual([
      ['a', 'refused', sentence],
      ['b', 'waiting', 'ErrImagePull: no such image'],
    ]);
  });

  it.each([
    ['tail=many', 'must be a number of lines'],
    ['tail=20001', 'must be at most 20,000 lines'],
    ['since=yesterday', 'must be a duration such as 10m or a time'],
    ['follow&previous', 'must be either previous or follow'],
    ['level=error', 'level'],
  ])('[issue 14.1] %s is refused with a sentence', async (query, sentence) => {
    const rig = await createLogRig();
    const answer = await rig.send(`${OF_WEB}?${query}`);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(sentence);
  });
});

describe('logs that are followed', () => {
  it('[issue 14.1] are read no faster than their reader takes them', async () => {
    const rig = await createLogRig();
    rig.put(aPod('a'));
    const stream = readStream(await rig.send(`${OF_WEB}?follow`));
    await stream.next();
    const piece = Array.from({ length: 100 }, (_, line) => `${at(line)} ${'x'.repeat(200)}\n`).join('');
    await rig.clock.settle();
    let written = 0;
    const writing = (async () => {
      for (; written < 100; written++) await rig.logOf('a').write(piece);
    })();
    await rig.clock.advance(60_000);
    // Nobody asked for a line: some pieces were taken, and the rest stays where it is.
    expect(rig.logOf('a').taken()).toBeLessThan(10);
    expect(written).toBeLessThan(12);
    const read = stream.lines(10_000);
    const done = Promise.all([read, writing]).then(() => true);
    while (!(await Promise.race([done, rig.clock.advance(100)])));
    expect(await read).toHaveLength(10_000);
    await stream.cancel();
  });

  it('[issue 14.1] end within five seconds when the right is withdrawn, tell nothing after that, and let go of the cluster', async () => {
    let allowed = true;
    const rig = await createLogRig({ may: () => allowed });
    rig.put(aPod('a'));
    const stream = readStream(await rig.send(`${OF_WEB}?follow`));
    const rest = stream.rest();
    await rig.clock.settle();
    await rig.clock.advance(3500);
    await rig.send(OF_WEB).then((answer) => answer.body?.cancel()); // keeps a review that grants it
    allowed = false;
    await rig.clock.advance(5000);
    expect(await rest).toEqual([expect.stringContaining('end: operator may not do this')]);
    expect(rig.logs[0]?.isAborted()).toBe(true);
  });

  it('[issue 14.1] end with the right also while nobody takes what is there', async () => {
    let allowed = true;
    const rig = await createLogRig({ may: () => allowed });
    rig.put(aPod('a'));
    const stream = readStream(await rig.send(`${OF_WEB}?follow`));
    await stream.next();
    const pending = stream.next();
    await rig.clock.settle();
    await rig.logOf('a').write(`${at(0)} one\n`);
    await rig.clock.advance(1000);
    await pending;
    await rig.logOf('a').write(`${at(1)} a secret of the shop\n`);
    allowed = false;
    await rig.clock.advance(5000);
    expect(rig.logOf('a').isAborted()).toBe(true);
    expect((await stream.rest()).join()).not.toContain('secret');
  });

  it('[issue 14.1] end with the session', async () => {
    const rig = await createLogRig();
    rig.put(aPod('a'));
    const stream = readStream(await rig.send(`${OF_WEB}?follow`));
    const rest = stream.rest();
    await rig.clock.settle();
    await rig.send('/api/v1/session', { method: 'DELETE' });
    await rig.clock.advance(5000);
    expect(await rest).toEqual([expect.stringContaining('sign in again')]);
  });

  it('[issue 14.1] go on while the cluster cannot be asked for the right', async () => {
    let broken = false;
    const rig = await createLogRig({
      may: () => {
        if (broken) throw new Error('connection refused');
        return true;
      },
    });
    rig.put(aPod('a'));
    const stream = readStream(await rig.send(`${OF_WEB}?follow`));
    await stream.next();
    broken = true;
    const line = stream.lines(1);
    await rig.clock.advance(20_000);
    await rig.logOf('a').write(`${at(0)} one\n`);
    await rig.clock.advance(1000);
    expect(await line).toEqual(['a one']);
    await stream.cancel();
  });

  it('[issue 14.1] are of at most 50 containers of a person at once, over all their tabs; the rest is listed, and read as soon as there is room', async () => {
    const rig = await createLogRig();
    rig.put(...Array.from({ length: MAX_FOLLOWED + 2 }, (_, number) => aPod(`p${String(number).padStart(2, '0')}`)));
    const many = readStream(await rig.send(`${OF_WEB}?follow`));
    void many.rest();
    await rig.clock.settle();
    expect(rig.logs).toHaveLength(MAX_FOLLOWED);
    const left = () => [...many.sources.values()].filter(({ state }) => state === 'left').map(({ pod, note }) => [pod, note]);
    expect(left()).toEqual(['p50', 'p51'].map((pod) => [pod, 'not read: at most 50 containers are read at once for one person']));
    const other = readStream(await rig.send(`${OF_WEB}?follow&pod=p51`));
    void other.rest();
    await rig.clock.settle();
    expect([...other.sources.values()].map(({ pod, state }) => [pod, state])).toEqual([['p51', 'left']]);
    await rig.have(...rig.pods.slice(1));
    rig.logOf('p00').end();
    await rig.clock.advance(1000);
    expect(left()).toEqual([['p51', expect.any(String)]]);
    await many.cancel();
    await rig.clock.advance(1000);
    expect(rig.logOf('p51').isAborted()).toBe(false);
    await other.cancel();
  });

  it('[issue 14.1] ask for each namespace in which the application has pods', async () => {
    const rig = await createLogRig({ may: ({ namespace, resource }) => resource !== 'pods' || namespace === 'shop' });
    rig.put(aPod('a'), aPod('b', { ns: 'vault' }));
    const stream = readStream(await rig.send(`${OF_WEB}?follow`));
    void stream.rest();
    await rig.clock.settle();
    expect(rig.logs.map(({ pod }) => pod)).toEqual(['a']);
    expect([...stream.sources.values()].find(({ pod }) => pod === 'b')).toMatchObject({
      state: 'refused',
      note: expect.stringContaining('vault'),
    });
    await stream.cancel();
  });
});
