import { LABELLED_BY, REQUESTED_BY } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject } from '@/lib/kube/object';
import { readNote } from '@/lib/kube/person-note';
import type { Person } from '@/server/kube';
import { decide } from '../decide/decide';
import type { Observation } from '../observe/observe';
import { isPropagated } from '../render/propagated-labels';
import type { Revision } from '../revision';
import { metadataOf } from '../revision';
import type { ParsedApplication } from '../spec/model';
import { isAbout } from '../spec/policies';
import type { RequesterCheck } from './requester';
import { explainForbidden, noteOf } from './requester';

type Words = Readonly<Record<string, string>>;

/**
 * The application with the labels and annotations that may reach what it holds. Those that somebody changed since its newest revision do so where that
 * person may write all of it themselves; otherwise the ones that were permitted last stay, and what everybody else changes goes on.
 */
export async function withPermittedLabels(asking: RequesterCheck, seen: Observation, by?: Person): Promise<Observation> {
  const { application, object } = seen;
  if ('fault' in application || object.metadata.deletionTimestamp !== undefined) return seen;
  const newest = seen.revisions.at(-1);
  const permitted = newest === undefined ? { labels: {}, annotations: {} } : metadataOf(newest);
  const changed = changedLabels(newest, application);
  if (changed.length === 0) return seen;
  const decision = decide(seen, asking.deps.clock.now());
  if (decision.kind !== 'run') return seen;
  const { name, namespace, policies } = application;
  const what = describeObject({ kind: object.kind, namespace, name });
  const written = decision.plan.rendered.manifests.flatMap((manifest) =>
    isAbout(policies.readOnly, manifest) ? [] : [{ object: manifest, verbs: ['patch'] }],
  );
  const person = by ?? (await labellerOf(asking, object));
  const why = await explainForbidden(asking, { application: what, namespace, written, going: [] }, person);
  if (why === undefined) return seen;
  const names = changed.join(', ');
  const withheld = `${names} of ${what}, changed by ${person?.user ?? 'an unknown user'}, ${changed.length === 1 ? 'is' : 'are'} not propagated to its objects, which keep the last permitted ${changed.length === 1 ? 'value' : 'values'}: ${why}`;
  return { ...seen, application: withWords(application, permitted), withheld };
}

/** Who changed labels or annotations of an application last, by whatever client; its requester where nobody did since it is there. */
export function labellerOf(asking: RequesterCheck, application: KubeObject): Promise<Person | undefined> {
  return noteOf(asking, application, (object) => readNote(object, LABELLED_BY) ?? readNote(object, REQUESTED_BY));
}

/** Names of labels and annotations that reach objects and are others than those of a revision, in order. */
export function changedLabels(before: Revision | undefined, now: Pick<ParsedApplication, 'labels' | 'annotations'>): readonly string[] {
  const { labels, annotations } = before === undefined ? { labels: {}, annotations: {} } : metadataOf(before);
  return [...changedIn(labels, now.labels), ...changedIn(annotations, now.annotations)].sort();
}

/** Names of the words that are others now, were added, or are gone. */
function changedIn(before: Words, now: Words): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(now)])].filter((name) => isPropagated(name) && before[name] !== now[name]);
}

function withWords(
  application: ParsedApplication,
  { labels, annotations }: { readonly labels: Words; readonly annotations: Words },
): ParsedApplication {
  const own = (words: Words) => Object.entries(words).filter(([name]) => !isPropagated(name));
  const propagated = (words: Words) => Object.entries(words).filter(([name]) => isPropagated(name));
  return {
    ...application,
    labels: Object.fromEntries([...propagated(labels), ...own(application.labels)]),
    annotations: Object.fromEntries([...propagated(annotations), ...own(application.annotations)]),
  };
}

/** True where an application bears other labels or annotations than another, of those that reach what it holds. */
export function hasNewLabels(before: KubeObject | undefined, now: KubeObject): boolean {
  const words = (object: KubeObject | undefined) => [object?.metadata.labels ?? {}, object?.metadata.annotations ?? {}] as const;
  const [labels, annotations] = words(before);
  const [nextLabels, nextAnnotations] = words(now);
  return changedIn(labels, nextLabels).length > 0 || changedIn(annotations, nextAnnotations).length > 0;
}
