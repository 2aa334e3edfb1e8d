import type { Clock } from './clock';

/** Milliseconds that work may go on before everybody else has their turn. */
const PIECE_MS = 8;

interface Turn {
  readonly since: number;
  next: Promise<void> | undefined;
}

/** The present turn of whoever shares a clock. */
const TURNS = new WeakMap<Clock, Turn>();

/**
 * To be awaited between the pieces of long work. It waits for the next turn of the event loop once all work that calls it has gone on for eight
 * milliseconds within this one, and is free before. Awaiting an answer that is there already gives nobody else a turn, so a loop that asks
 * a cluster in this process would go on to its end. Where a test moves the time none passes, and nothing waits.
 */
export function yieldToEventLoop(clock: Clock): Promise<void> | undefined {
  return hasTime(clock) ? undefined : untilTime(clock);
}

/** Of many who waited for a turn the first may use it up: the others wait for the one after it. */
async function untilTime(clock: Clock): Promise<void> {
  while (!hasTime(clock)) {
    const turn = TURNS.get(clock);
    if (turn === undefined) continue;
    turn.next ??= clock.sleep(0).then(() => void beginTurn(clock));
    await turn.next;
  }
}

function hasTime(clock: Clock): boolean {
  const now = clock.steadyMs?.();
  return now === undefined || now - (TURNS.get(clock) ?? beginTurn(clock)).since < PIECE_MS;
}

function beginTurn(clock: Clock): Turn {
  const turn: Turn = { since: clock.steadyMs?.() ?? 0, next: undefined };
  TURNS.set(clock, turn);
  clock.schedule(0, () => void TURNS.delete(clock));
  return turn;
}
