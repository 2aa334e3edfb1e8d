import type { KubeObject } from './object';

interface AnnotatedUser {
  readonly user: string;
  readonly groups: readonly string[];
  readonly uid?: string;
}

/** The annotations by which a person is noted on an object: the user, and their groups, one a line (docs/decisions/0015-who-may-put-what.md). */
export interface UserAnnotations {
  readonly user: string;
  readonly groups: string;
  /** Where the API server notes it as well; nobody else does. */
  readonly uid?: string;
}

/**
 * Groups that people are given; those of the system come with being signed in, and nobody may be impersonated with them. One with white space around
 * its name would arrive as another one.
 */
export function withoutSystemGroups(groups: readonly string[]): string[] {
  return groups.filter((group) => !group.startsWith('system:') && group === group.trim());
}

/** The groups that the API server gives a service account, by its name; none for a person. */
export function groupsOfAccount(user: string): readonly string[] {
  const [, namespace] = /^system:serviceaccount:([^:]+):[^:]+$/.exec(user) ?? [];
  return namespace === undefined ? [] : [`system:serviceaccounts:${namespace}`, 'system:serviceaccounts'];
}

/** The annotations that note a person, as admission wants them. */
export function toUserAnnotations({ user, groups }: UserAnnotations, person: AnnotatedUser): Readonly<Record<string, string>> {
  return { [user]: person.user, [groups]: withoutSystemGroups(person.groups).join('\n') };
}

/** Who is noted on an object; undefined when nobody is. */
export function readAnnotatedUser({ metadata: { annotations } }: KubeObject, names: UserAnnotations): AnnotatedUser | undefined {
  const user = annotations?.[names.user];
  if (user === undefined || user === '') return undefined;
  const uid = names.uid === undefined ? undefined : annotations?.[names.uid];
  return { user, groups: (annotations?.[names.groups] ?? '').split('\n').filter((group) => group !== ''), ...(uid ? { uid } : {}) };
}

/** The annotation that hands on who was noted, without their groups; undefined when nobody was. */
export function copyUserAnnotation(
  noted: AnnotatedUser | undefined,
  names: Pick<UserAnnotations, 'user'>,
): Readonly<Record<string, string>> | undefined {
  return noted && { [names.user]: noted.user };
}

/** Annotations without the note of a person. */
export function withoutUserAnnotations(
  annotations: KubeObject['metadata']['annotations'],
  names: UserAnnotations,
): Readonly<Record<string, string>> {
  const noted: readonly (string | undefined)[] = [names.user, names.groups, names.uid];
  return Object.fromEntries(Object.entries(annotations ?? {}).filter(([name]) => !noted.includes(name)));
}

/** A merge patch of annotations that takes a note away. */
export function userAnnotationsRemoval({ user, groups }: UserAnnotations): Readonly<Record<string, null>> {
  return { [user]: null, [groups]: null };
}
