import { getCondition } from '@/lib/kube/condition';
import { readField, readList, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject, toAddress } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import { isAlreadyExists, isForbidden, isNoMatch, isNotFound } from '@/server/kube';
import type { Clock, Log } from '@/server/platform';
import { compareDefinitions } from './definitions/compare';

const FIELD_MANAGER = 'slipway.dev/installation';
const ESTABLISH_LIMIT_MS = 30_000;
const ESTABLISH_STEP_MS = 50;

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
  for (const object of objects) outcomes[await installOne(object, deps)].push(nameOf(object));
  const definitions = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
  for (const definition of definitions) await untilEstablished(definition, deps);
  if (created.length > 0) {
    await untilListed(definitions.filter(wasCreated(created)), deps);
    deps.log.info({ created }, 'installed what was missing');
  }
  return { created, present, refused, unserved };
}

async function installOne(object: KubeObject, deps: InstallDeps): Promise<keyof Installed> {
  try {
    const found = await read(object, deps);
    if (found !== undefined) {
      if (deps.renews) await renew(object, found, deps);
      return 'present';
    }
    await deps.cluster.create(object, { fieldManager: FIELD_MANAGER, ...(deps.signal ? { signal: deps.signal } : {}) });
    return 'created';
  } catch (error) {
    if (isAlreadyExists(error)) return 'present';
    if (isForbidden(error)) return 'refused';
    if (isNoMatch(error)) return 'unserved';
    throw error;
  }
}

async function renew(object: KubeObject, found: KubeObject, { cluster, log, signal }: InstallDeps): Promise<void> {
  if (object.kind !== 'CustomResourceDefinition' || compareDefinitions(object, found).length === 0) return;
  await cluster.update({ ...object, metadata: { ...found.metadata, ...object.metadata } }, { fieldManager: FIELD_MANAGER, ...(signal ? { signal } : {}) });
  log.info({ definition: object.metadata.name }, 'replaced a definition of an earlier version');
}

async function read(object: KubeObject, { cluster, signal }: InstallDeps): Promise<KubeObject | undefined> {
  try {
    return await cluster.get(toAddress(object), signal ? { signal } : {});
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

const nameOf = (object: KubeObject) => describeObject({ kind: object.kind, name: object.metadata.name });
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
    await clock.sleep(ESTABLISH_STEP_MS, signal);
  }
}

function servedKinds(definition: KubeObject): readonly string[] {
  const group = readString(definition, 'spec', 'group') ?? '';
  const kind = readString(definition, 'spec', 'names', 'kind') ?? '';
  return readList(definition, 'spec', 'versions').flatMap((version) =>
    readField(version, 'served') === true ? [`${kind}.${readString(version, 'name') ?? ''}.${group}`] : [],
  );
}

async function untilEstablished(definition: KubeObject, deps: InstallDeps): Promise<void> {
  const end = deps.clock.now() + ESTABLISH_LIMIT_MS;
  for (;;) {
    const found = await deps.cluster.get(toAddress(definition), deps.signal ? { signal: deps.signal } : {}).catch((error: unknown) => {
      if (isNotFound(error) || isForbidden(error)) return undefined;
      throw error;
    });
    if (found === undefined || getCondition(found, 'Established')?.status === 'True') return;
    if (deps.clock.now() > end) throw new Error(`CustomResourceDefinition ${definition.metadata.name} was not established within 30 s`);
    await deps.clock.sleep(ESTABLISH_STEP_MS, deps.signal);
  }
}
