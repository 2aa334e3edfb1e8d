import type { IncomingMessage } from 'node:http';
import type { Server } from 'socket.io';
import type { Clock } from '@/server/platform';
import { createRateLimiter } from '@/server/platform';
import type { LiveSocket } from './subscriber';

/** Packets of a connection within ten seconds, whatever they are; its messages are counted more strictly where they are heard. */
const MAX_PACKETS = 1000;
/** The same of one through which ports are forwarded: 10,000 pieces a second are more than a program that copies sends. */
const MAX_FORWARDED_PACKETS = 100_000;
const WINDOW_MS = 10_000;

type Connection = LiveSocket['conn'];

export interface ConnectionBounds {
  /** Who was admitted with a handshake. */
  readonly userOf: (request: IncomingMessage) => string | undefined;
  /** Whether ports are forwarded through it now, by somebody who may. */
  readonly isForwarding: (connection: Connection) => boolean;
  readonly clock: Clock;
  /** Connections of one person at a time. */
  readonly most: number;
}

/** Bounds what lies below the sockets: a connection that joins nothing, or says what no socket hears, is held and answered as well. */
export function boundConnections(engine: Server['engine'], { userOf, isForwarding, clock, most }: ConnectionBounds): void {
  const open = new Map<string, number>();
  engine.on('connection', (connection: Connection) => {
    const user = userOf(connection.request) ?? '';
    const count = (open.get(user) ?? 0) + 1;
    open.set(user, count);
    connection.on('close', () => {
      const left = (open.get(user) ?? 1) - 1;
      if (left === 0) open.delete(user);
      else open.set(user, left);
    });
    const packets = createRateLimiter(clock, { most: MAX_PACKETS, windowMs: WINDOW_MS });
    const forwarded = createRateLimiter(clock, { most: MAX_FORWARDED_PACKETS, windowMs: WINDOW_MS });
    connection.on('packet', () => {
      if (!(isForwarding(connection) ? forwarded : packets)('connection')) terminate(connection);
    });
    if (count > most) terminate(connection);
  });
}

/** Ends a connection at once: saying goodbye would wait for the other end to say it as well. */
export function terminate(connection: Connection): void {
  connection.close(true);
  connection.request.socket.destroy();
}
