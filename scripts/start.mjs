// npm start: builds what is missing, then runs the server in this very process, so that signals reach it.
import path from 'node:path';
import { pathToFileURL } from 'node:url';

process.chdir(path.resolve(import.meta.dirname, '..'));
process.env.NODE_ENV = 'production';
process.env.NEXT_TELEMETRY_DISABLED = '1';
const { buildWhatIsMissing } = await import('./build.mjs');
await buildWhatIsMissing();
await import(pathToFileURL(path.resolve('dist/main.mjs')).href);
