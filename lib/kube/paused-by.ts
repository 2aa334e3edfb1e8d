import { readString } from './fields';
import type { KubeObject } from './object';

/** On an application that the console suspended. */
export const SUSPENDED = 'slipway.dev/suspended';

/** Annotations that pause an object for every controller that knows them. */
const PAUSE_ANNOTATIONS: Readonly<Record<string, string>> = {
  [SUSPENDED]: 'true',
  'operatorkit.giantswarm.io/paused': 'true',
  'cluster.x-k8s.io/paused': 'true',
};

/** The annotation that pauses an object: one that is present with exactly its value. Further pairs add to those that always do. */
export function pausedBy(object: Pick<KubeObject, 'metadata'>, further: Readonly<Record<string, string>> = {}): string | undefined {
  const annotations = object.metadata?.annotations;
  if (!annotations) return undefined;
  const isSet = ([name, value]: readonly [string, string]) => Object.hasOwn(annotations, name) && annotations[name] === value;
  return Object.entries({ ...further, ...PAUSE_ANNOTATIONS }).find(isSet)?.[0];
}

/** Who suspended it, when and why. Whoever may write the application may write this as well, so the record is what proves it. */
const NOTE = 'slipway.dev/suspended-note';

/** What holds an object, and who set that, when and why, as far as it is noted. */
export interface Suspension {
  readonly annotation: string;
  readonly by: string | null;
  readonly at: string | null;
  readonly reason: string | null;
}

/** What holds an object, and what is noted of who suspended it; undefined while nothing does. */
export function readSuspension(object: Pick<KubeObject, 'metadata'>): Suspension | undefined {
  const annotation = pausedBy(object);
  if (annotation === undefined) return undefined;
  const note = annotation === SUSPENDED ? parsed(object.metadata.annotations?.[NOTE]) : undefined;
  const told = (member: string) => readString(note, member)?.slice(0, 500) || null;
  return { annotation, by: told('by'), at: told('at'), reason: told('reason') };
}

/** The object with the annotation that suspends it. */
export function withSuspension(
  object: KubeObject,
  note: { readonly by: string; readonly at: string; readonly reason: string | undefined },
): KubeObject {
  const annotations = { ...object.metadata.annotations, [SUSPENDED]: 'true', [NOTE]: JSON.stringify(note) };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** The object without any annotation that holds it, whoever set it. */
export function withoutSuspension(object: KubeObject): KubeObject {
  const holds = ([name, value]: readonly [string, string]) => name === NOTE || name === SUSPENDED || PAUSE_ANNOTATIONS[name] === value;
  const annotations = Object.fromEntries(Object.entries(object.metadata.annotations ?? {}).filter((entry) => !holds(entry)));
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined; // nobody is noted then
  }
}
