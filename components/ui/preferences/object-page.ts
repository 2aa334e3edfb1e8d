import { t } from '@/lib/words/catalogue/console/views';
import { showHidden } from '@/lib/words/show-hidden';

/** What the address of an object's page says of it. */
export interface ObjectPage {
  readonly path: string;
  readonly kind: string;
  readonly ns: string | null;
  readonly name: string;
}

type Parts = readonly [ns: string | null, name: string | undefined];

/** Where namespace and name stand in the addresses below each page. */
const PARTS: Readonly<Record<keyof typeof t.kindOf, (parts: readonly string[]) => Parts | null>> = {
  applications: (parts) => (parts.length === 2 ? [parts[0] ?? null, parts[1]] : null),
  rollouts: (parts) => (parts.length === 2 ? [parts[0] ?? null, parts[1]] : null),
  releases: (parts) => (parts.length === 3 ? [parts[0] ?? null, parts[2]] : null),
  trackers: (parts) => (parts.length === 1 && parts[0] !== 'strays' ? [null, parts[0]] : null),
  objects: (parts) => (parts.length === 4 ? [parts[2] ?? null, parts[3]] : null),
};

/** Reads the address of an object's page; null for any other page. */
export function parseObjectPage(path: string): ObjectPage | null {
  const [, place, ...rest] = path.split('/').map(decodePart);
  if (place === undefined || !Object.hasOwn(PARTS, place)) return null;
  const of = place as keyof typeof PARTS;
  const [ns, name] = PARTS[of](rest) ?? [null, undefined];
  if (name === undefined || name === '') return null;
  return { path, kind: of === 'objects' ? (rest[1] ?? t.kindOf.objects) : t.kindOf[of], ns: ns === '-' || ns === '_' ? null : ns, name };
}

function decodePart(part: string): string {
  try {
    return showHidden(decodeURIComponent(part));
  } catch {
    return part;
  }
}
