import type { LayoutInput, Spot } from './layout';
import { layOut } from './layout';

/** What the page asks, and what it is answered; the newest question is the only one whose answer counts. */
export interface Asked extends LayoutInput {
  readonly question: number;
}
export interface Answered {
  readonly question: number;
  readonly spots: readonly Spot[];
  /** Milliseconds of computing. */
  readonly ms: number;
}

globalThis.addEventListener('message', ({ data }: MessageEvent<Asked>) => {
  const startedAt = performance.now();
  const spots = layOut(data);
  const answer: Answered = { question: data.question, spots, ms: performance.now() - startedAt };
  globalThis.postMessage(answer);
});
