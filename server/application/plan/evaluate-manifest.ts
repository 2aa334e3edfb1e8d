import { messageOf } from '@/lib/contract/app-error';
import type { ChangeVerdict } from '@/lib/contract/change-rows';
import type { Fields } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { describeObject, toObjectId } from '@/lib/kube/object';
import type { LiveState } from '@/server/dispatch';
import { mustBeControllableByAny, predictWrite } from '@/server/dispatch';
import type { RunPlan } from '../decide/model';
import type { Claims } from '../observe/claims';
import { explainClaim } from '../observe/claims';
import { manifestPolicy } from '../spec/policies';
import type { PlannedObject } from './change-plan';
import { digestOfFields } from './change-plan';

/** A manifest and where its object lives: of a kind without namespaces in none, whatever the manifest says. */
export interface PlacedManifest {
  readonly manifest: KubeObject;
  readonly at: ObjectAddress;
  /** Why there is no such kind at this version, where the set does not bring it either. */
  readonly unserved: string | undefined;
}

interface Evaluated {
  readonly verdict: ChangeVerdict;
  readonly why: string;
  readonly fields?: Fields;
}

/** What every manifest of a plan is judged by. */
export interface ManifestContext {
  readonly plan: RunPlan & { readonly isApplied: boolean; readonly isLeft: boolean };
  readonly claims: Claims;
  /** Trackers whose objects may be taken over, by uid. */
  readonly accepted: readonly string[];
  readonly stateOf: (at: ObjectAddress) => LiveState;
}

const NOTHING: Fields = {};

/** What becomes of one manifest. Pure. */
export function evaluateManifest(placed: PlacedManifest, context: ManifestContext): PlannedObject {
  const { manifest, at } = placed;
  const state = context.stateOf(at);
  const live = state.kind === 'present' ? state.object : undefined;
  const { verdict, why, fields = NOTHING } = evaluate(placed, state, context);
  return {
    id: toObjectId(at),
    at,
    uid: live?.metadata.uid,
    verdict,
    why,
    wanted: { manifest: atHome(manifest, at), fields, live, digest: digestOfFields(manifest, fields) },
  };
}

function evaluate({ manifest, at, unserved }: PlacedManifest, state: LiveState, context: ManifestContext): Evaluated {
  const { plan } = context;
  const { readOnly, ...policy } = manifestPolicy(plan.application.policies, manifest, plan.isApplied ? 'onStateKeep' : 'onUpdate');
  if (unserved !== undefined) return { verdict: 'refused', why: unserved };
  if (state.kind === 'unknown') return { verdict: 'unknown', why: state.why };
  if (readOnly) return evaluateReadOnly(at, state);
  if (state.kind === 'absent') return evaluateAbsent(manifest, at, context);
  const refusal =
    explainClaim(plan.application, manifest, state.object, context.claims) ?? mustBeControllableByAny(state.object, context.accepted);
  if (refusal !== undefined) return { verdict: 'refused', why: refusal };
  if (plan.isLeft) return { verdict: 'kept', why: 'it was applied once, and the apply-once policy leaves it from then on' };
  return evaluatePresent(atHome(manifest, at), state.object, { ...policy }, plan);
}

function evaluateReadOnly(at: ObjectAddress, state: LiveState): Evaluated {
  if (state.kind === 'present') return { verdict: 'kept', why: 'the read-only policy uses it as it is' };
  return { verdict: 'refused', why: `${describeObject(at)} must exist, because the read-only policy names it, but it does not` };
}

function evaluateAbsent(manifest: KubeObject, at: ObjectAddress, { plan, stateOf }: ManifestContext): Evaluated {
  const home = at.namespace === undefined ? undefined : stateOf({ ...KINDS.namespace, name: at.namespace });
  if (home?.kind === 'present' && home.object.metadata.deletionTimestamp !== undefined)
    return { verdict: 'refused', why: `namespace ${at.namespace} is being deleted and accepts no new objects` };
  // What the policy has left alone from the first time on is not made anew either.
  if (plan.isLeft) return { verdict: 'kept', why: 'it was applied once and is gone; the apply-once policy does not create it again' };
  return { verdict: 'new', why: `revision ${plan.revision.name} makes it`, fields: predictWrite(atHome(manifest, at), undefined) };
}

function evaluatePresent(
  manifest: KubeObject,
  live: KubeObject,
  policy: { readonly keep?: readonly string[] },
  { revision }: RunPlan,
): Evaluated {
  let fields: Fields;
  try {
    fields = predictWrite(manifest, live, policy);
  } catch (error) {
    return { verdict: 'refused', why: messageOf(error) };
  }
  if (Object.keys(fields).length > 0) return { verdict: 'changed', why: `revision ${revision.name} changes it`, fields };
  if (revision.stored !== undefined) return { verdict: 'kept', why: 'it is already as written' };
  return { verdict: 'handed-over', why: `it is already as written; revision ${revision.name} takes it over` };
}

/** The manifest where its object lives. */
function atHome(manifest: KubeObject, { namespace }: ObjectAddress): KubeObject {
  if (manifest.metadata.namespace === namespace) return manifest;
  const { namespace: _dropped, ...metadata } = manifest.metadata;
  return { ...manifest, metadata: namespace === undefined ? metadata : { ...metadata, namespace } };
}
