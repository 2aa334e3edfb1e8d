// Refuses files above 300 lines, of tests above 400: a file says one thing (docs/decisions/0001-the-house.md).
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const MOST = { test: 400, other: 300 };
let failed = false;
for (const room of ['app', 'components', 'lib', 'server', 'scripts', 'test']) {
  for (const entry of readdirSync(room, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(ts|tsx|mjs|cjs)$/.test(entry.name)) continue;
    const file = path.join(entry.parentPath ?? entry.path, entry.name);
    const lines = readFileSync(file, 'utf8').split('\n').length - 1;
    const most = room === 'test' ? MOST.test : MOST.other;
    if (lines <= most) continue;
    failed = true;
    console.log(`${file}: ${lines} lines, ${most} at the most`);
  }
}
process.exitCode = failed ? 1 : 0;
