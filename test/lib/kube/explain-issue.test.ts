import { expect, it } from 'vitest';
import { z } from 'zod';
import { explainIssue, formatPath, showKind, toStep } from '@/lib/kube/explain-issue';

const gate = z.object({
  name: z.string().min(2),
  atPercent: z.number().max(100),
  groups: z.array(z.string()).min(1),
  on: z.boolean(),
  mode: z.enum(['fast', 'slow']),
  time: z.custom((value) => value === '90s', 'must be a duration such as 90s'),
});
const GOOD = { name: 'web', atPercent: 50, groups: ['ops'], on: true, mode: 'fast', time: '90s' };

it.each([
  [{ name: 'w' }, 'name must have at least 2 characters, found "w"'],
  [{ name: 3 }, 'name must be a string, found 3'],
  [{ atPercent: 400 }, 'atPercent must be at most 100, found 400'],
  [{ groups: [] }, 'groups must have at least 1 member, found []'],
  [{ groups: 'ops' }, 'groups must be a list, found "ops"'],
  [{ groups: [7] }, 'groups[0] must be a string, found 7'],
  [{ on: undefined }, 'on must be true or false, found nothing'],
  [{ mode: 'quick' }, 'mode must be "fast" or "slow", found "quick"'],
  [{ time: 'soon' }, 'time must be a duration such as 90s, found "soon"'],
])('[issue 11.3] says which field is wrong, what was wanted and what was found: %j', (change, sentence) => {
  const value = { ...GOOD, ...change };
  const said = gate
    .safeParse(value)
    .error?.issues.map((issue) => `${formatPath(issue.path.map(toStep))} ${explainIssue(issue, { value, schema: gate })}`);
  expect(said).toEqual([sentence]);
});

it('[issue 11.3] repeats nothing of what may be a password', () => {
  const schema = z.object({ token: z.string().max(3) });
  const value = { token: 'secret' };
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  expect(issue && explainIssue(issue, { value, schema, show: showKind })).toBe(
    'must have at most 3 characters, found a string of 6 characters',
  );
});

it('[issue 11.3] says of the name of a member what was wanted of it, and which it was', () => {
  const schema = z.object({ http: z.record(z.string().startsWith('/', 'must be paths that begin with a slash'), z.number()) });
  const value = { http: { a: 80 } };
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  expect(issue && explainIssue(issue, { value, schema })).toBe('must be paths that begin with a slash, found "a"');
});
