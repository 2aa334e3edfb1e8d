import type { z } from 'zod';

/** One event of a stream: its name and its data as text. */
export interface SentEvent {
  readonly event: string;
  readonly data: string;
}

/** Reads server-sent events from the body of an answer, as they arrive. Comments, which only say that the server is there, are left out. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<SentEvent, void, void> {
  const decoder = new TextDecoder();
  const reader = body.getReader(); // not every browser can iterate a body
  let text = '';
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      text += decoder.decode(next.value, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = parseBlock(block);
        if (event !== undefined) yield event;
      }
    }
  } finally {
    // Whoever reads no further ends the connection; of one that broke there is nothing left to end.
    await reader.cancel().catch(() => undefined);
  }
}

function parseBlock(block: string): SentEvent | undefined {
  const fields = block.split('\n').map((line) => /^(event|data): ?(.*)$/.exec(line));
  const valuesOf = (name: string) => fields.flatMap((field) => (field?.[1] === name ? [field[2] ?? ''] : []));
  const data = valuesOf('data');
  return data.length === 0 ? undefined : { event: valuesOf('event')[0] ?? 'message', data: data.join('\n') };
}

/** The data of an event by its schema. */
export function dataOf<Schema extends z.ZodType>({ data }: SentEvent, schema: Schema): z.infer<Schema> {
  return schema.parse(JSON.parse(data));
}
