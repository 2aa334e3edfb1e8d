import type { AppError } from '@/lib/contract/app-error';
import { isAppError } from '@/lib/contract/app-error';
import type { ApplicationRights, ApplicationVerb, CreateRights } from '@/lib/contract/application-rights';
import { APPLICATION_VERBS } from '@/lib/contract/application-rights';
import type { RightsView } from '@/lib/contract/rollout-rows';
import type { DecisionVerb } from '@/lib/contract/stage-decision';
import { DECISION_VERBS } from '@/lib/contract/stage-decision';
import type { Act, Session } from '@/server/auth';
import { isForbidden } from '@/server/kube';
import { personalRefusals } from '@/server/rollout';
import type { CommandDeps, Place } from './command-deps';
import { readAs, rolloutAt } from './command-deps';

/**
 * What a person may decide about a rollout, verb by verb: null, or the sentence why not. Without the right that is what is missing; with it, why the
 * decision would count for nothing, as of somebody whom the policy does not ask.
 */
export async function readRights(deps: CommandDeps, session: Session, place: Place): Promise<RightsView> {
  const actsOf = (verb: DecisionVerb): readonly Act[] => {
    const decision: Act = { kind: 'decide', on: 'rollout', verb, ...place };
    return verb === 'rollback' ? [decision, { kind: 'change-application', ...place }] : [decision];
  };
  const [lacked, personal] = await Promise.all([
    Promise.all(DECISION_VERBS.map((verb) => refusalReason(deps, session, actsOf(verb)))),
    readPersonalRefusals(deps, session, place),
  ]);
  return Object.fromEntries(DECISION_VERBS.map((verb, at) => [verb, lacked[at] ?? personal[verb] ?? null])) as RightsView; // one entry per verb
}

/** What is known of a rollout that is there; of one that is gone, or that the person may not read, there is nothing to say. */
async function readPersonalRefusals(deps: CommandDeps, session: Session, place: Place): Promise<ReturnType<typeof personalRefusals>> {
  try {
    return personalRefusals(session.person, await readAs(deps, session, rolloutAt(place)), deps.clock.now());
  } catch (error) {
    if (isForbidden(error) || (isAppError(error) && error.code === 'not-found')) return {};
    throw error;
  }
}

/** The acts that the commands about an application ask for. */
const APPLICATION_ACTS: Readonly<Record<ApplicationVerb, (place: Place) => Act>> = {
  change: (place) => ({ kind: 'change-application', ...place }),
  decide: (place) => ({ kind: 'decide', on: 'application', verb: 'approve', ...place }),
  'put-back': (place) => ({ kind: 'change-application', ...place }),
  create: (place) => ({ kind: 'create-application', ...place }),
  delete: (place) => ({ kind: 'delete-application', ...place }),
};

/** What a person may do with an application, verb by verb: null, or the sentence why not. */
export async function readApplicationRights(deps: CommandDeps, session: Session, place: Place): Promise<ApplicationRights> {
  const entries = await Promise.all(
    APPLICATION_VERBS.map(async (verb) => {
      const lacked = await refusalReason(deps, session, [APPLICATION_ACTS[verb](place)]);
      const idle = deps.installation.stateOf('application').why;
      return [verb, lacked ?? idle ?? (verb === 'decide' ? deps.notDeletedReason(place, session.person) : null)] as const;
    }),
  );
  return Object.fromEntries(entries) as ApplicationRights; // one entry per verb of the list
}

/** Whether a person may create an application in any namespace: null, or the sentence why not and the commands that let them. */
export async function readCreateRights(deps: CommandDeps, session: Session): Promise<CreateRights> {
  const refused = await refusalOf(deps, session, [{ kind: 'create-somewhere' }]);
  const { grant } = refused?.details ?? {};
  const create = refused?.message ?? deps.installation.stateOf('application').why;
  return { create, grant: Array.isArray(grant) ? grant.map(String) : [] };
}

/** The sentence of the first act that is refused; null when none is. */
export async function refusalReason(deps: CommandDeps, session: Session, acts: readonly Act[]): Promise<string | null> {
  return (await refusalOf(deps, session, acts))?.message ?? null;
}

async function refusalOf({ auth }: CommandDeps, session: Session, acts: readonly Act[]): Promise<AppError | null> {
  try {
    for (const act of acts) await auth.authorise(session, act);
    return null;
  } catch (error) {
    if (isAppError(error) && error.code === 'forbidden') return error;
    throw error;
  }
}
