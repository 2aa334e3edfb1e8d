import { readField, readFields, readList, readString } from '@/lib/kube/fields';
import { formatCount } from '@/lib/words/figures';
import { readPattern } from './linear-pattern';

/** Stands for `spec.driftDetection.mode` where the definition in the cluster has no such field. */
export const DRIFT_DETECTION = 'slipway.dev/drift-detection';

const MODES = ['disabled', 'warn', 'enabled'] as const;
type DriftMode = (typeof MODES)[number];
const MAX_TOLD = 40;
/** What all patterns of a policy may cost for all that deviates: some 100 ms. */
const MAX_STEPS = 100_000;
/** Signs of a selector that is read. */
const LONGEST_SELECTOR = 1000;

/** Pointers that do not count as drift on the objects of a target; on all objects without one. */
export interface DriftIgnore {
  readonly paths: readonly string[];
  readonly target: DriftTarget | undefined;
}

/** Anchored patterns, each for one field of an object, and selectors. What is absent matches all. */
export interface DriftTarget {
  readonly patterns: Readonly<Record<string, string>>;
  readonly annotationSelector: string | undefined;
  readonly labelSelector: string | undefined;
}

export interface DriftPolicy {
  readonly mode: DriftMode;
  readonly ignore: readonly DriftIgnore[];
  /** Why the mode that was written is none, so that nothing is compared; undefined where it is one. */
  readonly wrong: string | undefined;
}

/** A field of an object of a release that the cluster has otherwise than the stored manifest. */
export interface Deviation {
  readonly object: DeviatingObject;
  /** JSON pointer of the field; empty when the object is missing. */
  readonly path: string;
}

export interface DeviatingObject {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** What is known of how the live objects of a release of the base kind stand to what Helm stored. */
export interface FoundDrift {
  readonly state: 'none' | 'drifted' | 'unknown';
  readonly message: string;
}

const PATTERN_FIELDS = ['group', 'version', 'kind', 'name', 'namespace'] as const;

/** Reads `driftDetection`, and the annotation where that names no mode; disabled where neither does, or what they name is none. */
export function readDriftPolicy(policy: unknown, annotation = ''): DriftPolicy {
  const named = readString(policy, 'mode') || annotation;
  const mode = MODES.find((one) => one === named);
  return {
    mode: mode ?? 'disabled',
    wrong: named === '' || mode !== undefined ? undefined : noModeReason(named),
    ignore: readList(policy, 'ignore').map((rule) => ({
      paths: readList(rule, 'paths').filter((path): path is string => typeof path === 'string'),
      target: readField(rule, 'target') === undefined ? undefined : readTarget(readFields(rule, 'target')),
    })),
  };
}

function noModeReason(named: string): string {
  const found = JSON.stringify(named.length > MAX_TOLD ? `${named.slice(0, MAX_TOLD)}…` : named);
  return `drift detection must be disabled, warn or enabled, found ${found}: live objects are neither compared nor reverted`;
}

function readTarget(target: unknown): DriftTarget {
  const patterns = PATTERN_FIELDS.flatMap((field) => {
    const pattern = readString(target, field);
    return pattern === undefined ? [] : [[field, pattern] as const];
  });
  return {
    patterns: Object.fromEntries(patterns),
    annotationSelector: readString(target, 'annotationSelector'),
    labelSelector: readString(target, 'labelSelector'),
  };
}

/** What deviates, in one sentence: how much, and the first of it; no value is told. */
export function formatDeviations(deviations: readonly Deviation[]): string {
  const [missing, fields] = [deviations.filter(({ path }) => path === ''), deviations.filter(({ path }) => path !== '')];
  const differ = formatFirst(
    fields,
    `${formatCount(fields.length, 'field')} ${fields.length === 1 ? 'differs' : 'differ'} from the release`,
  );
  const lack = formatFirst(
    missing,
    `${formatCount(missing.length, 'object')} of the release ${missing.length === 1 ? 'is' : 'are'} missing`,
  );
  return [...differ, ...lack].join('; ');
}

function formatFirst([first, ...more]: readonly Deviation[], says: string): readonly string[] {
  if (first === undefined) return [];
  const { path, object } = first;
  return [`${says}${more.length === 0 ? ':' : ', first'} ${path === '' ? '' : `${path} of `}${object.kind} ${object.name}`];
}

/** The deviations that no rule ignores (X-DRIFT-2). */
export function withoutIgnored(deviations: readonly Deviation[], { ignore }: DriftPolicy): readonly Deviation[] {
  const matches = createMatcher();
  return deviations.filter(
    ({ object, path }) => !ignore.some((rule) => isBeneath(path, rule.paths) && isMeant(object, rule.target, matches)),
  );
}

/** The empty pointer stands for the whole object. */
function isBeneath(path: string, ignored: readonly string[]): boolean {
  return ignored.some((pointer) => pointer === '' || path === pointer || path.startsWith(`${pointer}/`));
}

function isMeant(object: DeviatingObject, target: DriftTarget | undefined, matches: (text: string, pattern: string) => boolean): boolean {
  if (target === undefined) return true;
  return (
    PATTERN_FIELDS.every((field) => target.patterns[field] === undefined || matches(object[field], target.patterns[field])) &&
    selects(target.labelSelector, object.labels) &&
    selects(target.annotationSelector, object.annotations)
  );
}

/** Tells whether texts match patterns. One that is none, or costs too much, ignores nothing: rather report too much than hide drift. */
function createMatcher(): (text: string, pattern: string) => boolean {
  const steps = { left: MAX_STEPS };
  const read = new Map<string, ReturnType<typeof readPattern> | undefined>();
  return (text, pattern) => {
    if (!read.has(pattern)) read.set(pattern, readOrNone(pattern));
    return read.get(pattern)?.(text, steps) ?? false;
  };
}

function readOrNone(pattern: string): ReturnType<typeof readPattern> | undefined {
  try {
    return readPattern(pattern);
  } catch {
    return undefined;
  }
}

const REQUIREMENT = /^\s*(!?)\s*([^\s!=,()]+)\s*(?:(==?|!=)\s*([^\s,()]*)|(in|notin)\s*\(([^)]*)\))?\s*$/;

/** A selector as kubectl takes it; one that cannot be read selects nothing. */
function selects(selector: string | undefined, labels: Readonly<Record<string, string>>): boolean {
  if (selector === undefined || selector === '') return true;
  if (selector.length > LONGEST_SELECTOR) return false;
  if (selector.trim() === '') return true;
  return selector.split(/,(?![^(]*\))/).every((requirement) => meets(REQUIREMENT.exec(requirement), labels));
}

function meets(read: RegExpExecArray | null, labels: Readonly<Record<string, string>>): boolean {
  if (read === null) return false;
  const [, not, key = '', operator, value, set, list] = read;
  const found = labels[key];
  if (operator !== undefined) return operator === '!=' ? found !== value : found === value;
  if (set !== undefined) {
    const isListed = found !== undefined && (list ?? '').split(',').some((one) => one.trim() === found);
    return set === 'in' ? isListed : !isListed;
  }
  return (found === undefined) === (not === '!');
}
