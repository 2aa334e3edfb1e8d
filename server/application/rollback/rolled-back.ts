import { AppError } from '@/lib/contract/app-error';
import { readFields } from '@/lib/kube/fields';
import { ROLLED_BACK } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import { revisionNameOf, revisionNumberOf } from '@/server/dispatch';
import { digestOfSpec } from '@/server/kube';
import type { Revision } from '../revision';
import { isRevisionOf, readRevision, snapshotOf } from '../revision';
import { parseApplication } from '../spec/parse';
import type { ApplicationWrite } from '../write-with-audit';

/**
 * The name of the ApplicationRevision that a rollback goes to. It may be called by the name of its workload or of the application's
 * revision; both carry the same number.
 */
export function rollbackTarget({ metadata: { name = '' } }: KubeObject, revision: string): string {
  const number = revisionNumberOf(revision);
  if (number === undefined)
    throw new AppError('invalid', `rollback must be a revision such as ${revisionNameOf(name, 1)}, found "${revision}"`);
  return revisionNameOf(name, number);
}

/**
 * The application with what ran in a revision in it. Components come from the snapshot; policies stay as they are now, since they say how to
 * roll out, not what. Throws a sentence where there is nothing to go back to.
 */
export function rolledBackTo(application: KubeObject, revision: KubeObject): KubeObject {
  const { namespace = '', name = '' } = application.metadata;
  const stored = readRevision(revision);
  if (stored === undefined || !isRevisionOf(revision, application))
    throw new AppError('invalid', `${revision.metadata.name} is not a revision of ${name}`);
  const { components } = readFields(snapshotOf(stored, application).object, 'spec');
  const spec = readFields(application, 'spec');
  if (deepEqual(spec.components, components)) {
    const what = describeObject({ kind: application.kind, namespace, name });
    throw new AppError('rejected', `${what} already matches ${stored.name}; there is nothing to roll back`);
  }
  const next = { ...application, spec: { ...spec, components } };
  parseApplication(next);
  return next;
}

/** The application with the decision noted by which its spec was set back. */
function withRollback(application: KubeObject, decision: string): KubeObject {
  const annotations = { ...application.metadata.annotations, [ROLLED_BACK]: `${decision} ${digestOfSpec(application.spec)}` };
  return { ...application, metadata: { ...application.metadata, annotations } };
}

/** The write by which a decision to go back is carried out, by whomever: it is on record once, and tells the engine that it was done. */
export function rollbackWrite(
  next: KubeObject,
  { decision, message, plan }: { readonly decision: string; readonly message: string; readonly plan?: string | undefined },
): ApplicationWrite {
  return {
    verb: 'update',
    object: next,
    action: 'application.rollback',
    act: `application.rollback:${decision}`,
    message,
    plan,
    note: (kept) => withRollback(kept, decision),
    isRepeated: true,
  };
}

/** True once a decision has set the application back, whatever was changed since. */
export function isRolledBackBy({ metadata }: KubeObject, decision: string): boolean {
  return metadata.annotations?.[ROLLED_BACK]?.split(' ')[0] === decision;
}

/** True for a revision that a rollback made: of the spec that was set back, and not of one that came to the same later. */
export function isMadeByRollback({ metadata, spec }: KubeObject, revision: string, revisions: readonly Revision[]): boolean {
  const note = metadata.annotations?.[ROLLED_BACK];
  if (note === undefined || note.split(' ')[1] !== digestOfSpec(spec)) return false;
  return !revisions.some(({ name, object }) => name !== revision && object.metadata.annotations?.[ROLLED_BACK] === note);
}
