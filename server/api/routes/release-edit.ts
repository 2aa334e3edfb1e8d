import { isAppError, messageOf } from '@/lib/contract/app-error';
import type { ActivityEntry } from '@/lib/contract/pages/activity-query';
import type { EditableRelease, MovedReleasePlan, ReleaseEditRequest, ReleasePlan } from '@/lib/contract/release-edit';
import { PLAN_PARTS } from '@/lib/contract/release-edit';
import { releaseKindOf } from '@/lib/contract/release-kind';
import { readString } from '@/lib/kube/fields';
import type { TypeRef } from '@/lib/kube/object';
import { toIso } from '@/lib/std/instant';
import type { Declared } from '@/server/chartsync';
import type { Accepted } from '@/server/commands';
import type { ApiDeps } from '../api-deps';
import type { Caller } from '../route';
import { requireSession } from '../route';
import type { NamedRelease } from './release-storage';
import { maskObjectsFor, permitStorage, rightsCheckOf, rightToGet, rightToStorage, topicOf } from './release-storage';

/** What of a release may be edited, with what its chart says of the values where that can be asked now. */
export async function readEditable({ params, query }: NamedRelease, caller: Caller, deps: ApiDeps): Promise<EditableRelease> {
  const { object, ...editable } = await deps.commands.readEditableRelease(requireSession(caller), { ...params, ...query });
  // A help and no more: whoever writes without it hears from Helm what is wrong.
  try {
    return { ...editable, schema: (await deps.releases.schema(object)) ?? null, schemaLacks: null };
  } catch (error) {
    return { ...editable, schema: null, schemaLacks: messageOf(error) };
  }
}

interface EditOf extends Pick<NamedRelease, 'params'> {
  readonly body: ReleaseEditRequest;
}

/** A change of a release: what it would do, or done. */
export async function answerEdit({ params, body }: EditOf, caller: Caller, deps: ApiDeps): Promise<Accepted | ReleasePlan> {
  const session = requireSession(caller);
  if (body.dryRun !== true) return deps.commands.editRelease(session, params, body);
  const named = { params, query: { kind: body.kind } };
  await permitStorage(named, caller, deps);
  return planOf(named, await deps.commands.draftRelease(session, params, body), { caller, deps });
}

/** Both plans of a change that waits, each as the person may see it. */
export async function readMoved(named: NamedRelease, caller: Caller, deps: ApiDeps): Promise<MovedReleasePlan> {
  await permitStorage(named, caller, deps);
  const { params, query } = named;
  const { object, plan } = await deps.commands.readWaitingRelease(requireSession(caller), { ...params, ...query });
  const { uid = '', generation = 1 } = object.metadata;
  const now = await planOf(named, { object }, { caller, deps });
  const kept = await findPlan(named, plan, deps);
  // It is kept as anybody may see it, objects aside.
  const preview = kept === undefined ? null : await seenBy(kept.preview, { maySeeValues: false, caller, deps });
  const moved = preview === null ? [] : PLAN_PARTS.filter((part) => preview.parts[part] !== now.parts[part]);
  return { uid, generation, seen: { plan, by: kept?.by ?? null, at: kept?.at ?? null, preview }, now, moved: [...moved] };
}

/** An entry of the record, as far as it names a plan. */
interface NamesPlan extends TypeRef {
  readonly namespace: string | null;
  readonly name: string;
  readonly data: unknown;
}

/** The plan that somebody saw before they changed a release, as the reader may see it; null where an entry names none, or it is not kept, or not theirs to see. */
export async function readShownPlan(
  { namespace: ns, name, data, ...type }: NamesPlan,
  caller: Caller,
  deps: ApiDeps,
): Promise<ActivityEntry['shown']> {
  const of = releaseKindOf(type);
  const digest = readString(data, 'plan');
  if (of === undefined || ns === null || digest === undefined) return null;
  const named = { params: { ns, name }, query: { kind: of } };
  const mayRead = async () => {
    const grant = await deps.auth.authorise(caller.session, { kind: 'view-topic', topic: topicOf(named) });
    await permitStorage(named, { ...caller, grant }, deps);
    return true;
  };
  const found = await findPlan(named, digest, deps);
  if (found === undefined || !(await mayRead().catch(isHidden))) return null;
  const { by, at, preview } = found;
  return { by, at, consequences: [], preview: null, release: await seenBy(preview, { maySeeValues: false, caller, deps }) };
}

/** False for what says that the release is gone or not to be seen; anything else is thrown on. */
function isHidden(error: unknown): false {
  if (isAppError(error) && (error.code === 'forbidden' || error.code === 'not-found')) return false;
  throw error;
}

interface Asking {
  readonly caller: Caller;
  readonly deps: ApiDeps;
}

/** By what a plan is kept: resources of one name, and such as differ by nothing but their name, may have the same plan. */
const keyOfPlan = ({ params: { ns, name }, query: { kind } }: NamedRelease, digest: string) => `${digest} ${kind} ${ns}/${name}`;

/** The plan of a resource as it was shown; undefined where it is not kept. */
async function findPlan(named: NamedRelease, digest: string, { releasePlans }: Pick<ApiDeps, 'releasePlans'>) {
  const found = await releasePlans.read(keyOfPlan(named, digest));
  if (found !== undefined) return found;
  // The release before kept them by their digest alone, those of the older kind under a name of their own.
  const before = await releasePlans.read(digest);
  const { params, query } = named;
  const name = query.kind === 'helmrelease-v1beta1' ? `${query.kind}/${params.name}` : params.name;
  return before?.ns === params.ns && before.name === name ? before : undefined;
}

/** The plan of a resource, kept as it was shown. */
async function planOf(named: NamedRelease, declared: Declared, { caller, deps }: Asking): Promise<ReleasePlan> {
  const release = await permitStorage(named, caller, deps);
  const maySeeValues = await rightsCheckOf(caller, deps)(rightToStorage(release));
  const { shown, kept } = await deps.releases.plan(declared, { release, maySeeValues });
  const { user } = requireSession(caller);
  await deps.releasePlans.keep({
    digest: keyOfPlan(named, shown.plan),
    ...named.params,
    at: toIso(deps.clock.now()),
    by: user,
    base: '',
    preview: kept,
  });
  return seenBy(shown, { maySeeValues, caller, deps });
}

async function seenBy(
  plan: ReleasePlan,
  { maySeeValues, caller, deps }: Asking & { readonly maySeeValues: boolean },
): Promise<ReleasePlan> {
  const may = rightsCheckOf(caller, deps);
  const nondeterministic: ReleasePlan['nondeterministic'] = [];
  for (const place of plan.nondeterministic) {
    const isSeen = place.name === null || (await may(rightToGet({ ...place, name: place.name })));
    nondeterministic.push(isSeen ? place : { ...place, paths: null });
  }
  return { ...(await maskObjectsFor(may, plan, maySeeValues)), nondeterministic, eachTime: nondeterministic };
}
