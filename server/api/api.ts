import type { Context } from 'hono';
import { Hono } from 'hono';
import { AppError, messageOf } from '@/lib/contract/app-error';
import { toInstant } from '@/lib/std/instant';
import type { Act, PeerRequest, Session } from '@/server/auth';
import { bearerTokenOf } from '@/server/auth';
import type { Commands } from '@/server/commands';
import { toAppError } from '@/server/commands';
import type { RateLimiter } from '@/server/platform';
import { createRateLimiter, Histogram } from '@/server/platform';
import type { ApiDeps } from './api-deps';
import { retryAfterOf, STATUS_OF, toErrorBody } from './error-answer';
import type { BeginExport, RunLimited } from './per-person-limits';
import { createRequestQueue, limitExports } from './per-person-limits';
import { readInput } from './read-input';
import type { RecordRefusal } from './refusals';
import { createRefusals } from './refusals';
import type { AllowRequest } from './request-limit';
import { createRequestLimit } from './request-limit';
import type { Input, Route } from './route';
import { requireSession } from './route';
import { ROUTES } from './routes';
import type { BeginLongRunningRequest } from './status/long-running-requests';
import { limitLongRunningRequests } from './status/long-running-requests';

/** Answers that are open are looked at again together where they began so close to each other. */
const TOGETHER_MS = 500;
/** Where the API is served, and where it was before: the same handlers answer there for one more release. */
const BASE = '/api/v1/';
const FORMER_BASE = '/api/';
const LAST_SEGMENT = /\/[^/]*$/;

/** Calls of one address that is nobody's in particular; a git server has fewer pushes to tell of. */
const CALLS_PER_SECOND = 5;

/** Objects without a right to them, or of kinds that are not there, that a person may name within ten seconds. */
const MAX_NAMES = 3000;

/** Bytes of manifests that a person may send within ten seconds. */
const MAX_BYTES = 4_000_000;

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

/** Builds the HTTP API. Every route of the table goes the same way: origin, session, input, right, then its own work. */
export function createApi(deps: ApiDeps): Hono {
  const api = new Hono();
  const seconds = new Histogram({
    name: 'slipway_http_request_seconds',
    help: 'Time to answer a request of the API',
    labelNames: ['route', 'status'],
    buckets: [0.005, 0.02, 0.05, 0.15, 0.5, 1, 5],
    registers: [deps.metrics],
  });
  const gates = {
    allow: createRequestLimit(deps.clock, deps.maxRequests, '--max-requests'),
    allowCall: createRequestLimit(deps.clock, CALLS_PER_SECOND),
    spend: createRateLimiter(deps.clock, { most: MAX_BYTES, windowMs: 10_000 }),
    beginLongRunning: limitLongRunningRequests(deps.metrics),
    beginReading: limitExports(),
    runQueued: createRequestQueue(),
    spendName: createRateLimiter(deps.clock, { most: MAX_NAMES, windowMs: 10_000 }),
    noteRefusal: createRefusals({ ...deps, record: deps.noteRefused }),
  };
  for (const route of ROUTES) {
    const name = `${route.method.toUpperCase()} ${route.path}`;
    api.on(route.method.toUpperCase(), pathsOf(route), async (context) => {
      const began = deps.clock.now();
      const answer = await answerRoute(route, context, { ...deps, ...gates }).catch((error: unknown) => answerError(error, name, deps));
      seconds.observe({ route: name, status: answer.status }, (deps.clock.now() - began) / 1000);
      return withSuccessor(withHeaders(answer), context.req.path, route);
    });
  }
  api.notFound((context) =>
    withHeaders(answerError(new AppError('not-found', `there is no ${context.req.method} ${context.req.path}`), 'none', deps)),
  );
  api.onError((error) => withHeaders(answerError(error, 'none', deps)));
  return api;
}

/** Where a route answers: at its path, and at those it had before. */
function pathsOf({ path, formerly }: Route): string[] {
  const paths = formerly === undefined ? [path] : [path, path.replace(LAST_SEGMENT, `/${formerly}`)];
  return paths.flatMap((one) => (one.startsWith(BASE) ? [one, one.replace(BASE, FORMER_BASE)] : [one]));
}

/** What a person may spend, over however many sessions. */
interface Gates {
  readonly allow: AllowRequest;
  readonly allowCall: AllowRequest;
  /** Reading a manifest takes a thread that everybody shares: bytes of manifests, by person. */
  readonly spend: RateLimiter;
  readonly beginLongRunning: BeginLongRunningRequest;
  readonly beginReading: BeginExport;
  readonly runQueued: RunLimited;
  /** Names of which nothing may be told, by person: each is a question to the cluster that no answer before it saves. */
  readonly spendName: RateLimiter;
  readonly noteRefusal: RecordRefusal;
}

function spendBody({ user }: Session, bytes: number, { spend }: Pick<Gates, 'spend'>): void {
  if (spend(user, bytes)) return;
  throw new AppError('too-many', `${user} sent manifests of more than ${MAX_BYTES} bytes within ten seconds; wait a moment and try again`);
}

