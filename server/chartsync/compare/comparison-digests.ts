import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '@/lib/contract/app-error';
import { isFields, readString } from '@/lib/kube/fields';
import type { Clock, Log, Release } from '@/server/platform';

const WRITE_MS = 1_000;
/** More releases than one engine has. */
const MAX_KEPT = 5_000;

interface KeptEqualDeps {
  /** Where it is written; of this server alone. */
  readonly file: string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Digests of what each release was when it was last found equal, kept in a private file: after a restart no dry run is made of what did not move. A file that is
 * lost or cannot be read costs one dry run for each release, and nothing else.
 */
export class ComparisonDigests implements AsyncDisposable {
  readonly #deps: KeptEqualDeps;
  #known: Promise<Map<string, string>> | undefined;
  #due: Release | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(deps: KeptEqualDeps) {
    this.#deps = deps;
  }

  async get(release: string): Promise<string | undefined> {
    return (await this.#read()).get(release);
  }

  /** Undefined forgets it. */
  async set(release: string, digest: string | undefined): Promise<void> {
    const known = await this.#read();
    if (known.get(release) === digest) return;
    known.delete(release); // it is the newest now
    if (digest !== undefined) known.set(release, digest);
    if (known.size > MAX_KEPT) known.delete(known.keys().next().value ?? '');
    this.#due ??= this.#deps.clock.schedule(WRITE_MS, () => this.#flush());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#due !== undefined) {
      this.#due();
      this.#flush();
    }
    await this.#writing;
  }

  #read(): Promise<Map<string, string>> {
    this.#known ??= this.#load();
    return this.#known;
  }

  async #load(): Promise<Map<string, string>> {
    try {
      const read: unknown = JSON.parse(await readFile(this.#deps.file, 'utf8'));
      return new Map(isFields(read) ? Object.keys(read).flatMap((release) => [[release, readString(read, release) ?? ''] as const]) : []);
    } catch (error) {
      if (readString(error, 'code') !== 'ENOENT')
        this.#deps.log.warn({ error: messageOf(error) }, 'could not read the stored comparison digests');
      return new Map();
    }
  }

  #flush(): void {
    this.#due = undefined;
    this.#writing = this.#writing
      .then(() => this.#write())
      .catch((error: unknown) => this.#deps.log.warn({ error: messageOf(error) }, 'could not store the comparison digests'));
  }

  async #write(): Promise<void> {
    const { file } = this.#deps;
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    const next = `${file}.next`;
    await writeFile(next, JSON.stringify(Object.fromEntries(await this.#read())), { mode: 0o600 });
    await rename(next, file);
  }
}
