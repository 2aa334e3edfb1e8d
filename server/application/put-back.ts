import { PUT_BACK } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { toObjectId } from '@/lib/kube/object';
import { toNote } from '@/lib/kube/person-note';
import { recordedIds } from '@/server/dispatch';

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
  const annotations = { ...application.metadata.annotations, [PUT_BACK.asked]: asked.join(','), ...(by === undefined ? {} : toNote(PUT_BACK, by)) };
  return { ...application, metadata: { ...application.metadata, annotations } };
}

/** True when a manifest is among what was asked for. */
export function isAsked(asked: ReadonlySet<string>, manifest: KubeObject): boolean {
  return asked.size > 0 && recordedIds(manifest).some((id) => asked.has(id));
}