async function answerRoute(route: Route, context: Context, deps: ApiDeps & Gates): Promise<Response> {
  // What is only read takes a share of the person's too: a page of another site could take them all, though it is told nothing. An address that somebody
  // follows is read from anywhere.
  const isFollowed = route.method === 'get' && route.events === undefined && context.req.header('sec-fetch-dest') === 'document';
  if (!isFollowed) requireOurPage(context, deps);
  const peer = peerOf(context);
  if (route.isCalled) deps.allowCall({ user: deps.peers.sourceOf(peer) });
  const token = bearerTokenOf(context.req.header('authorization'));
  const bearer = token === undefined ? undefined : { token, source: deps.peers.sourceOf(peer) };
  const circumstances = { fromLoopback: deps.peers.isLocal(peer), bearer };
  const session = await deps.auth.readSession(context.req.header('cookie'));
  // Nobody's body is read before they are known, unless the route is for signing in.
  if (session === undefined && !route.anybody) await deps.auth.authorise(undefined, { kind: 'see-self' });
  if (session !== undefined) deps.allow(session, route.events === undefined ? 'request' : 'wait');
  if (session !== undefined && route.bodyLimit !== undefined)
    spendBody(session, Number(context.req.header('content-length') ?? route.bodyLimit), deps);
  const input = await readInput(route, context, deps.maxDepth);
  const act = route.act(input, circumstances);
  try {
    const answer = () => carryOut({ route, input, act, session, source: deps.peers.sourceOf(peer) }, context, deps);
    return await (route.isQueued?.(input) === true ? deps.runQueued(session, answer) : answer());
  } catch (error) {
    // Only what would have changed something: who looks on is told, and no more.
    if (session !== undefined && route.status === 202) deps.noteRefusal(session, act, error);
    throw error;
  }
}

interface Asked {
  readonly route: Route;
  readonly input: Input<unknown, unknown, unknown>;
  readonly act: Act;
  readonly session: Session | undefined;
  readonly source: string;
}

async function carryOut(asked: Asked, context: Context, deps: ApiDeps & Gates): Promise<Response> {
  const { route } = asked;
  const answer = route.command === undefined ? await handle({ ...asked, route }, context, deps) : await command(route.command, asked, deps);
  if (answer instanceof Response) return answer;
  return route.answer === undefined ? new Response(null, { status: route.status }) : Response.json(answer, { status: route.status });
}

/** The command authorises what it is asked, and is all that its route does. */
async function command(name: keyof Commands, { input, session }: Asked, deps: ApiDeps): Promise<unknown> {
  const carry = deps.commands[name] as (session: Session, place: unknown, request: unknown) => Promise<unknown>; // defineRoute has matched them
  return carry(requireSession({ session }), input.params, input.body ?? input.query);
}

async function handle(
  { route, input, act, session, source }: Asked & { readonly route: Route & { readonly command?: never } },
  context: Context,
  deps: ApiDeps & Gates,
): Promise<unknown> {
  const grant = await deps.auth.authorise(session, act);
  const check = async () => {
    // Whoever has many answers open asks once for those that are looked at together.
    const notBefore = toInstant(deps.clock.now() - TOGETHER_MS);
    const present = await deps.auth.readSession(context.req.header('cookie'));
    await deps.auth.authorise(present, act, notBefore);
    return { session: present, notBefore };
  };
  const connection = {
    signal: context.req.raw.signal,
    source,
    agent: context.req.header('user-agent'),
    cookie: context.req.header('cookie'),
    check,
    beginLongRunning: () => deps.beginLongRunning(session),
    beginReading: () => deps.beginReading(session),
    spendName: () => deps.spendName(session?.user ?? ''),
  };
  return route.handle(input, { session, grant, connection }, deps);
}

/** A request from a page that is not ours is refused, whatever cookie it carries. Clients that are no browsers say neither. */
function requireOurPage(context: Context, { origins }: ApiDeps): void {
  const site = context.req.header('sec-fetch-site');
  const origin = context.req.header('origin');
  const foreign = site !== undefined && site !== 'same-origin' && site !== 'none';
  if (foreign || (origin !== undefined && !origins.isOurs(origin, context.req.header('host')))) {
    throw new AppError('forbidden', `requests from pages of ${origin ?? 'another site'} are not accepted`);
  }
}

// A proxy on the same machine looks like the machine itself, but says for whom it asks. So does a browser that shows a page of
// another site whose name was made to lead here: it says that name.
function peerOf(context: Context): PeerRequest {
  const { incoming } = (context.env ?? {}) as { incoming?: PeerRequest };
  const { host } = new URL(context.req.url);
  const headers = { ...Object.fromEntries(context.req.raw.headers), host: context.req.header('host') ?? host };
  return { headers, socket: incoming?.socket ?? {} };
}

function answerError(thrown: unknown, route: string, { log }: ApiDeps): Response {
  const error = toAppError(thrown);
  if (error.code === 'internal') {
    const cause = error.cause ?? error;
    log.error({ route, error: messageOf(cause), stack: cause instanceof Error ? cause.stack : undefined }, 'a request failed');
  }
  return Response.json(toErrorBody(error), { status: STATUS_OF[error.code], headers: retryAfterOf(error) });
}

function withHeaders(answer: Response): Response {
  for (const [name, value] of Object.entries(HEADERS)) if (!answer.headers.has(name)) answer.headers.set(name, value);
  return answer;
}

/** Who still asks at a former path is told of the one that stays. */
function withSuccessor(answer: Response, path: string, { formerly, path: route }: Route): Response {
  const base = path.startsWith(BASE) ? path : path.replace(FORMER_BASE, BASE);
  const now =
    formerly !== undefined && base.endsWith(`/${formerly}`) ? base.replace(LAST_SEGMENT, LAST_SEGMENT.exec(route)?.[0] ?? '') : base;
  if (now === path) return answer;
  answer.headers.set('deprecation', 'true');
  answer.headers.set('link', `<${now}>; rel="successor-version"`);
  return answer;
}
