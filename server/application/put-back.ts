import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { toObjectId } from '@/lib/kube/object';
import { recordedIds } from '@/server/dispatch';

/** On an application: the objects that people asked to be put back to what its revision wants, also where apply-once leaves them. */
export const PUT_BACK_ANNOTATION = 'slipway.dev/put-back';
const MOST_ASKED = 50;

/** The objects that an application's annotation names, by their ids. */
export function putBackAsked({ metadata }: KubeObject): ReadonlySet<string> {
  const text = metadata.annotations?.[PUT_BACK_ANNOTATION] ?? '';
  return new Set(text.split(',').filter((id) => id !== ''));
}

/** The application with one more object to put back; undefined when it names so many that it should answer them first. */
export function askPutBack(application: KubeObject, at: ObjectAddress): KubeObject | undefined {
  const asked = [...new Set([...putBackAsked(application), toObjectId(at)])];
  if (asked.length > MOST_ASKED) return undefined;
  const annotations = { ...application.metadata.annotations, [PUT_BACK_ANNOTATION]: asked.join(',') };
  return { ...application, metadata: { ...application.metadata, annotations } };
}

/** True when a manifest is among what was asked for. */
export function isAsked(asked: ReadonlySet<string>, manifest: KubeObject): boolean {
  return asked.size > 0 && recordedIds(manifest).some((id) => asked.has(id));
}
