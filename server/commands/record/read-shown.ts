import type { ActivityEntry } from '@/lib/contract/pages/activity-query';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { Session } from '@/server/auth';
import type { CommandDeps, Place } from '../command-deps';
import { readPreview } from '../preview-changes';
import { refusalReason } from '../read-rights';

/** What an entry of the record is about. */
interface Entry {
  /** Of a decision its uid. */
  readonly id: string;
  readonly kind: string;
  readonly namespace: string | null;
  readonly name: string;
  /** What was noted besides. */
  readonly noted: unknown;
}

/** An application, and its rollout, which has the same name: a rollback changes the one by a decision about the other. */
const ABOUT = [KINDS.application, KINDS.rolloutOrchestrator];

/**
 * What was shown to whoever made an entry before they acted: what the page said that it does, and the preview of the plan that it names, as the reader
 * may see it. Null where none of it is kept.
 */
export async function readShown(deps: CommandDeps, session: Session, entry: Entry): Promise<ActivityEntry['shown']> {
  const { id, kind, namespace: ns, name, noted } = entry;
  const type = ABOUT.find((one) => one.kind === kind);
  if (ns === null || type === undefined) return null;
  const place = { ns, name };
  if ((await refusalReason(deps, session, [{ kind: 'view-object', type, ...place }])) !== null) return null;
  const told = type === KINDS.rolloutOrchestrator ? await readTold(deps, place, id) : undefined;
  const digest = readString(noted, 'plan') ?? readString(noted, 'seen') ?? readString(noted, 'seen', 'plan');
  const isSeen = async () => (await refusalReason(deps, session, [{ kind: 'view-object', type: KINDS.application, ...place }])) === null;
  const preview = digest !== undefined && (await isSeen()) ? await readPreview(deps, session, place, digest) : undefined;
  const kept = told ?? preview;
  return kept === undefined
    ? null
    : { by: kept.by, at: kept.at, consequences: [...(told?.preview ?? [])], preview: preview?.preview ?? null };
}

async function readTold(deps: CommandDeps, { ns, name }: Place, decision: string) {
  const kept = await deps.consequencesShown.read(decision);
  return kept?.ns === ns && kept.name === name ? kept : undefined;
}
