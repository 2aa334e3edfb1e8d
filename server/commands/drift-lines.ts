import type { Node } from 'yaml';
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { DriftField } from '@/server/dispatch';

type Steps = DriftField['steps'];

/** At which line of a YAML text a field stands, from 1; null for one that is not in it. */
export function createLineFinder(text: string): (steps: Steps) => number | null {
  const lines = new LineCounter();
  const { contents } = parseDocument(text, { lineCounter: lines });
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
