import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formatNumber, formatPercent } from '@/lib/words/figures';
import * as times from '@/lib/words/times';
import { UTC } from '@/lib/words/times';
import { collectOf, collectTexts } from './collect-texts';

// What the embedded cluster, kstatus and KubeVela say is their wording, and SQL is not read by people.
const OF_OTHERS = /^server\/(?:embedded|status|store|dispatch\/steps\/find-trackers)/;
const MAX_WORDS = 30;
const FORBIDDEN = [
  [/\bwant(?:s|ed)?\b/i, 'must be, needs, requires'],
  [/\banew\b/i, 'again'],
  [/\bin favou?r of\b/i, 'replaced by'],
  [/\bas it stands\b/i, 'unchanged'],
  [/\blook(?:s|ed|ing)? (?:on|at it again)\b/i, 'read-only; review'],
  [/\bwork(?:s|ed|ing)? (?:it |the plan )?out\b/i, 'compute'],
  [/\bcarries everything\b/i, 'all traffic goes to'],
  [/\bwaits? to go\b/i, 'will be deleted'],
  [/\bput into order\b|\bmends? it\b/i, 'fix'],
  [/\b(?:please|simply|easily|just|oops|sorry)\b/i, 'leave it out'],
  [/\b(?:utili[sz]e|leverage|via|e\.g\.|i\.e\.)(?:\s|$)/i, 'use; by; such as; that is'],
  [/\b(?:can|don|isn|won|doesn|couldn)['’]t\b/i, 'cannot, do not, is not'],
  [/\b(?:some|no|any|every)body\b|\bwhoever\b/i, 'no one, someone, or who it is'],
  [/!(?:\s|$)/, 'a full stop'],
] as const;

const texts = collectTexts(['app', 'components', 'lib', 'server']).filter(({ where }) => !OF_OTHERS.test(where));
const offences = (pattern: RegExp) => texts.filter(({ text }) => pattern.test(text)).map(({ where, text }) => `${where}: ${text}`);

describe('a text of the product', () => {
  it('[issue 11.3] is found wherever it stands: in quotes, in a template, between tags, and in an attribute that people read', () => {
    const source = `const a = 'said here'; const b = \`said \${a} there\`; const c = <p title='on hover' className='not this'>between\n  tags {a}</p>;`;
    expect(collectOf('a.tsx', source).map(({ text }) => text)).toEqual(['said here', 'said {} there', 'on hover', 'between tags']);
    expect(texts.length).toBeGreaterThan(2000);
  });

  it.each(FORBIDDEN)('[issue 11.3] avoids %s and says: %s', (pattern) => {
    expect(offences(pattern)).toEqual([]);
  });

  it(`[issue 11.3] has at most ${MAX_WORDS} words in a sentence`, () => {
    const lengthOf = (sentence: string) => sentence.split(' ').length;
    const long = texts.filter(({ text }) => text.split(/[.;:] /).some((sentence) => lengthOf(sentence) > MAX_WORDS));
    expect(long).toEqual([]);
  });

  it('[issue 11.3] writes a share as 20% and a number as 2,005', () => {
    expect([formatPercent(20), formatNumber(2005)]).toEqual(['20%', '2,005']);
    expect(offences(/(?:\d|\{\}) (?:%|percent)|\bper cent\b/)).toEqual([]);
    const onScreen = offences(/(?<![\w:./"`#=-])[1-9]\d{3,}(?![\w:./-])/).filter((found) => /^(?:app|components|lib)\//.test(found));
    expect(onScreen).toEqual([]);
  });

  it('[issue 11.3] says a moment in the zone of the page, made in one place', () => {
    expect(times.formatMoment(Date.parse('2026-03-03T13:05:09Z'), UTC)).toBe('3 Mar 2026, 13:05:09 UTC');
    const made = collectTexts(['app', 'components']).map(({ where }) => where.replace(/:\d+$/, ''));
    const own = [...new Set(made)].filter((file) =>
      /\bIntl\.|\.toLocale(?:Date|Time)?String\(|\.get(?:UTC)?Hours\(/.test(readFileSync(file, 'utf8')),
    );
    expect(own).toEqual([]);
  });
});

// How the house is built is told in design.md and style.md, and voice.md shows what it forbids.
const NOT_PUBLIC = ['design.md', 'style.md', 'voice.md'];
const DOCS = [
  'README.md',
  'deploy/README.md',
  'test/cluster/README.md',
  'test/bench/peers/README.md',
  ...readdirSync('docs').flatMap((name) => (name.endsWith('.md') && !NOT_PUBLIC.includes(name) ? [`docs/${name}`] : [])),
];

describe('a page of the docs', () => {
  it.each(DOCS)('[issue 11.3] avoids the same words, code and addresses aside: %s', (file) => {
    const blank = (code: string) => code.replace(/[^\n]/g, '');
    const lines = readFileSync(file, 'utf8')
      .replace(/```[\s\S]*?```|`[^`\n]*`|\]\([^)\n]*\)/g, blank)
      .split('\n');
    expect(lines.flatMap((line, at) => (FORBIDDEN.some(([pattern]) => pattern.test(line)) ? [`${at + 1}: ${line}`] : []))).toEqual([]);
  });
});

describe('docs/voice.md', () => {
  const page = readFileSync('docs/voice.md', 'utf8');
  const pairs = [...page.matchAll(/^\| (.+?) \| (.+?) \|$/gm)].map(([, before = '', after = '']) => ({ before, after })).slice(2);

  it('[issue 11.3] shows twenty pairs, whose better half keeps every rule', () => {
    expect(pairs).toHaveLength(20);
    const broken = pairs.filter(({ after }) => FORBIDDEN.some(([pattern]) => pattern.test(after)) || after.split(' ').length > MAX_WORDS);
    expect(broken).toEqual([]);
  });
});
