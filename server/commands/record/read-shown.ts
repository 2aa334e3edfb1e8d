import type { ActivityEntry } from '@/lib/contract/pages/activity-query';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { Session } from '@/server/auth';
import type { CommandDeps } from '../command-deps';
import { readPreview } from '../preview-changes';
import { refusalReason } from '../read-rights';

/** What an entry of the record is about. */
interface Entry {
  readonly kind: string;
  readonly namespace: string | null;
  readonly name: string;
  /** What was noted besides. */
  readonly noted: unknown;
}

/** What was shown to whoever made an entry before they acted: the preview of the plan that it names, as the reader may see it. Null where none is kept. */
export async function readShown(deps: CommandDeps, session: Session, entry: Entry): Promise<ActivityEntry['shown']> {
  const { kind, namespace: ns, name, noted } = entry;
  const digest = readString(noted, 'plan') ?? readString(noted, 'seen');
  if (digest === undefined || ns === null || kind !== KINDS.application.kind) return null;
  const place = { ns, name };
  if ((await refusalReason(deps, session, [{ kind: 'view-object', type: KINDS.application, ...place }])) !== null) return null;
  const kept = await readPreview(deps, session, place, digest);
  return kept === undefined ? null : { by: kept.by, at: kept.at, preview: kept.preview };
}
