import { messageOf } from '@/lib/contract/app-error';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject } from '@/lib/kube/object';
import { inParallel } from '@/lib/std/in-parallel';
import { getApiStatus, isBadRequest, isNoMatch, isNotFound } from '@/server/kube';
import { DispatchError } from './dispatch-error';
import type { BroughtGround } from './ground';
import { standsOn } from './ground';

interface Rehearsal {
  readonly ground: BroughtGround;
  readonly concurrency: number;
  readonly isNamespaced: (manifest: KubeObject) => Promise<boolean>;
  /** Applies one manifest without writing it. */
  readonly tryOut: (manifest: KubeObject) => Promise<unknown>;
}

const MOST_NAMED = 10;

/** Tries every manifest out before any is applied; all refusals come in one sentence. */
export async function rehearse(manifests: readonly KubeObject[], { ground, concurrency, isNamespaced, tryOut }: Rehearsal): Promise<void> {
  const refusals: (string | undefined)[] = [];
  await inParallel([...manifests.entries()], concurrency, async ([at, manifest]) => {
    try {
      await tryOut(manifest);
    } catch (error) {
      if (cannotTell(error, manifest, ground)) return;
      const { kind, metadata } = manifest;
      // A kind that cannot even be asked about is told of with the namespace that its manifest states.
      const namespaced = await isNamespaced(manifest).catch(() => true);
      refusals[at] = `${describeObject({ kind, name: metadata.name, namespace: namespaced ? metadata.namespace : undefined })}: ${messageOf(error)}`;
    }
  });
  const all = refusals.filter((refusal) => refusal !== undefined);
  if (all.length === 0) return;
  const more = all.length > MOST_NAMED ? `; and ${all.length - MOST_NAMED} more` : '';
  const sentence = `nothing was applied, since ${all.length} of ${manifests.length} objects would be refused: ${all.slice(0, MOST_NAMED).join('; ')}${more}`;
  throw new DispatchError(sentence, { stage: 'apply' });
}

/** True when the refusal only says that the object stands on something that comes first, or that its webhook takes no dry run. */
function cannotTell(error: unknown, manifest: KubeObject, ground: BroughtGround): boolean {
  const cause = rootOf(error);
  if (isNoMatch(cause) || isNotFound(cause)) return standsOn(ground, manifest) || manifest.kind.endsWith('RoleBinding');
  return isBadRequest(cause) && /dry.?run/i.test(messageOf(cause));
}

function rootOf(error: unknown): unknown {
  let at = error;
  while (at instanceof Error && at.cause !== undefined && !isNoMatch(at) && getApiStatus(at) === undefined) at = at.cause;
  return at;
}
