import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Entry {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { readonly packages: Readonly<Record<string, Entry>> };
const entries = Object.entries(packages).filter(([at, { link }]) => at !== '' && link !== true);

/** Packages for platforms that a registry at hand did not know; docs/security.md names them as what is left. */
const MOST_UNPROVEN = 43;

it('[issue 10.5] proves with its integrity every package that is installed where servers run', () => {
  const runsHere = ({ os = ['linux'], cpu = ['x64'], libc = ['glibc'] }: Entry) => os.includes('linux') && cpu.includes('x64') && libc.includes('glibc');
  const unproven = entries.filter(([, { integrity }]) => integrity === undefined);
  expect(unproven.filter(([, entry]) => runsHere(entry) || entry.optional !== true).map(([at]) => at)).toEqual([]);
  expect(unproven.length).toBeLessThanOrEqual(MOST_UNPROVEN);
  for (const [, { integrity }] of entries) if (integrity !== undefined) expect(integrity).toMatch(/^sha512-[\w+/]{86}==$/);
});

it('[issue 10.5] names no registry in the lock, so that each asks their own', () => {
  expect(entries.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});
