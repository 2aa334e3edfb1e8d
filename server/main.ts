import { isAppError, messageOf } from '@/lib/contract/app-error';
import { dataFolderFault, endOnUncaught, forgetSecrets, formatUsage, readConfig, wantsHelp } from '@/server/platform';
import { startSlipway } from './slipway';

// The composition root's outermost ring: settings in, one address out, signals to a clean end.

async function main(): Promise<void> {
  outliveReaders();
  endOnUncaught(process);
  if (wantsHelp()) {
    process.stdout.write(formatUsage());
    return;
  }
  // From the first moment: a signal that comes while everything is being started ends it once it has.
  let isStarting = true;
  const asked = onShutdownSignal(() => {
    if (isStarting) process.stderr.write('slipway: shuts down as soon as it has started; a second signal ends it at once\n');
  });
  process.on('beforeExit', () => {
    if (!isStarting) return;
    process.stderr.write('slipway: startup ended before it was complete, and without an error; this is a bug in Slipway\n');
    process.exit(1);
  });
  const config = readConfig();
  forgetSecrets();
  const slipway = await startSlipway(config).catch((error: unknown) => {
    throw dataFolderFault(error, config.dataDir);
  });
  isStarting = false;
  for (const sentence of slipway.notes) process.stderr.write(`slipway: ${sentence}\n`);
  process.stdout.write(`${slipway.address}\n`);
  const signal = await asked;
  try {
    await slipway[Symbol.asyncDispose]();
  } catch (error) {
    process.stderr.write(`slipway: shutdown after ${signal} was not clean: ${messageOf(error)}\n`);
    process.exit(1);
  }
  process.exit(0);
}

/**
 * Goes on where nobody reads what is printed any more, such as a pipe to a program that has ended: what cannot be written is lost. Unheard, that error
 * is an uncaught one, which is printed, which is an error again, for ever.
 */
function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

/** Resolves with the first signal to end; the second ends the process at once, for whoever asks twice means it. */
function onShutdownSignal(notify: () => void): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let asked = false;
    const hear = (signal: NodeJS.Signals) => {
      if (asked) process.exit(1);
      asked = true;
      notify();
      resolve(signal);
    };
    process.on('SIGTERM', hear);
    process.on('SIGINT', hear);
  });
}

main().catch((error: unknown) => {
  // A sentence for what people can mend, the whole of it for what they cannot.
  process.stderr.write(`slipway: ${isAppError(error) || !(error instanceof Error) ? messageOf(error) : error.stack}\n`);
  process.exit(1);
});
