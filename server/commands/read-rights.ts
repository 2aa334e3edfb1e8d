import { isAppError } from '@/lib/contract/app-error';
import type { RightsView } from '@/lib/contract/rollout-rows';
import { DECISION_VERBS } from '@/lib/contract/stage-decision';
import type { Session } from '@/server/auth';
import type { CommandDeps, Place } from './command-deps';

/** What a person may decide about a rollout, verb by verb: null, or the sentence why not. */
export async function readRights(deps: CommandDeps, session: Session, place: Place): Promise<RightsView> {
  const why = async (verb: (typeof DECISION_VERBS)[number]) => {
    try {
      await deps.auth.authorise(session, { kind: 'decide', on: 'rollout', verb, ...place });
      if (verb === 'rollback') await deps.auth.authorise(session, { kind: 'change-application', ...place });
      return null;
    } catch (error) {
      if (isAppError(error) && error.code === 'forbidden') return error.message;
      throw error;
    }
  };
  const entries = await Promise.all(DECISION_VERBS.map(async (verb) => [verb, await why(verb)] as const));
  return Object.fromEntries(entries) as RightsView; // one entry per verb of the list
}
