import type { Keyed, WindowDelta, WindowSnapshot } from '@/lib/contract/live';
import type { Topic } from '@/lib/contract/topic';
import { formatTopic } from '@/lib/contract/topic';
import type { LiveWindow, ReadModel } from '@/server/readmodel';
import type { Visibility } from '@/server/readmodel/views/window';

export interface FakeReadModel extends ReadModel {
  /** Changes rows of a topic and tells its windows at once. */
  put(topic: string, ...rows: Keyed[]): void;
  /** Windows open now, as `topic visibility`. */
  open(topic: Topic, visibility: Visibility): LiveWindow | undefined;
  readonly opened: readonly string[];
  /** How often any window was computed. */
  readonly refreshes: () => number;
}

/** A read model of plain rows by topic; a topic without rows does not exist. */
export function createFakeReadModel(initial: Readonly<Record<string, readonly Keyed[]>> = {}): FakeReadModel {
  const rows = new Map(Object.entries(initial));
  const listeners = new Map<string, Set<() => void>>();
  const opened: string[] = [];
  let refreshes = 0;
  const freshness = { observedAt: '2026-01-01T09:00:00.000Z', source: 'watch', stale: null } as const;
  return {
    bootId: 'boot-1',
    opened,
    refreshes: () => refreshes,
    start: async () => undefined,
    whenComplete: async () => undefined,
    put(topic, ...changed) {
      const held = new Map((rows.get(topic) ?? []).map((row) => [row.key, row]));
      for (const row of changed) held.set(row.key, row);
      rows.set(topic, [...held.values()]);
      for (const listener of listeners.get(topic) ?? []) listener();
    },
    open(topic, visibility) {
      const text = formatTopic(topic);
      if (!rows.has(text)) return undefined;
      const name = `${text} ${visibility === 'all' ? '*' : visibility.join(',')}`;
      opened.push(name);
      let seq = 1;
      let held = rows.get(text) ?? [];
      const own = new Set<() => void>();
      const whole = (): WindowSnapshot<Keyed> => ({
        seq: { bootId: 'boot-1', seq },
        freshness,
        total: held.length,
        order: held.map(({ key }) => key),
        rows: [...held],
      });
      const topicListeners = listeners.get(text) ?? new Set();
      listeners.set(text, topicListeners);
      return {
        topic: text,
        snapshot: whole,
        refresh(): WindowDelta<Keyed> | null {
          refreshes++;
          const next = rows.get(text) ?? [];
          const changed = next.filter((row) => !held.includes(row));
          if (changed.length === 0) return null;
          held = next;
          seq++;
          return { ...whole(), rows: changed };
        },
        onDirty(handler) {
          own.add(handler);
          topicListeners.add(handler);
          return () => {
            own.delete(handler);
            topicListeners.delete(handler);
          };
        },
        release() {
          for (const handler of own) topicListeners.delete(handler);
          opened.splice(opened.indexOf(name), 1);
        },
      };
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}
