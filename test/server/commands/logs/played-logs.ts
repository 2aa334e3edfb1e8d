import type { LogSource } from '@/lib/contract/log-stream';
import type { KubeObject } from '@/lib/kube/object';
import { Channel } from '@/lib/std/channel';
import { ContainerReader } from '@/server/commands/logs/container-reader';
import { LogBuffer } from '@/server/commands/logs/log-buffer';
import type { OwnedPod } from '@/server/commands/logs/pod-source';
import type { ReaderSetDeps } from '@/server/commands/logs/reader-set';
import { ReaderSet } from '@/server/commands/logs/reader-set';
import type { Cluster } from '@/server/kube';
import { ManualClock } from '@/test/support/manual-clock';

/** How a request for a log is answered: with its text, with a refusal, or by nothing until the test says so. */
export type Played = string | { readonly status: number; readonly body: string } | Error | Channel<Uint8Array>;

/** Bytes that come at once: an odd number, so that signs are cut in two. */
const PIECE = 1021;

/** A cluster whose logs are played, answer after answer; the last one stays. */
export function playLogs(...answers: readonly Played[]) {
  const asked: {
    readonly pod: string;
    readonly query: Readonly<Record<string, string>>;
    readonly signal: AbortSignal | undefined;
    pieces: number;
  }[] = [];
  const request = async ({ path, signal }: { path: string; signal?: AbortSignal }) => {
    const url = new URL(path, 'http://cluster');
    const one = { pod: url.pathname, query: Object.fromEntries(url.searchParams), signal, pieces: 0 };
    asked.push(one);
    const answer = answers[Math.min(asked.length, answers.length) - 1] ?? '';
    if (answer instanceof Error) throw answer;
    if (answer instanceof Channel) return { status: 200, headers: {}, body: answer };
    const { status, body: text } = typeof answer === 'string' ? { status: 200, body: answer } : answer;
    const body = (async function* () {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += PIECE, one.pieces++) yield bytes.subarray(at, at + PIECE);
    })();
    return { status, headers: {}, body };
  };
  return { cluster: { request } as unknown as Cluster, asked };
}

/** A pod whose container `app` stands so. */
export const aPod = (
  name: string,
  status: object = { state: { running: { startedAt: '2026-01-01T09:00:00Z' } } },
  metadata: object = {},
): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop', uid: `${name}-uid`, creationTimestamp: '2026-01-01T08:00:00Z', ...metadata },
  spec: { containers: [{ name: 'app' }] },
  status: { phase: 'Running', containerStatuses: [{ name: 'app', restartCount: 0, ...status }] },
});

const WISH = { follow: true, previous: false, tail: 10, since: undefined };

/** A reader of one container, and what it told of how it stands. */
export function readContainer(
  pod: KubeObject,
  answers: readonly Played[],
  { wish = {}, places = 1 }: { wish?: object; places?: number } = {},
) {
  const clock = new ManualClock();
  const { cluster, asked } = playLogs(...answers);
  const states: [string, string | null][] = [];
  const held = { places };
  const feed = new LogBuffer(
    () => clock.now(),
    () => undefined,
  );
  const reader = new ContainerReader(pod, {
    cluster: () => cluster,
    clock,
    feed,
    container: { name: 'app', kind: 'container' } as never,
    source: { id: 7, ns: 'shop', pod: pod.metadata.name ?? '' },
    wish: { ...WISH, ...wish },
    takePlace: () => {
      if (held.places === 0) return undefined;
      held.places--;
      return () => void held.places++;
    },
    onState: (state, note) => void states.push([state, note]),
  });
  const leaving = new AbortController();
  const end: { isOver?: boolean } = {};
  void reader.run(leaving.signal).then(() => {
    end.isOver = true;
  });
  const told = () => {
    const lines: string[] = [];
    for (let line = feed.take(); line !== undefined; line = feed.take())
      lines.push(line.mark === undefined ? line.text : `[${line.mark}] ${line.text}`);
    return lines;
  };
  return { clock, asked, states, held, feed, reader, leaving, end, told };
}

/** Readers of the pods of a source, and how each of them stands. */
export function readPodsOf(pods: readonly OwnedPod[], answers: readonly Played[], over: Partial<ReaderSetDeps> = {}) {
  const clock = new ManualClock();
  const { cluster, asked } = playLogs(...answers);
  const listeners = new Set<() => void>();
  const held = { pods, released: 0 };
  const set = new ReaderSet({
    source: {
      pods: () => held.pods,
      onChange: (listener) => {
        listeners.add(listener);
        return () => {
          held.released++;
          listeners.delete(listener);
        };
      },
    },
    cluster: () => cluster,
    clock,
    wish: WISH,
    takePlace: () => () => undefined,
    wants: () => true,
    refusalReason: () => null,
    ...over,
  });
  const changed = () => set.takeChanged()?.sources.map(({ pod, container, state, note }: LogSource) => [pod, container, state, note]);
  const have = async (...now: readonly OwnedPod[]) => {
    held.pods = now;
    for (const listener of listeners) listener();
    await clock.advance(200);
  };
  return { clock, asked, set, changed, have, held };
}

/** A pod of no revision. */
export const owned = (pod: KubeObject, more: Partial<OwnedPod> = {}): OwnedPod => ({ pod, revision: null, component: null, ...more });
