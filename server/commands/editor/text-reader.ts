import { AppError, isAppError } from '@/lib/contract/app-error';
import type { WrittenProblem } from '@/lib/contract/change-rows';
import type { Fields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { ReadValues } from '@/lib/std/yaml/read-values';
import type { Session } from '@/server/auth';
import type { Clock } from '@/server/platform';
import type { TextAnswer, TextTask } from './answer-text';
import { startThread } from './start-thread';
import type { Outcome } from './thread-pool';
import { ThreadPool } from './thread-pool';

const LIMIT_MS = 10_000;

/** Reads texts that people send. Both throw AppError with a sentence for a text that cannot be taken on. */
export interface TextReader {
  /** The application that a text says; throws invalid for anything else. */
  parse(session: Session, text: string): Promise<KubeObject>;
  /** The one object of any kind that a text says; throws invalid for anything else. */
  object(session: Session, text: string): Promise<KubeObject>;
  /** The values of a release that a text says; throws invalid for what is no map. */
  values(session: Session, text: string): Promise<Fields>;
  /** What is wrong with a text, each where it stands; empty for one that could be applied. */
  check(session: Session, text: string): Promise<readonly WrittenProblem[]>;
}

/** Reads the values of a chart that a resource names, one text after another. Throws AppError with a sentence for one that takes too long. */
export interface ChartValuesReader {
  chartValues(text: string): Promise<ReadValues>;
}

/** Has a text read for somebody, by whatever does it. */
export type RunText = (owner: string, task: TextTask) => Promise<Outcome<TextAnswer>>;

/** A reader over threads of its own, which nothing that a text holds can keep from ending. */
export function openTextReader({ clock, deepest }: { readonly clock: Clock; readonly deepest?: number }): TextReader & AsyncDisposable {
  const pool = openPool(clock, 2);
  return {
    ...createTextReader((owner, task) => pool.run(owner, { ...task, deepest })),
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}

/** The same for values that resources name: on a thread that people who write do not wait for. */
export function openChartValuesReader(clock: Clock): ChartValuesReader & AsyncDisposable {
  const pool = openPool(clock, 1);
  let last: Promise<unknown> = Promise.resolve();
  const read = async (text: string): Promise<ReadValues> => {
    const answer = toAnswer(await pool.run('chart sync', { task: 'chart-values', text }), 'the text of values');
    if (answer.kind !== 'parsed') throw unexpected(answer.kind);
    return JSON.parse(answer.json) as ReadValues; // read as such by the thread
  };
  return {
    chartValues(text) {
      const next = last.then(() => read(text));
      last = next.catch(() => undefined); // told to whoever asked for it
      return next;
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}

function openPool(clock: Clock, mostThreads: number): ThreadPool<TextTask, TextAnswer> {
  return new ThreadPool<TextTask, TextAnswer>({
    start: startThread,
    clock,
    mostThreads,
    mostWaiting: 32,
    mostOfOne: 4,
    startLimitMs: 60_000,
    limitMs: LIMIT_MS,
    idleMs: 30_000,
  });
}

/** A reader over whatever reads texts: turns what came of it into an answer or a sentence. */
export function createTextReader(run: RunText): TextReader {
  const answerOf = async ({ user }: Session, task: TextTask) => toAnswer(await run(user, task));
  const parsed = async (session: Session, task: TextTask): Promise<unknown> => {
    const answer = await answerOf(session, task);
    if (answer.kind !== 'parsed') throw unexpected(answer.kind);
    return JSON.parse(answer.json);
  };
  return {
    async parse(session, text) {
      return (await parsed(session, { task: 'parse', text })) as KubeObject; // parsed as one by the thread
    },
    async object(session, text) {
      return (await parsed(session, { task: 'object', text })) as KubeObject; // parsed as one by the thread
    },
    async values(session, text) {
      return (await parsed(session, { task: 'values', text })) as Fields; // looked at by the thread
    },
    async check(session, text) {
      try {
        const answer = await answerOf(session, { task: 'check', text });
        if (answer.kind !== 'checked') throw unexpected(answer.kind);
        return answer.problems;
      } catch (error) {
        if (!isAppError(error) || error.code !== 'invalid') throw error;
        return [{ sentence: error.message, line: 1, column: 1, endLine: 1, endColumn: 1 }];
      }
    },
  };
}

function toAnswer(outcome: Outcome<TextAnswer>, what = 'the manifest'): Exclude<TextAnswer, { kind: 'refused' }> {
  if (outcome.kind !== 'answered') throw toRefusal(outcome, what);
  const { answer } = outcome;
  if (answer.kind !== 'refused') return answer;
  throw new AppError(answer.code, answer.sentence, answer.details === undefined ? {} : { details: answer.details });
}

function toRefusal(outcome: Exclude<Outcome<TextAnswer>, { kind: 'answered' }>, what: string): AppError {
  switch (outcome.kind) {
    case 'too-long':
      return new AppError('invalid', `${what} takes longer than ${LIMIT_MS / 1000} s to read; make it smaller or simpler`);
    case 'too-much-memory':
      return new AppError('invalid', `${what} takes too much memory to read; make it smaller or simpler`);
    case 'too-many-of-one':
      return new AppError('too-many', 'four of your manifests are already being read; try again when they are done');
    case 'too-many':
      return new AppError('too-many', 'too many manifests wait to be read; wait a moment and try again');
    case 'ended':
      return new AppError('unavailable', `${what} could not be read, because ${outcome.why}; nothing was changed, try again`);
  }
}

const unexpected = (found: string) => new Error(`a parsing thread answered ${found}, which was not asked for`);
