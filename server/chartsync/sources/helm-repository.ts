import { createHash } from 'node:crypto';
import { AppError } from '@/lib/contract/app-error';
import type { Outbound } from '@/server/outbound';
import type { Clock } from '@/server/platform';
import { FailureCache } from '@/server/platform';
import type { NamedCredentials } from '../git/credentials';
import { authorizationOf } from '../git/credentials';
import type { HelmIndex, IndexEntry } from './indexes/helm-index';
import { findInIndex, prepareIndex } from './indexes/helm-index';

/** A repository or registry that charts are taken from, and who asks. */
export interface Access {
  readonly repository: string;
  /** Of the repository, of the account and of the Secret: what one may see the other may not. */
  readonly key: string;
  readonly credentials: NamedCredentials | undefined;
  readonly signal: AbortSignal;
}

/** A chart that was found, and how its archive is had. */
export interface Located {
  readonly version: string;
  /** What the chart counts as: another one is a change. */
  readonly revision: string;
  /** SHA-256 of what it is, in hexadecimal digits: under one revision another one is a change, too. */
  readonly digest: string;
  readonly fetch: (signal: AbortSignal) => Promise<Buffer>;
}

export const MAX_ARCHIVE_BYTES = 50 * 1024 * 1024;
const MAX_INDEX_BYTES = 32 * 1024 * 1024;
const INDEX_MS = 60_000;
const KEPT_INDEXES = 4;
const RETRY = { firstMs: 10_000, longestMs: 300_000 };

interface HelmRepositoriesDeps {
  readonly outbound: Pick<Outbound, 'get'>;
  /** How long what was found is taken to be the same. */
  readonly lookMs: number;
  readonly clock: Pick<Clock, 'now'>;
}

/** Charts of repositories with an `index.yaml`, as Helm has had them always. */
export class HelmRepositories {
  readonly #deps: HelmRepositoriesDeps;
  /** An index serves all releases of one pass; the newest few are kept, since one may have megabytes. */
  readonly #indexes = new Map<string, { readonly until: number; readonly index: Promise<HelmIndex> }>();
  readonly #failed: FailureCache;

  constructor(deps: HelmRepositoriesDeps) {
    this.#deps = deps;
    this.#failed = new FailureCache(deps.clock, () => RETRY);
  }

  /** Finds the newest version in a range; throws a sentence when there is none. */
  async find(access: Access, chart: { readonly name: string; readonly range: string }): Promise<IndexEntry> {
    return findInIndex(await this.#indexOf(access), chart);
  }

  /** Where the archive of an entry is, and how it is had from there. What an index without digests means only the archive itself tells. */
  async locate({ repository, credentials, signal }: Access, { version, url, digest }: IndexEntry): Promise<Located> {
    const base = baseOf(repository);
    if (!URL.canParse(url, base.href)) throw new AppError('invalid', 'the index of the repository contains an invalid address');
    const at = new URL(url, base.href);
    const isOwn = at.origin === base.origin;
    if (digest === undefined && !(isOwn && at.protocol === 'https:')) {
      throw new AppError(
        'invalid',
        `the index of the repository has no digest for version ${version}, which requires its archive to be on the same host, over https`,
      );
    }
    const download = async (ending: AbortSignal) => {
      const limits = { maxBytes: MAX_ARCHIVE_BYTES, timeoutMs: 120_000, signal: ending };
      const { status, body } = await this.#deps.outbound.get(at.href, { ...(isOwn ? givenTo(credentials) : {}), ...limits });
      if (status !== 200)
        throw new AppError(codeOf(status), `the archive of version ${version} could not be fetched: ${at.host} answered ${status}`);
      return body;
    };
    const known = digest ?? sha256(await download(signal));
    return {
      version,
      revision: version,
      digest: known,
      fetch: async (ending) => {
        const body = await download(ending);
        if (sha256(body) === known) return body;
        throw digest === undefined
          ? new AppError('unavailable', `the archive of version ${version} changed while it was fetched`)
          : new AppError('invalid', `the archive of version ${version} is not what the index of the repository says: its digest differs`);
      },
    };
  }

  #indexOf(access: Access): Promise<HelmIndex> {
    const { clock, lookMs } = this.#deps;
    const held = this.#indexes.get(access.key);
    if (held !== undefined && held.until > clock.now()) return held.index;
    const entry = {
      until: clock.now() + Math.min(lookMs, INDEX_MS),
      index: this.#failed.run(tryOf(access), () => this.#fetchIndex(access)),
    };
    this.#indexes.delete(access.key);
    this.#indexes.set(access.key, entry);
    if (this.#indexes.size > KEPT_INDEXES) this.#indexes.delete(this.#indexes.keys().next().value ?? '');
    entry.index.catch(() => {
      // Whoever waits hears of it; the next one tries again.
      if (this.#indexes.get(access.key) === entry) this.#indexes.delete(access.key);
    });
    return entry.index;
  }

  async #fetchIndex({ repository, credentials, signal }: Access): Promise<HelmIndex> {
    const at = new URL('index.yaml', baseOf(repository));
    const request = { ...givenTo(credentials), accept: 'application/yaml, */*', maxBytes: MAX_INDEX_BYTES, signal };
    const { status, body } = await this.#deps.outbound.get(at.href, request);
    if (status !== 200)
      throw new AppError(codeOf(status), `the index of the repository could not be fetched: ${at.host} answered ${status}`);
    return prepareIndex(body.toString('utf8'), signal);
  }
}

/** What is tried: with other credentials it is not what failed. */
const tryOf = ({ key, credentials }: Access) => sha256(Buffer.from(JSON.stringify([key, credentials])));

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

const codeOf = (status: number) => (status === 401 || status === 403 ? 'forbidden' : 'unavailable');

function givenTo(credentials: NamedCredentials | undefined): {
  readonly authorization?: string | undefined;
  readonly ca?: string | undefined;
} {
  return credentials === undefined ? {} : { authorization: authorizationOf(credentials), ca: credentials.ca };
}

/** What relative addresses of an index stand relative to. */
function baseOf(repository: string): URL {
  const url = URL.canParse(repository) ? new URL(repository) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw new AppError('invalid', 'a chart repository must begin with https://, http:// or oci://');
  return new URL(`${url.href.replace(/\/?(\?.*|#.*)?$/, '')}/`);
}
