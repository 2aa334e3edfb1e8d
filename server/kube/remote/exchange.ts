import type { Dispatcher } from 'undici';
import { isFields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { Discovery, Person, WriteOptions } from '../cluster';
import type { KubeApiError } from '../errors';
import { KubeTransportError, UnknownPathError } from '../errors';
import { parseJson, readBytes, readFailure, warningsOf } from './answers';
import type { HeaderLines } from './identity';
import type { Call, Transport } from './transport';

const JSON_HEADERS = { accept: 'application/json', 'accept-encoding': 'gzip' } as const;

/** A request with a JSON answer; the type is that of its body, `accept` the form of the answer where it is not the plain one. */
export type JsonCall = Omit<Call, 'person' | 'headers' | 'lane' | 'repeatable'> & {
  readonly type?: string;
  readonly accept?: string | undefined;
  /** True of a write that only asks something, such as a review or a dry run: like a read, it may be sent twice. */
  readonly storesNothing?: boolean | undefined;
};

/** Requests of one person, or our own, and their answers as objects or errors. */
export interface Exchange {
  /** Gives a good answer; throws the API's error for any other. */
  send(call: JsonCall): Promise<Dispatcher.ResponseData>;
  readObject(answer: Dispatcher.ResponseData, what: string): Promise<KubeObject>;
  write(call: JsonCall, options: WriteOptions): Promise<KubeObject>;
  fail(answer: Dispatcher.ResponseData, what: string): Promise<KubeApiError>;
}

/** An exchange over a transport. */
export function createExchange(transport: Transport, discovery: Discovery, person: Person | undefined): Exchange {
  async function send(call: JsonCall): Promise<Dispatcher.ResponseData> {
    const { type = 'application/json', accept = JSON_HEADERS.accept, storesNothing = call.method === 'GET', ...rest } = call;
    const headers: HeaderLines = { ...JSON_HEADERS, accept, ...(call.body === undefined ? {} : { 'content-type': type }) };
    const answer = await transport.send({ ...rest, headers, person, lane: 'short', repeatable: storesNothing });
    if (answer.statusCode >= 200 && answer.statusCode < 300) return answer;
    throw await fail(answer, call.what);
  }

  async function fail(answer: Dispatcher.ResponseData, what: string): Promise<KubeApiError> {
    const error = await readFailure(answer, what);
    const { status } = error;
    if (status.code !== 404 || status.details?.name !== undefined) return error;
    // A path the server does not know: the kind, or this version of it, went away since it was discovered.
    discovery.invalidate();
    return new UnknownPathError(status);
  }

  async function readObject(answer: Dispatcher.ResponseData, what: string): Promise<KubeObject> {
    const body = parseJson(await readBytes(answer, what), what);
    if (!isFields(body) || typeof body.kind !== 'string') throw new KubeTransportError(`the answer to ${what} is not an object`);
    return (isFields(body.metadata) ? body : { ...body, metadata: {} }) as unknown as KubeObject; // has kind and metadata now
  }

  async function write(call: JsonCall, options: WriteOptions): Promise<KubeObject> {
    const answer = await send({ ...call, beforeSend: options.beforeSend });
    if (options.onWarning) for (const text of warningsOf(answer)) options.onWarning(text);
    return readObject(answer, call.what);
  }

  return { send, readObject, write, fail };
}
