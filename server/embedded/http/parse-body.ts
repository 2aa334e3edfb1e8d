import { parse as parseYaml } from 'yaml';
import { parseExact } from '@/lib/std/exact-json';
import { GO_YAML } from '@/lib/std/yaml/go-yaml';

/** Deeper than anything that means something, and shallow enough for code that goes down by calling itself. */
const MAX_DEPTH = 1_000;

/** What a text says, JSON or YAML. Throws a sentence where it says nothing, or is nested without end. */
export function parseText(text: string, format: 'json' | 'yaml'): unknown {
  const opener = findTooDeep(text, format === 'json');
  if (opener === undefined) return format === 'json' ? parseExact(text) : parseConfiguration(text);
  throw new Error(format === 'json' ? `invalid character '${opener}' exceeded max depth` : `yaml: exceeded max depth of ${MAX_DEPTH}`);
}

const YAML = { ...GO_YAML, maxAliasCount: 100 } as const;

// Most often it is JSON, which is YAML, and read faster as what it is.
function parseConfiguration(text: string): unknown {
  if (text.startsWith('{')) {
    try {
      return parseExact(text);
    } catch {
      // a mapping in the flow style of YAML, or nothing at all: the parser below tells
    }
  }
  return parseYaml(text, YAML);
}

/** The bracket at which a text is nested too deep. Of YAML brackets are counted wherever they stand: none that is meant well leaves so many open. */
function findTooDeep(text: string, skipsStrings: boolean): string | undefined {
  if (text.length <= MAX_DEPTH) return undefined;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const found = text[at];
    if (found === '{' || found === '[') {
      depth++;
      if (depth > MAX_DEPTH) return found;
    } else if (found === '}' || found === ']') depth--;
    else if (found === '"' && skipsStrings) at = endOfString(text, at);
  }
  return undefined;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return text.length;
}
