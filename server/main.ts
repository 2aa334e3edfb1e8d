import { isAppError, messageOf } from '@/lib/contract/app-error';
import { readConfig } from '@/server/platform';
import { startSlipway } from './slipway';

// The composition root's outermost ring: settings in, one address out, signals to a clean end.

async function main(): Promise<void> {
  const slipway = await startSlipway(readConfig());
  for (const sentence of slipway.notes) process.stderr.write(`slipway: ${sentence}\n`);
  process.stdout.write(`${slipway.address}\n`);
  let ending = false;
  const end = (signal: NodeJS.Signals) => {
    if (ending) process.exit(1); // asked twice: the person means it
    ending = true;
    slipway[Symbol.asyncDispose]().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`slipway: ${signal} did not end cleanly: ${messageOf(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
}

main().catch((error: unknown) => {
  // A sentence for what people can mend, the whole of it for what they cannot.
  process.stderr.write(`slipway: ${isAppError(error) || !(error instanceof Error) ? messageOf(error) : error.stack}\n`);
  process.exit(1);
});
