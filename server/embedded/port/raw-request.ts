import type { RawAnswer, RawRequest } from '@/server/kube';
import type { HttpAnswer, HttpHandler } from '../http/handler';
import type { Caller } from '../rights/caller';

const CREDENTIAL = /^(authorization|impersonate-.*)$/;

/** Requests by path, answered as over HTTP without a network in between. */
export function createRawRequest(http: HttpHandler, caller: () => Caller): (request: RawRequest) => Promise<RawAnswer> {
  return async ({ method = 'GET', path, headers = {}, body = '', signal, beforeSend }) => {
    signal?.throwIfAborted();
    beforeSend?.();
    // Who asks is settled by the port; a header cannot change it.
    const plain = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
    const kept = Object.fromEntries(plain.filter(([name]) => !CREDENTIAL.test(name)));
    const answer = await http({ method, url: path, headers: kept, body, caller: caller() });
    return { status: answer.status, headers: answer.headers, body: toBytes(answer.body, signal) };
  };
}

async function* toBytes(body: HttpAnswer['body'], signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  if (typeof body === 'string') {
    if (body !== '') yield Buffer.from(body);
    return;
  }
  if (body instanceof Uint8Array) {
    yield body;
    return;
  }
  for await (const text of body) {
    if (signal?.aborted) return;
    yield Buffer.from(text);
  }
}
