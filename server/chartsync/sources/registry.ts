import { createHash } from 'node:crypto';
import { AppError } from '@/lib/contract/app-error';
import { readField, readList, readNumber, readString } from '@/lib/kube/fields';
import { stripEnd } from '@/lib/std/text/strip';
import { formatNumber } from '@/lib/words/figures';
import type { Answer, Outbound } from '@/server/outbound';
import type { Access, Located } from './helm-repository';
import { MAX_ARCHIVE_BYTES } from './helm-repository';
import { authorise } from './registry-token';
import { newestIn, parseVersion } from './version-range';

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const CONFIG = 'application/vnd.cncf.helm.config.v1+json';
const ARCHIVE = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const REPOSITORY = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*$/;
const TAG = /^[\w][\w.-]{0,127}$/;
const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024;
const MAX_PAGES = 20;
/** As many as so many pages have that are asked for; registries may send more in one. */
const MAX_TAGS = 20_000;
/** Where the address that people write is not the one that serves. */
const SERVED_BY: Readonly<Record<string, string>> = { 'docker.io': 'registry-1.docker.io' };

/** A repository of a registry, and what it let in by. */
interface Place {
  readonly access: Access;
  readonly origin: string;
  readonly path: string;
  authorization: string | undefined;
}

/** Charts of OCI registries: a tag is looked up each time, and what it leads to is had by digest. */
export class Registries {
  readonly #outbound: Pick<Outbound, 'get'>;

  constructor(outbound: Pick<Outbound, 'get'>) {
    this.#outbound = outbound;
  }

  /** Finds the newest version in a range; throws a sentence when there is none. A tag that was moved is another revision. */
  async locate(access: Access, { name, range }: { readonly name: string; readonly range: string }): Promise<Located> {
    const place = placeOf(access, name);
    const exact = parseVersion(range)?.text;
    const version = exact ?? newestIn(range, (await this.#tags(place)).map(versionOf));
    if (version === undefined) throw new AppError('not-found', `the registry has no version of chart ${name} for ${JSON.stringify(range)}`);
    return this.#locateTag(place, { name, version, tag: version.replaceAll('+', '_') });
  }

  /** The chart at a tag: what an index may name in place of an archive. */
  async locateReference(access: Access, reference: string): Promise<Located> {
    const [, repository = '', tag = ''] = /^(oci:\/\/.+):([^:/]+)$/.exec(reference) ?? [];
    return this.#locateTag(placeOf({ ...access, repository }, ''), {
      name: repository.split('/').at(-1) ?? '',
      version: versionOf(tag),
      tag,
    });
  }

