import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import type { Asked } from './api-path';
import { parsePath } from './api-path';

/** Requests to the API server: a verb, and the plural of a kind or one object of it; every kind where none is named. */
export interface Requests {
  readonly verb: 'get' | 'list' | 'watch' | 'write';
  readonly resource?: string;
  readonly name?: string;
}

export interface Storm {
  /** 409 meets writes only. */
  readonly code: 409 | 429;
  /** Of so many requests, from 0 to 1. */
  readonly share: number;
  readonly random: () => number;
  readonly retryAfterSeconds?: number;
}

/** A request that does not get through. */
export interface HeldRequest {
  /** What is held: method and path; undefined before one came. */
  readonly what: () => string | undefined;
  /** True once whoever sent it has given it up. */
  readonly isGivenUp: () => boolean;
  /** Lets it through, if its sender still waits. */
  readonly release: () => void;
}

/** What an API server is reached through, and what it lets nobody do. */
export interface ApiProxy extends AsyncDisposable {
  /** Path of a kubeconfig with the same credentials whose address is the proxy's. */
  readonly kubeconfig: string;
  /** Answers such requests by itself from now on, as an API server that allows nobody to; such watches that are open end. The result lets them through again. */
  refuse(requests: Requests, code: 403 | 405): () => void;
  /** Passes no more events of such watches on, and leaves their connections open; also of those that begin from now on. */
  silence(requests: Omit<Requests, 'verb'>): () => void;
  /** The watches that are open now say nothing more and stay open; those that begin later speak. */
  stall(): void;
  /** Answers a share of the requests by itself, as a server does that has too much to do or whose objects others write too. */
  storm(storm: Storm): { readonly answered: () => number; readonly end: () => void };
  /** Keeps the next such request on its way, before it reached the API server. */
  hold(requests: Requests): HeldRequest;
  /** Cuts the connections of such watches. */
  cutWatches(requests?: Omit<Requests, 'verb'>): void;
}

/** Stands between a client and the API server of a kubeconfig, on loopback. */
export async function startApiProxy(kubeconfig: string): Promise<ApiProxy> {
  const config = await readKubeconfig(kubeconfig);
  const agent = new Agent({ ca: config.ca, keepAlive: true });
  const refused = new Map<Requests, 403 | 405>();
  const silent = new Set<Requests>();
  const watches = new Map<ServerResponse, Asked>();
  const mute = new Set<ServerResponse>();
  const storms = new Map<Storm, { answered: number }>();
  const holds = new Set<Hold>();

  const arrive = (asked: IncomingMessage, answer: ServerResponse) => {
    const wanted = parsePath(asked.url ?? '/', asked.method);
    const storm = [...storms].find(([{ code, share, random }]) => (code === 429 || wanted.verb === 'write') && random() < share);
    if (storm !== undefined) {
      storm[1].answered++;
      return blow(storm[0], wanted, answer);
    }
    const hold = [...holds].find(({ requests }) => matches(requests, wanted));
    if (hold === undefined) return forward(asked, answer);
    holds.delete(hold);
    hold.what = `${asked.method} ${asked.url}`;
    hold.pass = () => forward(asked, answer);
    answer.on('close', () => {
      hold.isGivenUp = true;
    });
  };
  const forward = (asked: IncomingMessage, answer: ServerResponse) => {
    const { url = '/', method, headers } = asked;
    const wanted = parsePath(url, method);
    const refusal = [...refused].find(([requests]) => matches(requests, wanted));
    if (refusal !== undefined) return refuse(answer, { ...wanted, code: refusal[1] });
    if (wanted.verb === 'watch') watches.set(answer, wanted);
    const { host: _ours, ...passed } = headers;
    const onward = request(new URL(url, config.server), { method, headers: passed, agent }, (found) => {
      answer.writeHead(found.statusCode ?? 502, found.headers);
      answer.flushHeaders();
      found.on('data', (piece: Buffer) => {
        const isSilent = mute.has(answer) || (wanted.verb === 'watch' && [...silent].some((requests) => matches(requests, wanted)));
        if (!isSilent) answer.write(piece);
      });
      found.on('end', () => answer.end());
      found.on('error', () => answer.destroy());
    });
    onward.on('error', () => answer.destroy());
    answer.on('close', () => {
      watches.delete(answer);
      mute.delete(answer);
      onward.destroy();
    });
    asked.pipe(onward);
  };
  const server = createServer(arrive);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // listens on TCP
  const folder = await mkdtemp(path.join(os.tmpdir(), 'api-proxy-'));
  const ours = path.join(folder, 'kubeconfig');
  await writeFile(ours, config.through(`http://127.0.0.1:${port}`), { mode: 0o600 });
  const cutWatches = (requests: Omit<Requests, 'verb'> = {}) => {
    for (const [answer, asked] of watches) if (matches({ ...requests, verb: 'watch' }, asked)) answer.destroy();
  };
  return {
    kubeconfig: ours,
    cutWatches,
    refuse(requests, code) {
      refused.set(requests, code);
      if (requests.verb === 'watch') cutWatches(requests);
      return () => void refused.delete(requests);
    },
    silence(requests) {
      const unheard: Requests = { ...requests, verb: 'watch' };
      silent.add(unheard);
      return () => void silent.delete(unheard);
    },
    stall() {
      for (const answer of watches.keys()) mute.add(answer);
    },
    storm(storm) {
      const count = { answered: 0 };
      storms.set(storm, count);
      return { answered: () => count.answered, end: () => void storms.delete(storm) };
    },
    hold(requests) {
      const hold: Hold = { requests, what: undefined, isGivenUp: false, pass: () => undefined };
      holds.add(hold);
      return {
        what: () => hold.what,
        isGivenUp: () => hold.isGivenUp,
        release() {
          holds.delete(hold);
          if (!hold.isGivenUp) hold.pass();
        },
      };
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      agent.destroy();
      await rm(folder, { recursive: true });
    },
  };
}

