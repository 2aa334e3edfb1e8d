import { createHash } from 'node:crypto';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { Instant } from '@/lib/std/instant';
import { toInstant } from '@/lib/std/instant';
import type { ReleaseRef } from '../../model/release';
import { releaseKey } from '../../model/release';
import type { RevisionSource } from '../../model/revision-source';
import type { LogFile } from '../../process/follow-file';

/** What Helm does to a release, and since when. */
export interface Step {
  readonly command: string;
  readonly release: ReleaseRef;
  readonly since: Instant;
  /** The newest revision that was stored before it, 0 for none; null where nobody could tell. */
  readonly after: number | null;
  /** Absent where it releases no chart. */
  readonly madeFrom?: RevisionSource | undefined;
}

/** The log of a step, as Helm writes it: values stand in it. */
export interface StepLog extends Step, LogFile {
  /** When it was last written. */
  readonly until: Instant;
}

const HEAD_BYTES = 4096;
const head = z.object({
  command: z.string(),
  namespace: z.string(),
  name: z.string(),
  since: z.number(),
  after: z.number().nullable(),
  // A server before this one wrote the revision alone.
  madeFrom: z.object({ revision: z.string(), chart: z.string(), generation: z.number() }).optional().catch(undefined),
});

/**
 * The files that Helm logs its steps to, so that it may log them also when this server is killed meanwhile. Each begins with a line that says whose it is,
 * for the server that comes next. One of a release is enough: one thing at a time is done to it.
 */
export class StepLogs {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Makes the file of a step, for nobody else to read; that of an earlier step of the release goes. */
  async begin({ command, release, ...more }: Step): Promise<LogFile> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const file = path.join(this.#folder, `${createHash('sha256').update(releaseKey(release)).digest('hex')}.log`);
    await rm(file, { force: true });
    const line = `${JSON.stringify({ command, ...release, ...more })}\n`;
    const handle = await open(file, 'wx', 0o600);
    await handle.writeFile(line).finally(() => handle.close());
    return { file, from: Buffer.byteLength(line) };
  }

  /** The files that a server which was killed left. One that says nothing of whose it is goes. */
  async left(): Promise<readonly StepLog[]> {
    const names = await readdir(this.#folder).catch(() => []); // nothing was ever logged
    const found: StepLog[] = [];
    for (const name of names) {
      const file = path.join(this.#folder, name);
      const log = await readHead(file).catch(() => undefined);
      if (log === undefined) await rm(file, { recursive: true, force: true });
      else found.push(log);
    }
    return found;
  }

  /** What was logged is told by then, and values stand in it. */
  async remove({ file }: LogFile): Promise<void> {
    await rm(file, { force: true });
  }
}

async function readHead(file: string): Promise<StepLog> {
  const handle = await open(file, 'r');
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const [line = ''] = buffer.subarray(0, bytesRead).toString('utf8').split('\n');
    const { command, namespace, name, since, after, madeFrom } = head.parse(JSON.parse(line));
    const { mtimeMs } = await handle.stat();
    const times = { since: toInstant(since), until: toInstant(mtimeMs) };
    return { command, release: { namespace, name }, after, madeFrom, ...times, file, from: Buffer.byteLength(line) + 1 };
  } finally {
    await handle.close();
  }
}
