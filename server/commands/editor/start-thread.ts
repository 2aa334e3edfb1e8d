import { Worker } from 'node:worker_threads';

/** What a hostile text may make a thread hold; beyond, the thread ends and the process goes on. */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };

// From sources, as in development and tests, a thread has to be taught TypeScript and our alias first.
const FROM_SOURCES = `
const { workerData } = require('node:worker_threads');
import('tsx/esm/api').then(({ register }) => {
  register();
  return import(workerData);
});
`;

/** Starts a parsing thread: from its bundle beside ours, or from sources where we run from sources. */
export function startThread(ours: string = import.meta.url): Worker {
  const isBundled = !ours.endsWith('.ts');
  if (isBundled) return new Worker(new URL('./parse-worker.mjs', ours), { execArgv: [], resourceLimits: LIMITS });
  const program = new URL('./parse-worker.ts', ours).href;
  return new Worker(FROM_SOURCES, { eval: true, execArgv: [], workerData: program, resourceLimits: LIMITS });
}
