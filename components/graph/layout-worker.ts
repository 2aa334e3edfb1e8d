import type { LayoutInput, NodePosition } from './layout';
import { layOut } from './layout';

/** What the page asks, and what it is answered; the newest question is the only one whose answer counts. */
export interface LayoutRequest extends LayoutInput {
  readonly question: number;
}
export interface LayoutResult {
  readonly question: number;
  readonly spots: readonly NodePosition[];
  /** Milliseconds of computing. */
  readonly ms: number;
}

globalThis.addEventListener('message', ({ data }: MessageEvent<LayoutRequest>) => {
  const startedAt = performance.now();
  const spots = layOut(data);
  const answer: LayoutResult = { question: data.question, spots, ms: performance.now() - startedAt };
  globalThis.postMessage(answer);
});
