import type { IncomingMessage } from 'node:http';
import type { Person } from '@/server/kube';
import type { ApiContext } from '../api/context';
import { badRequest, unauthorized } from '../api/failures';
import type { Caller } from '../rights/caller';
import { callerOf } from '../rights/caller';
import { checkImpersonation } from '../rights/impersonation';

const EXTRA = 'impersonate-extra-';

/** Who sends a request: whom its token names, or whom that one acts for. */
export function authenticate(context: ApiContext, request: IncomingMessage): Caller {
  const [, token] = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  const caller = token === undefined ? undefined : context.tokens.callerOf(token);
  if (caller === undefined) throw unauthorized();
  const user = first(request.headers['impersonate-user']);
  if (user === undefined || user === '') {
    const beside = Object.keys(request.headers).filter((name) => name.startsWith('impersonate-') && name !== 'impersonate-user');
    if (beside.length > 0) throw badRequest(`requested ${beside.sort().join(', ')} without impersonating a user`);
    return caller;
  }
  const person = readPerson(request, toUtf8(user));
  checkImpersonation(context, caller, person);
  return callerOf(person);
}

function readPerson(request: IncomingMessage, user: string): Person {
  const groups: string[] = [];
  const extra = new Map<string, string[]>();
  // The raw list keeps headers that are sent several times apart.
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
    const name = (request.rawHeaders[at] ?? '').toLowerCase();
    const value = toUtf8(request.rawHeaders[at + 1] ?? '');
    if (name === 'impersonate-group') groups.push(value);
    else if (name.startsWith(EXTRA)) {
      const key = unescaped(name.slice(EXTRA.length));
      extra.set(key, [...(extra.get(key) ?? []), value]);
    }
  }
  const uid = first(request.headers['impersonate-uid']);
  return { user, groups, ...(uid ? { uid } : {}), ...(extra.size > 0 ? { extra: Object.fromEntries(extra) } : {}) };
}

// A name that is not escaped as it should be is taken as it is.
function unescaped(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name; // as it stands
  }
}

const first = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);

// Node reads header bytes as latin1; what clients mean is UTF-8.
const toUtf8 = (text: string) => Buffer.from(text, 'latin1').toString('utf8');
