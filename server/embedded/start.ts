import type { Cluster, Person } from '@/server/kube';
import type { Clock, Ids, Log, Random } from '@/server/platform';
import type { ApiContext } from './api/context';
import { createRequests } from './api/requests';
import { installDefaults } from './bootstrap/install';
import type { ControllerOptions } from './controllers';
import { startControllers } from './controllers';
import { withSharedOwners } from './fields/managers';
import { createHttpHandler } from './http/routes';
import type { Serving } from './http/serve';
import { serveHttp } from './http/serve';
import { serveDefinitions } from './kinds/definitions/serve';
import { expireEvents } from './kinds/event-expiry';
import { Registry } from './kinds/registry';
import { createHost } from './port/host';
import { createPort } from './port/port';
import type { RequestInterceptor } from './request-interceptor';
import { ADMIN, callerOf, SERVER } from './rights/caller';
import { Rights } from './rights/rights';
import { Tokens } from './rights/tokens';
import { compactHistory } from './storage/compaction';
import { openDataFolder } from './storage/data-folder';
import { Store } from './storage/store';

export interface EmbeddedOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly ids: Ids;
  readonly log: Log;
  /** Where objects survive a restart; absent: memory only. */
  readonly dataDir?: string;
  /** Simulated nodes, 3 unless told. */
  readonly nodes?: number;
  /** Without controllers only the API server runs: nothing moves by itself. */
  readonly controllers?: boolean;
  readonly podDefaults?: ControllerOptions['podDefaults'];
  readonly interference?: RequestInterceptor;
}

/** A simulated cluster of this process. */
export interface EmbeddedCluster extends AsyncDisposable {
  /** The in-process port, with all rights. */
  readonly cluster: Cluster;
  /** Serves HTTP on loopback; with a data folder the kubeconfig is written there. */
  serve(at?: { readonly host?: string; readonly port?: number }): Promise<Serving>;
  /** Lets a bearer token name a person. */
  addToken(token: string, person: Person): void;
}

/** Starts an API server with its store and, unless told otherwise, its controllers. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedCluster> {
  const { clock, random, ids, log, dataDir } = options;
  const folder = dataDir === undefined ? undefined : await openDataFolder(dataDir, { ids, log });
  const store = new Store({ version: folder?.version ?? 0, ...(folder ? { journal: folder } : {}) });
  for (const { storage, key, object } of folder?.objects() ?? []) store.restore(storage, key, withSharedOwners(object));
  folder?.compactFrom(store);
  const context: ApiContext = {
    store,
    registry: new Registry(),
    rights: new Rights(store),
    tokens: new Tokens(store, ids),
    interference: options.interference,
    watches: new Set(),
    clock,
    ids,
    log,
  };
  const definitions = serveDefinitions(context);
  installDefaults(context);
  store.forget();
  const events = expireEvents(context);
  const history = compactHistory(context);
  const requests = createRequests(context);
  const http = createHttpHandler(context, requests);
  const cluster = createPort({ context, requests, http }, SERVER);
  const controllers =
    options.controllers === false
      ? undefined
      : startControllers(
          createHost(context, (agent) => createPort({ context, requests, http, agent }, ADMIN), random),
          {
            nodes: options.nodes ?? 3,
            ...(options.podDefaults ? { podDefaults: options.podDefaults } : {}),
          },
        );
  const servings: Serving[] = [];

  return {
    cluster,
    async serve(at = {}) {
      const serving = await serveHttp({ context, http, ...(dataDir === undefined ? {} : { dataDir }) }, at);
      servings.push(serving);
      return serving;
    },
    addToken: (token, person) => context.tokens.add(token, callerOf(person)),
    async [Symbol.asyncDispose]() {
      for (const serving of servings) await serving[Symbol.asyncDispose]();
      await controllers?.[Symbol.asyncDispose]();
      for (const end of [...context.watches]) end();
      events();
      history();
      definitions();
      await folder?.close();
    },
  };
}
