import type { KubeObject } from '@/lib/kube/object';
import { groupOf } from '@/lib/kube/object';
import type { Observation } from '../observe/observe';
import { render } from '../render/render';
import type { Revision } from '../revision';
import { snapshotOf } from '../revision';
import type { ParsedApplication, Rendered } from '../spec/model';

/** The stable revision as far as a rejected one has changed it: objects that both have. */
export interface RestorePlan {
  readonly revision: { readonly name: string; readonly number: number; readonly hash: string; readonly stored: Revision };
  readonly rendered: Rendered;
}

/**
 * What goes back to the stable revision once the one that followed it is rejected: what both share and only one of them can have its way
 * with. Workloads that the rollout moves carry the revision in their name, so they are never among it. Undefined without a stable revision.
 */
export function planRestore(
  application: ParsedApplication,
  { rejected, stable }: { readonly rejected: Rendered; readonly stable: string | undefined },
  seen: Observation,
): RestorePlan | undefined {
  const stored = seen.revisions.find(({ name }) => name === stable);
  if (stored === undefined) return undefined;
  const taken = new Set(rejected.manifests.map((manifest) => identityOf(manifest, application)));
  const rendered = render(snapshotOf(stored, seen.object), stored.name, { revisionHash: stored.hash });
  const manifests = rendered.manifests.filter((manifest) => taken.has(identityOf(manifest, application)));
  if (manifests.length === 0) return undefined;
  return { revision: { name: stored.name, number: stored.number, hash: stored.hash, stored }, rendered: { ...rendered, manifests } };
}

function identityOf({ apiVersion, kind, metadata }: KubeObject, { namespace }: ParsedApplication): string {
  return `${groupOf(apiVersion)}/${kind}/${metadata.namespace ?? namespace}/${metadata.name}`;
}