function matches({ verb, resource, name }: Requests, wanted: Asked): boolean {
  return verb === wanted.verb && (resource === undefined || resource === wanted.resource) && (name === undefined || name === wanted.name);
}

function refuse(
  answer: ServerResponse,
  { verb, resource, code }: { readonly verb: string; readonly resource: string | undefined; readonly code: 403 | 405 },
) {
  const message =
    code === 405
      ? 'the server does not allow this method on the requested resource'
      : `${resource} is forbidden: a proxy lets nobody ${verb} resource "${resource}"`;
  const reason = code === 405 ? 'MethodNotAllowed' : 'Forbidden';
  answer.writeHead(code, { 'content-type': 'application/json' });
  answer.end(
    JSON.stringify({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      code,
      reason,
      message,
      details: { kind: resource },
    }),
  );
}

interface Hold {
  readonly requests: Requests;
  what: string | undefined;
  isGivenUp: boolean;
  pass: () => void;
}

function blow({ code, retryAfterSeconds }: Storm, { resource, name = '' }: Asked, answer: ServerResponse): void {
  if (code === 429) {
    // An API server says this in plain text, where it has no time for more.
    const wait = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
    answer.writeHead(code, { 'content-type': 'text/plain; charset=utf-8', ...wait });
    return void answer.end('Too many requests, please try again later.\n');
  }
  const message = `Operation cannot be fulfilled on ${resource} "${name}": the object has been modified; please apply your changes to the latest version and try again`;
  answer.writeHead(code, { 'content-type': 'application/json' });
  answer.end(
    JSON.stringify({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      code,
      reason: 'Conflict',
      message,
      details: { name, kind: resource },
    }),
  );
}

interface Entry {
  readonly name: string;
}

async function readKubeconfig(file: string) {
  const config = parse(await readFile(file, 'utf8')) as {
    readonly clusters: readonly (Entry & { readonly cluster: Readonly<Record<string, string>> })[];
  };
  const [entry] = config.clusters;
  const { server, 'certificate-authority-data': data, 'certificate-authority': authority } = entry?.cluster ?? {};
  if (entry === undefined || server === undefined) throw new Error(`${file} names no cluster`);
  return {
    server,
    ca: data === undefined ? await readFile(authority ?? '') : Buffer.from(data, 'base64'),
    through: (address: string) => stringify({ ...config, clusters: [{ ...entry, cluster: { server: address } }] }),
  };
}
