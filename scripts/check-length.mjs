// Refuses source files above 400 lines and names those above 300: a file says one thing (docs/decisions/0001-the-house.md).
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const REFUSED = 400;
const QUESTIONED = 300;
let failed = false;
for (const room of ['app', 'components', 'lib', 'server', 'scripts', 'test']) {
  for (const entry of readdirSync(room, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(ts|tsx|mjs|cjs)$/.test(entry.name)) continue;
    const file = path.join(entry.parentPath ?? entry.path, entry.name);
    const lines = readFileSync(file, 'utf8').split('\n').length - 1;
    if (lines > REFUSED) failed = true;
    if (lines > QUESTIONED) console.log(`${file}: ${lines} lines${lines > REFUSED ? ', refused' : ''}`);
  }
}
process.exitCode = failed ? 1 : 0;
