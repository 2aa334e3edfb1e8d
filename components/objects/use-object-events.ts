'use client';

import { useEffect, useState } from 'react';
import type { z } from 'zod';
import { isUnreachable, readStream } from '@/components/live/request';
import { messageOf } from '@/lib/contract/app-error';
import type { SentEvent } from '@/lib/contract/event-lines';
import type { ObjectEvents } from '@/lib/contract/object-rows';
import { eventsEnd, objectEvents } from '@/lib/contract/object-rows';
import { backOffMs } from '@/lib/std/back-off';
import { t } from '@/lib/words/catalogue/objects/objects';
import { showAllHidden } from '@/lib/words/show-hidden';

const PACE = { firstMs: 2000, longestMs: 30_000 };

/** The events as they were told last, and how the stream stands. */
export interface FollowedEvents {
  readonly told: ObjectEvents | undefined;
  /** Why nothing is told any more; null while it is. */
  readonly refusal: string | null;
  readonly isLive: boolean;
}

const NOTHING: FollowedEvents = { told: undefined, refusal: null, isLive: false };

/** Follows the events at an address for as long as the page is looked at: one that lies behind another tab holds no connection. */
export function useObjectEvents(url: string): FollowedEvents {
  const [followed, setFollowed] = useState(NOTHING);
  useEffect(() => {
    setFollowed(NOTHING);
    let running: AbortController | undefined;
    const look = () => {
      if (document.visibilityState === 'hidden') {
        running?.abort();
        running = undefined;
      } else if (running === undefined) {
        running = new AbortController();
        void follow(url, running.signal, setFollowed);
      }
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      running?.abort();
    };
  }, [url]);
  return followed;
}

type Tell = (change: (held: FollowedEvents) => FollowedEvents) => void;

/** Reads the stream, and begins anew where it breaks off; what the server ended with a sentence stays ended. */
async function follow(url: string, signal: AbortSignal, notify: Tell): Promise<void> {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      for await (const event of readStream(url, signal)) {
        failures = 0;
        if (event.event === 'end') {
          const sentence = readData(event, eventsEnd)?.sentence ?? t.theServerEndedTheStream;
          notify((held) => ({ ...held, refusal: sentence, isLive: false }));
          return;
        }
        const told = readData(event, objectEvents);
        if (told !== undefined) notify(() => ({ told, refusal: null, isLive: true }));
      }
    } catch (error) {
      if (signal.aborted) return;
      // That nobody answers is said of the page; what was told stays, marked as not live.
      notify((held) => ({ ...held, refusal: isUnreachable(error) && held.told ? held.refusal : messageOf(error), isLive: false }));
      if (isFinal(error)) return;
    }
    if (signal.aborted) return;
    notify((held) => ({ ...held, isLive: false }));
    await new Promise((resolve) => setTimeout(resolve, backOffMs(PACE, failures)));
  }
}

/** What an event says, checked and with hidden signs shown; undefined where it does not fit: the next one tells all of it. */
function readData<Schema extends z.ZodType>({ data }: SentEvent, schema: Schema): z.infer<Schema> | undefined {
  try {
    return showAllHidden(schema.parse(JSON.parse(data)));
  } catch {
    return undefined;
  }
}

const FINAL: readonly unknown[] = ['forbidden', 'unauthenticated', 'not-found', 'invalid'];
const isFinal = (error: unknown) => typeof error === 'object' && error !== null && 'code' in error && FINAL.includes(error.code);
