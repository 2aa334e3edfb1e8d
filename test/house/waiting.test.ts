import { afterEach, describe, expect, it } from 'vitest';
import type { ApplicationDetail } from '@/lib/contract/application-rows';
import type { ObjectStatus } from '@/lib/contract/object-statuses';
import type { Topic } from '@/lib/contract/topic';
import type { TreeLine } from '@/lib/contract/tree-rows';
import { getCondition } from '@/lib/kube/condition';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import { toIso } from '@/lib/std/instant';
import { ReconcileHistory } from '@/server/chartsync';
import { createOwnUser } from '@/server/kube';
import type { OpenReadModel } from '@/server/readmodel';
import { createReadModel } from '@/server/readmodel';
import type { Statuses, StatusSet } from '@/server/status';
import { createStatuses, evaluateWait, sentenceOf } from '@/server/status';
import { loadStatusRules } from '@/server/status/custom/status-rules';
import { aStorefront } from '../support/applications';
import { decide } from '../support/decisions';
import type { House } from '../support/house';
import { startHouse } from '../support/house';
import { liveStatusOf } from '../support/live-status';
import { silentLog } from '../support/silent-log';

/** A house with the projections of the screen and the statuses of the API over the same computed status. */
interface Console {
  readonly house: House;
  readonly readModel: OpenReadModel;
  readonly statuses: Statuses;
  row(): ApplicationDetail | undefined;
  lines(kind: string): readonly TreeLine[];
}

const ends: (() => PromiseLike<unknown>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function openConsole(): Promise<Console> {
  const house = await startHouse();
  ends.push(() => house[Symbol.asyncDispose]());
  const { informers, clock, cluster } = house;
  const status = liveStatusOf(informers, clock, await loadStatusRules());
  const readModel = createReadModel({
    bootId: 'house',
    informers,
    discovery: cluster.discovery,
    ownUser: createOwnUser(cluster),
    clock,
    log: silentLog,
    status,
    loops: new ReconcileHistory(clock),
    reachability: () => ({ reachable: true, since: undefined, reason: '' }),
    samples: Promise.resolve({ readRecent: async () => [], append: async () => undefined }),
    record: Promise.resolve([]),
    readEntries: async () => [],
    facts: {
      cluster: { kind: 'embedded', name: 'house', version: null },
      engines: () => ({}),
      dropped: () => null,
      findings: () => [],
      startedAt: toIso(clock.now()),
      leader: () => true,
      controllers: () => [],
    },
  });
  ends.push(() => readModel[Symbol.asyncDispose]());
  const starting = readModel.start();
  await house.advance(1000);
  await starting;
  const statuses = createStatuses({
    cluster,
    clock,
    stream: status,
    ledgerOf: (application) => readModel.ledgerOf(application),
    onFailure: (error) => {
      throw error;
    },
  });
  const see = (topic: Topic) => {
    const window = readModel.open(topic, 'all');
    const found = window?.snapshot().rows ?? [];
    window?.release();
    return found;
  };
  const shop = { ns: house.ns, name: 'shop' };
  const row = () => see({ kind: 'application', ...shop })[0] as ApplicationDetail | undefined; // the topic has rows of this kind
  const lines = (kind: string) => see({ kind: 'tree', ...shop, query: { kind } }) as readonly TreeLine[]; // and so has this one
  return { house, readModel, statuses, row, lines };
}

/** An application of one Deployment; its pods do as the annotation says. */
function anApplication(image: string, fail?: string): KubeObject {
  const labels = { app: 'front' };
  const front = {
    ...KINDS.deployment,
    metadata: { name: 'front' },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations: fail === undefined ? {} : { 'sim.slipway.dev/fail': fail } },
        spec: { containers: [{ name: 'front', image }] },
      },
    },
  };
  return {
    ...KINDS.application,
    metadata: { name: 'shop' },
    spec: { components: [{ name: 'front', type: 'k8s-objects', properties: { objects: [front] } }] },
  };
}

