// Watches the pods of `peer pods`: HOW=watcher (StatusWatcher) or HOW=live (LiveStatus); notes each event after the first of all pods in OUT.
import { writeFileSync } from 'node:fs';
import { createInformers } from '@/server/kube';
import { createRandom, realClock } from '@/server/platform';
import { discoveryMapper, LiveStatus } from '@/server/status';
import { clusterApiReader } from '@/server/status/cluster/api-reader';
import { clusterCollectionWatch } from '@/server/status/surface/collection-watch';
import { StatusWatcher } from '@/server/status/surface/status-watcher';
import { silentLog } from '@/test/support/silent-log';
import { cpuMs, createPeerCluster, env, int, rssMb } from './common';

interface Told {
  readonly identifier: { readonly namespace: string; readonly name: string };
  readonly status: string;
}

const cluster = createPeerCluster();
const [clock, random] = [realClock, createRandom(9)];
const pods = Array.from({ length: int('PODS', 5000) }, (_, at) => ({
  group: '',
  kind: 'Pod',
  namespace: `${env('PREFIX')}-${at % int('NAMESPACES', 10)}`,
  name: `pod-${at}`,
}));
/** Kept until the end, as the Go side's are by its buffer: writing each to the disk would cost more than the watch. */
const out: string[] = [];
const stop = new AbortController();
const mapper = discoveryMapper(cluster.discovery);
const isLive = env('HOW') === 'live';
const began = performance.now();
const cpu0 = cpuMs();
let events = 0;
let synced: { readonly ms: number; readonly cpu: number; readonly rss: number } | undefined;
let cpuAfter = 0;

function sync(): void {
  synced = { ms: performance.now() - began, cpu: cpuMs() - cpu0, rss: rssMb('VmRSS') };
  const cpuAtSync = cpuMs();
  process.stderr.write('synced\n');
  setTimeout(() => {
    cpuAfter = cpuMs() - cpuAtSync;
    stop.abort();
  }, int('SECONDS', 45) * 1000);
}

function hear({ identifier: { namespace, name }, status: told }: Told): void {
  if (synced === undefined) return;
  events++;
  const now = performance.timeOrigin + performance.now();
  out.push(`${namespace}/${name},${told === 'Current'},${now.toFixed(3)}\n`);
}

/** It says of no moment that everything was told, so that is when every pod was. */
async function watchLive(): Promise<void> {
  const informers = createInformers({ cluster, clock, random, log: silentLog });
  const live = new LiveStatus({ informers, mapper, clock, log: silentLog });
  const told = new Set<string>();
  const subscription = live.subscribe((one: Told) => {
    hear(one);
    told.add(`${one.identifier.namespace}/${one.identifier.name}`);
    if (synced === undefined && told.size === pods.length) sync();
  });
  subscription.set(pods.map((pod) => ({ ...pod, apiVersion: 'v1' })));
  await new Promise((resolve) => stop.signal.addEventListener('abort', resolve, { once: true }));
  subscription.release();
  live[Symbol.dispose]();
  await informers[Symbol.asyncDispose]();
}

async function watchAlone(): Promise<void> {
  const parts = { api: clusterApiReader(cluster), source: clusterCollectionWatch(cluster), mapper, clock, random };
  for await (const event of new StatusWatcher(parts).watch(pods, { signal: stop.signal })) {
    if (event.type === 'Error') throw new Error(event.error.text);
    if (event.type === 'Sync') sync();
    else hear(event.resource);
  }
}

await (isLive ? watchLive() : watchAlone());
writeFileSync(env('OUT'), out.join(''));
const memory = { rssAtSyncMb: synced?.rss, rssMb: rssMb('VmRSS'), peakMb: rssMb('VmHWM') };
const side = isLive ? 'slipway live' : 'slipway watcher';
console.log(
  JSON.stringify({ side, objects: pods.length, syncMs: synced?.ms, cpuToSyncMs: synced?.cpu, cpuAfterSyncMs: cpuAfter, events, ...memory }),
);
await cluster[Symbol.asyncDispose]();
