import { expect, it } from 'vitest';
import type { Cluster, ListPage, WatchEvent } from '@/server/kube';
import { createInformers, KubeApiError } from '@/server/kube';
import { createMetrics, createRandom } from '@/server/platform';
import { ManualClock } from '../../support/manual-clock';
import { silentLog } from '../../support/silent-log';

const WIDGETS = { apiVersion: 'v1', kind: 'Widget' } as const;
const forbidden = () => new KubeApiError({ code: 403, reason: 'Forbidden', message: 'widgets is forbidden' });
const widget = (name: string, version: number) => ({ ...WIDGETS, metadata: { namespace: 'shop', name, resourceVersion: String(version) } });

/** A cluster that lets read all of it, or one namespace of it only. */
class Fake {
  isWhole = true;
  objects = [widget('a', 1)];
  readonly #open = new Set<() => void>();

  takeAway(): void {
    this.isWhole = false;
    for (const end of this.#open) end();
  }

  readonly port = {
    list: (of: { namespace?: string }) => this.#list(of.namespace),
    watch: (of: { namespace?: string }, { signal }: { signal: AbortSignal }) => this.#watch(of.namespace, signal),
  } as unknown as Cluster; // the rest of the port is none of the informers' business

  async *#list(namespace: string | undefined): AsyncGenerator<ListPage> {
    await Promise.resolve();
    if (namespace === undefined && !this.isWhole) throw forbidden();
    yield { items: this.objects, resourceVersion: '10' };
  }

  async *#watch(namespace: string | undefined, signal: AbortSignal): AsyncGenerator<WatchEvent> {
    if (namespace === undefined && !this.isWhole) throw forbidden();
    await new Promise<void>((resolve) => {
      this.#open.add(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}

it('[issue 12.2] what was read as a whole is read by namespace once the right to the whole is taken away', async () => {
  const fake = new Fake();
  const clock = new ManualClock();
  await using informers = createInformers({ cluster: fake.port, clock, random: createRandom(1), log: silentLog, metrics: createMetrics() });
  const { store } = informers.open({ ...WIDGETS, metadataOnly: true });
  store.needIn({ values: () => ['shop'], has: (namespace) => namespace === 'shop', subscribe: () => () => undefined });
  await clock.advance(60_000);
  expect(store.health()).toMatchObject({ state: { kind: 'watching' }, watchedIn: undefined });
  fake.objects = [widget('a', 1), widget('b', 9)];
  fake.takeAway();
  await clock.advance(60_000);
  expect(store.health()).toMatchObject({ state: { kind: 'refused', verb: 'list' }, watchedIn: ['shop'] });
  expect(store.list('shop').map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
});
