import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { act } from '@/server/application/act/act';
import { decide } from '@/server/application/decide/decide';
import type { ApplicationStores, Observation } from '@/server/application/observe/observe';
import { addIndexes, observe, WATCHED } from '@/server/application/observe/observe';
import { FakeInformers } from '@/test/support/fake-informers';
import { ActWorld } from './act-world';
import { configMap, holding } from './seen';

const KEY = 'shop/web' as ObjectKey;
export const data = (object: KubeObject | undefined) => (object as { readonly data?: object } | undefined)?.data;
export const of = (name: string, kind = 'ConfigMap') => ({ apiVersion: 'v1', kind, metadata: { name, namespace: 'shop' } });
export const spec = (...objects: readonly object[]) => holding(objects).spec;
export const put = (name: string, value: string, more: object = {}) => configMap(name, { key: value }, more);

/** One engine's passes over one application, each by what the server has. */
export class Passes {
  readonly world: ActWorld;
  #stores: ApplicationStores;

  constructor(application: KubeObject, ...more: readonly KubeObject[]) {
    this.world = new ActWorld(application, ...more);
    const informers = new FakeInformers(this.world.server);
    this.#stores = Object.fromEntries(
      Object.entries(WATCHED).map(([name, kind]) => [name, informers.open(kind).store]),
    ) as unknown as ApplicationStores;
    addIndexes(this.#stores);
  }

  get application(): KubeObject {
    return this.world.at(holding([])) as KubeObject;
  }

  seen(more: Partial<Observation> = {}): Observation {
    return { ...(observe(this.#stores, KEY) as Observation), ...more };
  }

  async pass(more: Partial<Observation> = {}, context: object = {}): Promise<number | undefined> {
    const seen = this.seen(more);
    return act(decide(seen, this.world.now as never), { ...this.world.context(context), seen });
  }

  async change(next: object, metadata: object = {}): Promise<void> {
    const live = this.application;
    await this.world.server.update({ ...live, ...next, metadata: { ...live.metadata, ...metadata } });
  }

  condition(type: string): readonly [string | undefined, string | undefined, string] {
    const list =
      (
        this.application.status as
          | {
              readonly conditions?: readonly {
                readonly type: string;
                readonly status: string;
                readonly reason: string;
                readonly message: string;
              }[];
            }
          | undefined
      )?.conditions ?? [];
    const found = list.find((told) => told.type === type);
    return [found?.status, found?.reason, found?.message ?? ''];
  }

  actions(): readonly string[] {
    return this.world.record.map(({ action }) => action);
  }
}
export const passes = (application = holding([put('a', '1'), put('b', '1')]), ...more: readonly KubeObject[]) =>
  new Passes(application, ...more);