function open({ statuses, house }: Console): StatusSet {
  const set = statuses.ofApplication({ ns: house.ns, name: 'shop' });
  ends.push(async () => set.release());
  return set;
}

const front = (set: StatusSet) => set.statuses().find(({ identifier }) => identifier.kind === 'Deployment');
const line = ({ kind, name, status, message }: Pick<ObjectStatus, 'kind' | 'name' | 'status' | 'message'>) =>
  `${kind} ${name} ${status}: ${message}`;

describe('what the API says of an application is what the screen shows', () => {
  it('[issue 9] a crash-looping Deployment has one verdict and one sentence', async () => {
    const shop = await openConsole();
    const set = open(shop);
    await shop.house.apply(anApplication('front:1', 'crash-loop'));
    await shop.house.until('its Deployment failed', () => front(set)?.status === 'Failed');
    const told = front(set);
    const [shown] = shop.lines('Deployment.apps');
    expect(told && line({ ...told.identifier, status: told.status, message: sentenceOf(told) })).toBe(
      shown && line({ kind: shown.kind, name: shown.name, status: shown.health, message: shown.message }),
    );
    expect(set.evaluate()).toEqual({ status: shop.row()?.health, message: shop.row()?.message });
    expect(evaluateWait(set, 'current')).toBe('failed');
    expect(await shop.statuses.confirm(set, 'failed')).toBe(true);
    await shop.house.advance(5000);
    const stored = await shop.house.get(KINDS.application, 'shop');
    expect(stored && getCondition(stored, 'Ready')?.message).toBe(`Deployment front: ${shop.lines('Deployment.apps')[0]?.message}`);
  });

  it('[issue 9.3] at a gate, while an abort moves, once it has, and after a retry there is one verdict: a wait ends with the abort, kubectl agrees', async () => {
    const shop = await openConsole();
    const { house } = shop;
    const set = open(shop);
    const told = () => ({ status: shop.row()?.health, message: shop.row()?.message.toLowerCase() });
    const judged = () => ({ ...set.evaluate(), message: set.evaluate().message.toLowerCase() });
    const activityIs = (...wanted: readonly string[]) => wanted.includes(shop.row()?.activity ?? '');
    const control = { abortScaleDownDelaySeconds: 20 };
    const storefront = (image: string) => aStorefront({ name: 'shop', image, gates: 'every-stage', control });
    await house.apply(storefront('registry.example.com/web:1'));
    await house.until('it is current', () => evaluateWait(set, 'current') === 'reached' && shop.row()?.health === 'Current');

    await house.apply(storefront('registry.example.com/web:2'));
    await house.until('stage 1 waits', () => activityIs('waiting'));
    await house.advance(1000);
    expect(told()).toEqual({ status: 'InProgress', message: expect.stringContaining('stage 1') });
    expect([judged(), evaluateWait(set, 'current')]).toEqual([told(), undefined]);

    await decide(house, 'shop', 'abort', { reason: 'errors' });
    await house.until('the stable side is back, and the rejected one kept', () => /still serves/.test(shop.row()?.message ?? ''));
    await house.advance(1000);
    expect(activityIs('aborting')).toBe(true);
    expect(told().status).toBe('Failed');
    expect([judged(), evaluateWait(set, 'current')]).toEqual([told(), 'failed']);
    await house.until('it is aborted', () => activityIs('aborted'));
    await house.advance(1000);
    expect(told()).toEqual({
      status: 'Failed',
      message: expect.stringMatching(/^shop-v2 was aborted: errors; all traffic goes to shop-v1/),
    });
    expect([judged(), evaluateWait(set, 'current')]).toEqual([told(), 'failed']);
    expect(await shop.statuses.confirm(set, 'failed')).toBe(true);
    const application = await house.get(KINDS.application, 'shop');
    expect(getCondition(application ?? {}, 'Ready')).toMatchObject({ status: 'False', reason: 'Rejected' });
    const listed = set.statuses().map(({ identifier, status }) => `${identifier.kind} ${identifier.name} ${status}`);
    expect(listed).toEqual(['Application shop Failed', 'Deployment shop-v1 Current', 'Service shop Current']);

    await decide(house, 'shop', 'retry');
    await house.until('stage 1 waits again', () => activityIs('waiting'));
    await house.advance(1000);
    expect([judged(), told().status, evaluateWait(set, 'current')]).toEqual([told(), 'InProgress', undefined]);
  });

  it('[issue 9] a wait begun right after a change of it is not answered by what was before, and reaches what it is for', async () => {
    const shop = await openConsole();
    const set = open(shop);
    await shop.house.apply(anApplication('front:1'));
    await shop.house.until('it is current', () => evaluateWait(set, 'current') === 'reached');
    expect(set.evaluate().status).toBe('Current');
    // The change is on the server, and no copy has heard of it.
    const at = { ...KINDS.application, namespace: shop.house.ns, name: 'shop' };
    const live = await shop.house.cluster.get(at);
    const changing = shop.house.cluster.update({ ...live, spec: anApplication('front:2').spec });
    const confirming = changing.then(() => shop.statuses.confirm(set, 'reached'));
    expect(await confirming).toBe(false);
    await shop.house.until(
      'the change is rolled out',
      () => evaluateWait(set, 'current') === 'reached' && imageOf(front(set)?.resource) === 'front:2',
    );
    expect(await shop.statuses.confirm(set, 'reached')).toBe(true);
  });

  it('[issue 9] while its new record is not in our copy yet, what was recorded last is part of it', async () => {
    const shop = await openConsole();
    const { house } = shop;
    const set = open(shop);
    await house.apply(anApplication('front:1'));
    await house.until('it is current', () => evaluateWait(set, 'current') === 'reached');
    const allow = house.faults.fail({ verb: 'watch', kind: 'ResourceTracker' }, 405, { times: Number.POSITIVE_INFINITY });
    house.faults.cutWatches({ kind: 'ResourceTracker' });
    await house.apply(anApplication('front:2', 'crash-loop'));
    const latest = async () => (await house.get(KINDS.application, 'shop'))?.status;
    await house.until('the revision is reached', async () => JSON.stringify(await latest()).includes('shop-v2'));
    await house.until('the failed Deployment counts', () => evaluateWait(set, 'current') === 'failed' && shop.row()?.health === 'Failed');
    expect(shop.readModel.ledgerOf(toObjectKey({ namespace: house.ns, name: 'shop' })).objects()).toMatchObject([
      { kind: 'Deployment', name: 'front' },
    ]);
    allow();
  });

  it('[issue 9] follows an application from before it is there until it is gone', async () => {
    const shop = await openConsole();
    const set = open(shop);
    const heard = new Set<string>();
    const release = set.subscribe((key) => void heard.add(key ?? ''));
    await shop.house.advance(100);
    expect(set.evaluate().status).toBe('NotFound');
    expect(evaluateWait(set, 'deleted')).toBe('reached');
    await shop.house.apply(anApplication('front:1'));
    await shop.house.until('it is current', () => evaluateWait(set, 'current') === 'reached');
    expect(set.statuses().map(({ identifier }) => identifier.kind)).toEqual(['Application', 'Deployment']);
    await shop.house.cluster.delete({ ...KINDS.application, namespace: shop.house.ns, name: 'shop' });
    await shop.house.until('it is deleted', () => evaluateWait(set, 'deleted') === 'reached' && set.statuses().length === 1);
    expect(await shop.statuses.confirm(set, 'reached')).toBe(true);
    expect(heard.size).toBeGreaterThanOrEqual(2);
    release();
    expect(shop.readModel.ledgerOf(toObjectKey({ namespace: shop.house.ns, name: 'shop' })).objects()).toEqual([]);
  });
});

function imageOf(deployment: KubeObject | undefined): string | undefined {
  const spec = deployment?.spec as { template?: { spec?: { containers?: readonly { image?: string }[] } } } | undefined;
  return spec?.template?.spec?.containers?.[0]?.image;
}
