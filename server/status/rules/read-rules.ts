import { parseDocument } from 'yaml';
import type { z } from 'zod';
import { AppError, messageOf } from '@/lib/contract/app-error';
import { explainIssue, formatPath, toStep } from '@/lib/kube/explain-issue';
import { compileGuard } from './guard';
import { compileMessage } from './message';
import type { StatusRule, StatusRuleFile } from './rule';
import { statusRuleFile } from './rule';

/** Reads rules from YAML or JSON. Throws AppError with a sentence per mistake. */
export function parseStatusRules(text: string, file: string): readonly StatusRule[] {
  return parseRuleFile(text, file).rules;
}

/** Reads rules and what is expected of them. */
export function parseRuleFile(text: string, file: string): StatusRuleFile {
  const document = parseDocument(text);
  if (document.errors.length > 0)
    throw new AppError('invalid', document.errors.map(({ message }) => `${file}: ${firstLine(message)}`).join('\n'));
  const content: unknown = document.toJS({ maxAliasCount: 0 });
  const parsed = statusRuleFile.safeParse(content);
  if (!parsed.success)
    throw new AppError('invalid', parsed.error.issues.flatMap((issue) => describeIssue(issue, content, file)).join('\n'));
  const mistakes = parsed.data.rules.flatMap((rule, index) => checkRule(rule).map((mistake) => `${file}: rules[${index}].${mistake}`));
  if (mistakes.length > 0) throw new AppError('invalid', mistakes.join('\n'));
  return parsed.data;
}

/** Paths and expressions have a grammar of their own, which only compiling tells. */
function checkRule({ rows = [] }: StatusRule): readonly string[] {
  return rows.flatMap(({ when = [], message, reason }, at) => [
    ...when.flatMap((guard, index) => mistakeOf(`rows[${at}].when[${index}]`, () => compileGuard(guard))),
    ...mistakeOf(`rows[${at}].message`, () => compileMessage(message)),
    ...mistakeOf(`rows[${at}].reason`, () => compileMessage(reason ?? '')),
  ]);
}

function mistakeOf(field: string, compile: () => unknown): readonly string[] {
  try {
    compile();
    return [];
  } catch (error) {
    return [`${field} ${messageOf(error)}`];
  }
}

function describeIssue(issue: z.core.$ZodIssue, content: unknown, file: string): readonly string[] {
  const where = formatPath(issue.path.map(toStep)) || 'the file';
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => `${file}: ${where} knows no ${key}`);
  return [`${file}: ${where} ${explainIssue(issue, { value: content, schema: statusRuleFile })}`];
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text;
}
