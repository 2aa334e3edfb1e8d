import { SERVER_NAMESPACE } from '@/lib/contract/grant';
import type { EngineRow } from '@/lib/contract/system-rows';
import { isNotFound } from '@/server/kube';
import { createRandom } from '@/server/platform';
import { until } from '../until';
import type { AuditedWrite } from './audit';
import type { PlaneScene } from './scene';

const LIMIT_MS = 240_000;
const LEASE = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: SERVER_NAMESPACE, name: 'slipway-shard-0' };
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default' };
const ACTS_ON_NOTHING = /^this replica acts on nothing: /;

/** What happens to a plane in the middle of an upgrade. */
export interface PlaneFault {
  /** What happens, in words for a table. */
  readonly words: string;
  /** Too long for CI. */
  readonly isLong: boolean;
  /** Makes it happen, sees it told, and takes back what does not end by itself; answers what was told. */
  strike(scene: PlaneScene): Promise<string>;
}

/** The faults by name. */
export const PLANE_FAULTS: Readonly<Record<string, PlaneFault>> = {
  'stopped-shortly': { words: 'the API server stands still for 20 s', isLong: false, strike: (scene) => stop(scene, 20_000) },
  stopped: { words: 'the API server stands still for 60 s', isLong: true, strike: (scene) => stop(scene, 60_000) },
  'no-space': { words: 'etcd is full and takes no write until an administrator makes room', isLong: true, strike: fillUp },
  conflicts: {
    words: 'every second write is answered 409',
    isLong: false,
    strike: (scene) => storm(scene, { code: 409, share: 0.5, answers: 12 }),
  },
  'too-many': {
    words: 'every second request is answered 429',
    isLong: true,
    strike: (scene) => storm(scene, { code: 429, share: 0.5, answers: 40 }),
  },
  'too-many-for-all': {
    words: 'every request is answered 429 with Retry-After, until the Lease has lapsed',
    isLong: false,
    strike: (scene) => storm(scene, { code: 429, share: 1, answers: 1, retryAfterSeconds: 1, told: ACTS_ON_NOTHING }),
  },
  'silent-watches': { words: 'every watch stays open and says nothing more', isLong: true, strike: silence },
  'lease-taken': { words: 'somebody else takes the Lease while a write is on its way', isLong: false, strike: takeLease },
  'lease-deleted': { words: 'the Lease is deleted while a write is on its way', isLong: true, strike: deleteLease },
};

async function stop({ plane, first }: PlaneScene, ms: number): Promise<string> {
  await plane.freeze('kube-apiserver');
  const end = performance.now() + ms;
  try {
    const told = [await first.told(/^the API server has not answered /), await first.told(ACTS_ON_NOTHING)];
    await until('the time is over', () => performance.now() >= end, ms * 2);
    return told.join('; ');
  } finally {
    await plane.thaw('kube-apiserver');
  }
}

async function fillUp({ plane, cluster, first }: PlaneScene): Promise<string> {
  const data = { filling: 'x'.repeat(900_000) };
  let made = 0;
  const isFull = async () => {
    try {
      await cluster.create({
        ...CONFIG_MAP,
        metadata: { namespace: CONFIG_MAP.namespace, name: `filling-${made}`, labels: { filling: 'true' } },
        data,
      });
      made++;
      return false;
    } catch (error) {
      if (/database space exceeded/.test(String(error))) return true;
      throw error;
    }
  };
  await until('etcd is full', isFull, LIMIT_MS);
  const told = await first.told(/^this replica acts on nothing: .*database space exceeded/);
  for (let number = 0; number < made; number++) await cluster.delete({ ...CONFIG_MAP, name: `filling-${number}` });
  await plane.freeSpace();
  return told;
}

interface StormWanted {
  readonly code: 409 | 429;
  readonly share: number;
  /** It goes on until so many requests were answered by it. */
  readonly answers: number;
  readonly retryAfterSeconds?: number;
  /** And until this is told. */
  readonly told?: RegExp;
}

async function storm({ proxy, first }: PlaneScene, { answers, told, ...wanted }: StormWanted): Promise<string> {
  const blowing = proxy.storm({ ...wanted, random: createRandom(wanted.code) });
  try {
    await until(`${answers} requests met the storm`, () => blowing.answered() >= answers, LIMIT_MS);
    if (told !== undefined) return await first.told(told);
  } finally {
    blowing.end();
  }
  const refusedBy = ({ calls }: EngineRow) => calls?.verbs.reduce((sum, verb) => sum + verb.refused, 0) ?? 0;
  await until('the engine page counts what was refused', async () => refusedBy(await first.engine()) > 0, LIMIT_MS);
  return 'Engine counts the refused calls of the last minute';
}

async function silence({ proxy, first }: PlaneScene): Promise<string> {
  proxy.stall();
  const silentSince = Date.now();
  const heard = async () => {
    const { watches } = await first.engine();
    const rollouts = watches.find(({ kind }) => kind === 'RolloutOrchestrator');
    return Date.parse(rollouts?.lastContactAt ?? '') || 0;
  };
  const last = await heard();
  await until('the watch is given up and opened again', async () => (await heard()) > Math.max(last, silentSince + 1000), LIMIT_MS);
  return `Engine shows the last contact of each watch; it was opened again after ${Math.round((Date.now() - silentSince) / 1000)} s`;
}

/** Holds the next write of an engine, has the Lease change hands meanwhile, and sees that the held one never arrives and nothing else does. */
async function loseLease(scene: PlaneScene, lose: () => Promise<void>): Promise<string> {
  const { proxy, first, plane } = scene;
  const held = proxy.hold({ verb: 'write', resource: 'deployments' });
  await until('a write of the engine is on its way', () => held.what() !== undefined, LIMIT_MS);
  await lose();
  await until('the engine gave up what was on its way', () => held.isGivenUp(), LIMIT_MS);
  const lostAt = Date.now();
  held.release();
  const { leader } = await first.engine();
  if (leader) throw new Error('it gave up its write and leads anyway');
  await until('it leads again', async () => (await first.engine()).leader, LIMIT_MS);
  const since = Date.parse((await first.engine()).leadership?.since ?? '');
  const between = actsOf(await plane.written()).filter(({ at }) => at >= lostAt && at < since);
  if (between.length > 0)
    throw new Error(`without the Lease it wrote ${between.map(({ verb, resource, name }) => `${verb} ${resource} ${name}`).join(', ')}`);
  return `held ${held.what()?.split('?')[0]}: given up, and nothing written for ${Math.round((since - lostAt) / 1000)} s`;
}

function takeLease(scene: PlaneScene): Promise<string> {
  return loseLease(scene, async () => {
    const renewTime = new Date().toISOString().replace('Z', '000Z');
    await scene.cluster.patch(LEASE, {
      type: 'merge',
      body: { spec: { holderIdentity: 'somebody-else', renewTime, leaseDurationSeconds: 12 } },
    });
  });
}

function deleteLease(scene: PlaneScene): Promise<string> {
  return loseLease(scene, () =>
    scene.cluster.delete(LEASE).then(
      () => undefined,
      (error: unknown) => {
        if (!isNotFound(error)) throw error;
      },
    ),
  );
}

/** What engines wrote, as the API server answered it. */
export function actsOf(writes: readonly AuditedWrite[]): readonly AuditedWrite[] {
  return writes.filter(({ engine, code, resource }) => engine !== undefined && code < 300 && !resource.endsWith('reviews'));
}
