import { readFileSync } from 'node:fs';

export const env = (name: string, otherwise = ''): string => process.env[name] ?? otherwise;
export const int = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

/** Processor time of this process, all threads, user and system. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** A field of /proc/self/status in MB: VmRSS now, VmHWM the highest. */
export function rssMb(field: 'VmRSS' | 'VmHWM'): number {
  const line = readFileSync('/proc/self/status', 'utf8')
    .split('\n')
    .find((text) => text.startsWith(`${field}:`));
  return Number(line?.split(/\s+/)[1] ?? 0) / 1024;
}

/** Slipway's sources are imported from the checkout that SLIPWAY_DIR names. */
export async function slipway() {
  const at = (path: string) => import(`${env('SLIPWAY_DIR', process.cwd())}/server/${path}/index.ts`);
  const [kube, platform, status] = await Promise.all([at('kube'), at('platform'), at('status')]);
  const { createRandom, realClock, silentLog } = platform;
  const source = { kind: 'kubeconfig', path: env('KUBECONFIG') };
  const cluster = kube.createRemoteCluster({ source, clock: realClock, random: createRandom(7), log: silentLog });
  return { kube, platform, status, cluster, clock: realClock, random: createRandom(9) };
}
