import { describe, expect, it } from 'vitest';
import { refuseSelector } from '@/lib/kube/labels/refuse-selector';
import { formatRequirement, meetsAll, readSelector } from '@/lib/kube/labels/selector-text';

const requirementsOf = (text: string) => {
  const read = readSelector(text);
  return read.ok ? read.requirements : [];
};

describe('a label selector as people type it', () => {
  it.each([
    ['app=web', { app: 'web' }, true],
    ['app==web', { app: 'api' }, false],
    ['app!=web', {}, true],
    ['app=web,tier in (a, b)', { app: 'web', tier: 'b' }, true],
    ['app=web,tier in (a,b)', { app: 'web', tier: 'c' }, false],
    ['tier notin (a)', { tier: 'a' }, false],
    ['!old', { old: '' }, false],
    ['example.com/team', { 'example.com/team': '' }, true],
    ['weight>3', { weight: '4' }, true],
    ['weight<3', { weight: '4' }, false],
    ['constructor', {}, false],
    ['', {}, true],
  ])('[issue 14.3] "%s" judges %j', (text, labels, expected) => {
    expect(refuseSelector(text)).toBeNull();
    expect(meetsAll(requirementsOf(text), labels)).toBe(expected);
  });

  it.each(['app=web', 'app!=web', 'tier in (a,b)', 'tier notin (a,b)', 'team', '!team', 'weight>3', 'weight<3', 'app='])(
    '[issue 14.3] writes "%s" so that it reads as the same',
    (text) => {
      expect(requirementsOf(text).map(formatRequirement)).toEqual([text]);
    },
  );

  it.each([
    ['=web', 'labels must be a selector such as "app=web,tier in (a,b)", found "=" where the key of a label belongs'],
    ['a b', 'the operator after a must be =, !=, in, notin, > or <, found "b"'],
    ['tier in a', 'the values of tier must be in parentheses, such as (a,b), found "a"'],
    ['tier in (a', 'the values of tier must end with ")", found nothing'],
    ['app=web,', 'labels must be a selector such as "app=web,tier in (a,b)", found nothing after a comma'],
    ['app=web tier', 'requirements must be separated by commas, found "tier" after app'],
    ['a/b/c', 'labels must be a selector such as "app=web,tier in (a,b)", found "a/b/c" where the key of a label belongs'],
    ['app=-web', 'the value of app must be up to 63 letters, digits, "-", "_" or ".", found "-web"'],
    ['weight>much', 'the value of weight must be a whole number after > and <, found "much"'],
    ['app=(web)', 'the value of app must be a string, found "("'],
    ['!', 'labels must be a selector such as "app=web,tier in (a,b)", found no key where the key of a label belongs'],
  ])('[issue 14.3] refuses "%s" with a sentence', (text, sentence) => {
    expect(refuseSelector(text)).toBe(sentence);
  });
});
