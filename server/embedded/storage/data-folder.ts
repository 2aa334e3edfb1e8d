import { createHash } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, truncateSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { parseExact, stringifyExact } from '@/lib/std/exact-json';
import type { Ids, Log } from '@/server/platform';
import { lockFolder } from '@/server/platform';
import type { Journal, Store } from './store';

/** One stored object, or its going. */
interface Entry {
  readonly v: number;
  readonly s: string;
  readonly k: ObjectKey;
  readonly o: KubeObject | null;
}

export interface Restored {
  readonly storage: string;
  readonly key: ObjectKey;
  readonly object: KubeObject;
}

export interface DataFolder extends Journal {
  /** The version that was reached. */
  readonly version: number;
  objects(): Iterable<Restored>;
  /** Writes all objects anew and begins an empty journal; again whenever the journal has grown long. */
  compactFrom(store: Store): void;
  close(): Promise<void>;
}

const COMPACT_AFTER = 50_000;

/**
 * Objects in a folder: a snapshot, and a journal of what came after it.
 *
 * 1. Each line carries a checksum; the journal ends before the first line that does not match, and is cut there.
 * 2. A commit is handed to the system before it counts, so the death of the process loses nothing.
 * 3. A snapshot replaces the last one in one step; until then the last one and the journal hold.
 */
export async function openDataFolder(dir: string, { ids, log }: { readonly ids: Ids; readonly log: Log }): Promise<DataFolder> {
  // Objects hold Secrets as they are.
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const lock = await lockFolder(path.join(dir, 'lock'), ids);
  const snapshotPath = path.join(dir, 'objects.snapshot');
  const journalPath = path.join(dir, 'objects.journal');
  const objects = new Map<string, Restored>();
  let version = 0;

  const take = ({ v, s, k, o }: Entry) => {
    version = Math.max(version, v);
    if (o === null) objects.delete(`${s} ${k}`);
    else objects.set(`${s} ${k}`, { storage: s, key: k, object: o });
  };
  readLines(snapshotPath, take);
  const torn = readLines(journalPath, take);
  if (torn !== undefined) {
    log.warn({ file: journalPath, at: torn }, 'the journal of the embedded cluster ends in a torn write; what came before it is kept');
    truncateSync(journalPath, torn);
  }

  let journal = openSync(journalPath, 'a', 0o600);
  let written = 0;
  let source: Store | undefined;

  const compact = () => {
    if (source === undefined) return;
    writeSnapshot(snapshotPath, source);
    closeSync(journal);
    journal = openSync(journalPath, 'w', 0o600);
    written = 0;
  };

  return {
    version,
    objects: () => objects.values(),
    compactFrom(store) {
      source = store;
      objects.clear();
      compact();
    },
    append(v, s, k, o) {
      if (written >= COMPACT_AFTER) compact();
      writeSync(journal, toLine({ v, s, k, o }));
      written++;
    },
    async close() {
      closeSync(journal);
      await lock[Symbol.asyncDispose]();
    },
  };
}

function toLine(entry: Entry): string {
  const text = stringifyExact(entry);
  return `${checksum(text)} ${text}\n`;
}

function checksum(text: string): string {
  return createHash('md5').update(text).digest('base64url').slice(0, 8);
}

/** Reads lines up to the first that is damaged; gives where that begins. */
function readLines(file: string, take: (entry: Entry) => void): number | undefined {
  if (!existsSync(file)) return undefined;
  const bytes = readFileSync(file);
  let at = 0;
  while (at < bytes.length) {
    const end = bytes.indexOf(10, at);
    const line = end < 0 ? '' : bytes.toString('utf8', at, end);
    const text = line.slice(9);
    if (end < 0 || line.slice(0, 8) !== checksum(text)) return at;
    take(parseExact(text) as Entry); // written by us, as the checksum shows
    at = end + 1;
  }
  return undefined;
}

function writeSnapshot(file: string, store: Store): void {
  const next = `${file}.next`;
  const handle = openSync(next, 'w', 0o600);
  // An entry that stands for no object keeps the version, which may be higher than that of every object left.
  writeSync(handle, toLine({ v: store.version, s: '', k: '', o: null }));
  for (const { storage, key, object } of store.everything()) {
    writeSync(handle, toLine({ v: Number(object.metadata.resourceVersion ?? 0), s: storage, k: key, o: object }));
  }
  fsyncSync(handle);
  closeSync(handle);
  renameSync(next, file);
}
