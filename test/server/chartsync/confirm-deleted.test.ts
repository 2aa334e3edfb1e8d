import { expect, it, vi } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { ChartSyncDeps } from '@/server/chartsync/loops/chart-sync';
import { ChartSync } from '@/server/chartsync/loops/chart-sync';
import { readDeclared } from '@/server/chartsync/model/declared';
import { ManualClock } from '../../support/manual-clock';
import { silentLog } from '../../support/silent-log';

const SPECS: Readonly<Record<string, object>> = {
  [KINDS.fluxHelmRelease.kind]: { chartGitPath: 'ledger', values: {} },
  [KINDS.helmRelease.kind]: { chart: { git: 'https://git.example/charts', path: 'ledger' } },
};

const aResource = (type: { readonly apiVersion: string; readonly kind: string }, uid: string) =>
  readDeclared({ ...type, metadata: { namespace: 'pay', name: 'ledger', uid, generation: 1 }, spec: SPECS[type.kind] ?? {} });

/** What is uninstalled where a resource is told as deleted, and this is there by its name. */
async function uninstalled(
  type: { readonly apiVersion: string; readonly kind: string },
  read: () => Promise<ReturnType<typeof aResource> | undefined>,
  clock = new ManualClock(),
) {
  const done: string[] = [];
  // No more of any of them is asked for on this way.
  const deps = {
    resources: { read, claimants: async () => [] },
    helm: {
      readNewest: async () => ({ status: 'deployed' }),
      readHistory: async () => [{ revision: 1, status: 'deployed' }],
      uninstall: async ({ release }: { readonly release: { readonly name: string } }) => void done.push(release.name),
    },
    objects: { readMark: async () => undefined },
    namespaceDeletedAt: () => undefined,
    gate: { forget: () => undefined, isGated: () => false },
    grants: { why: async () => undefined, forget: () => undefined },
    config: { branch: 'main', chartsPath: 'charts', updateDeps: { base: false, extended: true } },
    clock,
    log: silentLog,
    notify: () => undefined,
  } as unknown as ChartSyncDeps;
  await new ChartSync(deps).delete(aResource(type, 'u'));
  return done;
}

it.each([KINDS.fluxHelmRelease, KINDS.helmRelease, KINDS.olderHelmRelease])(
  '[issue 12.1] a $kind of $apiVersion that is told as deleted and is there keeps its release; one that is gone, or another by its name, does not',
  async (type) => {
    expect(await uninstalled(type, async () => aResource(type, 'u'))).toEqual([]);
    expect(await uninstalled(type, async () => aResource(type, 'another'))).toEqual(['pay-ledger']);
    expect(await uninstalled(type, async () => undefined)).toEqual(['pay-ledger']);
  },
);

it.each([KINDS.fluxHelmRelease, KINDS.helmRelease, KINDS.olderHelmRelease])(
  '[issue 12.1] nothing is uninstalled of a $kind of $apiVersion that is told as deleted while nobody can say whether it is gone; it is asked again',
  async (type) => {
    const clock = new ManualClock();
    const answers = [undefined, aResource(type, 'u')];
    for (const answer of answers) {
      let asked = 0;
      let isDown = true;
      const read = () => {
        asked++;
        return isDown ? Promise.reject(new Error('the API server does not answer')) : Promise.resolve(answer);
      };
      let done: readonly string[] | undefined;
      void uninstalled(type, read, clock).then((names) => {
        done = names;
      });
      await vi.waitFor(() => expect(asked).toBe(1));
      await clock.advance(1000);
      await vi.waitFor(() => expect(asked).toBe(2));
      expect(done).toBeUndefined();
      isDown = false;
      await clock.advance(2000);
      await vi.waitFor(() => expect(done).toEqual(answer === undefined ? ['pay-ledger'] : []));
    }
  },
);
