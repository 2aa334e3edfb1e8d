import { readFields } from '../fields';
import { LABELLED_BY, LABELLED_NAMES } from '../kinds';
import type { KubeObject } from '../object';
import { readAnnotatedUser } from '../user-annotations';

/** A label or an annotation of an application. */
export interface LabelAt {
  readonly member: 'labels' | 'annotations';
  readonly name: string;
}

interface Author {
  readonly user: string;
  readonly groups: readonly string[];
}

type Annotations = Readonly<Record<string, string>>;

/** Labels and annotations under these prefixes are about the application: they reach no object, and nobody is noted for them. */
export const OWN_LABEL_PREFIXES = ['slipway.dev/', 'kubectl.kubernetes.io/'] as const;
export const LABEL_MEMBERS = ['labels', 'annotations'] as const;
/** Beyond so many lines those of names that are gone are dropped, which is told by a line of its own. */
export const MAX_LABEL_AUTHORS = 256;
const DROPPED = '-';
/** Who made the application, and with it all that no line names. */
const CREATOR = '*';

/** Stands for whoever took a label away of whom the note was dropped: nobody may. */
export const UNKNOWN_AUTHOR: Author = { user: '', groups: [] };

/** True for a name that would be read as several, since notes list one person per line, and groups after a tab. */
export const hasSeparator = (name: string): boolean => /[\n\t]/.test(name);

/** The value under a name, of what is written there alone: names are given by people, and every object has others. */
export function ownValue<Value>(words: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(words, name) ? words[name] : undefined;
}

/** Labels and annotations that differ between two states of an application, of those for which whoever changes them is noted. */
export function changedLabelsOf(before: unknown, now: unknown): readonly LabelAt[] {
  return LABEL_MEMBERS.flatMap((member) => {
    const [held, given] = [readFields(before, 'metadata', member), readFields(now, 'metadata', member)];
    const names = new Set([...Object.keys(held), ...Object.keys(given)]);
    return [...names].filter((name) => !isOwn(name) && ownValue(held, name) !== ownValue(given, name)).map((name) => ({ member, name }));
  });
}

/**
 * The annotations of an application with the notes of who changed its labels and annotations, as the policy `labels.slipway.dev` of
 * `deploy/admission.yaml` has an API server make them when this person writes it over the one that is held.
 */
export function toLabelAuthorAnnotations(object: unknown, held: KubeObject | undefined, person: Author): Annotations | undefined {
  const given: Readonly<Record<string, unknown>> = readFields(object, 'metadata', 'annotations');
  const old = held?.metadata.annotations ?? {};
  const {
    [LABELLED_BY.user]: _user,
    [LABELLED_BY.groups]: _groups,
    [LABELLED_NAMES.names]: _names,
    [LABELLED_NAMES.groups]: _people,
    ...rest
  } = given as Annotations; // annotations are strings
  const changed = changedLabelsOf(held, object);
  if (changed.length === 0) {
    const kept = [LABELLED_BY.user, LABELLED_BY.groups, LABELLED_NAMES.names, LABELLED_NAMES.groups].filter(
      (name) => old[name] !== undefined,
    );
    return Object.keys(given).length === 0 && kept.length === 0
      ? undefined
      : { ...rest, ...Object.fromEntries(kept.map((name) => [name, old[name] ?? ''])) };
  }
  const { names, people } = linesAfter({ object, held, changed: changed.map(toPath) }, person);
  return {
    ...rest,
    [LABELLED_BY.user]: person.user,
    [LABELLED_BY.groups]: groupsOf(person).join('\n'),
    [LABELLED_NAMES.names]: names.join('\n'),
    [LABELLED_NAMES.groups]: people.join('\n'),
  };
}

/** An application as it is once this person wrote it over the one that is held, with the notes of who changed its labels and annotations. */
export function withLabelAuthors(object: KubeObject, held: KubeObject | undefined, person: Author): KubeObject {
  return { ...object, metadata: { ...object.metadata, annotations: toLabelAuthorAnnotations(object, held, person) ?? {} } };
}

