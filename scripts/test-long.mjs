// npm run test:long -- NAME …: what takes too long, or needs too much brought along, for CI. Run before an issue is closed; tables go to docs/measured/.
import { spawnSync } from 'node:child_process';

const { status } = spawnSync(process.execPath, ['--import', 'tsx', 'test/long/main.ts', ...process.argv.slice(2)], { stdio: 'inherit' });
process.exitCode = status ?? 1;
