import type { IncomingMessage } from 'node:http';
import { AppError, isAppError } from '@/lib/contract/app-error';
import { FLUX_KIND_NAMES } from '@/lib/contract/flux-kind';
import { parseObjectPage } from '@/lib/contract/object-address';
import { RELEASE_KIND_NAMES } from '@/lib/contract/release-kind';
import type { Topic } from '@/lib/contract/topic';
import type { Act, Auth, Session } from '@/server/auth';
import type { Commands } from '@/server/commands';
import { toAppError } from '@/server/commands';
import type { Clock } from '@/server/platform';
import { waitAtMost } from '@/server/platform';
import type { ReadModel } from '@/server/readmodel';
import { STATUS_OF } from '../error-answer';
import { pageTopic } from './page-topic';

const OBJECT = /^\/objects\/([^/]+)\/([^/]+)\/([^/]+)\/([^/]+)(?:\/edit)?\/?$/;
const KIND = /^\/objects\/([^/]+)\/([^/]+)\/?$/;
const POD = /^\/pods\/([^/]+)\/([^/]+)\/(?:logs|terminal)\/?$/;
const RELEASE = /^\/releases\/[^/]+\/([^/]+)\/[^/]+(\/edit)?\/?$/;
const NEW = /^\/applications\/new\/?$/;
/** A page is not kept waiting for longer: it says itself what it could not read. */
const LIMIT_MS = 2000;

interface PageStatusDeps {
  readonly auth: Auth;
  readonly commands: Pick<Commands, 'requireVisible'>;
  readonly readModel: Pick<ReadModel, 'whenComplete' | 'open'>;
  readonly clock: Clock;
}

/** Tells with which status a page is answered: 404 where what it is about is not there, 403 where a right is missing; undefined for any other page. */
export function createPageStatus(deps: PageStatusDeps): (request: IncomingMessage) => Promise<number | undefined> {
  const { auth, clock } = deps;
  return async ({ url = '', method, headers }) => {
    const asked = method === 'GET' && headers.rsc === undefined ? parsePage(url) : undefined;
    const session = asked && (await auth.readSession(headers.cookie));
    if (asked === undefined || session === undefined) return undefined; // who is not signed in is sent to sign in
    const look = lookAtPage(deps, session, asked).then(() => undefined, statusOf);
    return waitAtMost({ clock, ms: LIMIT_MS, late: () => undefined }, look);
  };
}

function statusOf(error: unknown): number | undefined {
  const { code } = isAppError(error) ? error : toAppError(error);
  return code === 'forbidden' || code === 'not-found' || code === 'invalid' ? STATUS_OF[code] : undefined;
}

/** An address that nothing can be at. */
const NOTHING = 'nothing';

type NamedPage = Parameters<Commands['requireVisible']>[1];
type Asked = typeof NOTHING | { readonly topic: Topic } | { readonly object: NamedPage } | { readonly act: Act };

/** Throws why a page cannot show what it is about. */
async function lookAtPage({ auth, commands, readModel }: PageStatusDeps, session: Session, asked: Asked): Promise<void> {
  if (asked === NOTHING) throw new AppError('not-found', 'there is no page at this address');
  if ('object' in asked) return commands.requireVisible(session, asked.object);
  if ('act' in asked) return void (await auth.authorise(session, asked.act));
  const { topic } = asked;
  const grant = await auth.authorise(session, { kind: 'view-topic', topic });
  if (!('name' in topic)) return; // a list is there, though it may be empty
  await readModel.whenComplete(topic);
  const window = readModel.open(topic, grant.visibility, grant);
  if (window === undefined) throw new AppError('not-found', `there is no ${topic.kind} ${topic.name}`);
  window.release();
}

/** What an address is about; undefined where it is about nothing that could be missing, or cannot be read. */
function parsePage(url: string): Asked | undefined {
  try {
    const { pathname, searchParams } = new URL(url, 'http://page');
    if (NEW.test(pathname)) return { act: { kind: 'create-somewhere' } };
    if (isNoRelease(pathname)) return NOTHING;
    const topic = pageTopic(pathname);
    if (topic !== undefined) return { topic };
    const object = parsePod(pathname) ?? parseObject(pathname, searchParams);
    return object && { object };
  } catch {
    return undefined; // an address that cannot be read; the page says so
  }
}

/** Whether an address is that of a release by a kind that declares none, or that cannot be edited here. */
function isNoRelease(pathname: string): boolean {
  const [, kind, edit] = RELEASE.exec(pathname) ?? [];
  const kinds: readonly string[] = edit === undefined ? [...RELEASE_KIND_NAMES, ...FLUX_KIND_NAMES] : RELEASE_KIND_NAMES;
  return kind !== undefined && !kinds.includes(kind);
}

function parsePod(pathname: string): NamedPage | undefined {
  const [, ns, name] = POD.exec(pathname) ?? [];
  if (ns === undefined || name === undefined) return undefined;
  return { of: { group: '', named: 'pods' }, ns: decodeURIComponent(ns), name: decodeURIComponent(name) };
}

function parseObject(pathname: string, params: URLSearchParams): NamedPage | undefined {
  const version = params.get('version') ?? undefined;
  const [, group = '', plural = '', ns = '-', name = '-'] = OBJECT.exec(pathname) ?? KIND.exec(pathname) ?? [];
  if (group === '') return undefined;
  const page = parseObjectPage({ group, plural, ns, name }, version);
  const of = { group: page.group, named: page.named, version };
  return OBJECT.test(pathname) ? { of, ns: page.ns ?? undefined, name: page.name } : { of, ns: params.get('ns') ?? undefined };
}
