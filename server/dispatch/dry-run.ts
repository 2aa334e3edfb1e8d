import { messageOf } from '@/lib/contract/app-error';
import type { Fields } from '@/lib/kube/fields';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { describeObject } from '@/lib/kube/object';
import { inParallel } from '@/lib/std/in-parallel';
import { formatCount } from '@/lib/words/figures';
import { getApiStatus, isBadRequest, isNoMatch, isNotFound } from '@/server/kube';
import { foldStringData, isSecret } from './apply/last-applied';
import { mergeRulesOf } from './apply/merge-rules';
import { DispatchError } from './dispatch-error';
import { withDispatchFieldManager } from './field-manager';
import type { KubeClient } from './kube-client';
import type { OwnPrerequisites } from './prerequisites';
import { needsPrerequisite, readOwnPrerequisites } from './prerequisites';

/** A write as it is predicted: the manifest, where it lives, the object there, and the fields that differ. */
export interface PredictedWrite {
  readonly manifest: KubeObject;
  readonly at: ObjectAddress;
  readonly live: KubeObject | undefined;
  readonly fields: Fields;
}

/** What the API server says of a predicted write: it would take it, it would not, or it cannot tell. */
export type DryRunResult =
  | { readonly kind: 'taken'; readonly object: KubeObject }
  | { readonly kind: 'refused' | 'undetermined'; readonly error: unknown };

/** Sends predicted writes as dry runs, and answers for each in turn. */
export async function dryRunWrites(
  client: KubeClient,
  writes: readonly PredictedWrite[],
  { manifests, concurrency }: { readonly manifests: readonly KubeObject[]; readonly concurrency: number },
): Promise<readonly DryRunResult[]> {
  const prerequisites = readOwnPrerequisites(manifests);
  const trials: DryRunResult[] = [];
  const writer = withDispatchFieldManager(client);
  await inParallel([...writes.entries()], concurrency, async ([index, { manifest, at, live, fields }]) => {
    const type = mergeRulesOf(manifest) === undefined ? 'merge' : 'strategic';
    try {
      const plain = isSecret(manifest) ? foldStringData(manifest) : manifest;
      const object = await (live === undefined
        ? writer.create(plain, { dryRun: true })
        : writer.patch(at, { type, body: fields }, { dryRun: true }));
      trials[index] = { kind: 'taken', object };
    } catch (error) {
      trials[index] = { kind: cannotTell(error, manifest, prerequisites) ? 'undetermined' : 'refused', error };
    }
  });
  return trials;
}

interface DryRunOptions {
  readonly prerequisites: OwnPrerequisites;
  readonly concurrency: number;
  readonly isNamespaced: (manifest: KubeObject) => Promise<boolean>;
  /** Applies one manifest without writing it. */
  readonly dryRun: (manifest: KubeObject) => Promise<unknown>;
}

const MAX_NAMED = 10;

/** Applies every manifest as a dry run before any is applied; all refusals come in one sentence. */
export async function dryRunAll(
  manifests: readonly KubeObject[],
  { prerequisites, concurrency, isNamespaced, dryRun }: DryRunOptions,
): Promise<void> {
  const refusals: (string | undefined)[] = [];
  await inParallel([...manifests.entries()], concurrency, async ([at, manifest]) => {
    try {
      await dryRun(manifest);
    } catch (error) {
      if (cannotTell(error, manifest, prerequisites)) return;
      const { kind, metadata } = manifest;
      // A kind that cannot even be asked about is told of with the namespace that its manifest states.
      const namespaced = await isNamespaced(manifest).catch(() => true);
      refusals[at] =
        `${describeObject({ kind, name: metadata.name, namespace: namespaced ? metadata.namespace : undefined })}: ${messageOf(error)}`;
    }
  });
  const all = refusals.filter((refusal) => refusal !== undefined);
  if (all.length === 0) return;
  const more = all.length > MAX_NAMED ? `; and ${all.length - MAX_NAMED} more` : '';
  const sentence = `nothing was applied, since ${all.length} of ${formatCount(manifests.length, 'object')} would be refused: ${all.slice(0, MAX_NAMED).join('; ')}${more}`;
  throw new DispatchError(sentence, { stage: 'apply' });
}

/** True when the refusal only says that the object stands on something that comes first, or that its webhook takes no dry run. */
function cannotTell(error: unknown, manifest: KubeObject, prerequisites: OwnPrerequisites): boolean {
  const cause = rootOf(error);
  if (isNoMatch(cause) || isNotFound(cause)) return needsPrerequisite(prerequisites, manifest) || manifest.kind.endsWith('RoleBinding');
  return isBadRequest(cause) && /dry.?run/i.test(messageOf(cause));
}

function rootOf(error: unknown): unknown {
  let at = error;
  while (at instanceof Error && at.cause !== undefined && !isNoMatch(at) && getApiStatus(at) === undefined) at = at.cause;
  return at;
}
