/** A version as charts have them: three numbers and, before a release, more. */
export interface Version {
  readonly core: readonly [number, number, number];
  readonly pre: readonly string[];
  /** As it was written. */
  readonly text: string;
}

const VERSION = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;
const COMPARATOR =
  /^(=|!=|>|<|>=|=>|<=|=<|~|~>|\^)?v?(\d{1,9}|[xX*])?(?:\.(\d{1,9}|[xX*]))?(?:\.(\d{1,9}|[xX*]))?(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;

/** Signs of a range that is read: looking for ` - ` in a long one takes minutes. */
const LONGEST_RANGE = 1000;

/** Reads a whole version; undefined for anything less. */
export function parseVersion(text: string): Version | undefined {
  const [, major, minor, patch, pre] = VERSION.exec(text.trim()) ?? [];
  if (major === undefined) return undefined;
  return { core: [Number(major), Number(minor), Number(patch)], pre: pre === undefined ? [] : pre.split('.'), text: text.trim() };
}

/** Below zero where the first comes first. Build metadata counts for nothing. */
export function compareVersions(a: Version, b: Version): number {
  const core = compareCores(a.core, b.core);
  if (core !== 0 || (a.pre.length === 0 && b.pre.length === 0)) return core;
  if (a.pre.length === 0 || b.pre.length === 0) return b.pre.length - a.pre.length; // a release comes after what leads to it
  for (let at = 0; at < Math.max(a.pre.length, b.pre.length); at++) {
    const [one, other] = [a.pre[at], b.pre[at]];
    if (one === undefined || other === undefined) return one === undefined ? -1 : 1;
    const order = comparePart(one, other);
    if (order !== 0) return order;
  }
  return 0;
}

/** Whether a version is in a range, in the language of Helm (Masterminds/semver 3); undefined for what is no range. */
export function readRange(text: string): ((version: Version) => boolean) | undefined {
  if (text.length > LONGEST_RANGE) return undefined;
  const alternatives = text.split('||').map(readAlternative);
  if (alternatives.some((alternative) => alternative === undefined)) return undefined;
  return (version) => alternatives.some((alternative) => alternative?.(version) ?? false);
}

/** The newest version of a list that is in a range; of the empty range any release. Throws nothing: what is no version is passed over. */
export function newestIn(range: string, versions: readonly string[]): string | undefined {
  const isIn = readRange(range.trim() === '' ? '*' : range);
  if (isIn === undefined) return undefined;
  const fitting = versions.flatMap((text) => parseVersion(text) ?? []).filter(isIn);
  return fitting.reduce<Version | undefined>((newest, each) => (newest && compareVersions(newest, each) > 0 ? newest : each), undefined)
    ?.text;
}

type Test = (version: Version) => boolean;

function readAlternative(text: string): Test | undefined {
  const spaced = text
    .trim()
    .replace(/(\S+)\s+-\s+(\S+)/g, '>=$1 <=$2')
    .replace(/([=!<>~^])\s+/g, '$1');
  const parts = spaced.split(/[\s,]+/).filter((part) => part !== '');
  const comparators = parts.map(readComparator);
  if (parts.length === 0 || comparators.some((comparator) => comparator === undefined)) return undefined;
  // What leads to a release is taken only where one of them speaks of such.
  const takesPre = comparators.some((comparator) => comparator?.isPre);
  return (version) => (version.pre.length === 0 || takesPre) && comparators.every((comparator) => comparator?.test(version) ?? false);
}

interface Comparator {
  readonly test: Test;
  readonly isPre: boolean;
}

interface Partial {
  readonly major: number | undefined;
  readonly minor: number | undefined;
  readonly patch: number | undefined;
  readonly pre: readonly string[];
}

function readComparator(text: string): Comparator | undefined {
  const match = COMPARATOR.exec(text);
  if (match === null || text === '' || /^[=!<>~^]+$/.test(text)) return undefined;
  const [, operator = '=', major, minor, patch, pre] = match;
  const number = (part: string | undefined) => (part === undefined || /[xX*]/.test(part) ? undefined : Number(part));
  const wanted = { major: number(major), minor: number(minor), patch: number(patch), pre: pre === undefined ? [] : pre.split('.') };
  return { test: testOf(operator, wanted), isPre: wanted.pre.length > 0 };
}

function testOf(operator: string, wanted: Partial): Test {
  const low = lowest(wanted);
  const isWhole = wanted.patch !== undefined && wanted.minor !== undefined && wanted.major !== undefined;
  const above = (version: Version) => compareVersions(version, low) >= 0;
  const below = (version: Version, next: Version['core'] | undefined) => next === undefined || compareCores(version.core, next) < 0;
  const equals: Test = (version) => (isWhole ? compareVersions(version, low) === 0 : above(version) && below(version, after(wanted)));
  switch (operator) {
    case '!=':
      return (version) => !equals(version);
    case '>':
      return (version) =>
        isWhole ? compareVersions(version, low) > 0 : above(version) && !below(version, after(wanted)) && after(wanted) !== undefined;
    case '>=':
    case '=>':
      return above;
    case '<':
      return (version) => compareVersions(version, low) < 0;
    case '<=':
    case '=<':
      return (version) => (isWhole ? compareVersions(version, low) <= 0 : below(version, after(wanted)));
    case '~':
    case '~>':
      return (version) => above(version) && below(version, after({ ...wanted, patch: undefined }));
    case '^':
      return (version) => above(version) && below(version, afterCaret(wanted));
    default:
      return equals;
  }
}

function lowest({ major = 0, minor = 0, patch = 0, pre }: Partial): Version {
  return { core: [major, minor, patch], pre, text: '' };
}

/** The first version after all that a part stands for. */
function after({ major, minor, patch }: Pick<Partial, 'major' | 'minor' | 'patch'>): Version['core'] | undefined {
  if (major === undefined) return undefined;
  if (minor === undefined) return [major + 1, 0, 0];
  return patch === undefined ? [major, minor + 1, 0] : [major, minor, patch + 1];
}

/** The leftmost number that is not zero stays. */
function afterCaret({ major, minor, patch }: Partial): Version['core'] | undefined {
  if (major === undefined || major > 0 || minor === undefined) return after({ major, minor: undefined, patch: undefined });
  return minor > 0 || patch === undefined ? [major, minor + 1, 0] : [major, minor, patch + 1];
}

function compareCores(a: Version['core'], b: Version['core']): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

function comparePart(a: string, b: string): number {
  const [isNumber, isOtherNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumber && isOtherNumber) return Number(a) - Number(b);
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return a === b ? 0 : a < b ? -1 : 1;
}
