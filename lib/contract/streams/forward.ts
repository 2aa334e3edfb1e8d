import { z } from 'zod';
import { objectPath } from '../requests';

/** Forwards of a person at once, each of one pod. */
export const MAX_FORWARDS = 10;
/** Connections through one forward at once. */
export const MAX_FORWARD_CONNECTIONS = 100;
/** What is sent at once: a socket takes no larger message of a client. */
export const MAX_CHUNK_BYTES = 8 * 1024;
/** Pieces of one connection that may be under way; as many again are more than a client of ours sends. */
export const MAX_IN_FLIGHT = 32;

export const portNumber = z.number().int().min(1).max(65_535);

/** The pod whose ports are forwarded, and which of them. */
export const forwardRequest = z.object({ ns: objectPath.shape.ns, pod: objectPath.shape.name, ports: z.array(portNumber).min(1).max(20) });
export type ForwardRequest = z.infer<typeof forwardRequest>;

export interface ForwardRefusal {
  readonly kind: 'refused';
  readonly code: string;
  readonly message: string;
}
export type ForwardAnswer = { readonly kind: 'opened'; readonly id: number } | ForwardRefusal;
/** A connection to a port of the pod has a number of its own. */
export type ForwardedAnswer = { readonly kind: 'connected'; readonly stream: number } | ForwardRefusal;
