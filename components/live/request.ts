import type { z } from 'zod';
import { config } from 'zod';
import type { SentEvent } from '@/lib/contract/event-lines';
import { readEvents } from '@/lib/contract/event-lines';
import { errorBody } from '@/lib/contract/pages/answers';
import { t } from '@/lib/words/catalogue/console/live';
import { showAllHidden, showHidden } from '@/lib/words/show-hidden';

// The content security policy forbids making code from text, which zod would try, be refused, and report in the console.
config({ jitless: true });

/** A request the server refused, or that did not reach it; `code` is one of the contract's or `unreachable`, the message is for people. */
export class RequestError extends Error {
  readonly code: string;
  /** What the refusal tells besides its sentence; unchecked. */
  readonly details: Readonly<Record<string, unknown>>;
  constructor(code: string, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = 'RequestError';
    this.code = code;
    this.details = details;
  }
}

const CHECK = t.checkThatItStillRuns;
/** What proxies answer while the server behind them does not; the server's own refusals have a body. */
const BY_PROXIES: ReadonlySet<number> = new Set([502, 503, 504]);

/** True of a failure that says nothing of what was asked for, only that nobody answered. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof RequestError && error.code === 'unreachable';
}

/** Reads JSON and checks it. Signs that nobody sees are shown as their escapes: what is read is looked at. */
export async function readJson<Schema extends z.ZodType>(url: string, schema: Schema, signal?: AbortSignal): Promise<z.infer<Schema>> {
  return showAllHidden(await readExactly(url, schema, signal));
}

/** Reads JSON to the letter, for a text that is edited and sent back. */
export function readExactly<Schema extends z.ZodType>(url: string, schema: Schema, signal?: AbortSignal): Promise<z.infer<Schema>> {
  return send(url, { headers: { accept: 'application/json' }, ...(signal ? { signal } : {}) }, schema);
}

/** Posts a command and checks the answer. */
export async function postJson<Schema extends z.ZodType>(url: string, body: unknown, schema: Schema): Promise<z.infer<Schema>> {
  return showAllHidden(
    await send(
      url,
      { method: 'POST', headers: { accept: 'application/json', 'content-type': 'application/json' }, body: JSON.stringify(body) },
      schema,
    ),
  );
}

/** Deletes what an address names, and checks the answer. */
export async function deleteJson<Schema extends z.ZodType>(url: string, schema: Schema): Promise<z.infer<Schema>> {
  return showAllHidden(await send(url, { method: 'DELETE', headers: { accept: 'application/json' } }, schema));
}

/** Reads events as the server sends them, no faster than they are asked for; ends when the server does, and throws when the connection breaks. */
export async function* readStream(url: string, signal: AbortSignal): AsyncGenerator<SentEvent, void, void> {
  const { body } = await request(url, { headers: { accept: 'text/event-stream' }, signal });
  if (body === null) return;
  try {
    yield* readEvents(body);
  } catch (error) {
    if (signal.aborted) throw error;
    throw new RequestError('unreachable', t.theServerDoesNotAnswerOf(CHECK));
  }
}

async function send<Schema extends z.ZodType>(url: string, init: RequestInit, schema: Schema): Promise<z.infer<Schema>> {
  const response = await request(url, init);
  const parsed = schema.safeParse(await response.json().catch(() => undefined)); // no JSON is refused below, as any other answer that does not fit
  if (!parsed.success) throw new RequestError('internal', t.theServersAnswerCouldNot);
  return parsed.data;
}

async function request(url: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { credentials: 'same-origin', ...init });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new RequestError('unreachable', t.theServerDoesNotAnswerOf(CHECK));
  }
  if (!response.ok) throw await refusalOf(response);
  return response;
}

async function refusalOf(response: Response): Promise<RequestError> {
  const body = errorBody.safeParse(await response.json().catch(() => undefined)); // a proxy answers what it likes; its status says enough
  if (body.success) return new RequestError(body.data.error.code, showHidden(body.data.error.message), body.data.error.details);
  if (BY_PROXIES.has(response.status)) return new RequestError('unreachable', t.aProxyAnsweredInPlace(response.status, CHECK));
  return new RequestError('internal', t.theServerAnsweredWithoutA(response.status));
}
