import type { HookLog } from '@/lib/contract/release-log';
import { readFields, readList, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { inParallel } from '@/lib/std/in-parallel';
import type { Session } from '@/server/auth';
import type { Cluster } from '@/server/kube';
import { isNotFound, listAll } from '@/server/kube';
import type { CommandDeps } from './command-deps';

const MAX_PODS = 5;
const MAX_CONTAINERS = 10;
const AT_ONCE = 4;
const LINES = 200;
const MAX_BYTES = 64 * 1024;

export type ContainerLog = HookLog['containers'][number];

/** What writes logs: a pod, or a Job by its pods. */
export interface LogSource {
  readonly kind: string;
  readonly ns: string;
  readonly name: string;
}

/** Reads the newest lines of what the containers of a pod or of a Job's newest pods wrote, live and as the person. */
export async function readLogs(deps: CommandDeps, session: Session, of: LogSource): Promise<readonly ContainerLog[]> {
  await deps.auth.authorise(session, { kind: 'view-logs', ns: of.ns });
  const cluster = deps.cluster.as(session.person);
  const containers = (await podsOf(cluster, of)).flatMap((pod) =>
    containersOf(pod).map((container) => ({ pod: pod.metadata.name ?? '', container })),
  );
  const asked = containers.slice(0, MAX_CONTAINERS);
  const found: ContainerLog[] = [];
  await inParallel([...asked.entries()], AT_ONCE, async ([at, one]) => {
    found[at] = { ...one, ...(await readLog(cluster, { ns: of.ns, ...one })) };
  });
  return found;
}

/** The newest first. */
async function podsOf(cluster: Cluster, { kind, ns, name }: LogSource): Promise<readonly KubeObject[]> {
  const pod = { apiVersion: 'v1', kind: 'Pod', namespace: ns };
  if (kind === 'Pod') return cluster.get({ ...pod, name }).then((found) => [found], absentAsNone);
  const { items } = await listAll(cluster, pod, { labelSelector: `job-name=${name}`, limit: MAX_PODS * 10 });
  const madeAt = ({ metadata }: KubeObject) => metadata.creationTimestamp ?? '';
  return [...items].sort((a, b) => (madeAt(a) < madeAt(b) ? 1 : -1)).slice(0, MAX_PODS);
}

function absentAsNone(error: unknown): readonly KubeObject[] {
  if (isNotFound(error)) return [];
  throw error;
}

function containersOf(pod: KubeObject): readonly string[] {
  const spec = readFields(pod, 'spec');
  return [...readList(spec, 'initContainers'), ...readList(spec, 'containers')].flatMap((container) => readString(container, 'name') ?? []);
}

async function readLog(
  cluster: Cluster,
  { ns, pod, container }: { readonly ns: string; readonly pod: string; readonly container: string },
): Promise<Pick<ContainerLog, 'text' | 'why'>> {
  const query = new URLSearchParams({ container, tailLines: String(LINES), limitBytes: String(MAX_BYTES) });
  const { status, body } = await cluster.request({
    path: `/api/v1/namespaces/${encodeURIComponent(ns)}/pods/${encodeURIComponent(pod)}/log?${query}`,
  });
  const text = await readText(body);
  return status === 200 ? { text, why: null } : { text: '', why: messageIn(text) ?? `the cluster answered ${status}` };
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_BYTES) break;
  }
  return text.slice(0, MAX_BYTES);
}

function messageIn(text: string): string | undefined {
  try {
    return readString(JSON.parse(text), 'message');
  } catch {
    return undefined; // an answer of a proxy; its status tells
  }
}
