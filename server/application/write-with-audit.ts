import type { RecordEntry } from '@/lib/contract/record-entry';
import { REQUESTED_BY } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toUserAnnotations } from '@/lib/kube/user-annotations';
import type { Instant } from '@/lib/std/instant';
import type { Cluster } from '@/server/kube';
import { actWithAudit } from './act-with-audit';
import { withPreviewedPlan } from './plan/previewed-plan';

/** Somebody who writes an application, or on whose behalf it is written. */
export interface Writer {
  readonly by: { readonly user: string; readonly groups: readonly string[] };
  /** The cluster as them. */
  readonly cluster: Cluster;
  readonly fieldManager: string;
  readonly record: (entry: RecordEntry) => Promise<void>;
  readonly now: Instant;
}

export interface ApplicationWrite {
  readonly verb: 'create' | 'update';
  readonly object: KubeObject;
  /** In the words of the field: `application.change`. */
  readonly action: string;
  /** Names this very act: it is on record once, however often it is tried. */
  readonly act: string;
  /** What the person does, for the record. */
  readonly message: string;
  /** Digest of the plan that they saw: it travels with the application, and exactly that is done. */
  readonly plan?: string | undefined;
  /** True where the spec stays, and with it whoever asked for it. */
  readonly keepsRequester?: boolean;
  /** What else is noted on it of the spec as the cluster keeps it. */
  readonly note?: (object: KubeObject) => KubeObject;
  /** True where whoever writes it tries again after a failure. */
  readonly isRepeated?: boolean;
}

/** Writes an application as a person, on record, with what was seen of it. */
export async function writeWithAudit(writer: Writer, write: ApplicationWrite): Promise<KubeObject> {
  const { by, cluster, fieldManager, record, now } = writer;
  const { plan, act, action, message, note = (object: KubeObject) => object, isRepeated = false } = write;
  const asked = write.keepsRequester ? write.object : requestedBy(write.object, by);
  // Notes are bound to the spec as the cluster keeps it, which the trial tells.
  const bound = (spec: unknown) => {
    const kept = { ...asked, spec };
    return { ...note(plan === undefined ? kept : withPreviewedPlan(kept, { digest: plan, act }, by)), spec: asked.spec };
  };
  const { name = '', namespace, uid } = write.object.metadata;
  const about = { apiVersion: write.object.apiVersion, kind: write.object.kind, ...(namespace ? { namespace } : {}), name };
  const data = { ...(uid === undefined ? {} : { uid }), ...(plan === undefined ? {} : { plan }) };
  const entry = { id: act, at: now, actor: by.user, action, about, message, ...(Object.keys(data).length === 0 ? {} : { data }) };
  return actWithAudit<KubeObject>(record, entry, {
    send: (dryRun, tried) => cluster[write.verb](bound(tried?.spec ?? asked.spec), { fieldManager, fieldValidation: 'Strict', dryRun }),
    isRepeated,
  });
}

/** Notes who asked, as admission wants it: a policy may want somebody else to approve, and the engine writes what they may write. */
function requestedBy(object: KubeObject, by: Writer['by']): KubeObject {
  const annotations = { ...object.metadata.annotations, ...toUserAnnotations(REQUESTED_BY, by) };
  return { ...object, metadata: { ...object.metadata, annotations } };
}
