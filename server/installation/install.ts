import { getCondition } from '@/lib/kube/condition';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject, toAddress } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import { isAlreadyExists, isForbidden, isNoMatch, isNotFound } from '@/server/kube';
import type { Clock, Log } from '@/server/platform';

const ESTABLISH_LIMIT_MS = 30_000;
const ESTABLISH_STEP_MS = 50;

interface InstallDeps {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal?: AbortSignal;
}

/** What an installation came to, object by object: made now, there before (and left as it is), or not ours to make, or of a kind that is not served. */
export interface Installed {
  readonly created: readonly string[];
  readonly present: readonly string[];
  readonly refused: readonly string[];
  readonly unserved: readonly string[];
}

/** Creates what is missing and waits until definitions serve. What exists is never changed, whoever made it. */
export async function installMissing(objects: readonly KubeObject[], deps: InstallDeps): Promise<Installed> {
  const created: string[] = [];
  const present: string[] = [];
  const refused: string[] = [];
  const unserved: string[] = [];
  const outcomes = { created, present, refused, unserved };
  for (const object of objects) outcomes[await installOne(object, deps)].push(describeObject({ kind: object.kind, name: object.metadata.name }));
  for (const object of objects) if (object.kind === 'CustomResourceDefinition') await untilEstablished(object, deps);
  if (created.length > 0) {
    deps.cluster.discovery.invalidate();
    deps.log.info({ created }, 'installed what was missing');
  }
  return { created, present, refused, unserved };
}

async function installOne(object: KubeObject, deps: InstallDeps): Promise<keyof Installed> {
  try {
    if (await exists(object, deps)) return 'present';
    await deps.cluster.create(object, { fieldManager: 'slipway.dev/installation', ...(deps.signal ? { signal: deps.signal } : {}) });
    return 'created';
  } catch (error) {
    if (isAlreadyExists(error)) return 'present';
    if (isForbidden(error)) return 'refused';
    if (isNoMatch(error)) return 'unserved';
    throw error;
  }
}

async function exists(object: KubeObject, { cluster, signal }: InstallDeps): Promise<boolean> {
  try {
    await cluster.get(toAddress(object), signal ? { signal } : {});
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

async function untilEstablished(definition: KubeObject, deps: InstallDeps): Promise<void> {
  const end = deps.clock.now() + ESTABLISH_LIMIT_MS;
  for (;;) {
    const found = await deps.cluster.get(toAddress(definition)).catch((error: unknown) => {
      if (isNotFound(error) || isForbidden(error)) return undefined;
      throw error;
    });
    if (found === undefined || getCondition(found, 'Established')?.status === 'True') return;
    if (deps.clock.now() > end) throw new Error(`CustomResourceDefinition ${definition.metadata.name} was not established within 30 s`);
    await deps.clock.sleep(ESTABLISH_STEP_MS, deps.signal);
  }
}
