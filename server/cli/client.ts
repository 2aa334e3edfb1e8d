import type { z } from 'zod';
import type { SentEvent } from '@/lib/contract/event-lines';
import { readEvents } from '@/lib/contract/event-lines';
import { errorBody } from '@/lib/contract/pages/answers';
import { sessionView } from '@/lib/contract/requests';
import { showAllInLines, showInLine } from '@/lib/words/show-hidden';

/** A signed-in client of the HTTP API; ending it signs out. */
export interface Client extends AsyncDisposable {
  /** Where a socket of this session is opened, and what it names the session with. */
  readonly socket: { readonly url: string; readonly cookie: string };
  /** Texts of an answer come as one line each, so that none looks like a line of ours. */
  read<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.infer<Schema>>;
  /** Reads what is printed to the letter, such as a manifest. */
  readExactly<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.infer<Schema>>;
  post<Schema extends z.ZodType>(path: string, body: unknown, schema: Schema): Promise<z.infer<Schema>>;
  /** Deletes what a path names, and checks the answer. */
  remove<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.infer<Schema>>;
  /** Lines of an answer, as they arrive. */
  readLines(path: string): AsyncIterable<string>;
  /** Events of a stream, as they arrive; a body makes the request a POST. */
  stream(path: string, request: { readonly body?: unknown; readonly signal: AbortSignal }): AsyncGenerator<SentEvent, void, void>;
}

/** Signs in with a token; failures are sentences. */
export async function signIn(url: string, token: string, send: typeof fetch): Promise<Client> {
  const ask = async (path: string, init: RequestInit): Promise<Response> => {
    const answer = await send(new URL(path, url), init).catch((error: unknown) => {
      throw new Error(
        `${url} does not answer: ${error instanceof Error ? (error.cause instanceof Error ? error.cause.message : error.message) : 'unknown'}`,
      );
    });
    if (!answer.ok) throw new Error(await sentenceOf(answer));
    return answer;
  };
  const json = { 'content-type': 'application/json' };
  const begun = await ask('/api/v1/session', { method: 'POST', headers: json, body: JSON.stringify({ token, command: true }) });
  sessionView.parse(await begun.json());
  const headers = { cookie: (begun.headers.get('set-cookie') ?? '').split(';')[0] ?? '' };
  return {
    socket: { url, cookie: headers.cookie },
    read: async (path, schema) => inLines(await ask(path, { headers }), schema),
    readExactly: async (path, schema) => schema.parse(await (await ask(path, { headers })).json()),
    post: async (path, body, schema) =>
      inLines(await ask(path, { method: 'POST', headers: { ...headers, ...json }, body: JSON.stringify(body) }), schema),
    remove: async (path, schema) => inLines(await ask(path, { method: 'DELETE', headers }), schema),
    async *readLines(path) {
      const { body } = await ask(path, { headers });
      if (body === null) return;
      const decoder = new TextDecoder();
      let rest = '';
      for await (const chunk of body) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
        rest = lines.pop() ?? '';
        yield* lines;
      }
      if (rest !== '') yield rest;
    },
    async *stream(path, { body, signal }) {
      const post = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body), headers: { ...headers, ...json } };
      const answer = await ask(path, { headers, signal, ...post });
      if (answer.body !== null) yield* readEvents(answer.body);
    },
    async [Symbol.asyncDispose]() {
      // The command has done its work by now. A session that cannot be ended, as while the store is down, ends by itself.
      await ask('/api/v1/session', { method: 'DELETE', headers }).catch(() => undefined);
    },
  };
}

async function inLines<Schema extends z.ZodType>(answer: Response, schema: Schema): Promise<z.infer<Schema>> {
  return schema.parse(showAllInLines(await answer.json()));
}

async function sentenceOf(answer: Response): Promise<string> {
  const body = errorBody.safeParse(await answer.json().catch(() => undefined)); // what is no JSON is told by its status
  return body.success ? showInLine(body.data.error.message) : `the server answered ${answer.status}`;
}
