import { getHeapCodeStatistics, setFlagsFromString, writeHeapSnapshot } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { EngineRow } from '@/lib/contract/system-rows';
import type { DayServer } from './day-server';

/** More than the age, in collections, at which V8 throws code away that nothing ran since (`--bytecode-old-age`, 5). */
const COLLECTIONS = 12;
const SAME_LOOKS = 5;
const LOOK_MS = 50;
const MAX_LOOKS = 200;

/** What a server holds while nobody asks anything of it. */
export interface DayFigures {
  readonly heapBytes: number;
  /** What V8 has compiled, of these: it grows for hours, as functions turn out to run often. */
  readonly codeBytes: number;
  /** Objects in its copies of the cluster. */
  readonly objects: Readonly<Record<string, number>>;
  /** Timers of its own clock. */
  readonly timers: number;
  /** What Node holds open for it, by kind. */
  readonly handles: Readonly<Record<string, number>>;
  /** What its metrics say is open for somebody. */
  readonly live: Readonly<Record<string, number>>;
}

/** Looks at a server at rest; with a file, also at everything on its heap. */
export async function takeFigures({ day, owner }: DayServer, snapshot?: string): Promise<DayFigures> {
  const engine = await day.during(owner.row<EngineRow>('engine'));
  const { text } = await day.during(owner.get('/metrics'));
  const live = Object.fromEntries(
    [...text.matchAll(/^(slipway_live_(?:sockets|topics)) (\d+)$/gm)].map(([, name = '', count]) => [name, Number(count)]),
  );
  const handles = await untilSame();
  const { heapBytes, codeBytes } = await collect();
  if (snapshot !== undefined) writeHeapSnapshot(snapshot);
  const objects = Object.fromEntries(engine?.watches.map((watch) => [watch.key, watch.objects]) ?? []);
  return { heapBytes, codeBytes, objects, timers: day.clock.waiting(), handles, live };
}

/** What is open once connections that were ended are closed: the same at several looks. */
async function untilSame(): Promise<DayFigures['handles']> {
  let [last, same] = ['', 0];
  for (let look = 0; look < MAX_LOOKS && same < SAME_LOOKS; look++) {
    await aMoment(LOOK_MS);
    const now = JSON.stringify(countHandles());
    same = now === last ? same + 1 : 0;
    last = now;
  }
  return countHandles();
}

/** By kind; timers and turns come and go by themselves. */
function countHandles(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo().sort())
    if (!/^(Timeout|Immediate|FSReq)/.test(kind)) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** Bytes that are left after several collections; what waits for one, such as an entry of a registry, goes with the next. */
async function collect(): Promise<Pick<DayFigures, 'heapBytes' | 'codeBytes'>> {
  setFlagsFromString('--expose-gc');
  setFlagsFromString('--flush-baseline-code');
  setFlagsFromString('--stress-flush-code');
  const gc = runInNewContext('gc') as () => void; // there once it is exposed
  for (let left = COLLECTIONS; left > 0; left--) {
    gc();
    await aMoment(LOOK_MS);
  }
  setFlagsFromString('--no-stress-flush-code');
  const code = getHeapCodeStatistics();
  return { heapBytes: process.memoryUsage().heapUsed, codeBytes: code.code_and_metadata_size + code.bytecode_and_metadata_size };
}

const aMoment = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
