import type { CreateNodeOptions, DocumentOptions, SchemaOptions, ToStringOptions } from 'yaml';
import { Document, visit } from 'yaml';
import { goNumber } from './go-number';

type WriteOptions = Pick<
  ToStringOptions & CreateNodeOptions & SchemaOptions & DocumentOptions,
  'lineWidth' | 'aliasDuplicateObjects' | 'sortMapEntries'
>;

/**
 * Plain JSON as YAML that everybody reads as it was: what YAML 1.1, and so kubectl and Helm, take for a truth value or a number is quoted where it is a text,
 * as `no`, `1_000` and `0O17`.
 */
export function writeYaml(value: unknown, { lineWidth, ...options }: WriteOptions = {}): string {
  const document = new Document(value, { compat: 'yaml-1.1', ...options });
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string' && typeof goNumber(node.value) !== 'string') node.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString(lineWidth === undefined ? {} : { lineWidth });
}
