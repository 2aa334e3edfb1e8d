import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import type { Clock, Release } from '@/server/platform';

/** A file that a program adds to. */
export interface LogFile {
  readonly file: string;
  /** How many bytes at its beginning are not of the program. */
  readonly from: number;
}

interface Followed extends LogFile {
  readonly clock: Clock;
  readonly onText: (text: string) => void;
}

const LOOK_MS = 200;
const PIECE = 64 * 1024;
/** A file that grows further is cut short, so that it never fills the disk. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Reads what is added to a file until it is ended, which reads the rest. A file that is not there, or not yet, has no text. */
export function followFile({ file, from, clock, onText }: Followed): { readonly end: () => Promise<void> } {
  const decoder = new StringDecoder('utf8');
  let at = from;
  let isEnding = false;
  let release: Release = () => undefined;
  let looking = Promise.resolve();
  const read = async () => {
    const handle = await open(file, 'r+').catch(() => undefined);
    if (handle === undefined) return;
    try {
      at = await readOn(handle, at, (bytes) => onText(decoder.write(bytes)));
      if (at < MAX_BYTES) return;
      await handle.truncate(from);
      at = from;
    } finally {
      await handle.close();
    }
  };
  const look = () => {
    looking = read().then(schedule, schedule); // what cannot be read now is read the next time
  };
  const schedule = () => {
    if (!isEnding) release = clock.schedule(LOOK_MS, look);
  };
  schedule();
  return {
    async end() {
      isEnding = true;
      release();
      await looking;
      await read().catch(() => undefined); // the program has ended, and what it wrote is only told
      onText(decoder.end());
    },
  };
}

/** Where reading came to. */
async function readOn(handle: FileHandle, from: number, onBytes: (bytes: Buffer) => void): Promise<number> {
  const piece = Buffer.alloc(PIECE);
  let at = from;
  while (at < MAX_BYTES) {
    const { bytesRead } = await handle.read(piece, 0, PIECE, at);
    if (bytesRead === 0) break;
    onBytes(piece.subarray(0, bytesRead));
    at += bytesRead;
  }
  return at;
}
