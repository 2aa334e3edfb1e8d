import type { z } from 'zod';
import type { LogLine } from '@/lib/contract/log-stream';
import { LOG_EVENTS } from '@/lib/contract/log-stream';
import type { KubeObject } from '@/lib/kube/object';
import { Channel } from '@/lib/std/channel';
import type { OwnedPod } from '@/server/commands/logs/pod-source';
import type { Person, RawAnswer, RawRequest } from '@/server/kube';
import type { ApiRig } from './rig';
import { createApiRig } from './rig';

export const OF_WEB = '/api/v1/namespaces/shop/applications/web/logs';

/** A log as a test writes it, for one request that reads it. */
export interface ScriptedLog {
  readonly pod: string;
  readonly container: string;
  readonly query: URLSearchParams;
  readonly person: Person | undefined;
  /** Writes a piece; resolves once somebody took it. */
  write(text: string): Promise<void>;
  end(): void;
  isAborted(): boolean;
  /** Pieces that were taken. */
  taken(): number;
}

export interface LogRig extends ApiRig {
  /** Requests for logs, in the order they were made. */
  readonly logs: ScriptedLog[];
  logOf(pod: string): ScriptedLog;
  /** What pods there are, before anybody looks. */
  put(...pods: readonly OwnedPod[]): void;
  /** Pods are others from now on. */
  have(...pods: readonly OwnedPod[]): Promise<void>;
}

/** The API over a cluster whose logs the test writes. */
export async function createLogRig(
  rules: Parameters<typeof createApiRig>[0] & { readonly refuseLog?: (pod: string) => RawAnswer | undefined } = {},
): Promise<LogRig> {
  const logs: ScriptedLog[] = [];
  const request = async (raw: RawRequest, person: Person | undefined): Promise<RawAnswer> => {
    const url = new URL(raw.path, 'http://cluster');
    const pod = url.pathname.split('/')[6] ?? '';
    const refused = rules.refuseLog?.(pod);
    if (refused !== undefined) return refused;
    const log = new Script(pod, url.searchParams, person, raw.signal);
    logs.push(log);
    return { status: 200, headers: {}, body: log.body() };
  };
  const rig = await createApiRig({ request, ...rules }, { 'application/shop/web': [{ key: 'shop/web' }] });
  return Object.assign(rig, {
    logs,
    logOf(pod: string) {
      const found = logs.findLast((log) => log.pod === pod);
      if (found === undefined) throw new Error(`nobody reads the log of ${pod}`);
      return found;
    },
    put(...pods: readonly OwnedPod[]) {
      rig.pods.splice(0, rig.pods.length, ...pods);
    },
    async have(...pods: readonly OwnedPod[]) {
      rig.pods.splice(0, rig.pods.length, ...pods);
      for (const listener of rig.podListeners) listener();
      await rig.clock.advance(200);
    },
  });
}

class Script implements ScriptedLog {
  readonly pod: string;
  readonly query: URLSearchParams;
  readonly person: Person | undefined;
  readonly #pieces = new Channel<Uint8Array>(1);
  readonly #signal: AbortSignal | undefined;
  #taken = 0;

  constructor(pod: string, query: URLSearchParams, person: Person | undefined, signal: AbortSignal | undefined) {
    this.pod = pod;
    this.query = query;
    this.person = person;
    this.#signal = signal;
    signal?.addEventListener('abort', () => this.#pieces.close());
  }

  get container(): string {
    return this.query.get('container') ?? '';
  }

  write(text: string): Promise<void> {
    return this.#pieces.send(Buffer.from(text));
  }

  end(): void {
    this.#pieces.close();
  }

  isAborted(): boolean {
    return this.#signal?.aborted ?? false;
  }

  taken(): number {
    return this.#taken;
  }

  async *body(): AsyncGenerator<Uint8Array> {
    for await (const piece of this.#pieces) {
      this.#taken++;
      yield piece;
    }
  }
}

interface PodOver {
  readonly revision?: string;
  readonly ns?: string;
  readonly uid?: string;
  readonly restarts?: number;
  readonly state?: object;
  readonly lastState?: object;
  readonly containers?: readonly string[];
}

/** A pod of web, whose container runs since nine unless said otherwise. */
export function aPod(
  name: string,
  { revision = 'web-v1', ns = 'shop', uid = name, restarts = 0, state, lastState = {}, containers = ['app'] }: PodOver = {},
): OwnedPod {
  const running = { running: { startedAt: '2026-01-01T09:00:00Z' } };
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: ns, uid, creationTimestamp: '2026-01-01T09:00:00Z' },
    spec: { containers: containers.map((container) => ({ name: container })) },
    status: {
      phase: 'Running',
      containerStatuses: containers.map((container) => ({ name: container, restartCount: restarts, state: state ?? running, lastState })),
    },
  };
  return { pod: pod as unknown as KubeObject, revision, component: 'web' };
}

type Sent = {
  readonly [Name in keyof typeof LOG_EVENTS]: { readonly event: Name; readonly data: z.infer<(typeof LOG_EVENTS)[Name]> };
}[keyof typeof LOG_EVENTS];

/** What a stream told, gathered as it is read. Time stands still unless the test moves it. */
export function readStream(answer: Response) {
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = '';
  const sources = new Map<number, z.infer<typeof LOG_EVENTS.sources>['sources'][number]>();
  const next = async (): Promise<Sent | 'beat' | undefined> => {
    while (!text.includes('\n\n')) {
      const { done, value } = await reader.read();
      if (done) return undefined;
      text += decoder.decode(value, { stream: true });
    }
    const [block = ''] = text.split('\n\n', 1);
    text = text.slice(block.length + 2);
    if (block.startsWith(':')) return 'beat';
    const [, event = '', data = ''] = /^event: (.+)\ndata: (.+)$/.exec(block) ?? [];
    const sent = { event, data: LOG_EVENTS[event as keyof typeof LOG_EVENTS].parse(JSON.parse(data)) } as Sent;
    if (sent.event === 'sources') for (const source of sent.data.sources) sources.set(source.id, source);
    return sent;
  };
  const toText = ({ from, text: line, mark, cut }: LogLine) => {
    const pod = sources.get(from)?.pod ?? '?';
    return mark === undefined ? `${pod} ${line}${cut === undefined ? '' : ` +${cut}`}` : `${pod} [${mark}] ${line}`;
  };
  return {
    sources,
    next,
    /** Lines until there are so many, each with its pod; marks in brackets. */
    async lines(count: number): Promise<readonly string[]> {
      const found: string[] = [];
      while (found.length < count) {
        const sent = await next();
        if (sent === undefined) break;
        if (sent !== 'beat' && sent.event === 'end') return [...found, `end: ${sent.data.sentence}`];
        if (sent !== 'beat' && sent.event === 'lines') found.push(...sent.data.lines.map(toText));
      }
      return found;
    },
    /** What stands until nothing more comes. */
    async rest(): Promise<readonly string[]> {
      return this.lines(Number.POSITIVE_INFINITY);
    },
    cancel: () => reader.cancel(),
  };
}