  async #locateTag(
    place: Place,
    { name, version, tag }: { readonly name: string; readonly version: string; readonly tag: string },
  ): Promise<Located> {
    if (!TAG.test(tag)) throw new AppError('invalid', `${JSON.stringify(tag)} is not a valid registry tag`);
    const answer = await this.#get(place, `manifests/${tag}`, { accept: MANIFEST, maxBytes: MAX_DOCUMENT_BYTES });
    if (answer.status === 404) throw new AppError('not-found', `the registry has no chart ${name} ${version}`);
    requireOk(answer, `the manifest of chart ${name} ${version}`);
    const digest = `sha256:${sha256(answer.body)}`;
    const said = answer.headers['docker-content-digest'];
    if (said !== undefined && said !== digest)
      throw new AppError('invalid', `the manifest of chart ${name} ${version} is not what the registry says: its digest differs`);
    const layer = readLayer(answer.body, `${name} ${version}`);
    return {
      version,
      revision: `${version}+${digest.slice('sha256:'.length).slice(0, 12)}`,
      digest: digest.slice('sha256:'.length),
      fetch: (signal) => this.#fetchLayer(place, layer, signal),
    };
  }

  async #fetchLayer(place: Place, digest: string, signal: AbortSignal): Promise<Buffer> {
    const answer = await this.#get({ ...place, access: { ...place.access, signal } }, `blobs/${digest}`, {
      accept: '*/*',
      maxBytes: MAX_ARCHIVE_BYTES,
    });
    requireOk(answer, 'the archive of the chart');
    if (`sha256:${sha256(answer.body)}` !== digest)
      throw new AppError('invalid', 'the archive of the chart is not what its manifest says: its digest differs');
    return answer.body;
  }

  async #tags(place: Place): Promise<readonly string[]> {
    const tags: string[] = [];
    let next: string | undefined = 'tags/list?n=1000';
    for (let page = 0; next !== undefined && page < MAX_PAGES && tags.length <= MAX_TAGS; page++) {
      const answer: Answer = await this.#get(place, next, { accept: 'application/json', maxBytes: MAX_DOCUMENT_BYTES });
      requireOk(answer, `the tags of ${place.path}`);
      for (const tag of readList(parseJson(answer.body), 'tags')) if (typeof tag === 'string') tags.push(tag);
      // Of a link only what comes after the list is taken: it leads to no other place.
      const [, target = ''] = /<([^<>]*)>\s*;\s*rel="?next"?/.exec(String(answer.headers.link ?? '')) ?? [];
      const at = target.indexOf('?');
      next = at < 0 ? undefined : `tags/list${target.slice(at)}`;
    }
    if (next !== undefined || tags.length > MAX_TAGS)
      throw new AppError(
        'too-large',
        `${place.path} lists more tags than are read (${formatNumber(MAX_TAGS)} on ${MAX_PAGES} pages), so its newest version is unknown; name a version`,
      );
    return tags;
  }

  async #get(place: Place, what: string, limits: { readonly accept: string; readonly maxBytes: number }): Promise<Answer> {
    const { access, origin, path } = place;
    const { credentials, signal } = access;
    const ask = () =>
      this.#outbound.get(`${origin}/v2/${path}/${what}`, {
        ...limits,
        authorization: place.authorization,
        ca: credentials?.ca,
        timeoutMs: 120_000,
        signal,
      });
    const answer = await ask();
    if (answer.status !== 401 || place.authorization !== undefined) return answer;
    place.authorization = await authorise(
      { challenge: answer.headers['www-authenticate'] ?? '', origin, path, credentials, signal },
      this.#outbound,
    );
    return ask();
  }
}

function placeOf(access: Access, name: string): Place {
  const [, host = '', written = ''] = /^oci:\/\/([^/]+)(.*)$/.exec(access.repository) ?? [];
  const path = [stripEnd(written.slice(1), '/'), name].filter((part) => part !== '').join('/');
  const at = `https://${SERVED_BY[host] ?? host}`;
  if (!URL.canParse(at) || new URL(at).pathname !== '/' || new URL(at).username !== '' || !REPOSITORY.test(path)) {
    throw new AppError('invalid', 'a chart of a registry needs oci://HOST/PATH in lower case, and no credentials in it');
  }
  return { access, origin: new URL(at).origin, path, authorization: undefined };
}

/** A tag has no plus, so a version that has one is written otherwise. */
function versionOf(tag: string): string {
  return tag.replaceAll('_', '+');
}

function readLayer(body: Buffer, chart: string): string {
  const manifest = parseJson(body);
  const layer = readList(manifest, 'layers').find((each) => readString(each, 'mediaType') === ARCHIVE);
  const digest = readString(layer, 'digest') ?? '';
  if (readString(readField(manifest, 'config'), 'mediaType') !== CONFIG || !DIGEST.test(digest))
    throw new AppError('invalid', `${chart} in the registry is not a Helm chart`);
  if ((readNumber(layer, 'size') ?? 0) > MAX_ARCHIVE_BYTES)
    throw new AppError('too-large', `the archive of ${chart} is larger than ${MAX_ARCHIVE_BYTES} bytes`);
  return digest;
}

function requireOk({ status }: Answer, what: string): void {
  if (status === 401 || status === 403)
    throw new AppError('forbidden', `${what} could not be fetched: the registry refuses the credentials`);
  if (status !== 200) throw new AppError('unavailable', `${what} could not be fetched: the registry answered ${status}`);
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new AppError('invalid', 'the answer of the registry is not JSON');
  }
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
