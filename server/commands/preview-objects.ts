import type { ChangeRow } from '@/lib/contract/change-rows';
import { isFields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import { inParallel } from '@/lib/std/in-parallel';
import type { RenderPreview } from '@/server/application';
import { explainClaim } from '@/server/application';
import type { LiveState, ResourceTracker } from '@/server/dispatch';
import { apply } from '@/server/dispatch';
import type { Cluster } from '@/server/kube';
import { isBadRequest, isForbidden, isNoMatch, isNotFound } from '@/server/kube';
import { readStates, rowOf, stateOf } from './live-states';
import { diffObjects, laidOver } from './object-diff';
import { toAppError } from './refusal';

const AT_ONCE = 16;
/** Differences are shown for so many objects; beyond, the verdict alone is told. */
const MOST_DIFFS = 300;
/** Kinds that others in the same set may stand on: without them a try tells nothing. */
const GROUND: readonly string[] = ['Namespace', 'CustomResourceDefinition'];

interface Tried {
  readonly cluster: Cluster;
  readonly preview: RenderPreview;
  readonly trackers: readonly ResourceTracker[];
  readonly states: ReadonlyMap<string, LiveState>;
}

type Outcome = Pick<ChangeRow, 'verdict' | 'why' | 'diff'>;

/** What becomes of each rendered object: read, then tried out on the API server as the person. Nothing is written. */
export async function previewObjects(cluster: Cluster, preview: RenderPreview, trackers: readonly ResourceTracker[]): Promise<readonly ChangeRow[]> {
  const { manifests } = preview.rendered;
  const tried: Tried = { cluster, preview, trackers, states: await readStates(cluster, manifests.map(toAddress)) };
  const rows: ChangeRow[] = [];
  await inParallel([...manifests.entries()], AT_ONCE, async ([at, manifest]) => {
    rows[at] = await previewOne(manifest, tried);
  });
  let diffs = 0;
  return rows.map((row) => (row.diff !== null && ++diffs > MOST_DIFFS ? { ...row, diff: null } : row));
}

async function previewOne(manifest: KubeObject, tried: Tried): Promise<ChangeRow> {
  const at = toAddress(manifest);
  const state = stateOf(tried.states, at);
  const uid = state.kind === 'present' ? (state.object.metadata.uid ?? null) : null;
  return { ...rowOf(at), uid, blast: [], ...(await outcomeOf(manifest, state, tried)) };
}

async function outcomeOf(manifest: KubeObject, state: LiveState, tried: Tried): Promise<Outcome> {
  if (state.kind === 'unknown') return { verdict: 'unknown', why: state.why, diff: null };
  const claims = { trackers: tried.trackers, trackerNamed: (name: string) => tried.trackers.find((tracker) => tracker.name === name) };
  const claim = state.kind === 'present' ? explainClaim(tried.preview.application, manifest, state.object, claims) : undefined;
  if (claim !== undefined) return { verdict: 'refused', why: claim, diff: null };
  if (state.kind === 'present' && covers(state.object, withoutMarks(manifest))) return unchanged(tried.preview);
  try {
    const { object } = await apply(tried.cluster, manifest, { dryRun: true, secretKey: 'preview' });
    return state.kind === 'absent' ? fresh(tried.preview) : told(tried.preview, diffObjects(state.object, object));
  } catch (error) {
    return untried(error, manifest, state, tried.preview);
  }
}

/** What can be said without the API server's own answer: refused, or not tried. */
function untried(error: unknown, manifest: KubeObject, state: LiveState, preview: RenderPreview): Outcome {
  const cause = rootOf(error);
  const stands = preview.rendered.manifests.some(({ kind }) => GROUND.includes(kind)) && (isNoMatch(cause) || isNotFound(cause));
  const mayNot = isForbidden(cause) || (isBadRequest(cause) && /dry.?run/i.test(toAppError(cause).message));
  if (!stands && !mayNot) return { verdict: 'refused', why: toAppError(cause).message, diff: null };
  const outcome = state.kind === 'present' ? told(preview, diffObjects(state.object, laidOver(state.object, manifest) as KubeObject)) : fresh(preview); // joined from two objects
  return { ...outcome, why: `${outcome.why}; it was not tried out: ${stands ? 'it stands on what comes first' : toAppError(cause).message}` };
}

const fresh = ({ revision }: RenderPreview): Outcome => ({ verdict: 'new', why: `revision ${revision.name} makes it`, diff: null });

function told(preview: RenderPreview, diff: ReturnType<typeof diffObjects>): Outcome {
  return diff === null ? unchanged(preview) : { verdict: 'changed', why: `revision ${preview.revision.name} changes it`, diff: [...diff] };
}

/** An object that stays as it is belongs to the new revision from then on, where there is one. */
function unchanged({ revision }: RenderPreview): Outcome {
  if (revision.isNew) return { verdict: 'handed-over', why: `it is as written already; revision ${revision.name} takes it over`, diff: null };
  return { verdict: 'kept', why: 'it is as written already', diff: null };
}

/** True when everything that is wanted stands in the live object; what others added there does not count. */
function covers(live: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) return Array.isArray(live) && live.length === wanted.length && wanted.every((item, at) => covers(live[at], item));
  if (isFields(wanted)) return isFields(live) && Object.entries(wanted).every(([name, value]) => value === undefined || covers(live[name], value));
  return deepEqual(live, wanted);
}

// Labels and annotations name the revision, so they always differ.
function withoutMarks(manifest: KubeObject): Omit<KubeObject, 'metadata'> {
  const { metadata: _marks, ...rest } = manifest;
  return rest;
}

function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined && !isNoMatch(error) && !isForbidden(error) ? rootOf(error.cause) : error;
}
