import { releaseKindOf } from '@/lib/contract/release-kind';
import { readString } from '@/lib/kube/fields';
import { describeResource } from '@/lib/kube/kinds';
import type { DeclaredRelease } from '../model/declared';
import type { ResourcePort } from '../ports';

/** Why a resource may not have the release that it names: another one declared it first. Undefined where it may. */
export async function refusalOf(resource: DeclaredRelease, resources: Pick<ResourcePort, 'claimants'>): Promise<string | undefined> {
  const first = releaseOwnerOf(resource, await resources.claimants(resource.release));
  return first && `release ${resource.release.name} in ${resource.release.namespace} is declared by ${describeResource(first.at)}`;
}

/** Of those that name the same release, the resource that has it; undefined where this one does. */
export function releaseOwnerOf(resource: DeclaredRelease, claimants: readonly DeclaredRelease[]): DeclaredRelease | undefined {
  const others = claimants.filter(({ at }) => !isSame(at, resource.at));
  if (isGone(resource, claimants)) return others.find(({ isTerminating }) => !isTerminating);
  return others.find((other) => precedes(other, resource));
}

/** Who has the release once a resource is deleted, so that Helm does not uninstall it; undefined where nobody else declares it. */
export function nextOwnerOf({ at }: DeclaredRelease, claimants: readonly DeclaredRelease[]): DeclaredRelease | undefined {
  return claimants.find((other) => !isSame(other.at, at) && !other.isTerminating);
}

/** Of a resource that is deleted anyone that stays holds the release. */
function isGone(resource: DeclaredRelease, claimants: readonly DeclaredRelease[]): boolean {
  return resource.isTerminating || !claimants.some(({ at }) => isSame(at, resource.at));
}

/**
 * Whoever was created first. Objects of the older group come last while nothing was attempted for them: they may be what was left behind
 * when their releases moved on.
 */
function precedes(left: DeclaredRelease, right: DeclaredRelease): boolean {
  if (isUntried(left) !== isUntried(right)) return isUntried(right);
  if (left.created !== right.created) return left.created < right.created;
  const [a, b] = [left, right].map(({ at, key }) => `${at.kind}/${key}/${at.apiVersion}`);
  return (a ?? '') < (b ?? '');
}

function isUntried(resource: DeclaredRelease): boolean {
  return releaseKindOf(resource.at) === 'helmrelease-v1beta1' && readString(resource.status, 'lastAttemptedRevision') === undefined;
}

function isSame(left: DeclaredRelease['at'], right: DeclaredRelease['at']): boolean {
  return left.kind === right.kind && left.namespace === right.namespace && left.name === right.name && left.apiVersion === right.apiVersion;
}
