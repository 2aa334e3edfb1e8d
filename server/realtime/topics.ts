import type { Keyed, WindowDelta } from '@/lib/contract/live';
import type { Topic } from '@/lib/contract/topic';
import { formatTopic } from '@/lib/contract/topic';
import type { Visibility } from '@/server/auth';
import type { Clock, Release } from '@/server/platform';
import type { LiveWindow, ReadModel, RelatedVisibility } from '@/server/readmodel';
import { nameView } from '@/server/readmodel';
import { SharedTopic } from './shared-topic';
import { TimeSlicer } from './time-slicer';

const LINGER_MS = 30_000;
/** Topics that nobody watches and that are kept for who may come back; of more the oldest end early. */
const MAX_LINGERING = 200;

/** A use of a shared topic. */
export interface TopicUse {
  readonly topic: SharedTopic;
  /** Names topic and visibility: everybody with this name gets the same deltas. */
  readonly room: string;
  release(): void;
}

/** Shared topics by topic and visibility. One that nobody watches lingers, so that who reconnects is told only what was missed. */
export interface Topics {
  /** Undefined when what the topic names does not exist. */
  use(topic: Topic, visibility: Visibility, beside?: RelatedVisibility): TopicUse | undefined;
  /** Resolves once what the topic shows is computed, as the read model does. */
  whenComplete(topic: Topic): Promise<void>;
  count(): number;
  release(): void;
}

interface Held {
  readonly topic: SharedTopic;
  users: number;
  cancelEnd: Release | undefined;
}

/** Topics over a read model; `send` is called with each delta for everybody in a room. */
export function createTopics(
  readModel: ReadModel,
  clock: Clock,
  send: (room: string, topic: string, delta: WindowDelta<Keyed>) => void,
): Topics {
  const slicer = new TimeSlicer(clock);
  const held = new Map<string, Held>();
  const lingering = new Map<string, Held>();

  const open = (room: string, topic: Topic, window: LiveWindow | undefined): Held | undefined => {
    if (window === undefined) return undefined;
    const text = formatTopic(topic);
    const entry: Held = {
      topic: new SharedTopic(window, { clock, slicer }, (delta) => send(room, text, delta)),
      users: 0,
      cancelEnd: undefined,
    };
    held.set(room, entry);
    return entry;
  };

  const end = (room: string, entry: Held): void => {
    held.delete(room);
    lingering.delete(room);
    entry.cancelEnd?.();
    entry.topic.release();
  };

  const linger = (room: string, entry: Held): void => {
    entry.topic.rest();
    entry.cancelEnd = clock.schedule(LINGER_MS, () => end(room, entry));
    lingering.set(room, entry);
    const [oldest] = lingering;
    if (lingering.size > MAX_LINGERING && oldest !== undefined) end(...oldest);
  };

  return {
    use(topic, visibility, beside) {
      const room = nameView(topic, visibility, beside);
      const entry = held.get(room) ?? open(room, topic, readModel.open(topic, visibility, beside));
      if (entry === undefined) return undefined;
      entry.users++;
      entry.cancelEnd?.();
      lingering.delete(room);
      entry.topic.wake();
      let released = false;
      return {
        topic: entry.topic,
        room,
        release() {
          if (released) return;
          released = true;
          if (--entry.users === 0) linger(room, entry);
        },
      };
    },
    whenComplete: (topic) => readModel.whenComplete(topic),
    count: () => held.size,
    release() {
      for (const [room, entry] of held) end(room, entry);
    },
  };
}
