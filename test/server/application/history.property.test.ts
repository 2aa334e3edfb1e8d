import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readFields, readList } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { readTracker } from '@/server/dispatch';
import { ApplicationHouse } from '../../support/application-house';

const NAMES = ['a', 'b', 'c', 'd'] as const;
const QUIET_MS = 11 * 60_000;

/** One turn of a history: what the application is changed to, and what goes wrong meanwhile. */
type Trouble =
  | { readonly kind: 'none' }
  | { readonly kind: 'crash'; readonly atRequest: number; readonly arrived: boolean }
  | { readonly kind: 'refusals'; readonly verb: 'create' | 'patch' | 'delete' | 'get' | 'updateStatus' | 'dryRun'; readonly times: number }
  | { readonly kind: 'editedTracker' };

const trouble: fc.Arbitrary<Trouble> = fc.oneof(
  fc.constant({ kind: 'none' } as const),
  fc.record({ kind: fc.constant('crash' as const), atRequest: fc.integer({ min: 1, max: 30 }), arrived: fc.boolean() }),
  fc.record({
    kind: fc.constant('refusals' as const),
    verb: fc.constantFrom('create', 'patch', 'delete', 'get', 'updateStatus', 'dryRun'),
    times: fc.integer({ min: 1, max: 4 }),
  }),
  fc.constant({ kind: 'editedTracker' } as const),
);
const turn = fc.record({ names: fc.subarray([...NAMES], { minLength: 1 }), value: fc.constantFrom('1', '2'), trouble });

const spec = (names: readonly string[], value: string) => ({
  components: [
    {
      name: 'set',
      type: 'k8s-objects',
      properties: { objects: names.map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } })) },
    },
  ],
});

const ofKind = (house: ApplicationHouse, kind: string) => house.server.all().filter((object) => object.kind === kind);
const configs = (house: ApplicationHouse) => ofKind(house, 'ConfigMap').map(({ metadata }) => metadata.name ?? '');
const listed = (house: ApplicationHouse) =>
  new Set(ofKind(house, 'ResourceTracker').flatMap((tracker) => readTracker(tracker).entries.map(({ name }) => name)));

/** After the n-th request nothing answers any more until the returned function is called. */
function dieAt(house: ApplicationHouse, nth: number, arrived: boolean): () => void {
  let requests = 0;
  let dead = false;
  const strike = (counts: boolean) => {
    dead ||= counts && ++requests === nth;
    if (dead) throw new Error('the connection was cut');
  };
  house.server.onRequest = (_verb, { kind }) => strike(!arrived && kind !== 'Application');
  house.server.onAnswer = (_verb, { kind }) => strike(arrived && kind !== 'Application');
  return () => {
    house.server.onRequest = () => undefined;
    house.server.onAnswer = () => undefined;
  };
}

/** Takes a line out of a record, as somebody with an editor would; answers what puts it back. */
async function editTracker(house: ApplicationHouse): Promise<() => Promise<void>> {
  const [tracker] = ofKind(house, 'ResourceTracker');
  if (tracker === undefined) return async () => undefined;
  const write = async (managedResources: readonly unknown[]) => {
    const live = house.server.peek({ ...KINDS.resourceTracker, name: tracker.metadata.name ?? '' });
    if (live !== undefined) await house.server.update({ ...live, spec: { ...readFields(live, 'spec'), managedResources } } as KubeObject);
  };
  const before = structuredClone(readList(tracker, 'spec', 'managedResources'));
  await write(before.slice(1));
  return () => write(before);
}

async function live(house: ApplicationHouse, { names, value, trouble: what }: { names: readonly string[]; value: string; trouble: Trouble }): Promise<void> {
  switch (what.kind) {
    case 'none':
      return house.apply(spec(names, value));
    case 'crash': {
      const revive = dieAt(house, what.atRequest, what.arrived);
      // The person's own write is not what crashes.
      await house.apply(spec(names, value));
      revive();
      return house.restart();
    }
    case 'refusals':
      house.server.addFaults([{ verb: what.verb, kind: what.verb === 'updateStatus' ? 'ResourceTracker' : 'ConfigMap', code: 500, times: what.times }]);
      return house.apply(spec(names, value));
    case 'editedTracker': {
      const restore = await editTracker(house);
      const before = configs(house);
      await house.apply(spec(names, value));
      await house.clock.advance(30_000);
      expect(configs(house)).toEqual(expect.arrayContaining(before));
      return restore();
    }
  }
}

it('[dispatch 13] whatever happens to it, an application never loses what it lists, forgets nothing, and comes to rest', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 5 }), async (history) => {
      await using house = await new ApplicationHouse().start();
      for (const one of history) {
        const from = house.server.requests.length;
        const uids = new Map(ofKind(house, 'ConfigMap').map(({ metadata }) => [metadata.name, metadata.uid]));
        await live(house, one);
        await house.clock.advance(QUIET_MS);
        const deleted = house.server.requests
          .slice(from)
          .flatMap(({ verb, kind, key, succeeded }) => (verb === 'delete' && kind === 'ConfigMap' && succeeded ? (key.split('|')[3] ?? '') : []));
        expect(deleted.filter((name) => one.names.some((kept) => kept === name))).toEqual([]);
        expect(configs(house).filter((name) => !listed(house).has(name))).toEqual([]);
        expect(configs(house).sort()).toEqual([...one.names].sort());
        for (const name of one.names) if (uids.has(name)) expect(house.get({ apiVersion: 'v1', kind: 'ConfigMap' }, name)?.metadata.uid).toBe(uids.get(name));
      }
      house.takeWrites();
      await house.restart();
      await house.clock.advance(QUIET_MS);
      expect(house.takeWrites()).toEqual([]);
    }),
    { numRuns: 60 },
  );
}, 60_000);
