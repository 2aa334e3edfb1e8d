import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { AppError } from '@/lib/contract/app-error';

interface Limits {
  /** Of the content, unpacked. */
  readonly maxBytes: number;
  /** What is read, for errors. */
  readonly what: string;
  readonly signal: AbortSignal;
}

/** Reads a body to its end, unpacked where it is packed; what is over the limit, packed or unpacked, ends the connection. */
export async function readBody(answer: IncomingMessage, { maxBytes, what, signal }: Limits): Promise<Buffer> {
  const tooLarge = () => new AppError('too-large', `${what} is larger than ${maxBytes} bytes`);
  try {
    if (Number(answer.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of unpacked(answer, what)) {
      const buffer = chunk as Buffer; // neither stream has an encoding set
      bytes += buffer.byteLength;
      if (bytes > maxBytes) throw tooLarge();
      chunks.push(buffer);
    }
    if (!answer.complete) throw new AppError('unavailable', `${what} is incomplete`);
    return Buffer.concat(chunks);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError) throw error;
    throw new AppError('unavailable', `${what} could not be read completely`, { cause: error });
  } finally {
    answer.destroy();
  }
}

function unpacked(answer: IncomingMessage, what: string): Readable {
  const encoding = answer.headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') return answer;
  if (encoding !== 'gzip') throw new AppError('unavailable', `${what} is encoded as ${JSON.stringify(encoding)}, which was not asked for`);
  // What ends one of them ends the other; whoever reads hears of it.
  return pipeline(answer, createGunzip(), () => undefined);
}
