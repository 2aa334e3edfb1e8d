import type { StatusPolicy } from '@/lib/contract/health';
import { readField } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import type { ClusterFacts } from './health/kind-facts';
import { readGenerically } from './health/readings';
import { ruleKeysOf } from './health/rule-keys';
import type { RecheckAt } from './kind-rule';
import { KIND_RULES } from './kinds/table';
import type { BasicCondition } from './object-conditions';
import { decodeConditions, looseConditions } from './object-conditions';
import { looseInt, strictInt, strictString } from './object-fields';
import type { ComputeResult } from './result';
import { current, failed, inProgress, terminating } from './result';

/** What a rule may pass over of what is otherwise read before it. */
export const SKIPPED_CHECKS = ['observedGeneration', 'standardConditions'] as const;
type SkippedCheck = (typeof SKIPPED_CHECKS)[number];

/** A rule of a kind that may leave some objects to the rules below it. */
export interface PartialRule {
  (object: KubeObject, conditions: readonly BasicCondition[], now: Instant, wake?: RecheckAt): ComputeResult | undefined;
  readonly skip?: readonly SkippedCheck[];
  /** Comes before every check but that of deletion, which are made when it tells nothing. */
  readonly first?: boolean;
  /** Time may go into what it tells, of objects that are current too. */
  readonly readsTime?: boolean;
  /** Objects of the kind have no status of their own. */
  readonly statusless?: boolean;
}

/** Rules by key: `group/Kind`, `Kind` for the core group, or a family: `group/*`, `*.suffix/Kind`, `*.suffix/*`. */
export type RuleMap = Pick<ReadonlyMap<string, PartialRule>, 'get' | 'has' | 'keys'> & {
  /** Of rules that change in place: grows with each change. */
  readonly changes?: number;
};

/** What a caller may add to kstatus. */
export interface ComputeOptions {
  /** Rules that come before those of kstatus. */
  readonly rules?: RuleMap;
  /** Layers of rules that come before these, first ones first. */
  readonly layers?: readonly RuleMap[];
  /** `health` adds generic readings for kinds without a rule, and the name of the rule to each result. */
  readonly profile?: 'health';
  /** What the cluster tells of a kind, for the generic readings. */
  readonly cluster?: ClusterFacts;
  /** Other readings of built-in kinds that are on, and their rules, which come after all others. */
  readonly policies?: readonly StatusPolicy[];
  readonly policyRules?: RuleMap;
}

/**
 * Computes the status of one object: without options as kstatus does, to the letter. Pure; throws ComputeError for an object no status
 * can be told of.
 */
export function compute(object: KubeObject, now: Instant, options: ComputeOptions = {}): ComputeResult {
  return computeUntil(object, now, options);
}

/** Computes, and tells `wake` of each moment at which time alone may change the result. */
export function computeUntil(object: KubeObject, now: Instant, options: ComputeOptions, wake?: RecheckAt): ComputeResult {
  const result = computeUnchecked(object, now, options, wake);
  return options.profile === 'health' ? { ...result, rule: result.rule ?? 'kstatus' } : result;
}

function computeUnchecked(object: KubeObject, now: Instant, options: ComputeOptions, wake?: RecheckAt): ComputeResult {
  const deleting = strictString(object, 'metadata.deletionTimestamp');
  if (deleting !== undefined && deleting !== '') return terminating('Resource scheduled for deletion');

  const key = toRuleKey(object);
  const { early, late, skip, statusless } = rulesOf(key, options);
  for (const rule of early) {
    const told = rule(object, [], now, wake);
    if (told !== undefined) return told;
  }
  const healthy = options.profile === 'health';
  const unobserved = skip.includes('observedGeneration') ? undefined : computeGeneration(object, healthy ? looseInt : strictInt);
  if (unobserved !== undefined) return unobserved;

  const conditions = healthy ? looseConditions(readField(object, 'status', 'conditions')) : decodeConditions(object);
  const standard = skip.includes('standardConditions') ? undefined : computeStandardConditions(conditions);
  if (standard !== undefined) return standard;

  for (const rule of late) {
    const told = rule(object, conditions, now, wake);
    if (told !== undefined) return told;
  }
  const kindRule = KIND_RULES.get(key);
  if (kindRule !== undefined) return kindRule(object, conditions, now, wake);
  const facts = { statusless, cluster: options.cluster, now, wake };
  const read = healthy ? readGenerically(object, facts) : undefined;
  return read ?? computeReady(conditions) ?? current('Resource is current');
}

/** Whether the passage of time alone may make another status of one that is current. */
export function mayStopBeingCurrent(object: KubeObject, options: ComputeOptions): boolean {
  return rulesOf(toRuleKey(object), options).readsTime;
}

/** The rules that may tell of a kind, in order: those before the checks, and those after them. */
interface KindRules {
  readonly early: readonly PartialRule[];
  readonly late: readonly PartialRule[];
  readonly skip: readonly SkippedCheck[];
  readonly statusless: boolean;
  readonly readsTime: boolean;
}

const NO_RULES: KindRules = { early: [], late: [], skip: [], statusless: false, readsTime: false };

// Kinds are few, and their rules are wanted for every object, twice.
const FOUND = new WeakMap<ComputeOptions, { readonly changes: number; readonly kinds: Map<string, KindRules> }>();
const MAX_KINDS = 5000;

function rulesOf(key: string, options: ComputeOptions): KindRules {
  const { layers, rules, policyRules } = options;
  if (layers === undefined && rules === undefined && policyRules === undefined) return NO_RULES;
  let changes = rules?.changes ?? 0;
  for (const layer of layers ?? []) changes += layer.changes ?? 0;
  let found = FOUND.get(options);
  if (found?.changes !== changes) {
    found = { changes, kinds: new Map() };
    FOUND.set(options, found);
  }
  const known = found.kinds.get(key);
  if (known !== undefined) return known;
  const kindRules = findRules(key, options);
  if (found.kinds.size < MAX_KINDS) found.kinds.set(key, kindRules);
  return kindRules;
}

function findRules(key: string, { layers = [], rules, policyRules }: ComputeOptions): KindRules {
  const keys = ruleKeysOf(key);
  const all = [...layers, rules, policyRules].flatMap((map) => (map === undefined ? [] : keys.flatMap((name) => map.get(name) ?? [])));
  const own = all.findIndex(({ first }) => first !== true);
  // A rule that comes first but stands behind one that does not comes where it stands.
  const early = own < 0 ? all : all.slice(0, own);
  return {
    early,
    late: all.slice(early.length),
    skip: all[own]?.skip ?? [],
    statusless: all.some(({ statusless }) => statusless === true),
    readsTime: all.some(({ readsTime }) => readsTime === true),
  };
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
  return inProgress(
    'LatestGenerationNotObserved',
    `${textOf(object.kind)} generation is ${generation}, but latest observed generation is ${observed}`,
  );
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
