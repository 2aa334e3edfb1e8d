import { isAppError } from '@/lib/contract/app-error';
import type { WrittenProblem } from '@/lib/contract/change-rows';
import type { ErrorCode } from '@/lib/contract/error-code';
import { readValues } from '@/lib/std/yaml/read-values';
import { parseManifest, parseValues } from '../manifest-text';
import { checkApplicationText } from './check-application-text';
import { parseApplicationText } from './parse-application-text';

/** What is to be done with a text that somebody sent. */
export interface TextTask {
  readonly task: 'parse' | 'check' | 'values' | 'object' | 'chart-values';
  readonly text: string;
  /** Levels that it may be nested. */
  readonly deepest?: number | undefined;
}

/** What came of it. An object is told as JSON, which the main thread takes in several times faster than a copy of its members. */
export type TextAnswer =
  | { readonly kind: 'parsed'; readonly json: string }
  | { readonly kind: 'checked'; readonly problems: readonly WrittenProblem[] }
  | {
      readonly kind: 'refused';
      readonly code: ErrorCode;
      readonly sentence: string;
      readonly details: Readonly<Record<string, unknown>> | undefined;
    };

const READ = { parse: parseApplicationText, values: parseValues, object: parseManifest, 'chart-values': readValues };

/** Does what is asked with a text; a refusal is an answer, since errors lose their class between threads. */
export function answerText({ task, text, deepest }: TextTask): TextAnswer {
  try {
    if (task === 'check') return { kind: 'checked', problems: checkApplicationText(text, deepest) };
    return { kind: 'parsed', json: JSON.stringify(READ[task](text, deepest)) };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { kind: 'refused', code: error.code, sentence: error.message, details: error.details };
  }
}
