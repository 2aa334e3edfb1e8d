import type { IncomingMessage } from 'node:http';
import { isAppError } from '@/lib/contract/app-error';
import { parseObjectPage } from '@/lib/contract/object-address';
import type { Auth } from '@/server/auth';
import type { Commands } from '@/server/commands';
import { toAppError } from '@/server/commands';
import type { Clock } from '@/server/platform';
import { STATUS_OF } from './error-answer';

const OBJECT = /^\/objects\/([^/]+)\/([^/]+)\/([^/]+)\/([^/]+)\/?$/;
const KIND = /^\/objects\/([^/]+)\/([^/]+)\/?$/;
/** A page is not kept waiting for longer: it says itself what it could not read. */
const LIMIT_MS = 2000;

interface PageStatusDeps {
  readonly auth: Auth;
  readonly commands: Pick<Commands, 'lookAt'>;
  readonly clock: Clock;
}

/** Tells with which status a page about an object is answered: 404 where there is none, 403 where a right is missing; undefined for any other page. */
export function createPageStatus({ auth, commands, clock }: PageStatusDeps): (request: IncomingMessage) => Promise<number | undefined> {
  return async ({ url = '', method, headers }) => {
    const asked = method === 'GET' && headers.rsc === undefined ? parsePage(url) : undefined;
    const session = asked && (await auth.readSession(headers.cookie));
    if (asked === undefined || session === undefined) return undefined; // who is not signed in is sent to sign in
    const enough = new AbortController();
    const late = clock.sleep(LIMIT_MS, enough.signal).catch(() => undefined); // the end of the look ends it
    const look = commands.lookAt(session, asked).then(() => undefined, statusOf);
    const status = await Promise.race([look, late]);
    enough.abort();
    return status ?? undefined;
  };
}

function statusOf(error: unknown): number | undefined {
  const { code } = isAppError(error) ? error : toAppError(error);
  return code === 'forbidden' || code === 'not-found' || code === 'invalid' ? STATUS_OF[code] : undefined;
}

type Asked = Parameters<Commands['lookAt']>[1];

/** What an address is about; undefined where it is no page of an object, or cannot be read. */
function parsePage(url: string): Asked | undefined {
  try {
    const { pathname, searchParams } = new URL(url, 'http://page');
    const version = searchParams.get('version') ?? undefined;
    const [, group = '', plural = '', ns = '-', name = '-'] = OBJECT.exec(pathname) ?? KIND.exec(pathname) ?? [];
    if (group === '') return undefined;
    const page = parseObjectPage({ group, plural, ns, name }, version);
    const of = { group: page.group, named: page.named, version };
    return OBJECT.test(pathname) ? { of, ns: page.ns ?? undefined, name: page.name } : { of, ns: searchParams.get('ns') ?? undefined };
  } catch {
    return undefined; // an address that cannot be read; the page says so
  }
}
