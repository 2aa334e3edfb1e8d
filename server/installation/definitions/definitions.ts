import { messageOf } from '@/lib/contract/app-error';
import type { Finding } from '@/lib/contract/finding';
import { readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import { isNotFound } from '@/server/kube';
import type { Clock, Log } from '@/server/platform';
import { supervise } from '@/server/platform';
import type { Loss } from './compare';
import { compareDefinitions, concerns } from './compare';
import { describeLosses } from './describe-losses';

/** What the definitions in the cluster keep of what we write. */
export interface Definitions {
  /** Why a field of a kind, or anything below it, would not be kept or taken as written, with the command that mends it; null when it would. */
  dropped(kind: string, field: string): string | null;
  findings(): readonly Finding[];
}

export interface DefinitionDeps {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** What is known of one definition. What cannot be read is not held against it: the rights tell. */
type Known = { readonly state: 'unread'; readonly why: string } | { readonly state: 'missing' } | { readonly state: 'read'; readonly losses: readonly Loss[] };

const AGAIN_MS = 5_000;

/** Reads every definition of ours as the cluster has it, and follows its changes. */
export async function watchDefinitions(ours: readonly KubeObject[], deps: DefinitionDeps): Promise<Definitions> {
  const known = new Map<string, Known>();
  const take = (definition: KubeObject, found: KubeObject | undefined) =>
    void known.set(kindOf(definition), found === undefined ? { state: 'missing' } : { state: 'read', losses: compareDefinitions(definition, found) });
  await Promise.all(
    ours.map(async (definition) => {
      try {
        take(definition, await read(definition, deps));
      } catch (error) {
        known.set(kindOf(definition), { state: 'unread', why: messageOf(error) });
      }
    }),
  );
  for (const definition of ours) {
    void supervise(`definition of ${kindOf(definition)}`, () => follow(definition, (found) => take(definition, found), deps), deps);
  }
  return {
    dropped(kind, field) {
      const definition = ours.find((one) => kindOf(one) === kind);
      const state = known.get(kind);
      if (definition === undefined || state === undefined || state.state === 'unread') return null;
      const losses = state.state === 'missing' ? undefined : state.losses.filter((loss) => concerns(loss, field));
      return losses?.length === 0 ? null : `${sentenceOf(kind, losses)}; ${mendOf(definition)} mends it`;
    },
    findings: () => ours.flatMap((definition) => toFinding(definition, known.get(kindOf(definition)))),
  };
}

function toFinding(definition: KubeObject, known: Known | undefined): readonly Finding[] {
  if (known === undefined || (known.state === 'read' && known.losses.length === 0)) return [];
  const subject = kindOf(definition);
  if (known.state === 'unread') {
    const sentence = `the definition of ${subject} cannot be read, so nobody knows what it keeps: ${known.why}`;
    return [{ area: 'definitions', subject, sentence, mend: 'kubectl apply -f deploy/rbac.yaml' }];
  }
  return [{ area: 'definitions', subject, sentence: sentenceOf(subject, known.state === 'missing' ? undefined : known.losses), mend: mendOf(definition) }];
}

function sentenceOf(kind: string, losses: readonly Loss[] | undefined): string {
  return losses === undefined ? `the cluster has no definition of ${kind}` : `the cluster’s definition of ${kind} ${describeLosses(losses)}`;
}

/** Our definitions are files named like their resource. */
function mendOf(definition: KubeObject): string {
  return `kubectl apply -f deploy/crds/${readString(definition, 'spec', 'names', 'plural') ?? ''}.yaml`;
}

const kindOf = (definition: KubeObject) => readString(definition, 'spec', 'names', 'kind') ?? '';

async function read(definition: KubeObject, { cluster, signal }: DefinitionDeps): Promise<KubeObject | undefined> {
  try {
    return await cluster.get(toAddress(definition), { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** One watch of one object: a store of all definitions would hold megabytes of other people's schemas. */
async function follow(definition: KubeObject, onFound: (found: KubeObject | undefined) => void, deps: DefinitionDeps): Promise<void> {
  const { cluster, clock, signal } = deps;
  const { apiVersion, kind, metadata } = definition;
  while (!signal.aborted) {
    const found = await read(definition, deps);
    onFound(found);
    const from = found?.metadata.resourceVersion;
    const events = cluster.watch({ apiVersion, kind }, { fieldSelector: `metadata.name=${metadata.name}`, ...(from ? { resourceVersion: from } : {}), signal });
    for await (const { type, object } of events) if (type !== 'BOOKMARK') onFound(type === 'DELETED' ? undefined : object);
    await clock.sleep(AGAIN_MS, signal);
  }
}
