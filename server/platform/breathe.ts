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
export function breathe(clock: Clock): Promise<void> | undefined {
  const now = clock.steadyMs?.();
  if (now === undefined) return undefined;
  const turn = TURNS.get(clock) ?? beginTurn(clock, now);
  if (now - turn.since < PIECE_MS) return undefined;
  turn.next ??= clock.sleep(0);
  return turn.next;
}

function beginTurn(clock: Clock, since: number): Turn {
  const turn: Turn = { since, next: undefined };
  TURNS.set(clock, turn);
  clock.schedule(0, () => void TURNS.delete(clock));
  return turn;
}
