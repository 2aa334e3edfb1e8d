import type { Clock, Log, Random, Registry } from '@/server/platform';
import type { CallStats } from '../call-stats';
import type { Cluster } from '../cluster';
import { headerOf, parseJson, readBytes, readFailure } from './answers';
import { createConnections } from './connections';
import type { ServerSource } from './credentials';
import { createCredentials } from './credentials';
import type { ReadDocument } from './discovery';
import { createDiscovery } from './discovery';
import { createJsonParser } from './json-parser';
import { createPort } from './remote-cluster';
import type { Rate } from './throttle';
import { createThrottle } from './throttle';
import type { Transport } from './transport';
import { createTransport } from './transport';

const DEFAULT_RATES = { engine: { qps: 400, burst: 800 }, person: { qps: 100, burst: 200 } } as const;

export interface RemoteClusterDeps {
  readonly source: ServerSource;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics?: Registry;
  /** Counts the requests of the last minute. */
  readonly calls?: CallStats;
  /** Our own requests and those on behalf of persons have a rate each, so that neither starves the other. */
  readonly rates?: { readonly engine?: Rate; readonly person?: Rate };
}

/** A cluster reached over HTTP. Disposing cuts every request under way. */
export type RemoteCluster = Cluster & AsyncDisposable;

/** Opens the port to an API server; nothing is sent before the first request. */
export function createRemoteCluster({ source, clock, random, log, metrics, calls, rates }: RemoteClusterDeps): RemoteCluster {
  const connections = createConnections(createCredentials(source), clock);
  const throttles = {
    engine: createThrottle(rates?.engine ?? DEFAULT_RATES.engine, clock),
    person: createThrottle(rates?.person ?? DEFAULT_RATES.person, clock),
  };
  const transport = createTransport({
    connections,
    throttles,
    clock,
    random,
    log,
    ...(metrics ? { metrics } : {}),
    ...(calls ? { calls } : {}),
  });
  const parser = createJsonParser(log, metrics);
  const discovery = createDiscovery({ read: createDocumentReader(transport), clock, log });
  return {
    ...createPort({ transport, discovery, parser }),
    async [Symbol.asyncDispose]() {
      await connections[Symbol.asyncDispose]();
      await parser[Symbol.asyncDispose]();
    },
  };
}

function createDocumentReader(transport: Transport): ReadDocument {
  return async (path, accept, etag, signal) => {
    const what = `discovery of ${path}`;
    const headers = { accept, 'accept-encoding': 'gzip', ...(etag === undefined ? {} : { 'if-none-match': etag }) };
    const answer = await transport.send({
      what,
      verb: 'discover',
      method: 'GET',
      path,
      headers,
      signal,
      agent: 'discovery',
      lane: 'short',
      repeatable: true,
    });
    if (answer.statusCode === 304) {
      await answer.body.dump();
      return 'unchanged';
    }
    if (answer.statusCode !== 200) throw await readFailure(answer, what);
    return { body: parseJson(await readBytes(answer, what), what), etag: headerOf(answer, 'etag') };
  };
}
