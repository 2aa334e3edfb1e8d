import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { realClock } from '@/server/platform';
import type { ServerProcess } from '../support/server-process';
import { startServerProcess } from '../support/server-process';
import type { Figure } from './figure';
import { median, timed } from './measure';
import { signIn } from './sign-in';

const RUNS = 3;
const IDLE_MS = 15_000;

/** What somebody waits for who starts the built server, and what it then holds. */
export async function benchStart(): Promise<readonly Figure[]> {
  await promisify(execFile)(process.execPath, ['scripts/build.mjs']); // building is not starting
  const runs: Awaited<ReturnType<typeof measureRun>>[] = [];
  for (let run = 0; run < RUNS; run++) runs.push(await measureRun());
  const of = (pick: (run: (typeof runs)[number]) => number) => median(runs.map(pick));
  const seconds = (what: string, value: number, atMost: number): Figure => ({ what, value, unit: 's', limit: { of: 'value', atMost } });
  return [
    seconds(
      'start on an empty folder, to the printed address',
      of(({ first }) => first),
      8,
    ),
    seconds(
      'start on a folder with data, to the printed address',
      of(({ second }) => second),
      3,
    ),
    seconds(
      'first page after the start',
      of(({ page }) => page),
      3,
    ),
    {
      what: 'resident memory after 15 s without anybody',
      value: of(({ resident }) => resident),
      unit: 'MB',
      limit: { of: 'value', atMost: 450 },
    },
  ];
}

async function measureRun() {
  let server: ServerProcess | undefined;
  try {
    const first = await timed(async () => {
      server = await startServerProcess();
    });
    if (server === undefined) throw new Error('the server did not start');
    const started = server;
    const page = await timed(() => openPage(started.address));
    await realClock.sleep(IDLE_MS);
    const resident = await residentMegabytes(started.pid);
    await started.kill();
    const second = await timed(() => started.restart());
    return { first: first / 1000, second: second / 1000, page: page / 1000, resident };
  } finally {
    await server?.[Symbol.asyncDispose]();
  }
}

/** Signs in, as a browser does, and reads the page it leads to. */
async function openPage(address: string): Promise<void> {
  const cookie = await signIn(address);
  const page = await fetch(new URL('/', address), { headers: { cookie, accept: 'text/html' } });
  const text = await page.text();
  if (page.status !== 200 || !text.includes('</html>')) throw new Error(`the first page answered ${page.status}`);
}

async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}
