import { readField } from '@/lib/kube/fields';

type Step = string | number;
const STEP = /\[(?:"([^"]*)"|'([^']*)'|(\d+))\]|([^.[\]]+)/g;

/** The steps of a path such as `spec.containers[0].image` or `metadata.annotations["a.b/c"]`. */
export function parsePath(path: string): readonly Step[] {
  return [...path.matchAll(STEP)].map(([, double, single, index, plain]) =>
    index === undefined ? (double ?? single ?? plain ?? '') : Number(index),
  );
}

/** The manifest with the live values at the paths; a path that the object lacks is absent from the result too. */
export function keepPaths<Tree>(manifest: Tree, live: unknown, paths: readonly string[]): Tree {
  return paths.map(parsePath).reduce((held, steps) => put(held, steps, readField(live, ...steps)) as Tree, manifest); // put answers the same tree
}

/** The tree without what is at the paths. */
export function dropPaths<Tree>(tree: Tree, paths: readonly string[]): Tree {
  return paths.map(parsePath).reduce((held, steps) => put(held, steps, undefined) as Tree, tree); // put answers the same tree
}

/** Sets a value; undefined takes the member away. A path that leads through nothing is only made for a value. */
function put(tree: unknown, steps: readonly Step[], value: unknown): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  if (Array.isArray(tree)) {
    if (typeof step !== 'number' || step >= tree.length) return tree;
    return tree.map((item, at) => (at === step ? put(item, rest, value) : item));
  }
  if (typeof step === 'number' || (typeof tree !== 'object' && tree !== undefined) || tree === null) return tree;
  const { [step]: held, ...others } = (tree ?? {}) as Record<string, unknown>;
  if (held === undefined && value === undefined) return tree;
  const next = put(held, rest, value);
  return next === undefined ? others : { ...others, [step]: next };
}
