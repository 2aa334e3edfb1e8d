import type { Release } from '@/server/platform';

/** A request as rights and whoever interferes look at it. */
export interface ObservedRequest {
  readonly verb: string;
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

/** Comes between a request and its answer. The cluster has none of its own: whoever starts it may hand one in, and nothing reaches it over HTTP. */
export interface RequestInterceptor {
  /** Before a request is looked at; what it throws is the answer. */
  before(request: ObservedRequest): Promise<void>;
  /** Around the commit of a write; what it throws ends the write there. */
  at(when: 'before-commit' | 'after-commit', request: ObservedRequest): void;
  /** A watch begins, and may be ended like this until released. */
  watching(request: ObservedRequest, end: () => void): Release;
}
