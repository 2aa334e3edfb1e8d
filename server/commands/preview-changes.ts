import type { ChangeRow, SavePreview } from '@/lib/contract/change-rows';
import { bareDigest, countChanges, inChangeOrder } from '@/lib/contract/change-rows';
import type { KubeObject } from '@/lib/kube/object';
import { toIso } from '@/lib/std/instant';
import type { ChangePlan } from '@/server/application';
import type { Session } from '@/server/auth';
import type { CommandDeps, Place } from './command-deps';
import { maskRows, sentenceMask } from './mask-rows';
import { previewObjects } from './preview-objects';
import { toApplicationText } from './read-application-text';

/** What is asked for: the application as it would be, and as it is; undefined where there is none yet. */
export interface Previewed {
  readonly next: KubeObject;
  readonly held: KubeObject | undefined;
  /** Secrets with its values, which are written before it. */
  readonly secrets?: readonly KubeObject[];
  /** True where a decision will name the plan, which has no place for more than its digest. */
  readonly isForDecision?: boolean;
}

/**
 * Tells, object by object, what a change of an application does, by the plan that the engine will compare with its own. It is read as the
 * server and masked for whoever looks; as it was worked out it is kept by its digest, without the values of Secrets.
 */
export async function previewChanges(
  deps: CommandDeps,
  session: Session,
  { next, held, secrets = [], isForDecision = false }: Previewed,
): Promise<SavePreview> {
  const plan = await deps.planner.plan(next, session, { secrets });
  const digest = isForDecision ? bareDigest(plan.digest) : plan.digest;
  const changes = inChangeOrder(await previewObjects(deps.cluster, plan));
  const revision = plan.revision ?? { name: '', isNew: false };
  const whole = {
    ...countChanges(changes),
    revision,
    changes: [...changes],
    refused: plan.refused ?? null,
    plan: digest,
    ...saidOf(plan),
    ...baseOf(held),
  };
  const { namespace: ns = '', name = '' } = next.metadata;
  const base = held === undefined ? '' : toApplicationText(held).text;
  await deps.previews.keep({ digest, ns, name, at: toIso(deps.clock.now()), by: session.user, base, preview: whole });
  return maskPreview(deps, session, whole);
}

/** A kept preview, masked for whoever looks at it now; undefined when it is not kept any more. */
export async function readPreview(deps: CommandDeps, session: Session, { ns, name }: Place, digest: string) {
  const kept = await deps.previews.read(digest);
  if (kept === undefined || kept.ns !== ns || kept.name !== name) return undefined;
  return { ...kept, preview: await maskPreview(deps, session, kept.preview) };
}

async function maskPreview(deps: CommandDeps, session: Session, preview: SavePreview): Promise<SavePreview> {
  const changes: readonly ChangeRow[] = await maskRows(deps, session, preview.changes);
  const masked = sentenceMask(preview.changes, changes);
  const { withheld, refused } = preview;
  return {
    ...preview,
    refused: refused === null ? null : masked(refused),
    ...saidOf({ ...preview, withheld: withheld && masked(withheld) }),
    changes: [...changes],
  };
}

type Said = 'suspended' | 'ungranted' | 'withheld' | 'looser' | 'unmeetable' | 'selfApproval';

/** What the change waits for, what of it does not come about at once, what it might lock, and whom it keeps from approving, where there is such a thing. */
function saidOf({ suspended, ungranted, withheld, looser, unmeetable, selfApproval }: Pick<ChangePlan, Said>): Pick<SavePreview, Said> {
  const said = { suspended, ungranted, withheld, looser, unmeetable, selfApproval };
  return Object.fromEntries(Object.entries(said).filter(([, sentence]) => sentence !== undefined));
}

function baseOf(held: KubeObject | undefined): Pick<SavePreview, 'base'> {
  const { uid, generation } = held?.metadata ?? {};
  return uid === undefined || generation === undefined ? {} : { base: { uid, generation } };
}
