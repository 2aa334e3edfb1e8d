import { readFileSync } from 'node:fs';
import { createRemoteCluster } from '@/server/kube';
import { createRandom, realClock } from '@/server/platform';
import { silentLog } from '@/test/support/silent-log';

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

/** A cluster over Slipway's remote port, that of KUBECONFIG; the sources are those of the checkout whose tsconfig.json TSX_TSCONFIG_PATH names. */
export function createPeerCluster() {
  const source = { kind: 'kubeconfig', path: env('KUBECONFIG') } as const;
  return createRemoteCluster({ source, clock: realClock, random: createRandom(7), log: silentLog });
}
