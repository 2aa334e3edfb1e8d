import { createHash } from 'node:crypto';
import type { EditableObject, ObjectEditPreview, ObjectEditRequest } from '@/lib/contract/acts/object-edit';
import { AppError } from '@/lib/contract/app-error';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { describeObject, groupOf, toAddress } from '@/lib/kube/object';
import { toStableJson } from '@/lib/std/stable-json';
import { actWithAudit } from '@/server/application';
import type { Session } from '@/server/auth';
import { isConflict, isInvalid, isNotFound, retryOnConflict } from '@/server/kube';
import type { Accepted, CommandDeps } from '../../command-deps';
import { FIELD_MANAGER, readAs, toAccepted } from '../../command-deps';
import { toYaml } from '../../manifest-text';
import { explainInvalid } from '../../refusal';
import { notAllowedReason } from '../acts/rules';
import { describeChange } from './describe-change';
import { shownOf, stateOf } from './editable';
import { withHidden } from './hidden-values';

/** Reads an object as the person may edit it. */
export async function readEditableObject(deps: CommandDeps, session: Session, at: ObjectAddress): Promise<EditableObject> {
  const object = await readSeen(deps, session, at);
  const { value, masked } = shownOf(object);
  return { text: toYaml(value), masked, uid: object.metadata.uid ?? '', state: stateOf(object) };
}

/**
 * Writes any object anew, as the person.
 *
 * 1. It is written on the very object and state that was opened; another is a conflict. What moves in its status is none.
 * 2. With `dryRun` the API server tries it as the person, and what it would come to is told: line by line, with who owns what changes.
 * 3. Exactly what was shown is written, with uid and version of what was read; where the cluster makes something else of it now, nothing is.
 */
export async function editObject(deps: CommandDeps, session: Session, asked: ObjectEditRequest): Promise<Accepted | ObjectEditPreview> {
  const { apiVersion, kind, ns, name, manifest, dryRun } = asked;
  const written = await deps.texts.object(session, manifest);
  const object = await readSeen(deps, session, { apiVersion, kind, name, ...(ns === undefined ? {} : { namespace: ns }) });
  const at = toAddress(object);
  requireSeen(object, at, asked);
  const refused = await notAllowedReason(deps, session, 'edit', object);
  if (refused !== null) throw new AppError('forbidden', refused);
  const cluster = deps.cluster.as(session.person);
  const write = (next: KubeObject, isTrial: boolean) =>
    cluster.update(next, { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict', dryRun: isTrial });
  const next = nextOf(object, written, at);
  const tried = await write(next, true).catch((error: unknown) => explain(error, at));
  const preview = { ...(await describeChange(deps, { before: object, written: next, after: tried })), plan: planOf(asked, tried) };
  if (dryRun) return preview;
  if (asked.plan !== preview.plan)
    throw new AppError('conflict', `what this changes in ${describeObject(at)} is not what you saw; preview it again`);
  if (preview.lines.length === 0) throw new AppError('rejected', `${describeObject(at)} already matches the text`);
  await deps.requireRecord();
  const message = `edits ${describeObject(at)}${asked.reason ? `: ${asked.reason}` : ''}`;
  const data = { uid: object.metadata.uid ?? '', fields: preview.fields, warnings: preview.warnings };
  const entry = { id: deps.ids.uuid(), at: deps.clock.now(), actor: session.person.user, action: 'object.edit', about: at, message, data };
  // Its status may move on meanwhile, which makes another version and no other state.
  const writeAsSeen = () =>
    retryOnConflict(async () => {
      const now = await readAs(deps, session, at);
      requireSeen(now, at, asked);
      return write(nextOf(now, written, at), false);
    }).catch((error: unknown) => explain(error, at));
  return toAccepted(
    await actWithAudit<KubeObject>(deps.record, entry, { send: (isTrial) => (isTrial ? Promise.resolve(tried) : writeAsSeen()) }),
  );
}

async function readSeen(deps: CommandDeps, session: Session, at: ObjectAddress): Promise<KubeObject> {
  const { apiVersion, kind, namespace: ns, name } = at;
  await deps.auth.authorise(session, { kind: 'view-object', type: { apiVersion, kind }, ns, name });
  return readAs(deps, session, at);
}

function requireSeen(object: KubeObject, at: ObjectAddress, { seen }: ObjectEditRequest): void {
  if (object.metadata.uid !== seen.uid)
    throw new AppError('conflict', `${describeObject(at)} was deleted and created again after you opened it; open it again`);
  if (stateOf(object) !== seen.state)
    throw new AppError('conflict', `${describeObject(at)} was changed after you opened it; open it again`);
}

/** What is sent: what was written, what was hidden, and of what the server keeps itself what it has now. */
function nextOf(object: KubeObject, written: KubeObject, at: ObjectAddress): KubeObject {
  const { name, namespace = at.namespace } = written.metadata;
  const isSame =
    written.kind === object.kind &&
    groupOf(written.apiVersion) === groupOf(object.apiVersion) &&
    name === at.name &&
    namespace === at.namespace;
  if (!isSame) {
    const found = describeObject({ kind: written.kind, name: name ?? '', ...(namespace === undefined ? {} : { namespace }) });
    throw new AppError(
      'invalid',
      `the manifest must be of ${describeObject(at)} in ${object.apiVersion}, found ${found} in ${written.apiVersion}`,
    );
  }
  const whole = withHidden(written, shownOf(object).value, object) as KubeObject; // it has the members of what was written
  const { uid = '', resourceVersion = '' } = object.metadata;
  return {
    ...whole,
    metadata: { ...whole.metadata, uid, resourceVersion, ...(at.namespace === undefined ? {} : { namespace: at.namespace }) },
  };
}

function explain(error: unknown, at: ObjectAddress): never {
  if (isInvalid(error))
    throw new AppError('invalid', `the cluster refuses this change of ${describeObject(at)}: ${explainInvalid(error)}`, { cause: error });
  if (isConflict(error) || isNotFound(error))
    throw new AppError('conflict', `${describeObject(at)} was changed in the meantime; open it again`, { cause: error });
  throw error;
}

/** What was agreed to: what was written on which state, and what the cluster makes of it. */
function planOf({ manifest, seen }: ObjectEditRequest, tried: KubeObject): string {
  const json = toStableJson({
    manifest,
    seen,
    becomes: stateOf({ ...tried, metadata: { ...tried.metadata, resourceVersion: seen.state } }),
  });
  return `sha256:${createHash('sha256').update(json).digest('hex')}`;
}
