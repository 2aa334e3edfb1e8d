import type { TreeQuery } from '@/lib/contract/lists/tree-query';
import type { Keyed, WindowSnapshot } from '@/lib/contract/live';
import type { RecordEntry } from '@/lib/contract/record-entry';
import type { RolloutDetail } from '@/lib/contract/rollout-rows';
import { rolloutDetail } from '@/lib/contract/rollout-rows';
import type { EngineMode } from '@/lib/contract/system-rows';
import type { Topic } from '@/lib/contract/topic';
import type { TreeLine } from '@/lib/contract/tree-rows';
import type { KubeObject } from '@/lib/kube/object';
import { ReconcileHistory } from '@/server/chartsync';
import { createOwnUser } from '@/server/kube';
import type { Log } from '@/server/platform';
import type { OpenReadModel, Reachability } from '@/server/readmodel';
import { createReadModel } from '@/server/readmodel';
import type { Visibility } from '@/server/readmodel/views/window';
import type { LiveStatus } from '@/server/status';
import { loadStatusRules } from '@/server/status/custom/status-rules';
import { aStorefront } from '../../support/applications';
import type { House } from '../../support/house';
import { liveStatusOf } from '../../support/live-status';
import { silentLog } from '../../support/silent-log';

/** The read model over the cluster of a house, as one test looks at it. */
export interface Rows extends AsyncDisposable {
  readonly model: OpenReadModel;
  readonly status: LiveStatus;
  /** Set to make another controller drive rollouts. */
  engine: EngineMode;
  /** Set to make the API server unreachable. */
  reachability: Reachability;
  /** What a topic shows now; undefined when there is no such thing. */
  see(topic: Topic, visibility?: Visibility, releases?: Visibility): WindowSnapshot<Keyed> | undefined;
  rollout(name?: string): RolloutDetail;
}

interface RigOptions {
  readonly log?: Log;
  /** Objects whose status throws, as any content may that nobody thought of. */
  readonly failsFor?: (object: KubeObject) => boolean;
  readonly readEntries?: Parameters<typeof createReadModel>[0]['readEntries'];
  /** What is on record before. */
  readonly recorded?: readonly RecordEntry[];
}

/** Opens the read model over a house and waits for its copies. */
export async function openRows(
  house: House,
  { log = silentLog, failsFor = () => false, readEntries = async () => [], recorded = [] }: RigOptions = {},
): Promise<Rows> {
  const answering: Reachability = { reachable: true, since: undefined, reason: '' };
  const status = liveStatusOf(house.informers, house.clock, await loadStatusRules());
  const model = createReadModel({
    bootId: 'test',
    informers: house.informers,
    discovery: house.cluster.discovery,
    ownUser: createOwnUser(house.cluster),
    clock: house.clock,
    log,
    status: {
      of(object) {
        if (failsFor(object)) throw new TypeError('Cannot read properties of null');
        return status.of(object);
      },
      subscribe: (listener) => status.subscribe(listener),
    },
    reachability: () => rows.reachability,
    loops: new ReconcileHistory(house.clock),
    samples: Promise.resolve({ readRecent: async () => [], append: async () => undefined }),
    record: Promise.resolve(recorded),
    readEntries,
    facts: {
      cluster: { kind: 'embedded', name: 'test', version: null },
      engines: () => ({ rollout: rows.engine }),
      dropped: () => null,
      findings: () => [],
      startedAt: '2026-01-01T00:00:00Z',
      leader: () => true,
      controllers: () => [],
    },
  });
  const rows: Rows = {
    model,
    status,
    reachability: answering,
    engine: { mode: 'drive', why: null },
    see(topic, visibility = 'all', releases = visibility) {
      const window = model.open(topic, visibility, { releases, olderReleases: releases, flux: releases });
      const seen = window?.snapshot();
      window?.release();
      return seen;
    },
    rollout: (name = 'web') => rolloutDetail.parse(rows.see({ kind: 'rollout', ns: house.ns, name })?.rows[0]),
    [Symbol.asyncDispose]: () => model[Symbol.asyncDispose](),
  };
  let ready = false;
  const starting = model.start().then(() => {
    ready = true;
  });
  await house.until('the copies are complete', () => ready);
  await starting;
  return rows;
}

export const GATED = { gates: 'every-stage', control: { abortScaleDownDelaySeconds: 1 } } as const;

/** A storefront whose second revision waits at the gate after its first stage. */
export async function bringToGate(house: House, rows: Rows, more: Parameters<typeof aStorefront>[0] = {}): Promise<void> {
  await house.apply(aStorefront({ ...GATED, ...more, configMaps: ['dropped', 'kept'] }));
  await house.until('the first revision is at rest', () => rolloutIs(rows, house, 'idle'));
  await house.apply(aStorefront({ ...GATED, ...more, image: 'registry.example.com/web:2', configMaps: ['kept', 'added'] }));
  await house.until('stage 1 waits', () => rolloutIs(rows, house, 'waiting'));
}

function rolloutIs(rows: Rows, house: House, activity: RolloutDetail['activity']): boolean {
  const [row] = rows.see({ kind: 'rollout', ns: house.ns, name: 'web' })?.rows ?? [];
  return row !== undefined && rolloutDetail.parse(row).activity === activity && rolloutDetail.parse(row).phase !== 'Progressing';
}

/** Every line of the list of objects of an application, page by page. */
export function treeOf(
  { see }: Pick<Rows, 'see'>,
  { ns, name }: { readonly ns: string; readonly name: string },
  query: TreeQuery = {},
): readonly TreeLine[] {
  const lines: TreeLine[] = [];
  for (let page = 0; ; page++) {
    const seen = see({ kind: 'tree', ns, name, query: { ...query, page } });
    lines.push(...((seen?.rows ?? []) as TreeLine[])); // rows are JSON
    if (seen === undefined || seen.rows.length === 0 || lines.length >= seen.total) return lines;
  }
}
