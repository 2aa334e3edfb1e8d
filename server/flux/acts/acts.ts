import type { FluxKindName, FluxVerb } from '@/lib/contract/flux-kind';
import { FLUX_VERBS } from '@/lib/contract/flux-kind';
import type { FluxAct } from '@/lib/contract/flux-rows';
import { readNumber } from '@/lib/kube/fields';
import { FLUX_REQUEST_ANNOTATIONS } from '@/lib/kube/flux-kinds';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject } from '@/lib/kube/object';
import type { PatchBody } from '@/server/kube';
import { isAddressOnly } from '../describe/describe-source';
import { isSuspended } from '../describe/state';

/** The acts that Flux has on a kind. Only releases have failures to forget, and an upgrade to force. */
export function verbsOf(kind: FluxKindName): readonly FluxVerb[] {
  return kind === 'helmrelease-v2' ? FLUX_VERBS : FLUX_VERBS.filter((verb) => verb !== 'force' && verb !== 'reset');
}

/** What a person may ask of Flux about an object now, and what comes of each. */
export function actsOn(object: KubeObject, kind: FluxKindName): FluxAct[] {
  return verbsOf(kind).map((verb) => ({ verb, why: idleReason(object, verb), consequences: [...consequencesOf(object, kind, verb)] }));
}

/** Why Flux would do nothing about an act; null where it would. */
export function idleReason(object: KubeObject, verb: FluxVerb): string | null {
  const what = describeObject({ kind: object.kind, ...object.metadata });
  if (object.metadata.deletionTimestamp !== undefined) return `${what} is being deleted`;
  if (isAddressOnly(object)) return `${what} of type oci is only an address: Flux does not fetch it`;
  if (verb === 'suspend') return isSuspended(object) ? `${what} is suspended already` : null;
  if (verb === 'resume') return isSuspended(object) ? null : `${what} is not suspended`;
  return isSuspended(object) ? `Flux leaves ${what} alone while it is suspended; resume it first` : null;
}

function* consequencesOf(object: KubeObject, kind: FluxKindName, verb: FluxVerb): Iterable<string> {
  const isRelease = kind === 'helmrelease-v2';
  switch (verb) {
    case 'reconcile':
      yield isRelease
        ? 'Flux reconciles the release now instead of at its next interval, and installs or upgrades it if it differs from its resource.'
        : 'Flux fetches it now instead of at its next interval; whatever depends on it follows once there is a new artifact.';
      break;
    case 'force':
      yield 'Flux has Helm install or upgrade the release once, whether anything differs or not; hooks of the chart run again.';
      yield 'This adds an upgrade to the history, even if Flux has stopped retrying after failures.';
      break;
    case 'reset':
      yield `Flux resets ${failuresOf(object)}, reconciles the release now, and retries as its resource says.`;
      break;
    case 'suspend':
      yield `spec.suspend becomes true: from then on Flux leaves the ${isRelease ? 'release' : 'source'} as it is. What is running finishes first.`;
      yield isRelease ? 'While suspended, deleting the resource uninstalls nothing.' : 'Releases continue with the current artifact.';
      break;
    case 'resume':
      yield 'spec.suspend becomes false, and Flux reconciles it at once.';
      break;
  }
  yield 'It is written with your permissions. Slipway itself never writes to Flux objects.';
  if (verb === 'suspend' || verb === 'resume')
    yield 'If the resource is in git with another value, whatever applies it from there reverts this.';
}

function failuresOf(object: KubeObject): string {
  const [all, install, upgrade] = ['failures', 'installFailures', 'upgradeFailures'].map((name) => readNumber(object, 'status', name) ?? 0);
  return `its failure counts (${all} in total, ${install} on install, ${upgrade} on upgrade)`;
}

/**
 * What is written for an act. Annotations carry one token: by it the controller tells what it has taken up. A suspension is written only onto
 * the spec that was seen; the uid keeps either from another object of the name.
 */
export function toPatch(
  verb: FluxVerb,
  { uid, generation, token }: { readonly uid: string; readonly generation: number; readonly token: string },
): PatchBody {
  if (verb === 'suspend' || verb === 'resume') {
    const body = [
      { op: 'test', path: '/metadata/uid', value: uid },
      { op: 'test', path: '/metadata/generation', value: generation },
      { op: 'add', path: '/spec/suspend', value: verb === 'suspend' },
    ];
    return { type: 'json', body };
  }
  const more = verb === 'reconcile' ? {} : { [verb === 'force' ? FLUX_REQUEST_ANNOTATIONS.force : FLUX_REQUEST_ANNOTATIONS.reset]: token };
  return { type: 'merge', body: { metadata: { uid, annotations: { [FLUX_REQUEST_ANNOTATIONS.requested]: token, ...more } } } };
}
