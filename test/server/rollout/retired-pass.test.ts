import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toInstant, toKubeTime } from '@/lib/std/instant';
import type { EngineDeps, ReconcileContext } from '@/server/framework';
import { requeueAfter, settled } from '@/server/framework';
import type { StoreChange } from '@/server/kube';
import { KubeApiError } from '@/server/kube';
import type { InformerState } from '@/server/kube/informer';
import { createDecisionCleanup } from '@/server/rollout/stage-decisions/clean-up-decisions';
import { ManualClock } from '@/test/support/manual-clock';
import { silentLog } from '../../support/silent-log';
import { FakeStore } from '../framework/fake-store';

const KEY = 'shop/web';
const OFF: InformerState = { kind: 'retrying', reason: 'connection reset', since: toInstant(0) };
const subject = (uid: string): KubeObject => ({ ...KINDS.rolloutOrchestrator, metadata: { name: 'web', namespace: 'shop', uid } });

/** One pass over decisions of an hour ago and more, of which the store says that all are on record. */
function aPass(
  { unsynced, onRecord }: { readonly unsynced?: string; readonly onRecord?: ((uid: string) => boolean) | undefined } = {
    onRecord: () => true,
  },
) {
  const clock = new ManualClock();
  const stores = Object.fromEntries(
    (['decisions', 'rollouts', 'applications'] as const).map((name) => [name, new FakeStore({ synced: name !== unsynced })]),
  ) as Readonly<Record<'decisions' | 'rollouts' | 'applications', FakeStore>>;
  const deleted: string[] = [];
  const failures = new Map<string, Error>();
  const cluster = {
    delete: async ({ name }: { readonly name: string }) => {
      const failure = failures.get(name);
      if (failure !== undefined) throw failure;
      deleted.push(name);
    },
  };
  const asked = onRecord && { onRecord: async (uids: readonly string[]) => new Set(uids.filter(onRecord)) };
  const deps = { clock, cluster, log: silentLog, record: async () => undefined, ...asked } as unknown as EngineDeps;
  const { reconcile, sources } = createDecisionCleanup(deps, stores);
  const put = (minutesAgo: number, spec: object) => {
    const at = toKubeTime(toInstant(clock.now() - minutesAgo * 60_000));
    const metadata = { name: `d-${minutesAgo}`, namespace: 'shop', uid: `u-${minutesAgo}`, creationTimestamp: at };
    stores.decisions.put({ ...KINDS.stageDecision, metadata, spec, status: { phase: 'Rejected', at } });
  };
  const pass = () => reconcile(KEY, { signal: new AbortController().signal } as ReconcileContext);
  return { stores, deleted, put, pass, failures, sources };
}

const OF_ROLLOUT = { rolloutRef: { name: 'web', uid: 'ro-1' } };
const OF_APPLICATION = { applicationRef: { name: 'web', uid: 'app-1' } };
const STORES = ['decisions', 'rollouts', 'applications'] as const;

