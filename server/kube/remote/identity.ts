import { AppError } from '@/lib/contract/app-error';
import type { Person } from '../cluster';

/** Headers of one request; a list is sent as one line per value. */
export type HeaderLines = Record<string, string | string[]>;

/** Refuses a person who would fall back to our own identity. */
export function requirePerson(person: Person): void {
  if (person.token !== undefined) {
    if (person.token.trim() === '') throw new AppError('invalid', `the token of ${person.user || 'a person'} is empty`);
    return;
  }
  if (person.user.trim() === '') throw new AppError('invalid', 'a person without a user name cannot be acted for');
  // Nobody is a part of the cluster; service accounts are given their groups by the API server.
  if (person.user.startsWith('system:') && !person.user.startsWith('system:serviceaccount:'))
    throw new AppError('forbidden', `no one may act as ${person.user}: it is a part of the cluster`);
  const ofSystem = person.groups.find((group) => group.startsWith('system:'));
  if (ofSystem !== undefined) throw new AppError('forbidden', `no one may act as a member of ${ofSystem}, which ${person.user} was to be`);
  const padded = [person.user, ...person.groups].find((name) => name !== name.trim());
  if (padded !== undefined && padded.trim() !== '')
    throw new AppError(
      'invalid',
      `no one may act as ${JSON.stringify(padded)}: white space around a name is lost on the way, and another name is left`,
    );
  if (person.groups.some((group) => group.trim() === '')) throw new AppError('invalid', `a group of ${person.user} has no name`);
}

/** The headers by which a request acts as somebody: the person's own token, or ours with impersonation. */
export function identityHeaders(own: string | undefined, person: Person | undefined): HeaderLines {
  if (person?.token !== undefined) return { authorization: `Bearer ${person.token}` };
  const headers: HeaderLines = own === undefined ? {} : { authorization: own };
  if (person === undefined) return headers;
  headers['impersonate-user'] = toLatin1(person.user);
  if (person.groups.length > 0) headers['impersonate-group'] = person.groups.map(toLatin1);
  if (person.uid !== undefined) headers['impersonate-uid'] = toLatin1(person.uid);
  for (const [key, values] of Object.entries(person.extra ?? {})) {
    if (values.length > 0) headers[`impersonate-extra-${encodeURIComponent(key).toLowerCase()}`] = values.map(toLatin1);
  }
  return headers;
}

/** What a caller may not set: who is asking is decided here alone. */
export function withoutIdentity(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !/^(authorization$|impersonate-)/i.test(name)));
}

// Header bytes go out as latin1; the API server reads them as UTF-8.
const toLatin1 = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
