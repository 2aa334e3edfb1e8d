import { PUT_BACK } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { toObjectId } from '@/lib/kube/object';
import { readNote, toNote } from '@/lib/kube/person-note';
import { recordedIds } from '@/server/dispatch';
import type { RunPlan } from './model';

const MOST_ASKED = 50;

/** The objects that an application's annotation names, by their ids. */
export function putBackAsked({ metadata }: KubeObject): ReadonlySet<string> {
  const text = metadata.annotations?.[PUT_BACK.asked] ?? '';
  return new Set(text.split(',').filter((id) => id !== ''));
}

/**
 * The application with one more object to put back, and who asks where admission does not note it; undefined when it names so many that it
 * should answer them first.
 */
export function requestRevert(
  application: KubeObject,
  at: ObjectAddress,
  by?: { readonly user: string; readonly groups: readonly string[] },
): KubeObject | undefined {
  const asked = [...new Set([...putBackAsked(application), toObjectId(at)])];
  if (asked.length > MOST_ASKED) return undefined;
  const annotations = {
    ...application.metadata.annotations,
    [PUT_BACK.asked]: asked.join(','),
    ...(by === undefined ? {} : toNote(PUT_BACK, by)),
  };
  return { ...application, metadata: { ...application.metadata, annotations } };
}

/** True when a manifest is among what was asked for. */
export function isAsked(asked: ReadonlySet<string>, manifest: KubeObject): boolean {
  return asked.size > 0 && recordedIds(manifest).some((id) => asked.has(id));
}

/** The manifests of a plan that people asked to be put back. */
export const manifestsAsked = ({ rendered, putBack }: RunPlan) => rendered.manifests.filter((manifest) => isAsked(putBack, manifest));

/** The plan with nothing but what people asked to be put back; undefined when they asked for nothing that it has. */
export function onlyAsked(plan: RunPlan): RunPlan | undefined {
  const manifests = manifestsAsked(plan);
  return manifests.length === 0 ? undefined : { ...plan, rendered: { ...plan.rendered, manifests } };
}

/** What a request to put back comes to. */
export interface PutBackAnswer {
  readonly action: 'drift.put-back.done' | 'drift.put-back.refused';
  readonly sentence: string;
}

/** The answer to a request to put back, undefined where there is none. `refusal` says why whoever asked may not have it done. */
export function answerPutBack(plan: RunPlan, refusal: string | undefined): PutBackAnswer | undefined {
  const { object } = plan.application;
  const asked = object.metadata.annotations?.[PUT_BACK.asked];
  if (asked === undefined) return undefined;
  const why = refusal ?? whyNotNow(plan);
  const who = readNote(object, PUT_BACK)?.user ?? 'an unknown user';
  if (why === undefined) return { action: 'drift.put-back.done', sentence: `${asked} was reverted at the request of ${who}` };
  return { action: 'drift.put-back.refused', sentence: `${asked} was not reverted, although ${who} requested it: ${why}` };
}

function whyNotNow(plan: RunPlan): string | undefined {
  if (!plan.dispatch) return `nothing of ${plan.application.name} is being applied at the moment`;
  return manifestsAsked(plan).length === 0 ? `${plan.revision.name} has no such object` : undefined;
}
