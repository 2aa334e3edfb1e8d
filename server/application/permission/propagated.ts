import { REQUESTED_BY } from '@/lib/kube/kinds';
import type { LabelAt } from '@/lib/kube/labels/label-authors';
import { LABEL_MEMBERS, ownValue, readLabelAuthor, UNKNOWN_AUTHOR } from '@/lib/kube/labels/label-authors';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject } from '@/lib/kube/object';
import { readAnnotatedUser } from '@/lib/kube/user-annotations';
import type { Person } from '@/server/kube';
import { decide } from '../decide/decide';
import type { Observation, WithheldLabels } from '../observe/observe';
import { isPropagated } from '../render/propagated-labels';
import type { Revision } from '../revision';
import { metadataOf } from '../revision';
import type { ParsedApplication } from '../spec/model';
import { isAbout } from '../spec/policies';
import type { RequesterCheck } from './requester';
import { explainForbidden, noteOf } from './requester';
import type { RightsNeeded } from './rights-needed';

type Words = Readonly<Record<string, string>>;
type Labels = Readonly<Record<LabelAt['member'], Words>>;

/**
 * The application with the labels and annotations that may reach what it holds. Those that somebody changed since its newest revision do so where that
 * person may write all of it themselves; otherwise the ones that were permitted last stay, and what everybody else changes goes on. Who changed each is
 * noted on the application, or on what it would be (`noted`).
 */
export async function withPermittedLabels(
  asking: RequesterCheck,
  seen: Observation,
  noted: KubeObject = seen.object,
): Promise<Observation> {
  const { application, object } = seen;
  if ('fault' in application || object.metadata.deletionTimestamp !== undefined) return seen;
  const permitted = labelsOf(seen.revisions.at(-1));
  const changed = changedLabels(permitted, application);
  if (changed.length === 0) return seen;
  const decision = decide(seen, asking.deps.clock.now());
  if (decision.kind !== 'run') return seen;
  const written = decision.plan.rendered.manifests.flatMap((manifest) =>
    isAbout(application.policies.readOnly, manifest) ? [] : [{ object: manifest, verbs: ['patch'] }],
  );
  const refused: LabelAt[] = [];
  const withheld: WithheldLabels[] = [];
  for (const { author, labels } of await byAuthor(asking, noted, changed)) {
    const why = await explainWithheld(asking, { application, written }, author);
    if (why === undefined) continue;
    refused.push(...labels);
    withheld.push({ user: author?.user || undefined, message: formatOne({ application, labels, author }, why) });
  }
  if (refused.length === 0) return seen;
  return { ...seen, application: { ...application, ...mixed(application, permitted, refused) }, withheld };
}

interface WrittenObjects {
  readonly application: ParsedApplication;
  readonly written: RightsNeeded['written'];
}

/** Why whoever changed labels may not have them written onto the objects; undefined when they may. */
async function explainWithheld(
  asking: RequesterCheck,
  { application, written }: WrittenObjects,
  author: Person | undefined,
): Promise<string | undefined> {
  if (author?.user === UNKNOWN_AUTHOR.user)
    return 'it is no longer noted who removed them, since too many labels and annotations were changed one by one; set them again, then remove them';
  const needed = { application: titleOf(application), namespace: application.namespace, written, going: [] };
  return explainForbidden(asking, needed, author);
}

interface OneAuthor {
  readonly application: ParsedApplication;
  readonly labels: readonly LabelAt[];
  readonly author: Person | undefined;
}

function formatOne({ application, labels, author }: OneAuthor, why: string): string {
  const [is, value] = labels.length === 1 ? ['is', 'value'] : ['are', 'values'];
  const names = labels.map(({ name }) => name).join(', ');
  return `${names} of ${titleOf(application)}, changed by ${author?.user || 'an unknown user'}, ${is} not propagated to its objects, which keep the last permitted ${value}: ${why}`;
}

/** Labels and annotations by who changed them last, those that are of one person together. */
export async function byAuthor(
  asking: RequesterCheck,
  application: KubeObject,
  labels: readonly LabelAt[],
): Promise<readonly { readonly author: Person | undefined; readonly labels: readonly LabelAt[] }[]> {
  const found = new Map<string | undefined, { readonly author: Person | undefined; readonly labels: LabelAt[] }>();
  for (const label of labels) {
    const author = await authorOf(asking, application, label);
    const one = found.get(author?.user) ?? { author, labels: [] };
    one.labels.push(label);
    found.set(author?.user, one);
  }
  return [...found.values()];
}

/** Who changed a label or an annotation of an application last, by whatever client; its requester where nobody did since it is there. */
function authorOf(asking: RequesterCheck, application: KubeObject, label: LabelAt): Promise<Person | undefined> {
  return noteOf(asking, application, (object) => readLabelAuthor(object, label) ?? readAnnotatedUser(object, REQUESTED_BY));
}

/** Labels and annotations that reach objects and are others now, were added, or are gone, by their names. */
export function changedLabels(before: Labels, now: Labels): readonly LabelAt[] {
  return LABEL_MEMBERS.flatMap((member) => changedIn(before[member], now[member]).map((name) => ({ member, name }))).sort((one, other) =>
    one.name < other.name ? -1 : one.name > other.name ? 1 : 0,
  );
}

/** The labels and annotations that a revision has; none where there is no revision. */
export const labelsOf = (revision: Revision | undefined): Labels =>
  revision === undefined ? { labels: {}, annotations: {} } : metadataOf(revision);

const titleOf = ({ object, namespace, name }: ParsedApplication) => describeObject({ kind: object.kind, namespace, name });

/** Names of the words that are others now, were added, or are gone. */
function changedIn(before: Words, now: Words): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
    (name) => isPropagated(name) && ownValue(before, name) !== ownValue(now, name),
  );
}

/** What an application says, but for some labels and annotations, which are as they were permitted last. */
function mixed(now: Labels, permitted: Labels, refused: readonly LabelAt[]): Labels {
  const wordsOf = (member: LabelAt['member']) => {
    const names = new Set(refused.filter((label) => label.member === member).map(({ name }) => name));
    const stays = ([name]: readonly [string, string]) => !names.has(name);
    const before = Object.entries(permitted[member]).filter(([name]) => names.has(name));
    return Object.fromEntries([...Object.entries(now[member]).filter(stays), ...before]);
  };
  return { labels: wordsOf('labels'), annotations: wordsOf('annotations') };
}
