#!/usr/bin/env node
// Runs the bundled command, or its sources in a checkout that was not built.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const bundled = new URL('../../dist/slipway.mjs', import.meta.url);
if (existsSync(bundled)) await import(bundled.href);
else {
  const { register } = await import('tsx/esm/api');
  register({ tsconfig: fileURLToPath(new URL('../../tsconfig.json', import.meta.url)) });
  await import('./slipway.ts');
}
