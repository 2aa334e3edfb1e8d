import type { z } from 'zod';
import { config } from 'zod';
import { errorBody } from '@/lib/contract/requests';
import { showAllHidden, showHidden } from '@/lib/words/show-hidden';

// The content security policy forbids making code from text, which zod would try, be refused, and report in the console.
config({ jitless: true });

/** A request the server refused, or that did not reach it; `code` is one of the contract's, the message is for people. */
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
    await send(url, { method: 'POST', headers: { accept: 'application/json', 'content-type': 'application/json' }, body: JSON.stringify(body) }, schema),
  );
}

async function send<Schema extends z.ZodType>(url: string, init: RequestInit, schema: Schema): Promise<z.infer<Schema>> {
  let response: Response;
  try {
    response = await fetch(url, { credentials: 'same-origin', ...init });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new RequestError('unavailable', 'The server does not answer. Check that it still runs and that you are on its network.');
  }
  if (!response.ok) throw await refusalOf(response);
  const parsed = schema.safeParse(await response.json().catch(() => undefined)); // no JSON is refused below, as any other answer that does not fit
  if (!parsed.success) throw new RequestError('internal', 'The server answered something this page does not understand. Reload the page.');
  return parsed.data;
}

async function refusalOf(response: Response): Promise<RequestError> {
  const body = errorBody.safeParse(await response.json().catch(() => undefined)); // a proxy answers what it likes; its status says enough
  if (body.success) return new RequestError(body.data.error.code, showHidden(body.data.error.message), body.data.error.details);
  return new RequestError('internal', `The server answered ${response.status} without saying why.`);
}
