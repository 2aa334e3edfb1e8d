import { PUT_BACK } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { describeObject, toAddress, toObjectId } from '@/lib/kube/object';
import { readAnnotatedUser, toUserAnnotations } from '@/lib/kube/user-annotations';
import { recordedIds } from '@/server/dispatch';
import type { RunPlan } from './model';

const MAX_ASKED = 50;

/** Stands between an id and the uid of the object that was seen under it; no name of Kubernetes has it. */
const UID_MARK = '%';

/** The objects that an application's annotation names by their ids, each with the uid of the one that was seen where it says so. */
function readAsked({ metadata }: KubeObject): ReadonlyMap<string, string | undefined> {
  const entries = (metadata.annotations?.[PUT_BACK.asked] ?? '').split(',').filter((entry) => entry !== '');
  return new Map(
    entries.map((entry) => {
      const [id = '', uid] = entry.split(UID_MARK);
      return [id, uid];
    }),
  );
}

/** The ids of the objects that an application's annotation names. */
export function requestedReverts(application: KubeObject): ReadonlySet<string> {
  return new Set(readAsked(application).keys());
}

/** An object to be put back; the uid is of the one that was seen, and absent where it was gone. */
export interface RevertAt extends ObjectAddress {
  readonly uid?: string | undefined;
}

/**
 * The application with one more object to put back, and who asks where admission does not note it; undefined when it names so many that it
 * should answer them first.
 */
export function requestRevert(
  application: KubeObject,
  { uid, ...at }: RevertAt,
  by?: { readonly user: string; readonly groups: readonly string[] },
): KubeObject | undefined {
  const asked = new Map(readAsked(application)).set(toObjectId(at), uid);
  if (asked.size > MAX_ASKED) return undefined;
  const annotations = {
    ...application.metadata.annotations,
    [PUT_BACK.asked]: [...asked].map(([id, seen]) => (seen === undefined ? id : `${id}${UID_MARK}${seen}`)).join(','),
    ...(by === undefined ? {} : toUserAnnotations(PUT_BACK, by)),
  };
  return { ...application, metadata: { ...application.metadata, annotations } };
}

/** Why an object is not the one that was asked for: it was made anew since. Undefined where it is, or where it is gone by now. */
export function replacedObjectReason(application: KubeObject, manifest: KubeObject, live: KubeObject | undefined): string | undefined {
  const asked = readAsked(application);
  const seen = recordedIds(manifest).flatMap((id) => asked.get(id) ?? [])[0];
  if (seen === undefined || live === undefined || live.metadata.uid === seen) return undefined;
  return `${describeObject(toAddress(live))} was deleted and created again since it was requested`;
}

/** True when a manifest is among what was asked for. */
export function isRevertRequested(asked: ReadonlySet<string>, manifest: KubeObject): boolean {
  return asked.size > 0 && recordedIds(manifest).some((id) => asked.has(id));
}

/** The manifests that a plan writes now, of its own revision or of another that stands beside it, and that people asked to be put back. */
export function manifestsToRevert({ dispatch, rendered, restore, served, toRevert }: RunPlan): readonly KubeObject[] {
  const written = [dispatch ? rendered : restore?.rendered, ...served.map((one) => one.rendered)];
  return written.flatMap((one) => one?.manifests.filter((manifest) => isRevertRequested(toRevert, manifest)) ?? []);
}

/** The plan with nothing but what people asked to be put back; undefined when they asked for nothing that it has. */
export function onlyRequestedReverts(plan: RunPlan): RunPlan | undefined {
  const manifests = manifestsToRevert({ ...plan, served: [] });
  return manifests.length === 0 ? undefined : { ...plan, rendered: { ...plan.rendered, manifests } };
}

/** What a request to put back comes to. */
export interface RevertAnswer {
  readonly action: 'drift.put-back.done' | 'drift.put-back.refused';
  readonly sentence: string;
}

/** The answer to a request to put back, undefined where there is none. `refusal` says why whoever asked may not have it done. */
export function answerRevert(plan: RunPlan, refusal: string | undefined): RevertAnswer | undefined {
  const { object } = plan.application;
  if (object.metadata.annotations?.[PUT_BACK.asked] === undefined) return undefined;
  const why = refusal ?? notNowReason(plan);
  const who = readAnnotatedUser(object, PUT_BACK)?.user ?? 'an unknown user';
  const what = [...requestedReverts(object)].join(',');
  if (why === undefined) return { action: 'drift.put-back.done', sentence: `${what} was reverted at the request of ${who}` };
  return { action: 'drift.put-back.refused', sentence: `${what} was not reverted, although ${who} requested it: ${why}` };
}

function notNowReason(plan: RunPlan): string | undefined {
  if (manifestsToRevert(plan).length > 0) return undefined;
  return plan.dispatch ? `${plan.revision.name} has no such object` : `nothing of ${plan.application.name} is currently being applied`;
}
