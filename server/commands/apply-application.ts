import { AppError } from '@/lib/contract/app-error';
import type { SavePreview } from '@/lib/contract/change-rows';
import type { ApplyRequest } from '@/lib/contract/requests';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import { readPreviewedPlan } from '@/server/application';
import type { Session } from '@/server/auth';
import { ignoreNotFound, retryOnConflict } from '@/server/kube';
import type { Accepted, CommandDeps, Place } from './command-deps';
import { applicationAt, FIELD_MANAGER, requireEngine, toAccepted } from './command-deps';
import { refuseConflictingChange } from './conflicting-change';
import { draftOf, dryRunSecrets, writeValues } from './editor/draft';
import { withKeptValues } from './editor/kept-values';
import { permitContents } from './permit-contents';
import { previewChanges } from './preview-changes';
import { writeWithAudit } from './write-with-audit';

/** What applying came to: done, or what it would do. */
export type Applied = Accepted | SavePreview;

/** Creates or replaces an application as the person wrote it. Only a resourceVersion that was written makes an older copy a conflict. */
export async function applyApplication(deps: CommandDeps, session: Session, request: ApplyRequest): Promise<Applied> {
  const written = await deps.texts.parse(session, request.manifest);
  const apply = () => applyOnce(deps, session, { written, dryRun: request.dryRun === true, seen: request.seen, plan: request.plan });
  return written.metadata.resourceVersion === undefined ? retryOnConflict(apply) : apply();
}

interface Asked {
  readonly written: KubeObject;
  readonly dryRun: boolean;
  readonly seen: ApplyRequest['seen'];
  readonly plan: string | undefined;
}

async function applyOnce(deps: CommandDeps, session: Session, { written, dryRun, seen, plan }: Asked): Promise<Applied> {
  const place = { ns: written.metadata.namespace ?? '', name: written.metadata.name ?? '' };
  const held = await ignoreNotFound(deps.cluster.as(session.person).get(applicationAt(place)));
  await deps.auth.authorise(session, { kind: held === undefined ? 'create-application' : 'change-application', ...place });
  requireEngine(deps, 'application');
  const theirs = refuseUnlessSeen(held, place, seen);
  if (theirs !== undefined) throw await refuseConflictingChange(deps, session, theirs, plan);
  const whole = withStoredValues(written, held, seen);
  const draft = await draftOf(deps, held === undefined ? fresh(whole) : onto(held, whole), held);
  const next = draft.object;
  const verb = held === undefined ? 'create' : 'update';
  await permitContents(deps, session, next);
  if (dryRun) {
    await dryRunSecrets(deps, session, draft);
    await deps.cluster.as(session.person)[verb](next, { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict', dryRun: true });
    return previewChanges(deps, session, { next, held, secrets: draft.secrets });
  }
  const isSame = held !== undefined && deepEqual(next.spec, held.spec) && deepEqual(next.metadata, held.metadata);
  // A change that waits with another plan is accepted by applying it once more.
  if (isSame && (plan === undefined || readPreviewedPlan(held) === undefined)) return toAccepted(held);
  await writeValues(deps, session, draft);
  const message = held === undefined ? 'creates the application' : 'replaces the application with the written manifest';
  const action = `application.${verb === 'create' ? 'create' : 'replace'}`;
  return toAccepted(await writeWithAudit(deps, session, { verb, object: next, action, message, plan, keepsRequester: isSame }));
}

/** What the text hides is kept only from the very state that it was written on, read as the person. */
function withStoredValues(written: KubeObject, held: KubeObject | undefined, seen: ApplyRequest['seen']): KubeObject {
  const kept = withKeptValues(written, held);
  if (kept === written || (seen !== undefined && seen !== 'absent') || written.metadata.resourceVersion !== undefined) return kept;
  throw new AppError(
    'invalid',
    'the manifest contains masked values, which are kept only if the application was opened first; open it and change that',
  );
}

/**
 * The spec must be the one that was seen, or there must be none where none was; what an engine wrote into status meanwhile does not matter.
 * Answers the application where somebody else changed it.
 */
function refuseUnlessSeen(held: KubeObject | undefined, { ns, name }: Place, seen: ApplyRequest['seen']): KubeObject | undefined {
  if (seen === undefined) return undefined;
  if (seen === 'absent') {
    if (held !== undefined)
      throw new AppError('conflict', `Application ${name} in ${ns} already exists; open it to change it, or choose another name`);
    return undefined;
  }
  if (held === undefined) throw new AppError('conflict', `Application ${name} in ${ns} was deleted since you opened it`);
  return held.metadata.uid === seen.uid && held.metadata.generation === seen.generation ? undefined : held;
}

/** Only what people write: the rest is the server's. */
function fresh({ metadata, spec }: KubeObject): KubeObject {
  const { name, namespace, labels, annotations } = metadata;
  return { ...KINDS.application, metadata: clean({ name, namespace, labels, annotations }), spec };
}

/** The held application with what was written in it; a resourceVersion that was written must still hold. */
function onto(held: KubeObject, { metadata, spec }: KubeObject): KubeObject {
  const { labels = held.metadata.labels, annotations, resourceVersion = held.metadata.resourceVersion } = metadata;
  const merged = annotations === undefined ? held.metadata.annotations : { ...held.metadata.annotations, ...annotations };
  return {
    ...held,
    ...KINDS.application,
    metadata: { ...held.metadata, ...clean({ labels, annotations: merged, resourceVersion }) },
    spec,
  };
}

function clean(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
