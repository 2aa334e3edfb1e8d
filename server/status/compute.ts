import type { StatusPolicy } from '@/lib/contract/health';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import type { KindRule } from './kind-rule';
import { KIND_RULES } from './kinds/table';
import type { BasicCondition } from './object-conditions';
import { decodeConditions } from './object-conditions';
import { looseInt, strictInt, strictString } from './object-fields';
import type { ComputeResult } from './result';
import { current, failed, inProgress, terminating } from './result';

/** A rule of a kind that may leave some objects to the rules below it. */
export type PartialRule = (...seen: Parameters<KindRule>) => ComputeResult | undefined;

/** What a caller may add to the rules. Keys are `group/Kind`, or `Kind` for the core group. */
export interface ComputeOptions {
  /** Rules of kinds, which come before those of the house. */
  readonly rules?: ReadonlyMap<string, PartialRule>;
  /** Kinds whose controllers write the generation they observed as a text. */
  readonly textGenerations?: ReadonlySet<string>;
  /** Kinds that count as in progress while they have no status at all. */
  readonly requireStatus?: ReadonlySet<string>;
  /** Other readings of built-in kinds that are on; their rules are among `rules`. */
  readonly policies?: readonly StatusPolicy[];
  /** Kinds whose rule is that of a file; among `rules` too. */
  readonly fromFile?: readonly string[];
}

/** Computes the status of one object, as kstatus does. Pure; throws ComputeError for an object no status can be told of. */
export function compute(object: KubeObject, now: Instant, options: ComputeOptions = {}): ComputeResult {
  const deleting = strictString(object, 'metadata.deletionTimestamp');
  if (deleting !== undefined && deleting !== '') return terminating('Resource scheduled for deletion');

  const key = toRuleKey(object);
  const unobserved = computeGeneration(object, options.textGenerations?.has(key) ? looseInt : strictInt);
  if (unobserved !== undefined) return unobserved;

  const conditions = decodeConditions(object);
  const standard = computeStandardConditions(conditions);
  if (standard !== undefined) return standard;

  const told = options.rules?.get(key)?.(object, conditions, now) ?? KIND_RULES.get(key)?.(object, conditions, now);
  if (told !== undefined) return told;

  if (options.requireStatus?.has(key) && (object.status === undefined || object.status === null)) {
    return inProgress('NoStatus', `${object.kind} has no status yet`);
  }
  return computeReady(conditions) ?? current('Resource is current');
}

/** The key under which rules are looked up. An apiVersion of more than one slash has none. */
export function toRuleKey(object: { readonly apiVersion?: unknown; readonly kind?: unknown }): string {
  const apiVersion = textOf(object.apiVersion);
  const slash = apiVersion.indexOf('/');
  if (slash >= 0 && apiVersion.indexOf('/', slash + 1) >= 0) return '';
  const kind = textOf(object.kind);
  return slash > 0 ? `${apiVersion.slice(0, slash)}/${kind}` : kind;
}

/** Names that are no text read as empty. */
function textOf(name: unknown): string {
  return typeof name === 'string' ? name : '';
}

/** In progress while the controller has not observed this generation; ahead of it counts as well. Without one, what was observed is not read. */
function computeGeneration(object: KubeObject, readObserved: typeof strictInt): ComputeResult | undefined {
  const generation = strictInt(object, 'metadata.generation');
  if (generation === undefined) return undefined;
  const observed = readObserved(object, 'status.observedGeneration');
  if (observed === undefined || generation === observed) return undefined;
  return inProgress('LatestGenerationNotObserved', `${textOf(object.kind)} generation is ${generation}, but latest observed generation is ${observed}`);
}

function computeStandardConditions(conditions: readonly BasicCondition[]): ComputeResult | undefined {
  for (const { type, status, reason, message } of conditions) {
    if (status !== 'True') continue;
    if (type === 'Reconciling') return inProgress(reason, message);
    if (type === 'Stalled') return failed(reason, message);
  }
  return undefined;
}

function computeReady(conditions: readonly BasicCondition[]): ComputeResult | undefined {
  for (const { type, status, reason, message } of conditions) {
    if (type !== 'Ready') continue;
    if (status === 'True') return current('Resource is Ready');
    if (status === 'False' || status === 'Unknown') return inProgress(reason, message);
  }
  return undefined;
}
