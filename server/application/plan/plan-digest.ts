import { createHash } from 'node:crypto';
import { maskSecrets } from '@/lib/kube/mask';
import type { KubeObject } from '@/lib/kube/object';
import { toStableJson } from '@/lib/std/stable-json';
import { revisionNumberOf } from '@/server/dispatch';
import { isPropagated } from '../render/propagated-labels';

/** Of more objects than this only the whole is told apart. */
const MAX_OBJECTS = 100;
const ID_SIGNS = 6;
const LINE_SIGNS = 4;
const SPEC_SIGNS = 8;

interface Digested {
  /** Which application and revision, and why not, where nothing is done. */
  readonly head: string;
  readonly lines: readonly ObjectLine[];
  readonly revision: { readonly name: string; readonly isNew: boolean } | undefined;
  readonly application: KubeObject;
}

interface ObjectLine {
  readonly id: string;
  readonly line: string;
}

/** What a plan was made for. The parts only say how two plans differ; that they do, their digests say. */
export interface PlanBasis {
  readonly spec: string;
  /** Labels and annotations that reach the objects. */
  readonly words: string;
  /** Number of the revision, 0 where nothing is done. */
  readonly revision: number;
  readonly isNew: boolean;
  /** What becomes of each object, by its id; undefined where they were too many. */
  readonly objects: ReadonlyMap<string, string> | undefined;
}

/**
 * The digest of a plan, and behind it, parted by dots, what it was made for: the spec, the revision, and each object. It travels with the
 * change, so that whoever finds another plan later can say what is another, without having kept this one.
 */
export function digestOfPlan({ head, lines, revision, application }: Digested): string {
  const whole = hexOf([head, ...lines.map(({ line }) => line).sort()].join('\n'));
  const objects =
    lines.length > MAX_OBJECTS ? 'x' : lines.map((one) => `${signOf(one.id, ID_SIGNS)}${signOf(one.line, LINE_SIGNS)}`).join('');
  const number = (revision && revisionNumberOf(revision.name)) ?? 0;
  return `sha256:${whole}.${signOfSpec(application)}${signOfWords(application)}.${number}${revision?.isNew ? 'n' : ''}.${objects}`;
}

/** What a plan was made for, by its digest; undefined for one that an older server made. */
export function readBasis(digest: string): PlanBasis | undefined {
  const [, made, revision, objects] = digest.split('.');
  if (made === undefined || revision === undefined || objects === undefined) return undefined;
  const parts = objects.match(new RegExp(`.{${ID_SIGNS + LINE_SIGNS}}`, 'g')) ?? [];
  return {
    spec: made.slice(0, SPEC_SIGNS),
    words: made.slice(SPEC_SIGNS),
    revision: Number.parseInt(revision, 10),
    isNew: revision.endsWith('n'),
    objects: objects === 'x' ? undefined : new Map(parts.map((part) => [part.slice(0, ID_SIGNS), part.slice(ID_SIGNS)])),
  };
}

/** What two plans differ in. */
export interface PlanDifference {
  /** The plan was made for another spec than this. */
  readonly isOfAnotherSpec: boolean;
  /** Labels or annotations that reach the objects are others. */
  readonly isRelabelled: boolean;
  /** Ids of objects that become something else, or were not there. */
  readonly moved: readonly string[];
  /** Those of them that were in it, as something else or another object. */
  readonly listed: ReadonlySet<string>;
  /** How many were in it that are not now. */
  readonly missing: number;
}

/** Compares what a plan was made for with what is planned now. */
export function differenceOf(
  basis: PlanBasis,
  now: { readonly application: KubeObject; readonly lines: readonly ObjectLine[] },
): PlanDifference {
  const { objects } = basis;
  const made = { isOfAnotherSpec: basis.spec !== signOfSpec(now.application), isRelabelled: basis.words !== signOfWords(now.application) };
  if (objects === undefined) return { ...made, moved: [], listed: new Set(), missing: 0 };
  const moved = now.lines.filter(({ id, line }) => objects.get(signOf(id, ID_SIGNS)) !== signOf(line, LINE_SIGNS));
  const present = new Set(now.lines.map(({ id }) => signOf(id, ID_SIGNS)));
  const listed = new Set(moved.flatMap(({ id }) => (objects.has(signOf(id, ID_SIGNS)) ? [id] : [])));
  return { ...made, moved: moved.map(({ id }) => id), listed, missing: [...objects.keys()].filter((id) => !present.has(id)).length };
}

const hexOf = (text: string) => createHash('sha256').update(text).digest('hex');
const signOf = (text: string, signs: number) => hexOf(text).slice(0, signs);
/** Without the values of Secrets: a sign of a short value can be guessed. */
const signOfSpec = ({ spec }: KubeObject) => signOf(toStableJson(maskSecrets(spec ?? null).value), SPEC_SIGNS);
const signOfWords = ({ metadata: { labels, annotations } }: KubeObject) =>
  signOf(toStableJson([labels, annotations].map(propagated)), ID_SIGNS);

function propagated(words: Readonly<Record<string, string>> = {}): object {
  return Object.fromEntries(Object.entries(words).filter(([name, text]) => isPropagated(name, text)));
}
