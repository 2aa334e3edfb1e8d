import type { ScalarTag } from 'yaml';
import { YamlFault } from './documents';
import { readYaml } from './read-yaml';

const MAX_ALIASES = 20;

/** `012` is a text to whoever writes it, and would be another number to each reader. */
const LEADING_ZERO: ScalarTag = { tag: 'tag:yaml.org,2002:str', default: true, test: /^[-+]?0[0-9]+$/, resolve: (text: string) => text };

/** What a text of values says; of one that is no YAML the line that cannot be read, where it has one. */
export type ReadValues = { readonly read: unknown } | { readonly line?: number };

/** Reads plain JSON types only: `yes`, `012` and dates stay the texts they are. Nothing at all is an empty map. */
export function readValues(text: string): ReadValues {
  try {
    return { read: readYaml(text, { mostAliases: MAX_ALIASES, customTags: (tags) => [LEADING_ZERO, ...tags] }) ?? {} };
  } catch (error) {
    // The parser quotes the text in what it says, so only the place is told.
    return error instanceof YamlFault && error.line !== undefined ? { line: error.line } : {};
  }
}
