import { createHash } from 'node:crypto';
import type { ChangeVerdict } from '@/lib/contract/change-rows';
import type { Fields } from '@/lib/kube/fields';
import { readFields } from '@/lib/kube/fields';
import { maskSecrets } from '@/lib/kube/mask';
import type { KubeObject, ObjectAddress, TypeRef } from '@/lib/kube/object';
import { describeObject, toObjectKey } from '@/lib/kube/object';
import { pausedBy, SUSPENDED } from '@/lib/kube/paused-by';
import { toStableJson } from '@/lib/std/stable-json';
import type { GarbageItem } from '@/server/dispatch';
import { digestOfDeletions, toDeletionLine } from '@/server/dispatch';
import { digestOfPlan } from './plan-digest';

/** An object that a change has anything to do with, and what becomes of it. */
export interface PlannedObject {
  readonly id: string;
  readonly at: ObjectAddress;
  /** Undefined for what is not there. */
  readonly uid: string | undefined;
  readonly verdict: ChangeVerdict;
  /** A sentence for people. */
  readonly why: string;
  /** As it is to be, and the fields of it that are written; of what only older revisions have, neither. Never told as they are: they may hold secrets. */
  readonly wanted?: {
    readonly manifest: KubeObject;
    readonly fields: Fields;
    readonly live: KubeObject | undefined;
    readonly digest: string;
  };
  /** What was judged of an object that only older revisions have. */
  readonly garbage?: GarbageItem;
}

/** What a change of an application comes to: one value that is shown, that travels by its digest, and that is executed. */
export interface ChangePlan {
  /** The revision that it is done as; undefined where nothing is done. */
  readonly revision: { readonly name: string; readonly isNew: boolean } | undefined;
  /** What is applied, in its order, then what only older revisions have. */
  readonly objects: readonly PlannedObject[];
  /** Why it would not be done as it stands. */
  readonly refused: string | undefined;
  /** Why nothing of it is done yet: somebody suspended the application. */
  readonly suspended?: string | undefined;
  /** Why nothing of it is written yet: the server may not, until somebody grants it. */
  readonly ungranted?: string | undefined;
  /** Which labels and annotations do not reach the objects, and why. */
  readonly withheld?: string | undefined;
  /** Which part of its rollout policy is not in force before people have decided it. */
  readonly looser?: string | undefined;
  /** Why the gates of its rollout policy could never be opened, or probably not. */
  readonly unmeetable?: string | undefined;
  /** Whom its rollout policy keeps from approving, where that is a service account and no person. */
  readonly selfApproval?: string | undefined;
  /** Of all of it, with what tells later how another plan differs (plan-digest.ts). */
  readonly digest: string;
  /** Digest of the deletions in it, by which they are compared once more before they are done. */
  readonly deletions: string;
}

/** What a plan is of, and what it comes to. */
type Planned = Pick<ChangePlan, 'revision' | 'objects' | 'refused'>;

/** A plan of an application with its digests. */
export function toChangePlan(application: KubeObject, { revision, objects, refused }: Planned): ChangePlan {
  const garbage = objects.flatMap((object) => object.garbage ?? []);
  const lines = objects.map((object) => ({ id: object.id, line: toLine(object) }));
  const head = `${toObjectKey(application.metadata)} ${revision?.name ?? 'nothing'}${objects.length === 0 ? (refused ?? '') : ''}`;
  const digest = digestOfPlan({ head, lines, revision, application });
  return { revision, objects, refused, suspended: explainSuspended(application), digest, deletions: digestOfDeletions({ items: garbage }) };
}

/** What is done once it is resumed is the same, so no digest tells of it. */
function explainSuspended(application: KubeObject): string | undefined {
  const annotation = pausedBy(application);
  if (annotation === undefined) return undefined;
  const by = annotation === SUSPENDED ? '' : ` by its annotation ${annotation}`;
  return `${describeObject({ kind: application.kind, ...application.metadata })} is suspended${by}: none of this happens until it is resumed`;
}

/** Group, kind, namespace, name, uid, verdict, and a digest of the fields that are written; nothing else that lives there. */
export function toLine({ id, uid, verdict, wanted, garbage }: PlannedObject): string {
  if (garbage !== undefined) return toDeletionLine(garbage);
  return `${id}|${uid ?? ''}|${verdict}|${wanted?.digest ?? ''}`;
}

/**
 * Digest of the fields of an object that are written. Values of Secrets are left out: which keys are written is enough, since the plan is bound to the spec that holds them, and a digest over
 * a short value can be guessed.
 */
export function digestOfFields({ apiVersion, kind }: TypeRef, fields: Fields): string {
  return sha256(toStableJson(maskSecrets({ ...readFields({ fields }, 'fields'), apiVersion, kind }).value));
}

const sha256 = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
