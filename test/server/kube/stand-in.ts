import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** One request as the stand-in received it. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly body: string;
  readonly verb: 'list' | 'watch' | 'other';
}

type Act = (received: Received, response: ServerResponse) => void | Promise<void>;

interface Fault {
  readonly matches: (received: Received) => boolean;
  readonly act: Act;
  left: number;
}

interface Watcher {
  readonly response: ServerResponse;
}

/** A small API server of config maps that does as it is told, and misbehaves as it is told. */
export interface StandIn extends AsyncDisposable {
  readonly url: string;
  /** Path of a kubeconfig for it. */
  readonly kubeconfig: string;
  readonly received: readonly Received[];
  /** Most lists that were under way at one time. */
  readonly mostListsAtOnce: number;
  watchers(): number;
  put(name: string, data?: Record<string, string>): void;
  remove(name: string): void;
  bookmark(): void;
  /** Replaces contents and version, as a restore from backup does; watches from then on follow the new history. */
  restore(version: number, names: readonly string[]): void;
  /** Does something else to the next requests that match. */
  fault(matches: (received: Received) => boolean, act: Act, times?: number): void;
  /** Misbehaves no more. */
  forgive(): void;
  /** Cuts every connection. */
  cut(): void;
  /** Writes bytes to every watcher as they are. */
  writeRaw(text: string): void;
  endWatches(): void;
  /** Closes the port and opens it again later on the same number. */
  stop(): Promise<void>;
  restart(): Promise<void>;
}

export const isList = (received: Received) => received.verb === 'list';
export const isWatch = (received: Received) => received.verb === 'watch';
const never = () => undefined;

/** Answers that a server in trouble gives. */
export const acts = {
  status: (code: number, reason: string, headers: Record<string, string> = {}): Act => {
    return (_received, response) =>
      answer(response, code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: `${reason} it is` }, headers);
  },
  reset: ((_received, response) => void response.socket?.destroy()) as Act,
  hang: never as Act,
  page: ((_received, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<html>sign in first</html>');
  }) as Act,
  body: (text: string): Act => {
    return (_received, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  },
  event: (event: object): Act => {
    return (_received, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(`${JSON.stringify(event)}\n`);
    };
  },
};

