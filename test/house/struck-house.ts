import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { getCondition } from '@/lib/kube/condition';
import { readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import { aStorefront } from '../support/applications';
import type { House } from '../support/house';
import { startHouse } from '../support/house';
import { contentOf } from '../support/plane/content-of';
import type { Call, Strike } from '../support/struck-line';
import { StruckLine } from '../support/struck-line';
import { StruckRecord } from './struck-record';

const LIMIT_MS = 30 * 60_000;
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const MADE: readonly TypeRef[] = [
  KINDS.applicationRevision,
  KINDS.rolloutOrchestrator,
  KINDS.stagePodAutoscaler,
  KINDS.deployment,
  KINDS.service,
  CONFIG_MAP,
];

/** What a change of an application comes to, in whatever way its engines were disturbed. */
export interface Ending {
  /** Each object that is there, by name, with what it says; identities, times and marks of the record aside. */
  readonly objects: Readonly<Record<string, string>>;
  readonly trackers: readonly string[];
  /** What engines made more than once, and what they deleted. */
  readonly madeTwice: readonly string[];
  readonly deleted: readonly string[];
  /** What is on record, each act as often as it stands there. */
  readonly recorded: readonly string[];
}

/** Something that is done to an application at rest, and when all of it is done. */
export interface Way {
  readonly first: KubeObject;
  readonly act: (scene: Scene) => Promise<unknown>;
  readonly isDone: (house: House) => Promise<boolean>;
}

/** What one way came to, and how. */
export interface Struck extends Ending {
  readonly calls: readonly string[];
  readonly wasStruck: boolean;
  /** Writes that were on their way when the cluster was killed: they are done or not. */
  readonly unknown: readonly string[];
}

/** What one way comes to, and which calls it took; with a strike, struck at one of them. */
export async function struck({ first, act, isDone }: Way, strike?: { readonly at: number; readonly how: Strike }): Promise<Struck> {
  await using scene = await openScene();
  await scene.house.apply(first);
  await scene.until('the first revision is at rest', () => isAtRest(scene.house, 'web-v1'));
  const before = scene.calls().length;
  const line = scene.line();
  if (strike !== undefined) line.strikeAt(strike.at, strike.how);
  await act(scene);
  await scene.until('all of it is done', () => isDone(scene.house));
  await scene.house.advance(60_000);
  await scene.until('nobody is dead', async () => true);
  const during = scene.calls().slice(before);
  const writes = during.filter(({ isWrite, succeeded }) => isWrite && succeeded).map(({ what }) => what);
  return {
    ...(await passOutcomeOf(scene.house, writes)),
    recorded: scene.recorded(),
    calls: during.map(({ what }) => what),
    wasStruck: line.wasStruck,
    unknown: during.filter(({ isWrite, isUnknown }) => isWrite && isUnknown).map(({ what }) => what),
  };
}

/** Everything that was killed starts again within minutes of manual time, as many as the machine makes of them; no stage is overdue by then. */
export const UNHURRIED = { stageTimeoutMinutes: 600 } as const;

/** An upgrade in two stages. */
export const UPGRADE: Way = {
  first: aStorefront({ ...UNHURRIED, replicas: 2, configMaps: ['old', 'kept'], content: 'one' }),
  act: ({ house }) => {
    const image = 'registry.example.com/web:2';
    return house.apply(aStorefront({ ...UNHURRIED, replicas: 2, image, configMaps: ['kept', 'new'], content: 'two' }));
  },
  isDone,
};

/** What one upgrade comes to, and which calls it took; with a strike, struck at one of them. */
export const upgrade = (strike?: Parameters<typeof struck>[1]) => struck(UPGRADE, strike);

export interface Scene extends AsyncDisposable {
  readonly house: House;
  line(): StruckLine;
  calls(): readonly Call[];
  recorded(): readonly string[];
  /** Waits, with another process wherever one died. */
  until(what: string, isSo: () => Promise<boolean>): Promise<void>;
}

/** A house on a folder of its own, whose line may be struck. Of what is killed only what was in the folder at that moment is left. */
async function openScene(): Promise<Scene> {
  const root = mkdtempSync(path.join(os.tmpdir(), 'struck-'));
  let folder = path.join(root, '0');
  let left: string | undefined;
  const lines: StruckLine[] = [];
  const newest = () => {
    const line = lines.at(-1);
    if (line === undefined) throw new Error('nothing reaches the cluster of the house');
    return line;
  };
  const onDeath = (how: Strike) => {
    if (!how.startsWith('kill')) return;
    left = path.join(root, String(lines.length));
    cpSync(folder, left, { recursive: true, filter: (file) => !file.endsWith('lock') }); // whoever is dead holds no lock
  };
  const through = (cluster: Cluster) => {
    const line = new StruckLine(cluster, onDeath);
    lines.push(line);
    return line.cluster;
  };
  const record = new StruckRecord(path.join(root, 'audit'), newest);
  const options = { through, recordBy: record.open };
  let house = await startHouse({ dataDir: folder, ...options });
  const isAlive = async () => {
    if (!newest().isDead) return;
    if (left === undefined) {
      newest().revive();
      return house.restart();
    }
    [folder, left] = [left, undefined];
    await house[Symbol.asyncDispose]();
    house = await startHouse({ dataDir: folder, after: house, ...options });
  };
  return {
    get house() {
      return house;
    },
    line: newest,
    calls: () => lines.flatMap(({ calls }) => calls),
    recorded: () => record.tell(),
    async until(what, isSo) {
      await house.until(
        what,
        async () => {
          await isAlive();
          return isSo();
        },
        LIMIT_MS,
      );
    },
    async [Symbol.asyncDispose]() {
      await house[Symbol.asyncDispose]();
      record[Symbol.dispose]();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

export async function isAtRest(house: House, workload: string): Promise<boolean> {
  const rollout = await house.get(KINDS.rolloutOrchestrator, 'web');
  return (
    readString(rollout, 'spec', 'targetRevisions', 0, 'revisionName') === workload &&
    getCondition(rollout, 'Ready')?.status === 'True' &&
    readNumber(rollout, 'status', 'observedGeneration') === rollout?.metadata.generation
  );
}

async function isDone(house: House): Promise<boolean> {
  return (await isAtRest(house, 'web-v2')) && (await house.get(KINDS.resourceTracker, `web-v1-${house.ns}`)) === undefined;
}

async function passOutcomeOf(house: House, writes: readonly string[]): Promise<Omit<Ending, 'recorded'>> {
  const found = (await Promise.all(MADE.map((type) => house.list(type)))).flat();
  const trackers: string[] = [];
  for (const number of [1, 2])
    if ((await house.get(KINDS.resourceTracker, `web-v${number}-${house.ns}`)) !== undefined) trackers.push(`web-v${number}`);
  const made = writes.filter((what) => what.startsWith('create ') && !ASKED.test(what));
  return {
    objects: Object.fromEntries(found.map((object) => [`${object.kind} ${object.metadata.name}`, contentOf(object)])),
    trackers,
    madeTwice: made.filter((what, at) => made.indexOf(what) !== at),
    deleted: writes.filter((what) => what.startsWith('delete ')).sort(),
  };
}

/** Questions about rights, which leave nothing behind, and Events, which have no name before they are made. */
const ASKED = /^create (?:\w+Review|Event) /;
