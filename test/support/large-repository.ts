import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createRandom } from '@/server/platform';

/** The chart of it: every so many commits change its values. */
export const CHART = 'charts/ledger';
const EVERY = 10;

export interface LargeRepository extends Disposable {
  readonly url: string;
  /** Where it lies, with room beside it. */
  readonly folder: string;
  /** Bytes of its packs. */
  bytes(): number;
  /** Adds commits, the last of which changes the chart, and answers that one. */
  add(commits: number): Promise<string>;
}

/** A bare repository of so many commits and bytes that cannot be packed, made by `git fast-import` in seconds. */
export async function makeLargeRepository({
  commits,
  bytes,
}: {
  readonly commits: number;
  readonly bytes: number;
}): Promise<LargeRepository> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'slipway-large-'));
  const bare = path.join(folder, 'origin.git');
  const git = (...args: readonly string[]) => execFileSync('git', args, { encoding: 'utf8' });
  git('init', '--quiet', '--bare', '--initial-branch=main', bare);
  git('-C', bare, 'config', 'core.compression', '0'); // what cannot be packed is not tried
  const random = createRandom(17);
  const each = Math.max(64, Math.floor(bytes / commits));
  let made = 0;
  const add = async (more: number) => {
    const child = spawn('git', ['-C', bare, 'fast-import', '--quiet', '--depth=0'], { stdio: ['pipe', 'inherit', 'inherit'] });
    const ended = once(child, 'close');
    for (let left = more; left > 0; left--) {
      const from = left === more && made > 0 ? 'from refs/heads/main^0\n' : '';
      const text = commitText({ at: made, from, text: noise(random, each), touchesChart: left === 1 || made % EVERY === 0 });
      if (!child.stdin.write(text)) await once(child.stdin, 'drain');
      made++;
    }
    child.stdin.end();
    const [code] = await ended;
    if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
    return git('-C', bare, 'rev-parse', 'main').trim();
  };
  await add(commits);
  return {
    url: `file://${bare}`,
    folder,
    bytes: () => Number(/size-pack: (\d+)/.exec(git('-C', bare, 'count-objects', '-v'))?.[1] ?? 0) * 1024,
    add,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

interface Imported {
  readonly at: number;
  /** What it follows where that is not the commit before it. */
  readonly from: string;
  readonly text: string;
  readonly touchesChart: boolean;
}

/** A commit in the language of fast-import. */
function commitText({ at, from, text, touchesChart }: Imported): string {
  const file = (name: string, content: string) => `M 100644 inline ${name}\ndata ${Buffer.byteLength(content)}\n${content}\n`;
  const message = `commit ${at}`;
  return [
    `commit refs/heads/main\ncommitter Ann <ann@example.com> ${1_700_000_000 + at} +0000\ndata ${message.length}\n${message}\n${from}`,
    file(`data/${at % 100}/${at % 1000}.txt`, text),
    touchesChart ? file(`${CHART}/values.yaml`, `replicas: ${at}\n`) : '',
    at === 0 ? file(`${CHART}/Chart.yaml`, 'apiVersion: v2\nname: ledger\nversion: 1.0.0\n') : '',
  ].join('');
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Text that says nothing twice. */
function noise(random: () => number, length: number): string {
  const codes = Buffer.allocUnsafe(length);
  for (let at = 0; at < length; at++) codes[at] = LETTERS.charCodeAt(Math.floor(random() * LETTERS.length));
  return codes.toString('latin1');
}
