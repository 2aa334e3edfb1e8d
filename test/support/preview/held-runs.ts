import { toHeldDecision } from '@/components/applications/changes/held-decision';
import type { ChangeRow, WaitingPage } from '@/lib/contract/change-rows';
import type { Contents } from './contents';
import type { Moment } from './troubles';
import { moveLate } from './troubles';

/** Until what waits was looked at again. */
const WAIT_MS = 12_000;

/** What may happen between the page of what waits and its approval. */
export const HELD_LATE = ['nothing', 'nothing', 'gone', 'replaced', 'stays'] as const;
export type HeldTrouble = (typeof HELD_LATE)[number];

/** Where it is told what was met, and what was not as it was shown. */
export interface HeldRun {
  contents(): Promise<Contents>;
  meet(what: string): void;
  blame(sentence: string): void;
}

/** Approves what a safety rule holds, as its page shows it, with something that may happen in between: just that goes, or nothing. */
export async function approveHeld(moment: Moment, trouble: HeldTrouble, run: HeldRun): Promise<void> {
  const { world, ground } = moment;
  const page = await world.waiting(ground.ns);
  if (page === undefined) return;
  const waiting = page.rows.filter(({ verdict }) => verdict === 'held' || verdict === 'deleted');
  const changes = waiting.map((row) => ({ ...row, verdict: 'deleted' as const }));
  const moved = trouble === 'nothing' ? undefined : await moveLate({ ...moment, whole: { ...moment.whole, changes } }, trouble);
  run.meet(moved === undefined ? 'held approved' : `held ${trouble}`);
  const before = await run.contents();
  const isAccepted = await decide(moment, page);
  const isStillHeld = (await world.waiting(ground.ns)) !== undefined;
  const after = await run.contents();
  const went = (id: string) => before.has(id) && after.get(id)?.uid !== before.get(id)?.uid;
  const isListed = (id: string) => waiting.some((row) => row.id === id);
  const blameAll = (ids: Iterable<string>, sentence: string) => {
    for (const id of ids) run.blame(`${id} ${sentence} (${trouble})`);
  };
  const gone = [...before.keys()].filter(went);
  const left = await idsLeft(
    moment,
    waiting.filter(({ id }) => before.has(id) && id !== moved && !went(id)),
  );
  if (!isAccepted && moved === undefined) run.blame('what waits cannot be approved as its page shows it');
  if (isAccepted) blameAll(left, 'was approved to go, and is there');
  if (!isAccepted && isStillHeld) blameAll(gone, 'went although its approval was refused');
  const isOther = (id: string) => !isListed(id) || id === moved;
  blameAll(gone.filter(isOther), 'went, which the page of what waits did not say');
  if (!isAccepted && moved !== undefined && isStillHeld) await approveHeld(moment, 'nothing', run);
}

/** Those that nobody deletes: a claim goes once a controller lets go of it. */
async function idsLeft({ world }: Moment, rows: readonly ChangeRow[]): Promise<readonly string[]> {
  const left: string[] = [];
  for (const { id, apiVersion, kind, ns, name } of rows) {
    const live = await world.get({ apiVersion, kind, name, ...(ns === null ? {} : { namespace: ns }) });
    if (live !== undefined && live.metadata.deletionTimestamp === undefined) left.push(id);
  }
  return left;
}

/** Sends the approval that the page makes; answers whether the engine took it. */
async function decide({ world, ground: { ns } }: Moment, page: WaitingPage): Promise<boolean> {
  const { uid = '' } = (await world.application(ns))?.metadata ?? {};
  const { garbage, ...rest } = toHeldDecision(uid, page, 'to see');
  const request = { ...rest, garbage: { ...garbage, objects: [...garbage.objects] } };
  await world.drive(world.commands.decideApplication(world.session('root'), { ns, name: 'web' }, request));
  await world.clock.advance(WAIT_MS);
  return (await world.lastDecision(ns)) === 'Accepted';
}