describe('a pass over answered decisions', () => {
  it.each(STORES)('[issue 10] deletes none while it cannot be seen what there is: %s', async (name) => {
    for (const { stores, deleted, put, pass } of [aPass({ unsynced: name, onRecord: () => true }), aPass()]) {
      put(100, OF_ROLLOUT);
      stores[name].setState(OFF);
      expect([await pass(), deleted]).toEqual([requeueAfter(600_000), []]);
      stores[name].setState({ kind: 'watching' });
      if (stores[name].health().synced) continue;
      expect([await pass(), deleted]).toEqual([requeueAfter(600_000), []]);
    }
  });

  it('[issue 10] deletes those of a rollout or an application that is gone, and of no other one', async () => {
    const { stores, deleted, put, pass } = aPass();
    stores.rollouts.put(subject('ro-1'));
    stores.applications.put(subject('app-1'));
    put(101, OF_ROLLOUT);
    put(102, OF_APPLICATION);
    expect([await pass(), deleted]).toEqual([settled(), []]);
    stores.rollouts.put(subject('ro-2'));
    await pass();
    expect(deleted.splice(0)).toEqual(['d-101']);
    stores.decisions.remove('shop/d-101');
    stores.applications.remove(KEY);
    await pass();
    expect(deleted).toEqual(['d-102']);
  });

  it('[issue 10] deletes fifty at once, and goes on with the rest as soon as others had their turn', async () => {
    const { stores, deleted, put, pass } = aPass();
    for (let minutesAgo = 100; minutesAgo < 151; minutesAgo++) put(minutesAgo, OF_ROLLOUT);
    expect(await pass()).toEqual(requeueAfter(0));
    expect([deleted.length, deleted[0], deleted.at(-1)]).toEqual([50, 'd-150', 'd-101']);
    for (const name of deleted.splice(0)) stores.decisions.remove(`shop/${name}`);
    put(59, OF_ROLLOUT);
    expect([await pass(), deleted]).toEqual([requeueAfter(60_000), ['d-100']]);
  });

  it('[issue 10] waits before it looks again where there were fifty and no more', async () => {
    const { deleted, put, pass } = aPass();
    for (let minutesAgo = 100; minutesAgo < 150; minutesAgo++) put(minutesAgo, OF_ROLLOUT);
    expect(await pass()).toEqual(requeueAfter(10_000));
    expect(deleted).toHaveLength(50);
  });

  it('[issue 10] keeps what is not on record, or where nobody says so, and looks again soon', async () => {
    for (const onRecord of [(uid: string) => uid === 'u-101', undefined]) {
      const { deleted, put, pass } = aPass({ onRecord });
      put(100, OF_ROLLOUT);
      put(101, OF_ROLLOUT);
      expect(await pass()).toEqual(requeueAfter(5000));
      expect(deleted).toEqual(onRecord === undefined ? [] : ['d-101']);
    }
  });

  it.each([
    [409, 'Conflict'],
    [404, 'NotFound'],
  ] as const)('[issue 10] goes on with the others where one changed or is gone meanwhile: %d', async (code, reason) => {
    const { deleted, put, pass, failures } = aPass();
    put(100, OF_ROLLOUT);
    put(101, OF_ROLLOUT);
    failures.set('d-101', new KubeApiError({ code, reason, message: reason }));
    await pass();
    expect(deleted).toEqual(['d-100']);
  });

  it('[issue 10] fails where the API server does', async () => {
    const { deleted, put, pass, failures } = aPass();
    put(101, OF_ROLLOUT);
    failures.set('d-101', new KubeApiError({ code: 500, reason: 'InternalError', message: 'etcd is down' }));
    await expect(pass()).rejects.toThrow('etcd is down');
    expect(deleted).toEqual([]);
  });

  it('[issue 10] comes for a decision that was written, and for what is gone or was made anew, and for nothing else', () => {
    const { sources, stores } = aPass();
    const keysOf = (store: FakeStore, change: Omit<StoreChange, 'key'>) =>
      sources.find((source) => source.store === store)?.keysOf?.({ key: KEY, ...change });
    const decision = { ...KINDS.stageDecision, metadata: { name: 'd-1', namespace: 'shop' }, spec: OF_APPLICATION };
    expect(keysOf(stores.decisions, { before: undefined, after: decision })).toEqual([KEY]);
    expect(keysOf(stores.decisions, { before: decision, after: undefined })).toEqual([]);
    for (const store of [stores.rollouts, stores.applications]) {
      expect(keysOf(store, { before: subject('ro-1'), after: undefined })).toEqual([KEY]);
      expect(keysOf(store, { before: subject('ro-1'), after: subject('ro-2') })).toEqual([KEY]);
      expect(keysOf(store, { before: subject('ro-1'), after: subject('ro-1') })).toEqual([]);
      expect(keysOf(store, { before: undefined, after: subject('ro-1') })).toEqual([]);
    }
  });
});
