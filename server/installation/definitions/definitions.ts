import { messageOf } from '@/lib/contract/app-error';
import type { Finding } from '@/lib/contract/finding';
import { readString } from '@/lib/kube/fields';
import { nameOfKind } from '@/lib/kube/kinds';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Cluster } from '@/server/kube';
import { DEFINITION_SERVED_MS, followObject, ignoreNotFound, isForbidden, isReadRefused } from '@/server/kube';
import type { Clock, Log } from '@/server/platform';
import { linkAbort, supervise } from '@/server/platform';
import { describeDroppedFields } from './describe-dropped-fields';
import type { DroppedField } from './dropped-fields';
import { concerns, findDroppedFields } from './dropped-fields';

/** What the definitions in the cluster keep of what we write. */
export interface Definitions {
  /**
   * Why a field of a kind, or anything below it, would not be kept or taken as written, with the command that mends it; null when it would.
   * With a value, others that would be refused do not count.
   */
  dropped(kind: string, field: string, value?: string): string | null;
  /** Whether a definition was read, so that what it drops is known and no mere doubt. */
  isRead(kind: string): boolean;
  /** Whether the cluster has no such definition. */
  isMissing(kind: string): boolean;
  findings(): readonly Finding[];
}

export interface DefinitionDeps {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /**
   * Fields by kind that are not trusted to a definition that cannot be read, since something stands in for each: an annotation form, or that
   * nothing moves. Any other is written all the same; what is missing of it afterwards is seen.
   */
  readonly untrustedFields: UntrustedFields;
  /** Reads the objects of a kind once more, whose definition is another; absent where nobody holds copies. */
  readonly relist?: ((type: TypeRef) => Promise<void>) | undefined;
}

export type UntrustedFields = Readonly<Record<string, readonly string[]>>;

/** What is known of one definition. */
type Known =
  | { readonly state: 'unread'; readonly why: string }
  | { readonly state: 'missing' }
  | { readonly state: 'read'; readonly losses: readonly DroppedField[] };

const AGAIN_MS = 5_000;
/** A watch of one object tells nothing for months: whether it is open and dead, as behind a proxy, shows only when the definition is read again. */
const LONGEST_WATCH_MS = 300_000;
/** How often a definition is read that may not be followed. */
const READ_AGAIN_MS = 30_000;

/** Reads every definition of ours as the cluster has it, and follows its changes. */
export async function watchDefinitions(ours: readonly KubeObject[], deps: DefinitionDeps): Promise<Definitions> {
  const known = new Map<string, Known>();
  /** Looked up at every pass and write. */
  const byKind = new Map(ours.map((definition) => [kindOf(definition), definition]));
  /** As it was found last, which may not be what the copies hold yet. */
  const newest = new Map<string, Known>();
  /** What keeps more than before counts once the copies hold it: a watch goes on for a while as the older definition has it. */
  const take = (definition: KubeObject, next: Known) => {
    const kind = kindOf(definition);
    newest.set(kind, next);
    const before = known.get(kind);
    if (before === undefined || deps.relist === undefined || !keepsMore(before, next)) {
      known.set(kind, next);
      return;
    }
    const renew = async () => {
      await deps.clock.sleep(DEFINITION_SERVED_MS, deps.signal);
      await deps.relist?.(typeOf(definition));
      if (newest.get(kind) === next) known.set(kind, next);
    };
    void renew().catch((error: unknown) => {
      if (!deps.signal.aborted)
        deps.log.warn({ definition: kind, error: messageOf(error) }, 'the objects of a changed definition could not be read again');
    });
  };
  const takeFor = (definition: KubeObject): Take => ({
    found: (found) =>
      take(definition, found === undefined ? { state: 'missing' } : { state: 'read', losses: findDroppedFields(definition, found) }),
    unread: (error) => take(definition, { state: 'unread', why: messageOf(error) }),
  });
  await Promise.all(ours.map(async (definition) => readInto(takeFor(definition), definition, deps).catch(takeFor(definition).unread)));
  for (const definition of ours) {
    void supervise(`definition of ${kindOf(definition)}`, () => follow(definition, takeFor(definition), deps), deps);
  }
  return {
    dropped(kind, field, value) {
      const definition = byKind.get(kind);
      const state = known.get(kind);
      if (definition === undefined || state === undefined) return null;
      if (state.state === 'unread')
        return isUntrusted(deps.untrustedFields[kind], field) ? `${unreadSentence(kind, state.why)}; ${GRANT} fixes it` : null;
      const losses = state.state === 'missing' ? undefined : state.losses.filter((loss) => concerns(loss, field) && refuses(loss, value));
      return losses?.length === 0 ? null : `${sentenceOf(kind, losses)}; ${remedyOf(definition)} fixes it`;
    },
    isRead: (kind) => known.get(kind)?.state === 'read',
    isMissing: (kind) => known.get(kind)?.state === 'missing',
    findings: () => ours.flatMap((definition) => toFinding(definition, newest.get(kindOf(definition)))),
  };
}

