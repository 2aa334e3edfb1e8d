import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { COMMAND_ACCESS_FILE, commandAccess } from '@/lib/contract/command-access';
import type { Cluster } from '@/server/kube';
import { createRemoteCluster } from '@/server/kube';
import { createRandom, readConfig, realClock } from '@/server/platform';
import { startSlipway } from '@/server/slipway';
import { FaultDoor } from '../../support/faults';
import { silentLog } from '../../support/silent-log';
import { DayClock } from './day-clock';
import type { DayPerson } from './day-person';
import { enter } from './day-person';

/** The whole server on its embedded cluster, at a time that the day moves. */
export interface DayServer extends AsyncDisposable {
  readonly day: DayClock;
  readonly origin: string;
  /** Who works here all day, signed in anew by `renew`: no session lasts that long. */
  readonly owner: DayPerson;
  renew(): Promise<void>;
  /** Somebody comes and signs in by a browser. */
  enter(): Promise<DayPerson>;
  /** Who may look and do nothing; for twelve hours, as whoever made the link. */
  readonly viewer: DayPerson;
  readonly faults: FaultDoor;
  /** Works on the cluster as kubectl does, from outside, and leaves nothing open. */
  kubectl<T>(act: (cluster: Cluster) => Promise<T>): Promise<T>;
}

/** Starts it in a folder of its own, which goes with it. */
export async function startDayServer(): Promise<DayServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'slipway-day-'));
  const day = new DayClock();
  const faults = new FaultDoor(day.clock);
  const args = ['--port', '0', '--data-dir', folder, '--demonstration', 'off', '--log-level', process.env.DAY_LOG ?? 'silent'];
  const slipway = await day.during(startSlipway(readConfig(args, {}), { clock: day.clock, interference: faults }));
  const { origin } = new URL(slipway.address);
  const owners = await day.during(enter(origin, { token: tokenOf(slipway.address) }));
  const { body } = await day.during(owners.post('/api/v1/session/links', { role: 'viewer' }));
  const viewer = await day.during(enter(origin, { token: tokenOf((body as { readonly url: string }).url) }));
  const { token } = commandAccess.parse(JSON.parse(await readFile(path.join(folder, COMMAND_ACCESS_FILE), 'utf8')));
  let owner = await day.during(enter(origin, { token, command: true }));
  const source = { kind: 'kubeconfig', path: path.join(folder, 'cluster', 'kubeconfig') } as const;
  return {
    day,
    origin,
    get owner() {
      return owner;
    },
    async renew() {
      await day.during(owner.leave());
      owner = await day.during(enter(origin, { token, command: true }));
    },
    enter: () => enter(origin, { token }),
    viewer,
    faults,
    async kubectl(act) {
      const cluster = createRemoteCluster({ source, clock: realClock, random: createRandom(3), log: silentLog });
      try {
        return await act(cluster);
      } finally {
        await cluster[Symbol.asyncDispose]();
      }
    },
    async [Symbol.asyncDispose]() {
      await day.during(Promise.resolve(slipway[Symbol.asyncDispose]()));
      day[Symbol.dispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const tokenOf = (address: string): string => new URL(address).searchParams.get('token') ?? '';
