import type { z } from 'zod';
import { errorBody } from '@/lib/contract/pages/answers';
import { t } from '@/lib/words/catalogue/console/live';
import { showAllHidden, showHidden } from '@/lib/words/show-hidden';
import { RequestError } from './request';

/** One event as it came. */
interface StreamedEvent {
  readonly event: string;
  readonly data: unknown;
}

/** Reads server-sent events until the answer ends or the signal aborts; a refusal is thrown with its sentence. */
export async function* readEventStream(url: string, signal: AbortSignal): AsyncGenerator<StreamedEvent, void, void> {
  const response = await fetch(url, { credentials: 'same-origin', headers: { accept: 'text/event-stream' }, signal });
  if (!response.ok || response.body === null) throw await refusalOf(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = parseBlock(block);
        if (event !== undefined) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined); // it may have ended by itself
  }
}

/** What an event says, checked and with hidden signs shown; undefined where it does not fit. */
export function dataOf<Schema extends z.ZodType>({ data }: StreamedEvent, schema: Schema): z.infer<Schema> | undefined {
  const parsed = schema.safeParse(data);
  return parsed.success ? showAllHidden(parsed.data) : undefined;
}

/** A comment is a sign of life, and says nothing. */
function parseBlock(block: string): StreamedEvent | undefined {
  const lines = block.split('\n');
  const named = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const [event, data] = [named('event'), named('data')];
  if (event === undefined || data === undefined) return undefined;
  try {
    return { event, data: JSON.parse(data) };
  } catch {
    return undefined; // cut in the middle: the next one tells all of it
  }
}

async function refusalOf(response: Response): Promise<RequestError> {
  const body = errorBody.safeParse(await response.json().catch(() => undefined)); // a proxy answers what it likes
  if (body.success) return new RequestError(body.data.error.code, showHidden(body.data.error.message), body.data.error.details);
  return new RequestError('unreachable', t.theServerAnsweredInPlace(response.status));
}
