import type { z } from 'zod';
import type { Instant } from '@/lib/std/instant';
import type { Act, Bearer, Grant, Session } from '@/server/auth';
import type { Commands } from '@/server/commands';
import type { Release } from '@/server/platform';
import type { ApiDeps } from './api-deps';

/** What a request says, checked. */
export interface Input<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
}

/** Whose rights are asked for anew while an answer is open: as the cluster knows them now, and by answers how old at most. */
export interface Recheck {
  readonly session: Session | undefined;
  readonly notBefore: Instant;
}

/** What an answer that takes a while needs to know of the one who waits for it. */
export interface Connection {
  /** Aborts when the client went away. */
  readonly signal: AbortSignal;
  /** The address that the request comes from. */
  readonly source: string;
  /** What the client calls itself. */
  readonly agent: string | undefined;
  /** What the browser keeps of us. */
  readonly cookie: string | undefined;
  /** Resolves while the session holds and the act is still granted, asked anew; throws what is in the way. */
  readonly check: () => Promise<Recheck>;
  /** Counts an answer that stays open, until the release; throws too-many. */
  readonly beginLongRunning: () => Release;
  /** Counts a walk over the whole record, until the release; throws too-many while the person has another one under way. */
  readonly beginReading: () => Release;
  /** Counts an object of which nothing may be told; false once the person named too many of them. */
  readonly spendName: () => boolean;
}

/** Who asks, from where, and what they were granted. */
export interface Caller {
  /** Undefined only on routes that anybody may enter. */
  readonly session: Session | undefined;
  readonly grant: Grant;
  readonly connection: Connection;
}

/** What a route needs to know before it is known who may. */
export interface RouteContext {
  readonly fromLoopback: boolean;
  /** The bearer token of the request, and the address that it comes from; only metrics are given for one. */
  readonly bearer?: Bearer | undefined;
}

interface RouteFrame<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> {
  readonly method: 'get' | 'post' | 'delete';
  /** With parameters as `:name`. */
  readonly path: string;
  /** The last segment of the path as it was called before: the same handler answers there for one more release. */
  readonly formerly?: string;
  readonly summary: string;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** Largest body in bytes. */
  readonly bodyLimit?: number;
  /** What a success answers; absent for one without a body. */
  readonly answer?: z.ZodType;
  /** Answers with another status, and when they are given. */
  readonly otherAnswers?: Readonly<Record<number, { readonly description: string; readonly schema: z.ZodType }>>;
  /** Data of the events by name, where the answer may be a stream of them. */
  readonly events?: Readonly<Record<string, z.ZodType>>;
  readonly status: 200 | 202 | 204;
  /** True where the act itself decides for those who are not signed in; elsewhere they are turned away unread. */
  readonly anybody?: boolean;
  /** True where another server calls: its address may call so often, and the body is a SignedCall, its bytes as they came. */
  readonly isCalled?: boolean;
  /** True where it costs so much that a person has few of them at once; the others wait. */
  readonly isQueued?: (input: Input<z.output<Params>, z.output<Query>, z.output<Body>>) => boolean;
  readonly act: (input: Input<z.output<Params>, z.output<Query>, z.output<Body>>, circumstances: RouteContext) => Act;
}

/** Answers plain data, or a Response where it is no JSON; the act was granted before. */
interface Handled<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> {
  readonly handle: (input: Input<z.output<Params>, z.output<Query>, z.output<Body>>, caller: Caller, deps: ApiDeps) => Promise<unknown>;
  readonly command?: never;
}

/** Names of the commands that take what a route was asked: the parameters of its path, then its body, or its query where it has no body. */
type CommandFor<Place, Request> = {
  readonly [Name in keyof Commands]: Commands[Name] extends (session: Session, place: Place, request: Request) => Promise<unknown>
    ? Name
    : never;
}[keyof Commands];

/** Answers by one command, which authorises the act itself. It is not asked about twice, and nothing else happens in such a route. */
interface Commanded<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> {
  readonly command: CommandFor<z.output<Params>, Body extends z.ZodUndefined ? z.output<Query> : z.output<Body>>;
  readonly handle?: never;
}

/** One route: what it takes, which act it is, what it answers. The same schemas check requests and make the OpenAPI document. */
export type RouteSpec<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> = RouteFrame<Params, Query, Body> &
  (Handled<Params, Query, Body> | Commanded<Params, Query, Body>);

/** A route whose types are checked inside and of no concern outside. */
export type Route = RouteFrame<z.ZodType, z.ZodType, z.ZodType> &
  (Handled<z.ZodType, z.ZodType, z.ZodType> | { readonly command: keyof Commands; readonly handle?: never });

/** Types a route by its schemas. */
export function defineRoute<
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
>(spec: RouteSpec<Params, Query, Body>): Route {
  return spec as unknown as Route; // the schemas travel with the functions they type
}

/** The session of a route that nobody reaches without one. */
export function requireSession({ session }: Pick<Caller, 'session'>): Session {
  if (session === undefined) throw new Error('this route was entered without a session'); // authorise has refused before
  return session;
}
