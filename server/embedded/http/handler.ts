import type { Caller } from '../rights/caller';

/** A request by HTTP or from this process: read to its end, its sender known. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  readonly caller: Caller;
}

/** An answer: whole, or a stream that goes on until it ends or is dropped. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | AsyncIterable<string>;
}

export type HttpHandler = (request: HttpRequest) => Promise<HttpAnswer>;
