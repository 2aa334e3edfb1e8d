import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Entry {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { readonly packages: Readonly<Record<string, Entry>> };
const entries = Object.entries(packages).filter(([at, { link }]) => at !== '' && link !== true);

it('[issue 10.5] proves every package with its integrity, those for other platforms included', () => {
  const unproven = entries.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''));
  expect(unproven.map(([at]) => at)).toEqual([]);
});

it('[issue 10.5] names no registry in the lock, so that each asks their own', () => {
  expect(entries.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});
