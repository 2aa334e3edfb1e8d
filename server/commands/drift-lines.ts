import type { Node } from 'yaml';
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { ObjectDrift } from '@/lib/contract/drift-rows';
import { ownedPaths, readOwnedFields } from '@/lib/kube/field-owners';
import type { KubeObject } from '@/lib/kube/object';
import type { DriftField } from '@/server/dispatch';

type Steps = DriftField['steps'];

/** Fields of one manager that are looked for. */
const MAX_FIELDS = 2000;

/** At which line of a YAML text a field stands, from 1; null for one that is not in it. */
export function createLineFinder(text: string): (steps: Steps) => number | null {
  const lines = new LineCounter();
  const { contents } = parseDocument(text, { lineCounter: lines, uniqueKeys: false });
  return (steps) => {
    const offset = find(contents, steps);
    return offset === undefined ? null : lines.linePos(offset).line;
  };
}

function find(node: unknown, [step, ...rest]: Steps): number | undefined {
  if (step === undefined) return undefined;
  const found = typeof step === 'string' ? memberOf(node, step) : entryOf(node, step);
  if (found === undefined) return undefined;
  return rest.length === 0 ? found.at : find(found.value, rest);
}

interface Found {
  readonly at: number | undefined;
  readonly value: unknown;
}

function memberOf(node: unknown, name: string): Found | undefined {
  const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && String(key.value) === name) : undefined;
  return pair && { at: startOf(pair.key), value: pair.value };
}

function entryOf(node: unknown, step: Exclude<Steps[number], string>): Found | undefined {
  if (!isSeq(node)) return undefined;
  const isEntry = (entry: unknown, at: number): boolean => {
    if (typeof step === 'number') return at === step;
    if ('key' in step) return isMap(entry) && entry.get(step.key) === step.value;
    return isScalar(entry) && entry.value === step.item;
  };
  const entry = node.items.find(isEntry);
  return entry === undefined ? undefined : { at: startOf(entry), value: entry };
}

function startOf(node: unknown): number | undefined {
  return (node as Node | undefined)?.range?.[0]; // keys and entries of a parsed document are nodes
}

/** Who set what stands at each line of a text of the object, as the API server notes it; of several the one that wrote last. */
export function ownersOfLines(
  live: KubeObject,
  lines: number,
  lineOf: (steps: Steps) => number | null,
): Pick<ObjectDrift, 'owners' | 'lineOwners'> {
  const owned = readOwnedFields(live) ?? []; // the newest write first
  const lineOwners: (number | null)[] = Array.from({ length: lines }, () => null);
  for (const [index, { fields }] of owned.entries()) {
    for (const path of ownedPaths(fields, MAX_FIELDS).paths) {
      const line = lineOf(path);
      if (line !== null) lineOwners[line - 1] ??= index;
    }
  }
  const owners = owned.map(({ owner: { manager, operation, subresource, since } }) => ({
    manager,
    operation,
    subresource: subresource ?? null,
    since: since ?? null,
  }));
  return { owners, lineOwners };
}
