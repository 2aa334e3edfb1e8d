/** How the one socket stands. Each state carries only what is known in it. */
export type Connection =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'catching-up'; readonly since: number }
  | { readonly kind: 'live' }
  /** `answers` where only the socket does not come about: what is asked for by plain requests is answered. */
  | { readonly kind: 'offline'; readonly since: number; readonly reason: string; readonly answers?: boolean }
  /** The server ended it; only signing in again helps, or loading the page again where it says so. */
  | { readonly kind: 'ended'; readonly reason: string; readonly remedy?: 'reload' | undefined };

export type ConnectionEvent =
  | { readonly kind: 'connected'; readonly at: number; readonly topics: number }
  | { readonly kind: 'caught-up' }
  | { readonly kind: 'lost'; readonly at: number; readonly reason: string; readonly answers?: boolean }
  | { readonly kind: 'ended'; readonly reason: string; readonly remedy?: 'reload' | undefined };

/** The state after an event. An ended session stays ended; being offline keeps the moment it began. */
export function nextConnection(held: Connection, event: ConnectionEvent): Connection {
  if (held.kind === 'ended') return held;
  switch (event.kind) {
    case 'connected':
      return event.topics === 0 ? { kind: 'live' } : { kind: 'catching-up', since: event.at };
    case 'caught-up':
      return held.kind === 'catching-up' ? { kind: 'live' } : held;
    case 'lost':
      return {
        kind: 'offline',
        since: held.kind === 'offline' ? held.since : event.at,
        reason: event.reason,
        answers: event.answers === true,
      };
    case 'ended':
      return { kind: 'ended', reason: event.reason, remedy: event.remedy };
  }
}
