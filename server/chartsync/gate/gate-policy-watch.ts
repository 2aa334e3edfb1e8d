import { messageOf } from '@/lib/contract/app-error';
import type { KubeObject } from '@/lib/kube/object';
import type { Store, StoreChange } from '@/server/kube';
import type { Log, Release } from '@/server/platform';
import type { DeclaredRelease } from '../model/declared';
import { readDeclared } from '../model/declared';
import { isGatePolicyMoved } from './gate-policy';
import type { Gates } from './gates';

interface GatePolicyWatchDeps {
  readonly gates: Pick<Gates, 'enter'>;
  /** Copies of the kinds that declare releases and are driven. */
  readonly stores: readonly Store[];
  readonly namespaces: Store;
  readonly mayAct: () => boolean;
  readonly log: Log;
}

/**
 * Keeps what annotations demand as soon as it is heard, also of releases that no loop looks at because they are held, suspended or wait for something: who
 * sets an annotation and takes it away before the next look has demanded it all the same.
 */
export class GatePolicyWatch {
  readonly #deps: GatePolicyWatchDeps;
  #last: Promise<void> = Promise.resolve();

  constructor(deps: GatePolicyWatchDeps) {
    this.#deps = deps;
  }

  /** Hears changes until it is released. */
  start(): Release {
    const { stores, namespaces } = this.#deps;
    const ends = [
      ...stores.map((store) => store.subscribe((change) => this.#hearResource(change))),
      namespaces.subscribe((change) => this.#hearNamespace(change)),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  /** Resolves once everything that was heard is kept. */
  idle(): Promise<void> {
    return this.#last;
  }

  #hearResource({ before, after }: StoreChange): void {
    if (before !== undefined && after !== undefined && isGatePolicyMoved(before, after)) this.#note(readDeclared(after));
  }

  #hearNamespace({ before, after }: StoreChange): void {
    if (before === undefined || after === undefined || !isGatePolicyMoved(before, after)) return;
    for (const store of this.#deps.stores) for (const object of store.list(after.metadata.name)) this.#note(readDeclared(object), after);
  }

  /** One after the other, as they were heard: else what is demanded less would be told before there is more to compare it with. */
  #note(resource: DeclaredRelease, home?: KubeObject): void {
    const { gates, mayAct, log } = this.#deps;
    if (!mayAct()) return;
    this.#last = this.#last.then(async () => {
      // What cannot be read, or not be kept now, is told of the next look.
      await gates.enter(resource, home).catch((error: unknown) => {
        log.warn({ resource: resource.key, error: messageOf(error) }, 'could not store the required number of approvals');
      });
    });
  }
}
