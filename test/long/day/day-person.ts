import { request } from 'node:http';
import type { Socket } from 'socket.io-client';
import { io } from 'socket.io-client';

/** What the server answered. */
export interface DayAnswer {
  readonly status: number;
  readonly text: string;
  readonly body: unknown;
}

/** Somebody who is signed in; each request has a connection of its own, so that nothing stays open. */
export interface DayPerson {
  get(path: string): Promise<DayAnswer>;
  post(path: string, body: unknown): Promise<DayAnswer>;
  /** The one row of a detail topic; undefined while there is none. */
  row<Row>(topic: string): Promise<Row | undefined>;
  /** Opens a tab and looks at these topics; answers how many were shown. */
  look(topics: readonly string[]): Promise<{ readonly tab: Socket; readonly shown: number }>;
  leave(): Promise<void>;
}

/** Signs in with a token, in a browser or for a command. */
export async function enter(origin: string, body: { readonly token: string; readonly command?: boolean }): Promise<DayPerson> {
  const { answer, cookie } = await ask(`${origin}/api/v1/session`, { method: 'POST', body });
  if (answer.status !== 200) throw new Error(`signing in answered ${answer.status}: ${answer.text}`);
  const send = async (path: string, method: string, sent?: unknown) =>
    (await ask(`${origin}${path}`, { method, body: sent, cookie })).answer;
  return {
    get: (path) => send(path, 'GET'),
    post: (path, sent) => send(path, 'POST', sent),
    async row<Row>(topic: string) {
      return ((await send(`/api/v1/rows?topic=${encodeURIComponent(topic)}`, 'GET')).body as { rows?: readonly Row[] }).rows?.[0];
    },
    async look(topics) {
      const tab = io(origin, { transports: ['websocket'], extraHeaders: { cookie, origin }, reconnection: false, forceNew: true });
      await new Promise<void>((resolve, reject) => {
        tab.once('connect', resolve);
        tab.once('connect_error', reject);
      });
      return { tab, shown: await subscribe(tab, topics) };
    },
    async leave() {
      await send('/api/v1/session', 'DELETE');
    },
  };
}

/** Asks for topics and answers how many were shown; none to a tab that is cut off meanwhile. */
export async function subscribe(tab: Socket, topics: readonly string[]): Promise<number> {
  let cut = (): void => undefined;
  const isCut = new Promise<undefined>((resolve) => {
    cut = () => resolve(undefined);
    if (tab.connected) tab.once('disconnect', cut);
    else cut();
  });
  const asked = Promise.all(topics.map((topic) => tab.emitWithAck('subscribe', { topic }) as Promise<{ readonly kind: string }>));
  const answers = (await Promise.race([asked, isCut])) ?? [];
  tab.off('disconnect', cut);
  return answers.filter(({ kind }) => kind === 'snapshot').length;
}

interface Sent {
  readonly method: string;
  readonly body?: unknown;
  readonly cookie?: string;
}

function ask(address: string, { method, body, cookie }: Sent): Promise<{ readonly answer: DayAnswer; readonly cookie: string }> {
  const headers = { 'content-type': 'application/json', origin: new URL(address).origin, ...(cookie === undefined ? {} : { cookie }) };
  return new Promise((resolve, reject) => {
    const asked = request(address, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const set = response.headers['set-cookie']?.[0]?.split(';', 1)[0] ?? '';
        resolve({ answer: { status: response.statusCode ?? 0, text, body: parsed(text) }, cookie: set });
      });
    });
    asked.on('error', reject);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text; // events, figures
  }
}
