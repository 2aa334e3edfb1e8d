import type { KubeObject } from '@/lib/kube/object';
import { inParallel } from '@/lib/std/in-parallel';
import type { Applied } from '../apply/apply';
import { apply } from '../apply/apply';
import { desiredOf } from '../apply/desired';
import { readExisting } from '../apply/read-existing';
import { DispatchError } from '../dispatch-error';
import { dryRunAll } from '../dry-run';
import type { KubeClient } from '../kube-client';
import { resolveAddress } from '../kube-client';
import { mustBeControllableByAny } from '../owners';
import { assertServed, isPlacedInNamespace, isPrerequisite, readOwnPrerequisites } from '../prerequisites';
import type { ResourceTracker } from '../tracker/record';
import type { DispatchContext } from './dispatch-context';

/** What the server answered for a manifest. */
export type Answer = Applied & { readonly manifest: KubeObject };

interface Application extends DispatchContext {
  /** What objects are written through. */
  readonly writer: KubeClient;
  readonly current: ResourceTracker;
  /** Trackers whose objects may be taken over, by uid. */
  readonly accepted: readonly string[];
}

/** Applies the manifests under their tracker and answers what the server said, in their order; the first failure ends it. */
export async function applyManifests(manifests: readonly KubeObject[], how: Application): Promise<readonly Answer[]> {
  const { client, options, current, signal } = how;
  const { writing, tools } = options;
  const answers: Answer[] = [];
  const concurrency = Math.max(1, writing.concurrency ?? 1);
  const all = [...manifests.entries()];
  // One after another the list's own order holds; at once, what others live in or are instances of comes first.
  const waves =
    concurrency === 1 && !writing.awaitPrerequisites
      ? [all]
      : [all.filter(([, one]) => isPrerequisite(one)), all.filter(([, one]) => !isPrerequisite(one))];
  for (const wave of waves) {
    await inParallel(wave, concurrency, async ([at, listed]) => {
      await tools.yieldToEventLoop?.();
      const manifest = structuredClone(listed);
      const applied = await applyOrExplain(manifest, how);
      answers[at] = { ...applied, manifest };
      if (applied.verb !== 'unchanged') writing.onWritten?.({ manifest, tracker: current, before: applied.before, after: applied.object });
    });
    const prerequisites = wave.flatMap(([at, manifest]) => (isPrerequisite(manifest) ? (answers[at]?.object ?? []) : []));
    if (writing.awaitPrerequisites) await assertServed(client, prerequisites, signal);
  }
  return answers;
}

/** Tries the manifests out without effect, so that a set that cannot be applied whole changes nothing. */
export function dryRunManifests(manifests: readonly KubeObject[], how: Application): Promise<void> {
  const { client, options, signal } = how;
  const prerequisites = readOwnPrerequisites(manifests);
  return dryRunAll(manifests, {
    prerequisites,
    isNamespaced: (manifest) => isPlacedInNamespace(client, manifest, prerequisites, signal),
    concurrency: Math.max(1, options.writing.concurrency ?? 1),
    dryRun: async (manifest) => {
      await options.tools.yieldToEventLoop?.();
      return applyOne(structuredClone(manifest), how, true);
    },
  });
}

async function applyOrExplain(manifest: KubeObject, how: Application): Promise<Applied> {
  try {
    return await applyOne(manifest, how);
  } catch (cause) {
    const { apiVersion = '', kind = '', metadata } = manifest;
    throw new DispatchError(`cannot apply manifest, name: "${metadata.name ?? ''}" apiVersion: "${apiVersion}" kind: "${kind}"`, {
      stage: 'apply',
      cause,
    });
  }
}

async function applyOne(
  manifest: KubeObject,
  { client, writer, options, current, accepted, signal }: Application,
  dryRun = false,
): Promise<Applied> {
  const { merge, writing, tools } = options;
  const policy = writing.policyOf?.(manifest) ?? {};
  if (policy.readOnly) return readExisting(client, manifest, { cache: tools.cache, signal });
  const left = writing.isLeftForNow?.(manifest) ? tools.cache?.read(await resolveAddress(client, manifest, signal)) : undefined;
  if (left !== undefined) return { verb: 'unchanged', object: left };
  const { desired, ...wanted } = desiredOf(manifest, { tracker: current, policy, options: merge });
  return apply(writer, desired, {
    check: (existing) => mustBeControllableByAny(existing, accepted) ?? (existing && writing.mayTouch?.(existing, manifest)),
    skipUnchanged: writing.skipUnchanged ?? false,
    cache: tools.cache,
    secretKey: writing.secretKey,
    onCreate: writing.onCreate,
    dryRun,
    ...wanted,
    signal,
  });
}