/** True where something that was dropped, or may have been, is kept now. */
function keepsMore(before: Known, next: Known): boolean {
  if (next.state !== 'read') return false;
  return before.state !== 'read' || before.losses.some((loss) => !next.losses.some((one) => deepEqual(one, loss)));
}

/** Whether a loss is about a value that is to be written; any may be where none is named. */
function refuses(loss: DroppedField, value: string | undefined): boolean {
  return loss.kind !== 'values' || value === undefined || loss.values.includes(value);
}

function toFinding(definition: KubeObject, known: Known | undefined): readonly Finding[] {
  if (known === undefined || (known.state === 'read' && known.losses.length === 0)) return [];
  const subject = kindOf(definition);
  if (known.state === 'unread') {
    return [{ area: 'definitions', subject, sentence: unreadSentence(subject, known.why), remedy: GRANT }];
  }
  return [
    {
      area: 'definitions',
      subject,
      sentence: sentenceOf(subject, known.state === 'missing' ? undefined : known.losses),
      remedy: remedyOf(definition),
    },
  ];
}

function sentenceOf(kind: string, losses: readonly DroppedField[] | undefined): string {
  return losses === undefined
    ? `the cluster has no definition of ${kind}`
    : `the cluster’s definition of ${kind} ${describeDroppedFields(losses)}`;
}

/** Where definitions may not be read, the role of the server is not as it is deployed. */
const GRANT = 'kubectl apply -f deploy/rbac/server.yaml';

function unreadSentence(kind: string, why: string): string {
  return `the definition of ${kind} cannot be read, so it is unknown what it keeps: ${why}`;
}

function isUntrusted(fields: readonly string[] = [], field: string): boolean {
  return fields.some((untrusted) => concerns({ kind: 'field', field: untrusted }, field));
}

/** Our definitions are files named like their resource. */
function remedyOf(definition: KubeObject): string {
  return `kubectl apply -f deploy/crds/${readString(definition, 'spec', 'names', 'plural') ?? ''}.yaml`;
}

function typeOf(definition: KubeObject): TypeRef {
  const version = 'v1';
  return {
    apiVersion: `${readString(definition, 'spec', 'group') ?? ''}/${version}`,
    kind: readString(definition, 'spec', 'names', 'kind') ?? '',
  };
}

const kindOf = (definition: KubeObject) => nameOfKind(typeOf(definition));

/** Hears of a definition: as it is now (undefined: there is none), or that it cannot be read. */
interface Take {
  readonly found: (found: KubeObject | undefined) => void;
  readonly unread: (error: unknown) => void;
}

async function readInto({ found }: Take, definition: KubeObject, { cluster, signal }: DefinitionDeps): Promise<void> {
  found(await ignoreNotFound(cluster.get(toAddress(definition), { signal })));
}

/** Follows a definition; where the server lets nobody do that it is read now and then, which is told once. */
async function follow(definition: KubeObject, take: Take, deps: DefinitionDeps): Promise<void> {
  const { clock, log, signal } = deps;
  let isTold = false;
  while (!signal.aborted) {
    const refusal = await followOnce(definition, take, deps).catch((error: unknown) => {
      if (!isReadRefused(error)) throw error;
      return messageOf(error);
    });
    if (refusal !== undefined && !isTold)
      log.warn({ definition: kindOf(definition), error: refusal }, 'a definition cannot be watched; it is polled instead');
    isTold = refusal !== undefined;
    await clock.sleep(isTold ? READ_AGAIN_MS : AGAIN_MS, signal);
  }
}

/** One watch of one object: a store of all definitions would hold megabytes of other people's schemas. */
async function followOnce(definition: KubeObject, { found, unread }: Take, { cluster, clock, signal }: DefinitionDeps): Promise<undefined> {
  const lost = (error: unknown) => {
    // Without the right nobody hears of changes any more, and what was read before proves nothing.
    if (isForbidden(error)) unread(error);
  };
  const { controller, release } = linkAbort(signal);
  const cancel = clock.schedule(LONGEST_WATCH_MS, () => controller.abort(new Error('it is read again')));
  try {
    await followObject(cluster, toAddress(definition), { found, unread: lost, signal: controller.signal });
  } catch (error) {
    if (signal.aborted || !controller.signal.aborted) throw error; // else its time is over
  } finally {
    cancel();
    release();
  }
}
