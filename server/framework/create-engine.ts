import type { InformerScope, Store, StoreUse } from '@/server/kube';
import { ActiveNamespaces } from './active-namespaces';
import type { ControllerSpec } from './controller';
import type { Engine, EngineDeps } from './engine';
import { createController } from './loop';
import { OwnWrites } from './own-writes';
import { recordPauses } from './pause-record';

/** What differs from one engine to the next: the stores it reads, by name, and its controllers over them. */
export interface EngineSpec<Name extends string> {
  readonly name: string;
  readonly stores: Readonly<Record<Name, InformerScope>>;
  /** Stores that are read in the namespaces of others' objects, its homes, where they may not be as a whole; none is when absent. */
  readonly byNamespace?: { readonly homes: readonly NoInfer<Name>[]; readonly stores: readonly NoInfer<Name>[] };
  readonly controllers: (stores: Readonly<Record<Name, Store>>) => readonly ControllerSpec[];
}

/** Opens the stores and makes the controllers of an engine; workers start with `start`. Disposing drains them and gives the stores back. */
export function createEngine<Name extends string>(deps: EngineDeps, spec: EngineSpec<Name>): Engine {
  const uses: StoreUse[] = [];
  const stores: Partial<Record<Name, Store>> = {};
  for (const [name, scope] of Object.entries(spec.stores) as [Name, InformerScope][]) {
    const use = deps.informers.open(scope);
    uses.push(use);
    stores[name] = use.store;
  }
  const log = deps.log.child({ engine: spec.name });
  const onPause = recordPauses(deps, spec.name);
  // Before any source: what a change shows is known when the pass that it asks for begins.
  const ownWrites = new OwnWrites(
    uses.map(({ store }) => store),
    deps.clock,
    deps.cluster,
  );
  // Every name of the spec was just filled in.
  const named = stores as Record<Name, Store>;
  const { homes = [], stores: parted = [] } = spec.byNamespace ?? {};
  const byNamespace = new Set(parted.map((name) => named[name]));
  // Before any controller hears of an object: its namespace is needed from then on.
  const places = new ActiveNamespaces(homes.map((name) => named[name]));
  const needs = [...byNamespace].map((store) => store.needIn(places));
  const controllers = spec
    .controllers(named)
    .map((controller) => createController(controller, { ...deps, log, onPause, ownWrites, byNamespace }));
  return {
    name: spec.name,
    controllers,
    start: async () => {
      await Promise.all(controllers.map((controller) => controller.start()));
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(controllers.map((controller) => controller[Symbol.asyncDispose]()));
      ownWrites[Symbol.dispose]();
      for (const release of needs) release();
      places[Symbol.dispose]();
      for (const use of uses.splice(0)) use.release();
    },
  };
}
