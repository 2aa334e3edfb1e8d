import type { FieldOwner, PathStep } from '@/lib/kube/field-owners';
import { ownerOf, readOwnedFields } from '@/lib/kube/field-owners';
import type { Fields } from '@/lib/kube/fields';
import { isFields } from '@/lib/kube/fields';
import { containsManifest, hideInText, isManifestCopy, isSecretMember, maskForReading } from '@/lib/kube/mask';
import type { KubeObject } from '@/lib/kube/object';
import type { Comparison } from '../apply/apply';
import { compareWithLive } from '../apply/apply';
import { desiredOf } from '../apply/desired';
import { foldStringData, isSecret } from '../apply/last-applied';
import { mergeRulesOf } from '../apply/merge-rules';
import { isBookkeeping, isDispatchMetadata } from '../dispatch-metadata';
import { ANNOTATION } from '../labels';
import type { ManifestPolicy, MergeOptions } from '../options';
import type { Difference, DifferenceKind } from './explain-patch';
import { explainPatch } from './explain-patch';
import { formatPath, indexOfStep } from './field-path';

/** A field of a live object that is not as its manifest wants it. */
export interface DriftField {
  readonly path: string;
  readonly steps: readonly PathStep[];
  readonly kind: DifferenceKind;
  /** Undefined for what is hidden, and for what is not wanted at all. */
  readonly wanted: unknown;
  /** Undefined for what is hidden, and for what is not there at all. */
  readonly found: unknown;
  /** Why the values are not told: a Secret's, or our own record of what we applied, which holds a whole manifest. */
  readonly hidden: 'secret' | 'record' | null;
  /** The policy because of which nobody puts it back; null when the next dispatch does. */
  readonly kept: 'apply-once' | 'read-only' | null;
  /** Null where the server notes nobody; who removed a field is never noted. */
  readonly setBy: FieldOwner | null;
}

export interface DriftInput {
  /** As rendered, without owners. */
  readonly manifest: KubeObject;
  readonly live: KubeObject;
  /** Whose object it is; undefined where another controller keeps it in a way of its own. */
  readonly tracker: { readonly name: string; readonly uid: string } | undefined;
  /** False for a revision that is not applied: what each one has otherwise, since a dispatch puts it there, is then no change. */
  readonly isApplied?: boolean;
  readonly policy: ManifestPolicy;
  readonly options: MergeOptions;
}

/** A Secret is compared by its content; the digest of its record is not. Any key does for that. */
const SECRET_KEY = 'drift';

/**
 * What a live object has otherwise than its manifest wants it. Pure.
 *
 * 1. It is the explanation of the very patch that a dispatch would send: the fields that nothing keeps are none exactly when a dispatch
 *    would write nothing.
 * 2. A field that a policy keeps is told, with the policy.
 * 3. Of a revision that is not applied, what a dispatch keeps on objects for itself is left out.
 * 4. Values of Secrets, and records that hold whole manifests, are never told.
 */
export function findDrift({ manifest, live, tracker, isApplied = true, policy, options }: DriftInput): readonly DriftField[] {
  const owner = tracker ?? { name: '', uid: '' };
  const plain = placed(isSecret(manifest) ? foldStringData(manifest) : manifest, live);
  const compared = (how: ManifestPolicy): Explained => {
    const { desired, ...wanted } = desiredOf(plain, { tracker: owner, policy: how, options });
    return explain(compareWithLive(live, desired, { secretKey: SECRET_KEY, ...wanted }), live);
  };
  const leftOut = explainOmission(isApplied, tracker === undefined || policy.readOnly === true);
  const toFields = (differences: Explained, kept: DriftField['kept']) =>
    differences.map((one) => toField(one, { live, manifest: plain, kept }));
  const whole = compared(policy.scale === undefined ? {} : { scale: policy.scale }).filter(({ steps }) => !leftOut(steps));
  if (policy.readOnly) return toFields(whole, 'read-only');
  if ((policy.keep ?? []).length === 0) return toFields(whole, null);
  const repaired = compared(policy).filter(({ steps }) => !leftOut(steps));
  const paths = new Set(repaired.map(({ steps }) => formatPath(steps)));
  const kept = whole.filter(({ steps }) => !paths.has(formatPath(steps)) && !isBookkeeping(steps));
  return [...toFields(repaired, null), ...toFields(kept, 'apply-once')];
}

function explainOmission(isApplied: boolean, isOthers: boolean): (steps: readonly PathStep[]) => boolean {
  if (!isApplied) return isDispatchMetadata;
  return isOthers ? isBookkeeping : () => false;
}

type Explained = readonly Difference[];

function explain({ patch, modified, isEmpty }: Comparison, live: KubeObject): Explained {
  if (isEmpty) return [];
  const marked = live.metadata.annotations?.[ANNOTATION.lastAppliedDigest] !== undefined;
  // Each label and annotation is told by itself, also where there are none at all.
  const found = { ...live, metadata: { labels: {}, annotations: {}, ...live.metadata } };
  const all = explainPatch({ patch, wanted: modified, found, rules: mergeRulesOf(modified), steps: [] });
  return all.filter(({ steps }) => !(marked && steps[1] === 'annotations' && steps[2] === ANNOTATION.lastAppliedDigest));
}

/** Objects of a kind without namespaces live in none, whatever their manifest says. */
function placed(manifest: KubeObject, live: KubeObject): KubeObject {
  if (live.metadata.namespace !== undefined) return manifest;
  const { namespace: _dropped, ...metadata } = manifest.metadata;
  return { ...manifest, metadata };
}

interface Circumstances {
  readonly live: KubeObject;
  readonly manifest: KubeObject;
  readonly kept: DriftField['kept'];
}

function toField({ steps, kind, wanted, found }: Difference, { live, manifest, kept }: Circumstances): DriftField {
  const hidden = hiddenReason(steps, live) ?? hiddenReason(steps, manifest) ?? ([wanted, found].some(isHiddenText) ? 'secret' : null);
  const values = hidden === null ? { wanted: told(steps, wanted), found: told(steps, found) } : { wanted: undefined, found: undefined };
  const setBy = kind === 'removed' ? undefined : ownerOf(readOwnedFields(live) ?? [], steps);
  return { path: formatPath(steps), steps, kind, ...values, hidden, kept, setBy: setBy ?? null };
}

/** Whether the way to a field leads through a Secret, also one that another object holds. */
function hiddenReason(steps: readonly PathStep[], object: KubeObject): DriftField['hidden'] {
  let at: unknown = object;
  for (const step of steps) {
    if (typeof step === 'string' && isSecretMember(at, step)) return 'secret';
    at = stepInto(at, step);
  }
  const [first, second, third] = steps;
  if (first !== 'metadata' || second !== 'annotations' || typeof third !== 'string') return null;
  return third === ANNOTATION.lastAppliedDigest || isManifestCopy(third) || containsManifest(at) ? 'record' : null;
}

/** A text that two sides would show alike. */
const isHiddenText = (value: unknown) => typeof value === 'string' && hideInText(value) !== value;

function stepInto(at: unknown, step: PathStep): unknown {
  if (typeof step === 'string') return isFields(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  if (!Array.isArray(at)) return undefined;
  return at[indexOfStep(at, step)];
}

/** A value without the Secrets, the copies of manifests and the credentials that it may hold. */
function told(steps: readonly PathStep[], value: unknown): unknown {
  const name = steps.findLast((step) => typeof step === 'string') ?? '';
  return (maskForReading({ [name]: value }).value as Fields)[name];
}
