import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Noted } from './scene';

/** What the real API server answered, by case. */
export type Golden = Readonly<Record<string, readonly Noted[]>>;

// Recorded, not written: no formatter has a say in it.
const pathOf = (group: string) => path.join(import.meta.dirname, 'golden', `${group}.generated.json`);

export function readGolden(group: string): Golden {
  return JSON.parse(readFileSync(pathOf(group), 'utf8')) as Golden;
}

export function writeGolden(group: string, golden: Golden): void {
  writeFileSync(pathOf(group), `${JSON.stringify(golden, null, 1)}\n`);
}
