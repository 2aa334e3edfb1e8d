import { readField, readList, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject, toAddress } from '@/lib/kube/object';
import { CRDClient, exponentialBackOff } from '@/server/framework';
import type { Cluster } from '@/server/kube';
import { ignoreNotFound, isAlreadyExists, isForbidden, isNoMatch } from '@/server/kube';
import type { Clock, Log } from '@/server/platform';
import { findDroppedFields } from './definitions/dropped-fields';

const FIELD_MANAGER = 'slipway.dev/installation';
const ESTABLISH_LIMIT_MS = 30_000;
const STEP_MS = 50;
const LONGEST_STEP_MS = 1_000;

interface InstallDeps {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal?: AbortSignal;
  /** True where definitions are nobody's but ours: one that would not keep what we write is replaced. */
  readonly renews?: boolean;
}

/** What an installation came to, object by object: made now, there before (and left as it is), or not ours to make, or of a kind that is not served. */
export interface Installed {
  readonly created: readonly string[];
  readonly present: readonly string[];
  readonly refused: readonly string[];
  readonly unserved: readonly string[];
}

/** Creates what is missing and waits until definitions serve. What exists is never changed, whoever made it, but where all of it is ours. */
export async function installMissing(objects: readonly KubeObject[], deps: InstallDeps): Promise<Installed> {
  const created: string[] = [];
  const present: string[] = [];
  const refused: string[] = [];
  const unserved: string[] = [];
  const outcomes = { created, present, refused, unserved };
  const isDefinition = ({ kind }: KubeObject) => kind === 'CustomResourceDefinition';
  const definitions = objects.filter(isDefinition);
  // Side by side, since each takes the API server a while; all else may be of a kind that they define.
  const made = await Promise.all(definitions.map((one) => outcomeOf(() => installDefinition(one, deps))));
  for (const [at, one] of definitions.entries()) outcomes[made[at] ?? 'unserved'].push(nameOf(one));
  for (const object of objects) if (!isDefinition(object)) outcomes[await outcomeOf(() => installOne(object, deps))].push(nameOf(object));
  if (created.length > 0) {
    await untilListed(definitions.filter(wasCreated(created)), deps);
    deps.log.info({ created }, 'installed what was missing');
  }
  return { created, present, refused, unserved };
}

async function outcomeOf(install: () => Promise<boolean>): Promise<keyof Installed> {
  try {
    return (await install()) ? 'created' : 'present';
  } catch (error) {
    if (isAlreadyExists(error)) return 'present';
    if (isForbidden(error)) return 'refused';
    if (isNoMatch(error)) return 'unserved';
    throw error;
  }
}

async function installDefinition(definition: KubeObject, deps: InstallDeps): Promise<boolean> {
  const { cluster, clock, log, signal } = deps;
  const client = new CRDClient({ cluster, clock, logger: log, fieldManager: FIELD_MANAGER });
  const maxElapsed = { ms: ESTABLISH_LIMIT_MS, clock };
  const backOff = exponentialBackOff({ random: () => 0, initialMs: STEP_MS, randomizationFactor: 0, capMs: LONGEST_STEP_MS, maxElapsed });
  const found = await read(definition, deps);
  if (found === undefined) return client.ensureCreated(definition, backOff, signal);
  if (deps.renews) await renew(definition, found, deps);
  await client.untilEstablished(definition, backOff, signal);
  return false;
}

async function installOne(object: KubeObject, deps: InstallDeps): Promise<boolean> {
  if ((await read(object, deps)) !== undefined) return false;
  await deps.cluster.create(object, { fieldManager: FIELD_MANAGER, ...(deps.signal ? { signal: deps.signal } : {}) });
  return true;
}

async function renew(object: KubeObject, found: KubeObject, { cluster, log, signal }: InstallDeps): Promise<void> {
  if (findDroppedFields(object, found).length === 0) return;
  await cluster.update(
    { ...object, metadata: { ...found.metadata, ...object.metadata } },
    { fieldManager: FIELD_MANAGER, ...(signal ? { signal } : {}) },
  );
  log.info({ definition: object.metadata.name }, 'replaced a definition of an earlier version');
}

async function read(object: KubeObject, { cluster, signal }: InstallDeps): Promise<KubeObject | undefined> {
  return ignoreNotFound(cluster.get(toAddress(object), signal ? { signal } : {}));
}

const nameOf = ({ kind, metadata }: KubeObject) => describeObject({ kind, name: metadata.name });
const wasCreated = (created: readonly string[]) => (object: KubeObject) => created.includes(nameOf(object));

/** Waits until discovery lists every served version of new definitions, which it does a moment after they are established. */
async function untilListed(definitions: readonly KubeObject[], { cluster, clock, signal }: InstallDeps): Promise<void> {
  const end = clock.now() + ESTABLISH_LIMIT_MS;
  for (;;) {
    cluster.discovery.invalidate();
    const listed = new Set((await cluster.discovery.all(signal)).map(({ group, version, kind }) => `${kind}.${version}.${group}`));
    const missing = definitions.flatMap(servedKinds).filter((kind) => !listed.has(kind));
    if (missing.length === 0) return;
    if (clock.now() > end) throw new Error(`the cluster did not list ${missing.join(', ')} within 30 s`);
    await clock.sleep(STEP_MS, signal);
  }
}

function servedKinds(definition: KubeObject): readonly string[] {
  const group = readString(definition, 'spec', 'group') ?? '';
  const kind = readString(definition, 'spec', 'names', 'kind') ?? '';
  return readList(definition, 'spec', 'versions').flatMap((version) =>
    readField(version, 'served') === true ? [`${kind}.${readString(version, 'name') ?? ''}.${group}`] : [],
  );
}
