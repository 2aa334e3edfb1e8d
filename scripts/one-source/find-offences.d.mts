import type { Rule } from './rules.mjs';

type Sources = readonly { readonly file: string; readonly text: string }[];

/** Where a rule's sign stands outside of its home, comments aside: `[file, line, text]`. */
export function findOffences(rule: Pick<Rule, 'sign' | 'home'>, files: Sources): readonly (readonly [string, number, string])[];
/** What breaks a rule, a line each: a sign without a licence, a licence without its sign, a licence without a reason. */
export function explainOffences(rule: Pick<Rule, 'fact' | 'sign' | 'home' | 'instead' | 'licensed'>, files: Sources): readonly string[];
