import { appendFile, chmod, mkdir, readFile, rm, truncate } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { AppError } from '@/lib/contract/app-error';
import type { RecordEntry } from '@/lib/contract/record-entry';
import { toInstant } from '@/lib/std/instant';
import { Semaphore } from '@/lib/std/semaphore';

/** So many acts of engines wait before engines stop. */
export const MAX_PENDING = 10_000;

const line = z.object({
  id: z.string(),
  at: z.number().transform(toInstant),
  actor: z.string(),
  action: z.string(),
  about: z.object({ apiVersion: z.string(), kind: z.string(), namespace: z.string().optional(), name: z.string() }),
  message: z.string(),
  data: z.record(z.string(), z.unknown()).optional(),
});

/** Adds text at the end of a file, and resolves when it is on the disk. */
export type Append = (file: string, text: string) => Promise<void>;

const appendDurably: Append = (file, text) => appendFile(file, text, { mode: 0o600, flush: true });

/** Acts that the store could not take, in a file, in the order in which they happened. */
export interface SpoolFile {
  size(): number;
  /** Resolves when the entry is in the file; rejects where the disk takes it not, and then the file is as it was. */
  add(entry: RecordEntry): Promise<void>;
  /** Gives the entries in order to who writes them; what was written is forgotten once all are. */
  drain(write: (entries: readonly RecordEntry[]) => Promise<void>): Promise<void>;
}

/** Opens the file of a folder; entries that an earlier process left there wait on. */
export async function openPendingEntries(folder: string, append: Append = appendDurably): Promise<SpoolFile> {
  const file = path.join(folder, 'waiting.jsonl');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700); // one that an earlier start left open
  const whole = await withoutTornEnd(file);
  const entries: RecordEntry[] = readEntries(file, whole);
  let length = Buffer.byteLength(whole);
  let isTorn = false;
  // One after the other: a line must not be written into the file while it is taken away.
  const turns = new Semaphore(1);
  return {
    size: () => entries.length,
    add: (entry) =>
      turns.run(async () => {
        // A disk that filled up takes half a line, and the next one must not be written behind it.
        if (isTorn) await truncate(file, length).catch(unlessMissing);
        isTorn = true;
        const text = `${JSON.stringify(entry)}\n`;
        await append(file, text);
        isTorn = false;
        length += Buffer.byteLength(text);
        entries.push(entry);
      }),
    drain: (write) =>
      turns.run(async () => {
        // An entry is known by its id: one that is written and then offered again, after a crash in between, is on record once.
        await write(entries);
        entries.length = 0;
        await rm(file, { force: true });
        length = 0;
      }),
  };
}

/**
 * The whole lines of the file. A process that ended while it wrote leaves a last line that is torn: whoever offered that entry was never told that
 * it is kept, and the next one must not be written behind it.
 */
async function withoutTornEnd(file: string): Promise<string> {
  const text = (await readFile(file, 'utf8').catch(unlessMissing)) ?? '';
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole.length < text.length) await truncate(file, Buffer.byteLength(whole));
  return whole;
}

function unlessMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

function readEntries(file: string, text: string): RecordEntry[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((written, index) => {
      try {
        return toEntry(written);
      } catch (error) {
        throw new AppError(
          'rejected',
          `line ${index + 1} of ${file} is not an entry that waits to be recorded: correct it, or move the file away`,
          {
            cause: error,
          },
        );
      }
    });
}

function toEntry(written: string): RecordEntry {
  const { data, about, ...entry } = line.parse(JSON.parse(written));
  const { namespace, ...place } = about;
  return { ...entry, about: { ...place, ...(namespace === undefined ? {} : { namespace }) }, ...(data === undefined ? {} : { data }) };
}
