import type { ServerCommandDeps } from './server-command-deps';

/** How often and how long an answer is waited for. */
export const POLL_INTERVAL_MS = 500;
export const MAX_POLLS = 120;

interface Answer {
  readonly phase: 'Pending' | 'Accepted' | 'Rejected' | 'Expired';
  readonly message: string;
}

/** Waits for the answer to a decision, for a minute at most, and prints it; one that is not accepted fails. */
export async function waitForAnswer(
  name: string,
  answerOf: () => Promise<Answer | undefined>,
  { print, fail }: Pick<ServerCommandDeps<never>, 'print' | 'fail'>,
): Promise<void> {
  const { realClock } = await import('@/server/platform');
  for (let looks = 0; looks < MAX_POLLS; looks++) {
    const answer = await answerOf();
    if (answer !== undefined && answer.phase !== 'Pending') {
      print(`${answer.phase}: ${answer.message}`);
      if (answer.phase !== 'Accepted') fail();
      return;
    }
    await realClock.sleep(POLL_INTERVAL_MS);
  }
  print(`decision ${name} is not answered yet; it is valid for ten minutes`);
  fail();
}
