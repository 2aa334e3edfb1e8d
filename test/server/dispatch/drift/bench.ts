import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import type { DispatchOptions, ManifestPolicy } from '@/server/dispatch';
import { AppManifestsDispatcher, ENGINE_MERGE_OPTIONS } from '@/server/dispatch';
import type { DriftField } from '@/server/dispatch/drift/find-drift';
import { findDrift } from '@/server/dispatch/drift/find-drift';
import { FakeApiServer } from '../../../support/dispatch-server';

const OPTIONS = ENGINE_MERGE_OPTIONS;

/** One manifest that is dispatched, then changed by somebody, and looked at before it is dispatched again. */
export class Bench {
  readonly server = new FakeApiServer();
  readonly #manifest: KubeObject;
  readonly #options: DispatchOptions;
  readonly #policy: ManifestPolicy;

  constructor(manifest: KubeObject, policy: ManifestPolicy = {}) {
    this.#manifest = manifest;
    this.#policy = policy;
    this.#options = { merge: OPTIONS, tools: { clock: { sleep: async () => undefined } } };
  }

  async dispatch(policy: ManifestPolicy = this.#policy, name = 'web-v1'): Promise<number> {
    this.server.requests.length = 0;
    await new AppManifestsDispatcher(
      this.server,
      { name, namespace: 'shop' },
      { ...this.#options, writing: { skipUnchanged: true, secretKey: 'a key', policyOf: () => policy } },
    ).dispatch([this.#manifest]);
    return this.server.requests.filter(({ verb, kind }) => kind !== 'ResourceTracker' && (verb === 'patch' || verb === 'create')).length;
  }

  get live(): KubeObject {
    const live = this.server.peek(toAddress(this.#manifest));
    if (live === undefined) throw new Error('it was not applied');
    return live;
  }

  change(edit: (live: KubeObject) => KubeObject): void {
    this.server.seed(edit(structuredClone(this.live)));
  }

  find(policy: ManifestPolicy = this.#policy): readonly DriftField[] {
    const tracker = this.server.peek({ apiVersion: 'core.oam.dev/v1beta1', kind: 'ResourceTracker', name: 'web-v1-shop' });
    const owner = { name: 'web-v1-shop', uid: tracker?.metadata.uid ?? '' };
    return findDrift({ manifest: this.#manifest, live: this.live, tracker: owner, policy, options: OPTIONS });
  }
}

/** The same, dispatched once and changed. */
export async function changed(manifest: KubeObject, edit: (live: KubeObject) => KubeObject, policy?: ManifestPolicy): Promise<Bench> {
  const bench = new Bench(manifest, policy);
  await bench.dispatch({});
  bench.change(edit);
  return bench;
}
