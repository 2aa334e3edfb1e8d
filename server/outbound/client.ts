import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { AppError } from '@/lib/contract/app-error';
import type { Clock } from '@/server/platform';
import { withTimeout } from '@/server/platform';
import { exchange } from './exchange';
import type { Lookup, Pinned } from './pin';
import { pin, systemLookup } from './pin';
import type { OutboundPolicy } from './policy';
import { withHost } from './policy';
import { readBody } from './read-body';
import type { Step } from './redirect';
import { nextStep, readWebAddress, shownAddress } from './redirect';

const MAX_REDIRECTS = 5;
const TIMEOUT_MS = 60_000;
const REDIRECTS = [301, 302, 303, 307, 308];

export interface OutboundDeps {
  readonly policy: OutboundPolicy;
  readonly clock: Clock;
  /** How names are looked up; as the system does when absent. */
  readonly lookup?: Lookup;
}

export interface GetRequest {
  readonly accept?: string;
  /** Sent to the origin of the address and to no other. */
  readonly authorization?: string | undefined;
  /** The only authorities that the origin of the address is trusted by; a redirect to another one is judged by those of the system. */
  readonly ca?: string | undefined;
  readonly maxBytes: number;
  /** From the first look-up to the last byte. */
  readonly timeoutMs?: number;
  readonly signal: AbortSignal;
}

export interface Answer {
  readonly status: number;
  /** Where the answer came from in the end. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Empty where the status is no success. */
  readonly body: Buffer;
}

/** The one way out to addresses that somebody else wrote: each is looked up, judged, and then connected to as it was judged. */
export class Outbound {
  readonly #deps: Required<OutboundDeps>;

  constructor(deps: OutboundDeps) {
    this.#deps = { lookup: systemLookup, ...deps };
  }

  /** The same, for which one host and port more counts as listed. */
  listing(host: string, port: number): Outbound {
    return new Outbound({ ...this.#deps, policy: withHost(this.#deps.policy, { host, port }) });
  }

  /** The addresses of a host that may be connected to, for a program that connects by itself; throws a sentence when there is none. */
  pin({ host, port }: Pick<Pinned, 'host' | 'port'>, signal: AbortSignal): Promise<Pinned> {
    const { policy, lookup, clock } = this.#deps;
    return withTimeout({ clock, ms: TIMEOUT_MS, signal, what: `looking up ${host}` }, (limit) =>
      pin({ host, port, policy, lookup, signal: limit }),
    );
  }

  /** What an http or https address serves, redirects followed; any status is an answer. */
  async get(address: string, request: GetRequest): Promise<Answer> {
    const url = readWebAddress(address);
    if (url.protocol === 'http:' && request.authorization !== undefined) {
      throw new AppError('rejected', `credentials are sent over https only, and ${shownAddress(url)} is not`);
    }
    const { clock } = this.#deps;
    const limit = { clock, ms: request.timeoutMs ?? TIMEOUT_MS, signal: request.signal, what: `reading ${shownAddress(url)}` };
    return withTimeout(limit, (signal) =>
      this.#follow({ url, authorization: request.authorization, ca: request.ca }, { ...request, signal }),
    );
  }

  async #follow(first: Step, request: GetRequest): Promise<Answer> {
    let step = first;
    for (let redirects = 0; ; redirects++) {
      const answer = await this.#send(step, request);
      const { statusCode: status = 0, headers } = answer;
      if (!REDIRECTS.includes(status) || headers.location === undefined) return this.#read(answer, step.url, request);
      answer.destroy();
      if (redirects === MAX_REDIRECTS)
        throw new AppError('rejected', `${shownAddress(first.url)} redirects more than ${MAX_REDIRECTS} times`);
      step = nextStep(step, headers.location);
    }
  }

  async #send({ url, authorization, ca }: Step, { accept = '*/*', signal }: GetRequest): Promise<IncomingMessage> {
    const { policy, lookup } = this.#deps;
    const pinned = await pin({ host: url.hostname.replace(/^\[|\]$/g, ''), port: portOf(url), policy, lookup, signal });
    const headers = { host: url.host, accept, 'accept-encoding': 'gzip', ...(authorization === undefined ? {} : { authorization }) };
    return exchange({ url, pinned, headers, ca, signal });
  }

  async #read(answer: IncomingMessage, url: URL, { maxBytes, signal }: GetRequest): Promise<Answer> {
    const { statusCode: status = 0, headers } = answer;
    const isSuccess = status >= 200 && status < 300;
    if (!isSuccess) answer.destroy();
    const body = isSuccess ? await readBody(answer, { maxBytes, what: shownAddress(url), signal }) : Buffer.alloc(0);
    return { status, url: url.href, headers, body };
  }
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? { 'https:': 443, 'http:': 80 }[protocol as 'https:' | 'http:'] : Number(port); // readWebAddress knows no other
}
