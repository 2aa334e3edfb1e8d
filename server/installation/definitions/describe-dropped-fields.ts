import { assertNever } from '@/lib/std/exhaustive';
import type { DroppedField } from './dropped-fields';

const MAX_NAMED = 4;

/** What a definition does to what we write, as the rest of a sentence that began with it. */
export function describeDroppedFields(losses: readonly DroppedField[]): string {
  const parts = KINDS_IN_ORDER.flatMap((kind) => {
    const some = losses.filter((loss) => loss.kind === kind);
    return some.length === 0 ? [] : [describeKind(kind, some)];
  });
  return parts.join(', and ');
}

const KINDS_IN_ORDER = ['version', 'subresource', 'field', 'closed', 'type', 'values'] as const satisfies readonly DroppedField['kind'][];

function describeKind(kind: DroppedField['kind'], losses: readonly DroppedField[]): string {
  const fields = listed(losses.map(({ field }) => field));
  switch (kind) {
    case 'version':
      return `does not serve ${listed(losses.flatMap((loss) => (loss.kind === 'version' ? [loss.version] : [])))}`;
    case 'subresource':
      return 'has no status subresource';
    case 'field':
      return `drops ${fields}`;
    case 'closed':
      return `drops what it does not list of ${fields}`;
    case 'type':
      return `needs a different type of ${fields}`;
    case 'values':
      return `refuses ${losses.flatMap((loss) => (loss.kind === 'values' ? [`${loss.values.join(', ')} as ${loss.field}`] : [])).join(', ')}`;
    default:
      return assertNever(kind);
  }
}

function listed(names: readonly string[]): string {
  if (names.length <= MAX_NAMED) return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return `${names.slice(0, MAX_NAMED - 1).join(', ')} and ${names.length - MAX_NAMED + 1} more fields`;
}
