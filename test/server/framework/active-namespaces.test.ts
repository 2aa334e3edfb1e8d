import { describe, expect, it } from 'vitest';
import { SECRET } from '@/lib/kube/kinds';
import { toInstant } from '@/lib/std/instant';
import { describeWaits, settled } from '@/server/framework';
import { ActiveNamespaces } from '@/server/framework/active-namespaces';
import { createController } from '@/server/framework/loop';
import { createRandom } from '@/server/platform';
import { ManualClock } from '@/test/support/manual-clock';
import { silentLog } from '../../support/silent-log';
import { aConfigMap, FakeStore } from './fake-store';

const inNamespace = (namespace: string, name: string) => ({ ...aConfigMap(name), metadata: { namespace, name } });

describe('the places of an engine', () => {
  it('[issue 10.1] are the namespaces of what is there and of what comes, for as long as one object of any home is', () => {
    const [applications, revisions] = [new FakeStore(), new FakeStore()];
    applications.put(inNamespace('shop', 'a'));
    using places = new ActiveNamespaces([applications, revisions]);
    const told: (readonly string[])[] = [];
    places.subscribe(() => told.push(places.values()));
    revisions.put(inNamespace('shop', 'a-v1'));
    applications.put(inNamespace('shop', 'a')); // a change makes nothing twice
    applications.remove('shop/a');
    expect([places.has('shop'), told]).toEqual([true, []]);
    applications.put(inNamespace('crm', 'b'));
    revisions.remove('shop/a-v1');
    expect([places.has('shop'), told]).toEqual([false, [['shop', 'crm'], ['crm']]]);
    places[Symbol.dispose]();
    expect([applications.subscribers, revisions.subscribers]).toEqual([0, 0]);
  });
});

describe('a controller of which a kind may not be listed as a whole', () => {
  it('[issue 10.1] acts in the namespaces that it may read, waits for those about to be listed, and names those that it may not read', async () => {
    const parted = new FakeStore({ synced: false, scope: SECRET });
    const store = new FakeStore();
    for (const namespace of ['open', 'late', 'shut']) store.put(inNamespace(namespace, 'a'));
    parted.coverage
      .set('open', { kind: 'held' })
      .set('late', { kind: 'later' })
      .set('shut', { kind: 'refused', reason: 'secrets is forbidden in shut' });
    const clock = new ManualClock();
    const passes: string[] = [];
    const reconcile = async (key: string) => {
      passes.push(key);
      return settled();
    };
    await using controller = createController(
      { name: 'test', sources: [{ store }, { store: parted }], reconcile },
      { clock, log: silentLog, random: createRandom(3), byNamespace: new Set([parted]) },
    );
    const started = controller.start();
    await clock.settle();
    expect(passes).toEqual([]);
    parted.setState({ kind: 'refused', verb: 'list', reason: 'secrets is forbidden', since: toInstant(0) });
    await started;
    await clock.settle();
    expect(passes).toEqual(['open/a', 'shut/a']); // what may not be read there is for the pass to say
    expect(controller.stats().waitsFor).toEqual([{ kind: 'Secret', reason: 'secrets is forbidden in shut', namespaces: ['shut'] }]);
    expect(describeWaits([controller.stats()])).toEqual([
      'test does not run in namespace shut before Secret objects may be listed there: secrets is forbidden in shut',
    ]);
    for (const one of ['b', 'c', 'd']) parted.coverage.set(one, { kind: 'refused', reason: '' });
    expect(describeWaits([controller.stats()])[0]).toContain('in namespaces b, c, d and 1 more before');
    parted.coverage.set('late', { kind: 'held' });
    await clock.advance(500);
    expect(passes).toEqual(['open/a', 'shut/a', 'late/a']);
  });
});
