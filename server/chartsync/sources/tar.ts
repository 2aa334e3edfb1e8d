import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { AppError } from '@/lib/contract/app-error';
import { formatNumber } from '@/lib/words/figures';

/** A file of an archive. */
interface TarFile {
  readonly name: string;
  readonly body: Buffer;
}

/** What may still be unpacked, of one archive and of all archives in it together. */
export class Budget {
  #files: number;
  #bytes: number;
  readonly #limits: { readonly files: number; readonly bytes: number };

  constructor(limits: { readonly files: number; readonly bytes: number }) {
    this.#limits = limits;
    this.#files = limits.files;
    this.#bytes = limits.bytes;
  }

  /** Takes one more file; throws a sentence when it is one too many. */
  takeFile(): void {
    if (--this.#files < 0) throw new AppError('too-large', `a chart contains more than ${formatNumber(this.#limits.files)} files`);
  }

  /** Takes bytes; throws a sentence when they are too many. */
  takeBytes(bytes: number): void {
    this.#bytes -= bytes;
    if (this.#bytes < 0) throw new AppError('too-large', `a chart unpacks to more than ${this.#limits.bytes / MIB} MiB`);
  }
}

const BLOCK = 512;
const MIB = 1024 * 1024;
const FILE = '0';
const FOLDER = '5';
const LONG_NAME = 'L';
const EXTENDED = 'x';
const NAMING = [LONG_NAME, EXTENDED, 'g'];

/** Reads the files of a packed archive one after the other. Links and devices are refused, and so is what is over the budget, as soon as it is. */
export async function* readPackedTar(packed: Buffer, budget: Budget): AsyncGenerator<TarFile> {
  const bytes = new Bytes(unpack(packed), budget);
  let longName: string | undefined;
  for (;;) {
    const header = await bytes.take(BLOCK);
    if (header === undefined || header.every((byte) => byte === 0)) return;
    const { type, size, name } = readHeader(header);
    budget.takeFile();
    const body = (await bytes.take(size)) ?? Buffer.alloc(0);
    if (body.byteLength !== size) throw broken('it ends in the middle of a file');
    await bytes.take((BLOCK - (size % BLOCK)) % BLOCK);
    if (NAMING.includes(type)) {
      // Of two names each reader takes another one, and what is judged here Helm reads once more.
      if (longName !== undefined) throw broken('it names a file twice');
      longName = nameIn(type, body);
    } else {
      requirePlain(type, longName ?? name);
      if (type === FILE) yield { name: longName ?? name, body };
      longName = undefined;
    }
  }
}

/** A head that says something of the next one, or of all: only a path in it counts. */
function nameIn(type: string, body: Buffer): string | undefined {
  const name = type === LONG_NAME ? textOf(body) : type === EXTENDED ? pathOf(body) : undefined;
  if (name === '') throw broken('it contains a file with an empty name');
  return name;
}

function requirePlain(type: string, name: string): void {
  if (type !== FILE && type !== FOLDER) throw broken(`${JSON.stringify(name.slice(0, 100))} in it is neither a file nor a folder`);
}

function unpack(packed: Buffer): AsyncIterable<Buffer> {
  return Readable.from([packed]).pipe(createGunzip());
}

/** Bytes that come in chunks, taken in pieces of a wanted size; each counts when it comes, before it is kept. */
class Bytes {
  readonly #source: AsyncIterator<Buffer>;
  readonly #budget: Budget;
  #held: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>, budget: Budget) {
    this.#source = source[Symbol.asyncIterator]();
    this.#budget = budget;
  }

  /** As many bytes, or what there is before the end; undefined at the end. */
  async take(count: number): Promise<Buffer | undefined> {
    const chunks = [this.#held];
    let length = this.#held.byteLength;
    while (length < count) {
      const next = await this.#source.next().catch((error: unknown) => {
        const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
        throw broken(`it is not packed with gzip, or damaged${code}`);
      });
      if (next.done) break;
      this.#budget.takeBytes(next.value.byteLength);
      chunks.push(next.value);
      length += next.value.byteLength;
    }
    const all = chunks.length === 1 ? this.#held : Buffer.concat(chunks);
    this.#held = all.subarray(count);
    return all.byteLength === 0 && count > 0 ? undefined : all.subarray(0, count);
  }
}

function readHeader(header: Buffer): { readonly type: string; readonly size: number; readonly name: string } {
  if (header.byteLength < BLOCK) throw broken('it ends in the middle of a header');
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (octal(header.subarray(148, 156)) !== sum) throw broken('it is not a tar archive');
  const flag = String.fromCharCode(header[156] ?? 0);
  const prefix = header.subarray(257, 262).toString('latin1') === 'ustar' ? textOf(header.subarray(345, 500)) : '';
  const name = textOf(header.subarray(0, 100));
  return { type: flag === '\0' ? FILE : flag, size: octal(header.subarray(124, 136)), name: prefix === '' ? name : `${prefix}/${name}` };
}

function octal(field: Buffer): number {
  const text = textOf(field).trim();
  if (!/^[0-7]{1,11}$/.test(text)) throw broken('it contains an invalid number');
  return Number.parseInt(text, 8);
}

function textOf(field: Buffer): string {
  const end = field.indexOf(0);
  return field.subarray(0, end < 0 ? field.byteLength : end).toString('utf8');
}

/** The path of an extended head: records of `LENGTH KEY=VALUE\n`. */
function pathOf(body: Buffer): string | undefined {
  let found: string | undefined;
  for (let at = 0; at < body.byteLength; ) {
    const space = body.indexOf(0x20, at);
    const length = Number(body.subarray(at, space).toString('latin1'));
    if (space < 0 || !Number.isInteger(length) || length <= 0) throw broken('it contains an unreadable extended header');
    const record = body.subarray(space + 1, at + length - 1).toString('utf8');
    if (record.startsWith('path=')) found = record.slice('path='.length);
    // Another size, and the name and holes of a sparse file, are of a file that is not the one that is seen here.
    if (/^(?:size=|GNU\.sparse\.)/.test(record)) throw broken('it contains a file with an invalid size');
    at += length;
  }
  return found;
}

function broken(why: string): AppError {
  return new AppError('invalid', `the chart archive is rejected: ${why}`);
}
