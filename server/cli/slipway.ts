import { createProgram } from './program';

// Exit codes: 0 in order, 1 not in order, 2 could not be looked at.

createProgram({
  print: (text) => process.stdout.write(`${text}\n`),
  fetch,
  stdin: process.stdin,
  fail: () => {
    process.exitCode = 1;
  },
})
  .parseAsync()
  .catch((error: unknown) => {
    process.stderr.write(`slipway: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
  });
