import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { messageOf } from '@/lib/contract/app-error';
import { readList } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject } from '@/lib/kube/object';
import type { Cluster, Informers } from '@/server/kube';
import { isAlreadyExists } from '@/server/kube';
import type { Log } from '@/server/platform';
import type { ChartCommit } from './chart-releases';
import { chartCommits, chartReleases } from './chart-releases';
import { largeApplication } from './large-application';

const FILES = ['10-namespaces.yaml', '20-storefront.yaml', '30-checkout.yaml', '40-recommendations.yaml'];
const ROLLED_OUT = { namespace: 'shop', name: 'checkout', image: 'registry.example.com/payments/checkout:7.2' } as const;
const WHO = { fieldManager: 'slipway.dev/demonstration' } as const;

interface DemonstrationDeps {
  readonly cluster: Cluster;
  readonly informers: Informers;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Whether a rollout is through. */
  readonly isComplete: (rollout: KubeObject) => boolean;
  /** Makes a repository of charts with a history, and answers its address. */
  readonly makeCharts: (commits: readonly ChartCommit[]) => Promise<string>;
}

/** True when no application exists yet, so that a demonstration disturbs nobody. */
export async function isEmpty(cluster: Cluster): Promise<boolean> {
  for await (const page of cluster.list(KINDS.application, { limit: 1 })) if (page.items.length > 0) return false;
  return true;
}

/**
 * Shows an empty cluster what Slipway is for: a storefront, an application that fails, one with some hundred objects, a rollout that has
 * come to its gate, and Helm releases that follow charts in git. Repeating it makes nothing twice.
 */
export async function installDemonstration(folder: string, deps: DemonstrationDeps): Promise<void> {
  const objects = (await Promise.all(FILES.map((file) => readObjects(path.join(folder, file))))).flat();
  for (const object of [...objects, largeApplication()]) await createOnce(object, deps);
  await untilDispatched(deps);
  await changeImage(deps);
  await releaseCharts(path.join(folder, 'charts'), deps);
}

async function readObjects(file: string): Promise<readonly KubeObject[]> {
  return parseAllDocuments(await readFile(file, 'utf8')).map((document) => document.toJS() as KubeObject);
}

async function createOnce(object: KubeObject, { cluster, log, signal }: DemonstrationDeps): Promise<void> {
  try {
    await cluster.create(object, { ...WHO, signal });
    log.info({ object: describeObject({ kind: object.kind, ...object.metadata }) }, 'demonstration object created');
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

/** Without git there is nothing to follow; what else there is to see is there. */
async function releaseCharts(folder: string, deps: DemonstrationDeps): Promise<void> {
  try {
    const address = await deps.makeCharts(await chartCommits(folder));
    for (const object of chartReleases(address)) await createOnce(object, deps);
  } catch (error) {
    deps.signal.throwIfAborted();
    deps.log.warn({ error: messageOf(error) }, 'the demonstration goes without Helm releases');
  }
}

/** The second version only makes a rollout once the first one is complete. */
async function untilDispatched({ informers, signal, isComplete }: DemonstrationDeps): Promise<void> {
  await using use = informers.open(KINDS.rolloutOrchestrator);
  const { store } = use;
  await store.synced(signal);
  await new Promise<void>((resolve, reject) => {
    const look = () => {
      const rollout = store.get(`${ROLLED_OUT.namespace}/${ROLLED_OUT.name}`);
      if (rollout === undefined || !isComplete(rollout)) return;
      release();
      resolve();
    };
    const release = store.subscribe(look);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    look();
  });
}

async function changeImage({ cluster, signal }: DemonstrationDeps): Promise<void> {
  const { namespace, name, image } = ROLLED_OUT;
  const application = await cluster.get({ ...KINDS.application, namespace, name }, { signal });
  const components = readList(application, 'spec', 'components').map((component) => withImage(component, image));
  await cluster.update({ ...application, spec: { ...(application.spec as object), components } }, { ...WHO, signal });
}

function withImage(component: unknown, image: string): unknown {
  const held = component as { readonly properties?: object };
  return { ...held, properties: { ...held.properties, image } };
}
