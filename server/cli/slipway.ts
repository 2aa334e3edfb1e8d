import { showInTerminal } from '@/lib/words/show-hidden';
import { createProgram } from './program';

// Exit codes: 0 in order, 1 not in order, 2 could not be looked at, 124 a wait whose time is over.

createProgram({
  // What others wrote must not move the cursor, or turn what follows.
  print: (text) => process.stdout.write(`${showInTerminal(text)}\n`),
  fetch,
  stdin: process.stdin,
  warn: (text) => process.stderr.write(`${showInTerminal(text)}\n`),
  fail: (code = 1) => {
    process.exitCode = code;
  },
  leaving() {
    const left = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => left.abort());
    return left.signal;
  },
})
  .parseAsync()
  .catch((error: unknown) => {
    process.stderr.write(`slipway: ${showInTerminal(error instanceof Error ? error.message : String(error))}\n`);
    process.exitCode = 2;
  });
