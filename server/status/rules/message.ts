import type { KubeObject } from '@/lib/kube/object';
import { stripEnd } from '@/lib/std/text/strip';
import { compileAlternatives } from './field-path';
import type { Match } from './guard';

/** Fills the holes of a text. */
export type RenderMessage = (object: KubeObject, match: Match) => string;

const HOLE = /\{([^{}]*)\}/g;
const CONDITION = 'condition.';

/**
 * Compiles a text with holes: `{.status.phase}` reads the object, `{condition.message}` the condition that held. Alternatives
 * are parted by `|`; several values are listed with commas.
 */
export function compileMessage(text: string): RenderMessage {
  const parts = text.split(HOLE).map((part, index) => (index % 2 === 0 ? part : compileHole(part)));
  return (object, match) => joinFilled(parts.map((part) => (typeof part === 'string' ? part : part(object, match))));
}

/** A text ends with a literal, empty where it ends in a hole. A hole that stays empty there takes along the mark that leads up to it. */
function joinFilled(filled: readonly string[]): string {
  const whole = filled.length > 2 && filled.at(-1) === '' && filled.at(-2) === '' ? filled.slice(0, -2) : filled;
  const text = whole.join('');
  return whole === filled ? text : withoutMark(stripEnd(text, ' '));
}

const withoutMark = (text: string) => (/[.:,]$/.test(text.slice(-1)) ? text.slice(0, -1) : text);

function compileHole(hole: string): RenderMessage {
  // A condition is read like an object of its own, so that one grammar serves both.
  const parts = hole.split('|').map((part): RenderMessage => {
    const ofCondition = part.startsWith(CONDITION);
    const read = compileAlternatives(ofCondition ? `.${part.slice(CONDITION.length)}` : part);
    return (object, { condition }) =>
      read(ofCondition ? condition : object)
        .map(toText)
        .join(', ');
  });
  return (object, match) => {
    for (const fill of parts) {
      const found = fill(object, match);
      if (found !== '') return found;
    }
    return '';
  };
}

function toText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
