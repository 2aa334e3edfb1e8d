import { AppError } from '@/lib/contract/app-error';
import type { Instant } from '@/lib/std/instant';
import { decide } from '../decide/decide';
import type { Observation } from '../observe/observe';
import type { RightsNeeded } from './rights-needed';
import { rightsNeeded } from './rights-needed';

/** Why an application is refused whose record cannot be read, be it of what is there or of what was permitted. */
const UNREADABLE: readonly string[] = ['TrackerUnreliable', 'PermissionUnreadable'];

/** What an application needs rights for, as it is observed or would be; undefined where nothing of it is new. Throws invalid for one that cannot be read. */
export function rightsOfChange(seen: Observation, now: Instant): RightsNeeded | undefined {
  if ('fault' in seen.application) throw new AppError('invalid', seen.application.fault);
  const decision = decide(seen, now);
  // What cannot be read, its records included, leaves nothing to ask rights for.
  if (decision.kind === 'refuse' && (decision.condition === 'Parsed' || UNREADABLE.includes(decision.reason)))
    throw new AppError('invalid', decision.sentence);
  return decision.kind === 'run' ? rightsNeeded(decision.plan, seen) : undefined;
}
