import type { ObjMetadata } from '../identifier';
import { formatObjMetadata, toIdentifierKey } from '../identifier';

/** Lists of identifiers as sets: order and duplicates do not count, results keep the order of first sight. */
type Identifiers = readonly ObjMetadata[];

function toMap(identifiers: Identifiers): Map<string, ObjMetadata> {
  const map = new Map<string, ObjMetadata>();
  for (const identifier of identifiers) {
    const key = toIdentifierKey(identifier);
    if (!map.has(key)) map.set(key, identifier);
  }
  return map;
}

/** The list without duplicates. */
export function uniqueIdentifiers(identifiers: Identifiers): Identifiers {
  return [...toMap(identifiers).values()];
}

export function hasIdentifier(identifiers: Identifiers, wanted: ObjMetadata): boolean {
  return toMap(identifiers).has(toIdentifierKey(wanted));
}

export function equalIdentifiers(left: Identifiers, right: Identifiers): boolean {
  const a = toMap(left);
  const b = toMap(right);
  return a.size === b.size && [...a.keys()].every((key) => b.has(key));
}

export function unionIdentifiers(left: Identifiers, right: Identifiers): Identifiers {
  return uniqueIdentifiers([...left, ...right]);
}

export function intersectIdentifiers(left: Identifiers, right: Identifiers): Identifiers {
  const kept = toMap(right);
  return uniqueIdentifiers(left).filter((identifier) => kept.has(toIdentifierKey(identifier)));
}

export function subtractIdentifiers(left: Identifiers, right: Identifiers): Identifiers {
  const dropped = toMap(right);
  return uniqueIdentifiers(left).filter((identifier) => !dropped.has(toIdentifierKey(identifier)));
}

/** The list without one entry; the last entry takes its place. */
export function removeIdentifier(identifiers: Identifiers, gone: ObjMetadata): Identifiers {
  const key = toIdentifierKey(gone);
  const index = identifiers.findIndex((identifier) => toIdentifierKey(identifier) === key);
  if (index < 0) return identifiers;
  const rest = identifiers.slice(0, -1);
  const last = identifiers.at(-1);
  return last === undefined || index === rest.length ? rest : rest.with(index, last);
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** A short name of a set: 32-bit FNV-1a over the sorted texts, in hexadecimal without padding. */
export function hashIdentifiers(identifiers: Identifiers): string {
  let hash = FNV_OFFSET;
  for (const byte of new TextEncoder().encode(identifiers.map(formatObjMetadata).sort().join(''))) {
    hash = Math.imul(hash ^ byte, FNV_PRIME) >>> 0;
  }
  return hash.toString(16);
}
