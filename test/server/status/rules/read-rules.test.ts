import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { compute } from '@/server/status/compute';
import { loadStatusRules } from '@/server/status/custom/status-rules';
import { compileRules } from '@/server/status/rules/compile';
import { parseStatusRules } from '@/server/status/rules/read-rules';
import type { State } from './evaluate';
import { anObject, NOW } from './evaluate';

const FILE = 'test/fixtures/status/rules.yaml';
const rule = (rows: string) => `rules: [{ kind: water.example.com/Pump, rows: ${rows} }]`;
const row = (when: string) => rule(`[{ when: [${when}], status: Current, message: fine }]`);

describe('rules of a file', () => {
  const PUMPS: readonly (readonly [State, string, string])[] = [
    [{ status: { conditions: [{ type: 'Dry', status: 'True', message: 'no water' }] } }, 'Failed', 'Pump is dry: no water'],
    [{ spec: { litres: 40 }, status: { litres: 12 } }, 'InProgress', 'Filling: 12/40'],
    [{}, 'InProgress', 'Filling: 0/10'],
    [{ status: { litres: 10, valves: [{ open: false }, { open: true }] } }, 'Current', 'Pump runs'],
    [{ status: { litres: 10, valves: [{ open: false }] } }, 'InProgress', 'Every valve is shut'],
    [{ status: { litres: 10 } }, 'InProgress', 'Every valve is shut'],
    [{ spec: { paused: true }, status: { litres: 10 } }, 'Current', 'Resource is current'],
  ];
  it.each(PUMPS)('[status 11.7] tells of %j that it is %s', async (state, status, message) => {
    const rules = await loadStatusRules(FILE);
    expect(compute(anObject('water.example.com/v1', 'Pump', state), NOW, rules)).toMatchObject({ status, message });
  });

  it('[status 11.7] replaces a rule of the house for the same kind and leaves the others', async () => {
    const rules = await loadStatusRules(FILE);
    expect(compute(anObject('networking.k8s.io/v1', 'Ingress', {}), NOW, rules).message).toBe('Ingress is written');
    expect(compute(anObject('serving.knative.dev/v1', 'Service', {}), NOW, rules).status).toBe('InProgress');
  });

  it('[status 11.7] may be JSON', async () => {
    const yaml = parseStatusRules(await readFile(FILE, 'utf8'), FILE);
    expect(parseStatusRules(JSON.stringify({ rules: yaml }), 'rules.json')).toEqual(yaml);
  });

  it('[status 4] says of an object for which an expression makes no sense that it cannot be told', () => {
    const rules = compileRules(parseStatusRules(row('{ cel: object.spec.litres > 3 }'), 'x'));
    expect(() => compute(anObject('water.example.com/v1', 'Pump', { spec: { litres: 'many' } }), NOW, { rules })).toThrow(
      'the rule "object.spec.litres > 3" cannot be evaluated for this object',
    );
  });

  it.each([
    ['[]', 'x.yaml: the file must be a map with rules, found []'],
    ['rules: no', 'x.yaml: rules must be a list of rules, found "no"'],
    [
      'rules: [{ kind: pump, rows: [] }]',
      'x.yaml: rules[0].kind must be group/Kind, Kind for the core group, or a family: group/*, *.suffix/Kind, *.suffix/*, found "pump"',
    ],
    [
      row('{ since: .status.startedAt, after: soon }'),
      'x.yaml: rules[0].rows[0].when[0].after must be a duration such as 5m, found "soon"',
    ],
    ['rules: [{ kind: Pump }]', 'x.yaml: rules[0].rows must be a list of rows, found nothing'],
    ['rules: [{ kind: Pump, rows: [], colour: red }]', 'x.yaml: rules[0] knows no colour'],
    [
      rule('[{ status: Ready, message: fine }]'),
      'x.yaml: rules[0].rows[0].status must be Current, InProgress, Failed or Unknown, found "Ready"',
    ],
    [rule('[{ status: Current }]'), 'x.yaml: rules[0].rows[0].message must be a string, found nothing'],
    [
      row('{ when: now }'),
      'x.yaml: rules[0].rows[0].when[0] must be a guard: condition, path, since, cel, not or any, found {"when":"now"}',
    ],
    [
      row('{ condition: Ready, status: True }'),
      'x.yaml: rules[0].rows[0].when[0].status must be "True", "False" or "Unknown", in quotes, or a list of them, found true',
    ],
    [row('{ not: { condition: 3 } }'), 'x.yaml: rules[0].rows[0].when[0].not.condition must be a string, found 3'],
    [row('{ cel: "true", or: 1 }'), 'x.yaml: rules[0].rows[0].when[0] knows no or'],
    [
      row('{ path: .a }'),
      'x.yaml: rules[0].rows[0].when[0] must have exactly one of present, is, below, above beside path, found {"path":".a"}',
    ],
    [row('{ path: status, is: x }'), 'x.yaml: rules[0].rows[0].when[0].path must be a path such as .status.phase, found "status"'],
    [
      row('{ path: ".a[?]", is: x }'),
      'x.yaml: rules[0].rows[0].when[0] must be a path such as .status.phase, found ".a[?]", which is invalid from "[?]"',
    ],
    [row('{ cel: "object.(" }'), 'x.yaml: rules[0].rows[0].when[0] must be a CEL expression, found "object.(": '],
    ['rules: [', 'x.yaml: '],
  ])('[status 11.7] says in a sentence what is wrong with %s', (text, sentence) => {
    let said = '';
    try {
      parseStatusRules(text, 'x.yaml');
    } catch (error) {
      said = String((error as Error).message);
    }
    expect(said.split('\n')).toHaveLength(1);
    expect(said).toContain(sentence);
  });

  it('[status 11.7] tells every mistake, each in a line', () => {
    expect(() => parseStatusRules('rules: [{ kind: pump, rows: no }]', 'x.yaml')).toThrow(/rules\[0\]\.kind .*\n.*rules\[0\]\.rows /);
  });

  it('[status 11.7] says which file is not there', async () => {
    await expect(loadStatusRules('test/fixtures/status/none.yaml')).rejects.toThrow(
      'the status rules of test/fixtures/status/none.yaml cannot be read: ',
    );
  });
});
