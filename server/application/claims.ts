import type { KubeObject } from '@/lib/kube/object';
import { controllerOf, describeObject } from '@/lib/kube/object';
import type { CacheReader, KubeClient, ResourceTracker } from '@/server/dispatch';
import { isTrackerOwner, LABEL } from '@/server/dispatch';
import { isNoMatch } from '@/server/kube';
import type { ParsedApplication } from './model';
import { isAbout } from './policies';

export interface ClaimDeps {
  readonly cache: CacheReader;
  readonly trackerNamed: (name: string) => ResourceTracker | undefined;
  /** The application's own trackers. */
  readonly trackers: readonly ResourceTracker[];
  readonly discovery: KubeClient['discovery'];
  readonly signal: AbortSignal;
}

/** Why a manifest may not be applied since another application has the object; undefined when all are free. Nothing is written. */
export async function findForeignClaim(application: ParsedApplication, manifests: readonly KubeObject[], deps: ClaimDeps): Promise<string | undefined> {
  const own = `${application.namespace}/${application.name}`;
  for (const manifest of manifests) {
    const { name = '', namespace } = manifest.metadata;
    const namespaced = await isNamespaced(manifest, deps);
    if (namespaced === undefined) continue;
    const live = deps.cache.read({ apiVersion: manifest.apiVersion, kind: manifest.kind, name, ...(namespaced && namespace ? { namespace } : {}) });
    if (live === undefined || isAbout(application.policies.readOnly, manifest)) continue;
    const owner = applicationOf(live, deps);
    if (owner === own) continue;
    const what = describeObject({ kind: manifest.kind, name, namespace: namespaced ? namespace : undefined });
    if (owner === undefined) {
      if (isOurs(live, application, deps) || isAbout(application.policies.takeOver, manifest)) continue;
      return `${what} exists and belongs to no application, so application ${own} leaves it alone; select it in a take-over policy to adopt it, or in a read-only policy to use it as it is; nothing was changed`;
    }
    return `${what} belongs to application ${owner}, and application ${own} wants it too; rename it in one of them; nothing was changed`;
  }
  return undefined;
}

/** Undefined for a kind that is not served: then nobody has an object of it, and whether it can be applied shows in its turn. */
async function isNamespaced(manifest: KubeObject, { discovery, signal }: ClaimDeps): Promise<boolean | undefined> {
  try {
    return (await discovery.resolve(manifest, signal)).namespaced;
  } catch (error) {
    if (isNoMatch(error)) return undefined;
    throw error;
  }
}

/** True for an object that carries the application's name, or that one of its trackers lists by uid. */
function isOurs({ metadata: { labels = {}, uid } }: KubeObject, { name, namespace }: ParsedApplication, { trackers }: ClaimDeps): boolean {
  if (labels[LABEL.appName] === name && labels[LABEL.appNamespace] === namespace) return true;
  return trackers.some(({ entries }) => entries.some((entry) => entry.uid !== undefined && entry.uid === uid));
}

/** The application whose tracker controls an object. */
function applicationOf(live: KubeObject, { trackerNamed }: ClaimDeps): string | undefined {
  const controller = controllerOf(live);
  if (controller === undefined || !isTrackerOwner(controller)) return undefined;
  const labels = trackerNamed(controller.name)?.labels ?? live.metadata.labels ?? {};
  const name = labels[LABEL.appName];
  const namespace = labels[LABEL.appNamespace] ?? labels[LABEL.appNamespaceMisspelt];
  return name === undefined || namespace === undefined ? undefined : `${namespace}/${name}`;
}