/** Who changed a label or an annotation of an application last; `FORGOTTEN` where that was noted once, undefined where nobody was. */
export function readLabelAuthor(application: KubeObject, { member, name }: LabelAt): Author | undefined {
  const { annotations = {} } = application.metadata;
  if (annotations[LABELLED_NAMES.names] === undefined) return readAnnotatedUser(application, LABELLED_BY);
  const lines = linesOf(annotations[LABELLED_NAMES.names]);
  const isThere = ownValue(application.metadata[member] ?? {}, name) !== undefined;
  const user = userOf(lines, toPath({ member, name })) ?? (isThere ? userOf(lines, CREATOR) : undefined);
  if (user === undefined) return !isThere && lines.includes(DROPPED) ? UNKNOWN_AUTHOR : undefined;
  const [, ...groups] =
    linesOf(annotations[LABELLED_NAMES.groups])
      .map((line) => line.split('\t'))
      .find(([first]) => first === user) ?? [];
  return { user, groups: groups.filter((group) => group !== '') };
}

interface Written {
  readonly object: unknown;
  readonly held: KubeObject | undefined;
  readonly changed: readonly string[];
}

/** A line for each name that was changed since the application was made, and one for each person that these name. */
function linesAfter(
  { object, held, changed }: Written,
  person: Author,
): { readonly names: readonly string[]; readonly people: readonly string[] } {
  if (held === undefined) return { names: [`${CREATOR} ${person.user}`], people: [toPersonLine(person)] };
  const before = heldLines(held);
  const paths = new Set(changed);
  const unchanged = before.names.filter((line) => line !== DROPPED && !paths.has(pathOf(line)));
  const isFull = unchanged.length + changed.length > MAX_LABEL_AUTHORS;
  const kept = unchanged.filter((line) => !isFull || pathOf(line) === CREATOR || isThere(object, pathOf(line)));
  const named = new Set(kept.map((line) => line.slice(line.indexOf(' ') + 1)));
  const others = before.people.filter((line) => line.split('\t')[0] !== person.user && named.has(line.split('\t')[0] ?? ''));
  return {
    names: [...(isFull || before.names.includes(DROPPED) ? [DROPPED] : []), ...kept, ...changed.map((path) => `${path} ${person.user}`)],
    people: [...others, toPersonLine(person)],
  };
}

/** The lines that an application has; one that was noted before names were has whoever changed any last for all of them. */
function heldLines(held: KubeObject): { readonly names: readonly string[]; readonly people: readonly string[] } {
  const { annotations = {} } = held.metadata;
  if (annotations[LABELLED_NAMES.names] !== undefined)
    return { names: linesOf(annotations[LABELLED_NAMES.names]), people: linesOf(annotations[LABELLED_NAMES.groups]) };
  const last = readAnnotatedUser(held, LABELLED_BY);
  return last === undefined ? { names: [], people: [] } : { names: [`${CREATOR} ${last.user}`], people: [toPersonLine(last)] };
}

function isThere(object: unknown, path: string): boolean {
  const member = LABEL_MEMBERS.find((one) => path.startsWith(`${one}/`));
  return member !== undefined && ownValue(readFields(object, 'metadata', member), path.slice(member.length + 1)) !== undefined;
}

const isOwn = (name: string) => OWN_LABEL_PREFIXES.some((prefix) => name.startsWith(prefix));
const toPath = ({ member, name }: LabelAt) => `${member}/${name}`;
const pathOf = (line: string) => line.split(' ', 1)[0] ?? '';
const userOf = (lines: readonly string[], path: string) => lines.find((line) => line.startsWith(`${path} `))?.slice(path.length + 1);
const linesOf = (text: string | undefined) => (text === undefined || text === '' ? [] : text.split('\n'));
const groupsOf = ({ groups }: Author) => groups.filter((group) => !hasSeparator(group));
const toPersonLine = (person: Author) => [person.user, ...groupsOf(person)].join('\t');
