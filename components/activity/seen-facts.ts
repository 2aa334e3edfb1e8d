import { z } from 'zod';
import type { ActivityEntry } from '@/lib/contract/pages/activity-query';
import { readFields, readList, readNumber, readString } from '@/lib/kube/fields';
import { t } from '@/lib/words/catalogue/console/activity';
import { formatCount } from '@/lib/words/figures';
import { formatMembers } from '@/lib/words/sessions/format-members';

const DECISION = 'decision.';
const SHORT = 12;
/** Terms of a gate as a decision about them names them: approvals, and of which groups. */
const gateTerms = z.tuple([z.number(), z.array(z.array(z.string()))]);

/**
 * What a person saw before they acted, in words: what they were told that an act on an object does, or what their decision names. Null for an entry
 * that tells nothing of it; a decision that names nothing has no facts.
 */
export function seenFacts({ action, data, shown }: Pick<ActivityEntry, 'action' | 'data' | 'shown'>): readonly string[] | null {
  const told = textsOf(data, 'consequences');
  if (told.length > 0) return told;
  if (!action.startsWith(DECISION) || data === null || !('decision' in data)) return null;
  const facts = [
    rolloutSeen(action.slice(DECISION.length), data),
    garbageSeen(data),
    ...planSeen(data, shown?.preview != null),
    ...releasePreconditions(data),
  ];
  return facts.filter((fact) => fact !== undefined);
}

type Noted = NonNullable<ActivityEntry['data']>;
type Fact = string | undefined;

function rolloutSeen(verb: string, data: Noted): Fact {
  const [digest, revision] = [digestOf(data, 'rollout'), readString(data, 'revision')];
  if (digest === undefined || revision === undefined) return undefined;
  return verb === 'rollback' ? t.sawRollback(revision, digest) : t.sawRollout(revision, readNumber(data, 'stage'), digest);
}

function garbageSeen(data: Noted): Fact {
  const digest = digestOf(data, 'garbage');
  if (digest === undefined) return undefined;
  const objects = textsOf(data, 'garbage', 'objects');
  const count = readNumber(data, 'garbage', 'count');
  return `${t.sawDeletions(count, digest)}${objects.length === 0 ? '' : ` ${t.acceptedByName(objects)}`}`;
}

function planSeen(data: Noted, isShown: boolean): readonly Fact[] {
  const [plan, policy, generation] = [
    digestOf(data, 'plan'),
    digestOf(data, 'policy'),
    readNumber(data, 'seen', 'application', 'generation'),
  ];
  return [
    plan === undefined || isShown ? undefined : t.sawPlan(plan),
    generation === undefined ? undefined : t.sawGeneration(generation),
    policy === undefined ? undefined : t.sawPolicy(policy),
  ];
}

function releasePreconditions(data: Noted): readonly Fact[] {
  const seen = readFields(data, 'seen');
  const [stored, hold, chart, gate] = [
    readNumber(seen, 'stored'),
    readString(seen, 'hold'),
    readString(seen, 'chart'),
    readString(seen, 'gate'),
  ];
  const isArchive = readString(data, 'digest') !== undefined;
  return [
    stored === undefined ? undefined : t.sawStored(stored),
    hold === undefined ? undefined : t.sawHold(hold),
    chart === undefined ? undefined : isArchive ? t.sawArchive(chart) : t.sawChart(chart.slice(0, SHORT)),
    gate === undefined ? undefined : gateSeen(gate),
  ];
}

/** The terms in force and those asked for; where they cannot be told apart, as they stand. */
function gateSeen(gate: string): string {
  const [, inForce, wanted] = /^(\[.*\]) (\[\d+,.*\])(?: \S+)?$/.exec(gate) ?? [];
  const terms = [inForce, wanted].map((text) => gateTerms.safeParse(parse(text)).data);
  const [before, after] = terms.map((one) => one && t.gate(formatCount(one[0], 'approval'), formatMembers(one[1], one[0])));
  return before === undefined || after === undefined ? t.sawGate(gate) : t.sawLooserGate(before, after);
}

function parse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

/** As short as it is told apart, without the name of its algorithm. */
function digestOf(data: Noted, member: string): Fact {
  return readString(data, 'seen', member)
    ?.replace(/^sha256:/, '')
    .slice(0, SHORT);
}

function textsOf(data: unknown, ...path: readonly string[]): readonly string[] {
  return readList(data, ...path).filter((text) => typeof text === 'string');
}
