import type { KubeObject, TypeRef } from '@/lib/kube/object';
import type { Cluster, CollectionAddress, WatchEvent, WatchOptions } from '@/server/kube';
import { getApiStatus, isNotFound } from '@/server/kube';
import { createMask } from './mask';

/** A cluster under test. */
export interface Subject extends AsyncDisposable {
  readonly cluster: Cluster;
  /** Waits until something holds that the cluster brings about by itself. */
  until(what: string, holds: () => Promise<boolean>): Promise<void>;
}

/** What came of one step. */
export type Noted = { readonly step: string; readonly gave: unknown } | { readonly step: string; readonly failed: unknown };

/** One promise of the API server, played on a namespace of its own. */
export interface ContractCase {
  readonly title: string;
  readonly play: (scene: Scene) => Promise<void>;
}

export interface Scene {
  readonly cluster: Cluster;
  readonly ns: string;
  /** Letters that occur in no other scene; they are masked. */
  readonly id: string;
  until: Subject['until'];
  /** Records what a step gave, or how it failed; gives the object back where it is needed further. */
  note(step: string, outcome: unknown): Promise<KubeObject>;
  /** All objects of a kind in the scene's namespace. */
  all(type: TypeRef, labelSelector?: string): Promise<readonly KubeObject[]>;
  read(type: TypeRef, name: string): Promise<KubeObject>;
  /** Events of a watch, up to so many. */
  events(of: CollectionAddress, count: number, options: WatchOptions): Promise<readonly WatchEvent[]>;
}

const LETTERS = 'bcdfghjklmnpqrstvwxz';

/** Plays a case and gives its masked transcript. */
export async function playCase(subject: Subject, { play }: ContractCase): Promise<readonly Noted[]> {
  const { cluster } = subject;
  const id = Array.from({ length: 10 }, () => LETTERS[Math.floor(Math.random() * LETTERS.length)]).join('');
  const ns = `t-${id}`;
  const noted: Noted[] = [];
  const mask = createMask(id);
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } });
  try {
    await furnished(subject, ns);
    await play({
      cluster,
      ns,
      id,
      until: subject.until,
      async note(step, outcome) {
        const said = String(mask.apply(step));
        try {
          const gave = await outcome;
          noted.push({ step: said, gave: mask.apply(gave ?? null) });
          return (gave ?? { apiVersion: '', kind: '', metadata: {} }) as KubeObject; // steps that go on use objects only
        } catch (error) {
          noted.push({ step: said, failed: mask.apply(failureOf(error)) });
          return { apiVersion: '', kind: '', metadata: {} };
        }
      },
      all: (type, labelSelector) => listAll(cluster, { ...type, namespace: ns }, labelSelector),
      read: (type, name) => cluster.get({ ...type, namespace: ns, name }),
      events: (of, count, options) => collect(cluster, of, count, options),
    });
  } finally {
    await cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: ns }).catch(() => undefined); // the case may have deleted it
  }
  return JSON.parse(JSON.stringify(noted)) as readonly Noted[]; // as the golden file has it
}

/** Waits for what controllers put into every namespace: pods are taken from then on, and nothing of theirs comes in between. */
async function furnished({ cluster, until }: Subject, namespace: string): Promise<void> {
  for (const [kind, name] of [
    ['ServiceAccount', 'default'],
    ['ConfigMap', 'kube-root-ca.crt'],
  ] as const) {
    const isThere = async () => {
      try {
        await cluster.get({ apiVersion: 'v1', kind, namespace, name });
        return true;
      } catch (error) {
        if (isNotFound(error)) return false;
        throw error;
      }
    };
    await until(`${kind} ${name} is in ${namespace}`, isThere);
  }
}

function failureOf(error: unknown): unknown {
  const status = getApiStatus(error);
  if (status === undefined) throw error;
  const { details, ...said } = status;
  return details === undefined || Object.keys(details).length === 0 ? said : status; // nothing said is nothing said
}

async function listAll(cluster: Cluster, of: CollectionAddress, labelSelector?: string): Promise<readonly KubeObject[]> {
  const items: KubeObject[] = [];
  for await (const page of cluster.list(of, labelSelector === undefined ? {} : { labelSelector })) items.push(...page.items);
  return items;
}

async function collect(cluster: Cluster, of: CollectionAddress, count: number, options: WatchOptions): Promise<readonly WatchEvent[]> {
  const events: WatchEvent[] = [];
  const limit = AbortSignal.timeout(10_000);
  for await (const event of cluster.watch(of, { timeoutSeconds: 10, ...options, signal: limit })) {
    events.push(event);
    if (events.length === count) break;
  }
  return events;
}
