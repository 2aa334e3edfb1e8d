import { getEventListeners } from 'node:events';
import { request } from 'node:https';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import type { EmbeddedCluster } from '@/server/embedded';
import { FAIL } from '@/server/embedded/pods/script';
import { Store } from '@/server/embedded/storage/store';
import { realClock } from '@/server/platform';
import type { ManualClock } from '@/test/support/manual-clock';
import { startQuiet } from '../cluster';

const POD = { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'web' };
const PATH = '/api/v1/namespaces/default/pods/web/log';
const STARTED = '2026-01-01T09:00:00Z';
const RUNS = { state: { running: { startedAt: STARTED } } };
const OPENING = 'starting c from web:1\n';

const pod = (metadata: object = {}, spec: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'default', name: 'web', ...metadata },
  spec: { nodeName: 'node-1', containers: [{ name: 'c', image: 'web:1' }], ...spec },
});

const look = ({ cluster }: EmbeddedCluster, container: object = RUNS) => {
  const body = {
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [{ name: 'c', image: 'web:1', ...container }],
    },
  };
  return cluster.patch(POD, { type: 'merge', body }, { subresource: 'status' });
};

/** A cluster with a pod that runs since nine o'clock, which it is. */
async function startRunning(metadata: object = {}) {
  const embedded = await startQuiet();
  await embedded.cluster.create(pod(metadata));
  await look(embedded);
  return embedded;
}

/** Reads a followed log as it comes. */
async function follow({ cluster }: EmbeddedCluster, query = '', signal?: AbortSignal) {
  const { body } = await cluster.request({ path: `${PATH}?follow=true${query}`, ...(signal ? { signal } : {}) });
  const bytes = body[Symbol.asyncIterator]();
  const seen = { text: '', isOver: false, over: Promise.resolve(), leave: () => bytes.return?.() };
  const read = async () => {
    for (let next = await bytes.next(); !next.done; next = await bytes.next()) seen.text += Buffer.from(next.value).toString('utf8');
    seen.isOver = true;
  };
  seen.over = read();
  return seen;
}

const linesIn = (text: string) => text.split('\n').length - 1;

async function logNow({ cluster }: EmbeddedCluster, query = ''): Promise<string> {
  const { body } = await cluster.request({ path: `${PATH}?${query}` });
  let text = '';
  for await (const bytes of body) text += Buffer.from(bytes).toString('utf8');
  return text;
}

/** Counts who listens to the store from now on. */
function countListeners() {
  const count: { open: number; onNone?: () => void } = { open: 0 };
  const subscribe = Store.prototype.subscribe;
  vi.spyOn(Store.prototype, 'subscribe').mockImplementation(function (this: Store, listener) {
    const release = subscribe.call(this, listener);
    count.open++;
    return () => {
      release();
      if (--count.open === 0) count.onNone?.();
    };
  });
  return count;
}

const leftovers = (clock: ManualClock, listeners: { readonly open: number }) => [clock.waiting(), listeners.open];

afterEach(() => void vi.restoreAllMocks());

