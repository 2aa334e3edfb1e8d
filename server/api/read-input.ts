import type { Context } from 'hono';
import type { z } from 'zod';
import { AppError, isAppError, messageOf } from '@/lib/contract/app-error';
import type { Refused } from '@/lib/kube/explain-issue';
import { showKind } from '@/lib/kube/explain-issue';
import { isDeeper } from '@/lib/std/nesting';
import type { SignedCall } from '@/server/chartsync';
import { describeIssues } from './error-answer';
import type { Input, Route } from './route';

const BODY_LIMIT = 65_536;

/** Reads and checks everything a request says. */
export async function readInput(route: Route, context: Context, maxDepth: number): Promise<Input<unknown, unknown, unknown>> {
  return {
    params: checkTexts(route.params, context.req.param(), 'the address'),
    query: checkTexts(route.query, Object.fromEntries(new URL(context.req.url).searchParams), 'the query'),
    body: route.isCalled
      ? await readCall(route, context)
      : route.body === undefined
        ? undefined
        : check(route.body, await readJson(context, { limit: route.bodyLimit ?? BODY_LIMIT, maxDepth }), IN_BODY),
  };
}

/** What is sent in a body may be a password: of that only what kind of thing it is stands in an answer. */
const IN_BODY = { what: 'the body', show: showKind };

/** No name has a NUL character in it, and the store takes none, not even in a question. */
function checkTexts(schema: z.ZodType | undefined, texts: Readonly<Record<string, string>>, what: string): unknown {
  if (Object.values(texts).some((text) => text.includes('\0')))
    throw new AppError('invalid', `${what} must not contain a NUL character (%00)`);
  return check(schema, texts, { what });
}

function check(schema: z.ZodType | undefined, value: unknown, place: { readonly what: string; readonly show?: Refused['show'] }): unknown {
  if (schema === undefined) return undefined;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new AppError('invalid', `${place.what} does not fit: ${describeIssues(parsed.error, { value, schema, ...place })}`);
}

async function readJson(context: Context, { limit, maxDepth }: { readonly limit: number; readonly maxDepth: number }): Promise<unknown> {
  const type = context.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new AppError('invalid', `the body needs content-type application/json, found ${type ?? 'none'}`);
  const text = (await readBytes(context.req.raw, limit)).toString('utf8');
  if (isDeeper(text, maxDepth)) throw new AppError('invalid', `the body is nested deeper than ${maxDepth} levels (--max-depth)`);
  try {
    return JSON.parse(text, (key, value: unknown) => {
      if (key === '__proto__') throw new AppError('invalid', 'the body is not valid JSON: a member __proto__ is not allowed');
      return value;
    });
  } catch (error) {
    if (isAppError(error)) throw error;
    // The parser quotes what stands there, which may be a password.
    const [place = ''] = / at position \d+/.exec(messageOf(error)) ?? [];
    throw new AppError('invalid', `the body is not valid JSON${place}`);
  }
}

/** A signature is over the bytes, so they are read as nothing else. */
async function readCall(route: Route, context: Context): Promise<SignedCall> {
  return { headers: context.req.header(), body: await readBytes(context.req.raw, route.bodyLimit ?? BODY_LIMIT) };
}

/** Reads a body piece by piece, so that one without an end is refused at the limit and never held. */
async function readBytes(request: Request, limit: number): Promise<Buffer> {
  const tooLarge = () => new AppError('too-large', `the body must have at most ${limit} bytes`);
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge();
  const reader = request.body?.getReader();
  if (reader === undefined) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Who leaves in the middle is no failure of ours: strangers could fill the log with these.
  const next = () =>
    reader.read().catch((cause: unknown) => {
      throw new AppError('invalid', 'the body is incomplete', { cause });
    });
  for (let piece = await next(); !piece.done; piece = await next()) {
    size += piece.value.byteLength;
    if (size > limit) {
      await reader.cancel();
      throw tooLarge();
    }
    chunks.push(piece.value);
  }
  return Buffer.concat(chunks);
}
