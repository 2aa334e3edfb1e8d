import { LogReader } from '@/components/logs/lines/log-reader';
import { readEvents } from '@/lib/contract/event-lines';
import { toEventStream } from '@/server/api/status/event-stream';
import { LogStream } from '@/server/commands/logs/log-stream';
import { ReaderSet } from '@/server/commands/logs/reader-set';
import type { Cluster } from '@/server/kube';
import { realClock } from '@/server/platform';
import { aPod } from '../server/api/log-rig';
import type { Figure } from './figure';
import { cpuTimed } from './measure';

export const LINES_A_SECOND = 5000;
export const SECONDS = 8;
const EVERY_MS = 20;
const PODS = 10;

/** What pods write, 5,000 lines a second between them, as the API server streams it: on time, whoever reads. */
async function* write(pod: number): AsyncGenerator<Uint8Array> {
  const share = LINES_A_SECOND / PODS;
  const startedAt = performance.now();
  for (let written = 0; written < share * SECONDS; ) {
    await realClock.sleep(EVERY_MS);
    const due = Math.min(share * SECONDS, Math.floor(((performance.now() - startedAt) / 1000) * share));
    let text = '';
    for (; written < due; written++) {
      const at = new Date().toISOString().replace('Z', `${String(written % 1_000_000).padStart(6, '0')}Z`);
      text += `${at} {"level":"info","msg":"GET /api/orders/${written}","pod":${pod},"status":200,"trace":"4bf92f3577b34da6a3ce929d0e0e4736"}\n`;
    }
    yield Buffer.from(text);
  }
}

/** The answer that streams the logs of ten pods, as the server gives it. */
export function answerLogs(): Response {
  const pods = Array.from({ length: PODS }, (_, index) => aPod(`web-${index}`));
  const request = async ({ path }: { readonly path: string }) => ({
    status: 200,
    headers: {},
    body: write(Number(/web-(\d+)/.exec(path)?.[1])),
  });
  const readers = new ReaderSet({
    source: { pods: () => pods, onChange: () => () => undefined },
    cluster: () => ({ request }) as unknown as Cluster, // nothing else of a cluster is asked
    clock: realClock,
    wish: { follow: false, previous: false, tail: undefined, since: undefined },
    takePlace: () => () => undefined,
    wants: () => true,
    refusalReason: () => null,
  });
  const stream = new LogStream(readers, realClock);
  return toEventStream(stream.events(), () => stream.release());
}

/** Gives each piece of that answer to somebody. */
async function follow(take: (body: ReadableStream<Uint8Array>) => Promise<void>): Promise<void> {
  const { body } = answerLogs();
  if (body !== null) await take(body);
}

async function drain(pieces: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of pieces);
}

/** 5,000 lines a second of ten pods: what the server spends on them, and what a page does before it draws. */
export async function benchLogs(): Promise<readonly Figure[]> {
  const written = await cpuTimed(() => Promise.all(Array.from({ length: PODS }, (_, index) => drain(write(index)))));
  const served = await cpuTimed(() => follow(drain));
  let lines = 0;
  const shown = await cpuTimed(() =>
    follow(async (body) => {
      const reader = new LogReader({
        open: () => readEvents(body),
        follows: false,
        frame: (work) => void setTimeout(work, 16),
        pause: async () => undefined,
        now: () => performance.now(),
      });
      reader.show({ search: 'orders', onlyFound: false, level: undefined, columns: 120 });
      const stop = reader.start();
      while (reader.state.kind !== 'over') await realClock.sleep(EVERY_MS);
      stop();
      lines = reader.lines.end;
    }),
  );
  const share = (ms: number) => (ms / (SECONDS * 1000)) * 100;
  return [
    {
      what: 'lines that came through, of those written',
      value: (lines / (LINES_A_SECOND * SECONDS)) * 100,
      unit: '%',
      limit: { of: 'value', atLeast: 100 },
    },
    {
      what: 'server: of a core for 5,000 lines/s, without what writes them',
      value: share(served - written),
      unit: '%',
      limit: { of: 'value', atMost: 20 },
    },
    { what: 'page: of a core for 5,000 lines/s, searched and wrapped, without drawing', value: share(shown - served), unit: '%' },
  ];
}
