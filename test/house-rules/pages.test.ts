import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PAGE_ROOTS } from '@/lib/contract/pages/return-path';

it('[issue 14.3] one comes back from signing in to every page there is, and to nothing else', () => {
  const folders = readdirSync('app/(console)', { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect([...PAGE_ROOTS]).toEqual(folders.map(({ name }) => name).sort());
});