function answer(response: ServerResponse, code: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(code, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

const ETAG = '"the-only"';

const DISCOVERY = {
  kind: 'APIGroupDiscoveryList',
  items: [
    {
      metadata: { name: '' },
      versions: [
        {
          version: 'v1',
          freshness: 'Current',
          resources: [
            {
              resource: 'configmaps',
              responseKind: { kind: 'ConfigMap' },
              scope: 'Namespaced',
              singularResource: 'configmap',
              verbs: ['list', 'watch'],
            },
          ],
        },
      ],
    },
  ],
};

const REVIEWS = {
  kind: 'APIGroupDiscoveryList',
  items: [
    {
      metadata: { name: 'authorization.k8s.io' },
      versions: [
        {
          version: 'v1',
          freshness: 'Current',
          resources: [
            {
              resource: 'subjectaccessreviews',
              responseKind: { kind: 'SubjectAccessReview' },
              scope: 'Cluster',
              singularResource: 'subjectaccessreview',
              verbs: ['create'],
            },
          ],
        },
      ],
    },
  ],
};

/** Starts the stand-in on a free port of the loopback. */
export async function startStandIn(): Promise<StandIn> {
  const state = new State();
  const sockets = new Set<Socket>();
  let port = 0;
  let server = open();

  function open() {
    const opened = createServer((request, response) => void state.serve(request, response));
    opened.on('connection', (socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    });
    return opened;
  }
  const listen = () => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const cut = () => sockets.forEach((socket) => void socket.destroy());
  const stop = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    cut();
    await closed;
  };

  await listen();
  port = (server.address() as AddressInfo).port;
  const folder = await mkdtemp(join(tmpdir(), 'stand-in-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, kubeconfigOf(`http://127.0.0.1:${port}`));

  return Object.assign(state, {
    url: `http://127.0.0.1:${port}`,
    kubeconfig,
    cut,
    stop,
    async restart() {
      server = open();
      await listen();
    },
    async [Symbol.asyncDispose]() {
      await stop().catch(never); // a test may have stopped it already
      await rm(folder, { recursive: true });
    },
  });
}

/** A kubeconfig with one bearer token. */
export function kubeconfigOf(server: string, user = '{ token: our-token }', cluster = ''): string {
  return `apiVersion: v1
kind: Config
current-context: main
clusters: [{ name: c, cluster: { server: "${server}"${cluster} } }]
users: [{ name: u, user: ${user} }]
contexts: [{ name: main, context: { cluster: c, user: u } }]
`;
}

class State {
  readonly received: Received[] = [];
  mostListsAtOnce = 0;
  #listsNow = 0;
  #version = 100;
  #history = 1;
  readonly #objects = new Map<string, object>();
  #events: { readonly version: number; readonly line: string }[] = [];
  readonly #watchers = new Set<Watcher>();
  readonly #faults: Fault[] = [];

  watchers = () => this.#watchers.size;

  put = (name: string, data: Record<string, string> = {}) => {
    const type = this.#objects.has(name) ? 'MODIFIED' : 'ADDED';
    const object = this.#configMap(name, data, ++this.#version);
    this.#objects.set(name, object);
    this.#tell(type, object);
  };

  remove = (name: string) => {
    const gone = this.#objects.get(name);
    this.#objects.delete(name);
    this.#version++;
    if (gone)
      this.#tell('DELETED', { ...gone, metadata: { ...(gone as { metadata: object }).metadata, resourceVersion: String(this.#version) } });
  };

  bookmark = () =>
    this.writeRaw(
      `${JSON.stringify({ type: 'BOOKMARK', object: { kind: 'ConfigMap', metadata: { resourceVersion: String(this.#version) } } })}\n`,
    );

  restore = (version: number, names: readonly string[]) => {
    this.#version = version;
    this.#history++;
    this.#objects.clear();
    this.#events = [];
    for (const [at, name] of names.entries()) this.#objects.set(name, this.#configMap(name, {}, version - names.length + at + 1));
  };

  fault = (matches: (received: Received) => boolean, act: Act, times = 1) => void this.#faults.push({ matches, act, left: times });
  forgive = () => void this.#faults.splice(0);

  writeRaw = (text: string) => this.#watchers.forEach(({ response }) => void response.write(text));

  endWatches = () => this.#watchers.forEach(({ response }) => void response.end());

  #configMap(name: string, data: Record<string, string>, version: number) {
    return {
      metadata: {
        name,
        namespace: 'default',
        uid: `uid-${name}-${this.#history}`,
        resourceVersion: String(version),
        managedFields: [{ manager: 'someone', fieldsV1: { 'f:data': {} } }],
      },
      data,
    };
  }

  #tell(type: string, object: object): void {
    const line = `${JSON.stringify({ type, object: { kind: 'ConfigMap', apiVersion: 'v1', ...object } })}\n`;
    this.#events.push({ version: this.#version, line });
    this.writeRaw(line);
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const url = new URL(request.url ?? '/', 'http://stand-in');
    const verb = url.pathname !== '/api/v1/configmaps' ? 'other' : url.searchParams.has('watch') ? 'watch' : 'list';
    const { method = 'GET', headers, rawHeaders } = request;
    const received: Received = { method, path: url.pathname, query: url.searchParams, headers, rawHeaders, body, verb };
    this.received.push(received);
    if (verb === 'list') this.#countList(response);
    const fault = this.#faults.find((candidate) => candidate.left > 0 && candidate.matches(received));
    if (fault) {
      fault.left--;
      await fault.act(received, response);
      return;
    }
    this.#answer(received, response);
  }

  #countList(response: ServerResponse): void {
    this.mostListsAtOnce = Math.max(this.mostListsAtOnce, ++this.#listsNow);
    response.once('close', () => this.#listsNow--);
  }

  #answer({ path, query, verb, headers }: Received, response: ServerResponse): void {
    if (verb === 'watch') this.#watch(query, response);
    else if (verb === 'list') this.#list(query, response);
    else if (path === '/api' && headers['if-none-match'] === ETAG) response.writeHead(304).end();
    else if (path === '/api') answer(response, 200, DISCOVERY, { etag: ETAG });
    else if (path === '/apis') answer(response, 200, REVIEWS);
    else if (path === '/readyz') answer(response, 200, 'ok');
    else
      answer(response, 404, {
        kind: 'Status',
        code: 404,
        reason: 'NotFound',
        message: 'the server could not find the requested resource',
        details: {},
      });
  }

  #list(query: URLSearchParams, response: ServerResponse): void {
    const only = /metadata\.name=([^,]+)/.exec(query.get('fieldSelector') ?? '')?.[1];
    const all = [...this.#objects].filter(([name]) => only === undefined || name === only).map(([, object]) => object);
    const from = Number(query.get('continue') ?? 0);
    const limit = Number(query.get('limit') ?? all.length);
    const items = all.slice(from, from + limit);
    const left = all.length - from - items.length;
    const metadata = {
      resourceVersion: String(this.#version),
      ...(left > 0 ? { continue: String(from + limit), remainingItemCount: left } : {}),
    };
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    response.end(gzipSync(JSON.stringify({ kind: 'ConfigMapList', apiVersion: 'v1', metadata, items })));
  }

  #watch(query: URLSearchParams, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    const from = Number(query.get('resourceVersion'));
    if (from <= this.#version) for (const event of this.#events) if (event.version > from) response.write(event.line);
    const watcher: Watcher = { response };
    // From a version of the future nothing is heard, as on the original.
    if (from > this.#version) return;
    this.#watchers.add(watcher);
    response.once('close', () => this.#watchers.delete(watcher));
  }
}

/** Answers with a body. */
export const give = (body: object, headers: Record<string, string | string[]> = {}) =>
  ((_received: Received, response: Parameters<typeof acts.hang>[1]) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  }) as typeof acts.hang;
