import type { Socket } from 'socket.io-client';
import { io } from 'socket.io-client';
import type { ApplicationRow } from '@/lib/contract/application-rows';
import type { ClientEvents, Keyed, ServerEvents, WindowSnapshot } from '@/lib/contract/live';
import { foldWindow } from '@/lib/contract/live';

/** What the benchmark asks of its browsers. */
export type Orders =
  | {
      readonly do: 'connect';
      readonly port: number;
      readonly cookies: readonly string[];
      readonly perCookie: number;
      readonly topic: string;
    }
  | { readonly do: 'drop half' }
  /** `last`: the rows in order, as JSON, that everybody ought to hold now. */
  | { readonly do: 'report'; readonly last: string };

/** What they answer. Latencies in milliseconds, one per row and browser; `busyMs` is processor time since all were connected. */
export type Told =
  | { readonly told: 'connected' }
  | {
      readonly told: 'figures';
      readonly latencies: readonly number[];
      readonly behind: number;
      readonly messages: number;
      readonly busyMs: number;
    };

/** A browser without a screen: it holds the window that its page would show. */
class Browser {
  readonly #socket: Socket<ServerEvents, ClientEvents>;
  readonly #topic: string;
  #held: WindowSnapshot<Keyed> | undefined;

  constructor(port: number, cookie: string, topic: string, seen: (row: ApplicationRow) => void, heard: () => void) {
    this.#topic = topic;
    this.#socket = io(`http://127.0.0.1:${port}`, {
      path: '/socket.io/',
      transports: ['websocket'],
      forceNew: true,
      extraHeaders: { cookie },
    });
    this.#socket.on('rows', (_topic, delta) => {
      heard();
      if (this.#held === undefined) return;
      this.#held = foldWindow(this.#held, delta);
      for (const row of delta.rows) seen(row as ApplicationRow);
    });
    this.#socket.on('reset', () => void this.subscribe());
  }

  subscribe(): Promise<void> {
    return new Promise((resolve, reject) => {
      const request = { topic: this.#topic, ...(this.#held ? { since: this.#held.seq } : {}) };
      this.#socket.emit('subscribe', request, (reply) => {
        if (reply.kind === 'refused') return reject(new Error(reply.message));
        if (reply.kind === 'snapshot') this.#held = reply.snapshot;
        else if (reply.delta !== null && this.#held !== undefined) this.#held = foldWindow(this.#held, reply.delta);
        resolve();
      });
    });
  }

  /** Loses its connection, and comes back as a page does. */
  drop(): void {
    this.#socket.once('connect', () => void this.subscribe());
    this.#socket.disconnect().connect();
  }

  /** The rows it shows, in order. */
  shown(): string {
    const rows = new Map(this.#held?.rows.map((row) => [row.key, row]));
    return JSON.stringify(this.#held?.order.map((key) => rows.get(key)));
  }
}

const browsers: Browser[] = [];
const latencies: number[] = [];
let messages = 0;
let connectedAt = process.cpuUsage();

function seen({ images }: ApplicationRow): void {
  const writtenAt = Number(images[0]?.split(':').at(-1));
  latencies.push(Date.now() - writtenAt);
}

process.on('message', async (orders: Orders) => {
  const tell = (told: Told) => process.send?.(told);
  switch (orders.do) {
    case 'connect':
      for (const cookie of orders.cookies) {
        const some = Array.from({ length: orders.perCookie }, () => new Browser(orders.port, cookie, orders.topic, seen, () => messages++));
        browsers.push(...some);
        await Promise.all(some.map((browser) => browser.subscribe()));
      }
      connectedAt = process.cpuUsage();
      tell({ told: 'connected' });
      return;
    case 'drop half':
      for (const [at, browser] of browsers.entries()) if (at % 2 === 0) browser.drop();
      return;
    default: {
      const { user, system } = process.cpuUsage(connectedAt);
      const behind = browsers.filter((browser) => browser.shown() !== orders.last).length;
      tell({ told: 'figures', latencies, behind, messages, busyMs: (user + system) / 1000 });
    }
  }
});
