/** An event of a stream; one called `end` is the last. */
export interface StreamEvent {
  readonly event: string;
  readonly data: unknown;
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Proxies that gather an answer before they pass it on would hold every event back.
  'x-accel-buffering': 'no',
} as const;

/**
 * Answers with server-sent events; where there is none, with a comment as a sign of life. The next event is asked for only when there is room
 * for it. `onEnd` is called once, whoever ends the stream.
 */
export function toEventStream(events: AsyncGenerator<StreamEvent | undefined, void, void>, onEnd: () => void): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await events.next().catch((error: unknown) => {
          onEnd();
          throw error;
        });
        if (!next.done) controller.enqueue(encoder.encode(toText(next.value)));
        if (!next.done && next.value?.event !== 'end') return;
        onEnd();
        controller.close();
      },
      // Whoever listens to the client's end has heard of it too; this is for readers that are no clients.
      cancel: () => onEnd(),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: HEADERS });
}

function toText(event: StreamEvent | undefined): string {
  return event === undefined ? ': still here\n\n' : `event: ${event.event}\ndata: ${JSON.stringify(event.data)}\n\n`;
}
