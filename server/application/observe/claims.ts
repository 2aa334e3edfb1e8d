import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { controllerOf, describeObject } from '@/lib/kube/object';
import type { CacheReader, KubeClient, ResourceTracker } from '@/server/dispatch';
import { isTrackerOwner, LABEL } from '@/server/dispatch';
import { getServed, isNoMatch, toKindRef } from '@/server/kube';
import type { ParsedApplication } from '../spec/model';
import { isAbout } from '../spec/policies';

/** Who has what: every tracker by name, and the application's own. */
export interface Claims {
  readonly trackerNamed: (name: string) => Pick<ResourceTracker, 'labels'> | undefined;
  readonly trackers: readonly Pick<ResourceTracker, 'entries'>[];
  /** The application, of all, whose record lists an object of this uid. */
  readonly recordedBy: (uid: string) => string | undefined;
}

export interface ClaimDeps extends Claims {
  readonly cache: CacheReader;
  readonly client: Pick<KubeClient, 'discovery' | 'get'>;
  readonly signal: AbortSignal;
  /** Lets others have their turn, where it is time. */
  readonly yieldToEventLoop: () => Promise<void> | undefined;
}

/** Why a manifest may not be applied since another application has the object; undefined when all are free. Nothing is written. */
export async function findForeignClaim(
  application: ParsedApplication,
  manifests: readonly KubeObject[],
  deps: ClaimDeps,
): Promise<string | undefined> {
  for (const manifest of manifests) {
    await deps.yieldToEventLoop();
    const { name = '', namespace } = manifest.metadata;
    const namespaced = await isNamespaced(manifest, deps);
    if (namespaced === undefined) continue;
    const at = { apiVersion: manifest.apiVersion, kind: manifest.kind, name, ...(namespaced && namespace ? { namespace } : {}) };
    const live = await readExistingIds(at, deps);
    const claim = live && explainClaim(application, manifest, live, deps);
    if (claim !== undefined) return `${claim}; nothing was changed`;
  }
  return undefined;
}

/** Why an application may not write an object that is there; undefined when it may. */
export function explainClaim(application: ParsedApplication, manifest: KubeObject, live: KubeObject, claims: Claims): string | undefined {
  if (isAbout(application.policies.readOnly, manifest)) return undefined;
  const own = `${application.namespace}/${application.name}`;
  const owner = applicationOf(live, claims) ?? recorderOf(live, claims, own);
  if (owner === own) return undefined;
  const { name, namespace } = live.metadata;
  const what = describeObject({ kind: manifest.kind, name, namespace });
  if (owner !== undefined) return `${what} belongs to application ${owner}, and application ${own} needs it too; rename it in one of them`;
  if (isOurs(live, application) || isAbout(application.policies.takeOver, manifest)) return undefined;
  return `${what} exists and belongs to no application, so application ${own} leaves it alone; select it in a take-over policy to adopt it, or in a read-only policy to use it as it is`;
}

/** A kind that cannot be listed is no free kind: what the copies do not know, the server is asked. */
async function readExistingIds(at: ObjectAddress, { cache, client, signal }: ClaimDeps): Promise<KubeObject | undefined> {
  const known = cache.read(at);
  if (known !== undefined || cache.lacks?.(at)) return known;
  return getServed(client, at, { signal });
}

/** Undefined for a kind that is served at no version: then nobody has an object of it, and whether it can be applied shows in its turn. */
async function isNamespaced(manifest: KubeObject, { client, signal }: ClaimDeps): Promise<boolean | undefined> {
  try {
    return (await client.discovery.resolveKind(toKindRef(manifest), signal)).namespaced;
  } catch (error) {
    if (isNoMatch(error)) return undefined;
    throw error;
  }
}

/** True for an object that carries the application's name. */
function isOurs({ metadata: { labels = {} } }: KubeObject, { name, namespace }: ParsedApplication): boolean {
  return labels[LABEL.appName] === name && labels[LABEL.appNamespace] === namespace;
}

/** The application that has an object on record which nothing on the object tells of: whoever may write it took the owner off, or put another name on. */
function recorderOf({ metadata: { uid } }: KubeObject, { trackers, recordedBy }: Claims, own: string): string | undefined {
  if (uid === undefined) return undefined;
  return trackers.some(({ entries }) => entries.some((entry) => entry.uid === uid)) ? own : recordedBy(uid);
}

/** The application whose tracker controls an object. */
function applicationOf(live: KubeObject, { trackerNamed }: Claims): string | undefined {
  const controller = controllerOf(live);
  if (controller === undefined || !isTrackerOwner(controller)) return undefined;
  const labels = trackerNamed(controller.name)?.labels ?? live.metadata.labels ?? {};
  const name = labels[LABEL.appName];
  const namespace = labels[LABEL.appNamespace] ?? labels[LABEL.appNamespaceMisspelt];
  return name === undefined || namespace === undefined ? undefined : `${namespace}/${name}`;
}