describe('a followed log', () => {
  it('[cluster P5] tells each line when it is written, and what a log read later tells', async () => {
    await using embedded = await startRunning();
    const { clock } = embedded;
    const seen = await follow(embedded);
    await clock.settle();
    expect(seen.text).toBe(OPENING);
    await clock.advance(1000);
    expect(seen.text).toBe(`${OPENING}listening\n`);
    await clock.advance(3999);
    expect(linesIn(seen.text)).toBe(2);
    await clock.advance(1);
    expect(linesIn(seen.text)).toBe(3);
    await clock.advance(60_000);
    expect([seen.text, seen.isOver]).toEqual([await logNow(embedded), false]);
    await seen.leave();
  });

  it('[cluster P5] begins with the tail and ends with the bytes that are asked for', async () => {
    await using embedded = await startRunning();
    const { clock } = embedded;
    await clock.advance(60_000);
    const listeners = countListeners();
    const idle = clock.waiting();
    const none = await follow(embedded, '&tailLines=0');
    const short = await follow(embedded, '&tailLines=1&limitBytes=30');
    const later = await follow(embedded, '&sinceTime=2026-01-01T09:02:00Z');
    await clock.settle();
    expect([none.text, linesIn(short.text), later.text]).toEqual(['', 1, '']);
    await clock.advance(5000);
    expect([linesIn(none.text), Buffer.byteLength(short.text), short.isOver, later.text]).toEqual([1, 30, true, '']);
    await clock.advance(55_000);
    expect(linesIn(later.text)).toBe(1);
    await Promise.all([none.leave(), later.leave(), short.over]);
    expect(leftovers(clock, listeners)).toEqual([idle, 0]);
  });

  it('[cluster P5] ends when the container does, with its last words', async () => {
    await using embedded = await startRunning();
    const { clock } = embedded;
    const listeners = countListeners();
    const idle = clock.waiting();
    const seen = await follow(embedded);
    await clock.advance(12_000);
    await look(embedded, {
      state: { terminated: { exitCode: 1, reason: 'Error', startedAt: STARTED, finishedAt: '2026-01-01T09:00:12Z' } },
    });
    await seen.over;
    expect(seen.text).toMatch(/\nfatal: unrecoverable error, exit code 1\n$/);
    expect(linesIn(seen.text)).toBe(5);
    expect(leftovers(clock, listeners)).toEqual([idle, 0]);
  });

  it('[cluster P5] does not go on with the run after, nor with another pod of the name', async () => {
    await using embedded = await startRunning();
    const restarted = await follow(embedded);
    await embedded.clock.advance(2000);
    await look(embedded, { state: { running: { startedAt: '2026-01-01T09:00:02Z' } } });
    await restarted.over;
    expect(restarted.text).toBe(`${OPENING}listening\n`);
    const replaced = await follow(embedded);
    await embedded.cluster.delete(POD, { gracePeriodSeconds: 0 });
    await embedded.cluster.create(pod());
    await replaced.over;
    expect(replaced.text).toBe(OPENING);
  });

  it('[cluster P5] of a container that has ended is over at once', async () => {
    await using embedded = await startRunning();
    await look(embedded, { state: { terminated: { exitCode: 0, startedAt: STARTED, finishedAt: STARTED } } });
    const seen = await follow(embedded);
    await seen.over;
    expect(seen.text).toBe(`${OPENING}done\n`);
  });

  it.each([
    ['goes', {}],
    ['is kept by a finalizer while nothing of it runs', { finalizers: ['example.com/hold'] }],
  ])('[cluster P5] ends when its pod %s, after it was told to stop', async (_how, metadata) => {
    await using embedded = await startRunning(metadata);
    const { clock, cluster } = embedded;
    const listeners = countListeners();
    const idle = clock.waiting();
    const seen = await follow(embedded);
    await clock.advance(1000);
    await cluster.delete(POD);
    await clock.advance(20_000);
    expect([seen.text, seen.isOver]).toEqual([`${OPENING}listening\nreceived SIGTERM, shutting down\n`, false]);
    await cluster.delete(POD, { gracePeriodSeconds: 0 });
    await seen.over;
    expect(seen.text).toBe(`${OPENING}listening\nreceived SIGTERM, shutting down\n`);
    expect(leftovers(clock, listeners)).toEqual([idle, 0]);
  });

  it('[cluster P5] ends when its reader aborts or leaves, and leaves nothing behind', async () => {
    await using embedded = await startRunning();
    const { clock } = embedded;
    const listeners = countListeners();
    const idle = clock.waiting();
    const aborter = new AbortController();
    const aborted = await follow(embedded, '', aborter.signal);
    const left = await follow(embedded);
    await clock.advance(7000);
    expect(leftovers(clock, listeners)).toEqual([idle + 2, 2]);
    aborter.abort();
    await Promise.all([aborted.over, left.leave(), left.over]);
    expect(leftovers(clock, listeners)).toEqual([idle, 0]);
    expect(getEventListeners(aborter.signal, 'abort')).toEqual([]);
  });

  it('[cluster P5] ends with the cluster', async () => {
    const embedded = await startRunning();
    const seen = await follow(embedded);
    await embedded.clock.settle();
    await embedded[Symbol.asyncDispose]();
    await seen.over;
    expect(seen.text).toBe(OPENING);
  });

  it('[cluster P5] waits for a reader who does not keep up, at no cost, and misses nothing', async () => {
    await using embedded = await startRunning();
    const { cluster, clock } = embedded;
    const idle = clock.waiting();
    const { body } = await cluster.request({ path: `${PATH}?follow=true` });
    const bytes = body[Symbol.asyncIterator]();
    await bytes.next();
    await clock.advance(6 * 3_600_000);
    expect(clock.waiting()).toBe(idle);
    const all = await logNow(embedded);
    const pieces: string[] = [];
    while (pieces.reduce((sum, text) => sum + linesIn(text), 1) < linesIn(all))
      pieces.push(Buffer.from((await bytes.next()).value ?? '').toString('utf8'));
    expect([OPENING, ...pieces].join('')).toBe(all);
    expect(Math.max(...pieces.map(linesIn))).toBe(1000);
    await bytes.return?.();
  });

  it('[cluster P5] of a pod that crashes in time tells it all, and so does the log before the restart', async () => {
    await using embedded = await startQuiet({ controllers: true, nodes: 1 });
    const { cluster, clock } = embedded;
    const initContainers = [{ name: 'beside', image: 'proxy:1', restartPolicy: 'Always' }];
    await cluster.create(pod({ annotations: { [FAIL]: 'crash-loop+22s' } }, { nodeName: undefined, initContainers }));
    await clock.advance(3000);
    const seen = await follow(embedded, '&container=c');
    const beside = await follow(embedded, '&container=beside');
    await clock.advance(60_000);
    expect(seen.isOver).toBe(true);
    expect(seen.text).toMatch(/^starting c from web:1\nlistening\n(GET [^\n]*\n){4}fatal: unrecoverable error, exit code 1\n$/);
    expect([beside.isOver, linesIn(beside.text)]).toEqual([false, 14]);
    await beside.leave();
  });

  it('[cluster P5] is ended by a client over HTTP that goes while nothing is written', async () => {
    await using embedded = await startQuiet({ clock: realClock as ManualClock });
    await embedded.cluster.create(pod());
    await look(embedded, { state: { running: { startedAt: new Date().toISOString() } } });
    const { url, token, kubeconfig } = await embedded.serve();
    const listeners = countListeners();
    const gone = new Promise<void>((resolve) => {
      listeners.onNone = resolve;
    });
    const ca = Buffer.from(/certificate-authority-data: (\S+)/.exec(kubeconfig)?.[1] ?? '', 'base64');
    const first = await new Promise<string>((resolve, reject) => {
      const sent = request(`${url}${PATH}?follow=true`, { ca, headers: { authorization: `Bearer ${token}` } }, (answer) => {
        answer.on('error', () => undefined);
        answer.once('data', (chunk: Buffer) => {
          resolve(chunk.toString('utf8'));
          sent.destroy();
        });
      });
      sent.on('error', reject);
      sent.end();
    });
    await gone;
    expect([first, listeners.open]).toEqual([OPENING, 0]);
  });
});
