import type { Figure } from './figure';
import { judge, ratioOf } from './figure';

/** What one benchmark measured. */
export interface Report {
  readonly name: string;
  readonly seconds: number;
  readonly figures: readonly Figure[];
}

/** The figures as JSON carries them, each with its ratio and verdict. */
export function toJson(reports: readonly Report[]): string {
  const benchmarks = reports.map(({ figures, ...report }) => ({
    ...report,
    figures: figures.map((figure) => ({ ...figure, ratio: ratioOf(figure), verdict: judge(figure) })),
  }));
  return `${JSON.stringify({ node: process.version, benchmarks }, undefined, 2)}\n`;
}

const HEADS = ['figure', 'measured', 'beside', 'ratio', 'limit', ''];

/** The figures of one benchmark as a table. */
export function toTable({ name, seconds, figures }: Report): string {
  const rows = [HEADS, ...figures.map(toCells)];
  const widths = HEADS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [`${name} (${seconds.toFixed(0)} s)`, ...lines.map((line) => `  ${line}`)].join('\n');
}

function toCells(figure: Figure): string[] {
  const { what, value, unit, beside, limit } = figure;
  const ratio = ratioOf(figure);
  return [
    what,
    `${show(value)} ${unit}`,
    beside === undefined ? '' : `${beside.what}: ${show(beside.value)} ${unit}`,
    ratio === undefined ? '' : `${show(ratio)} x`,
    limit === undefined
      ? ''
      : `${limit.atMost === undefined ? `>= ${show(limit.atLeast)}` : `<= ${show(limit.atMost)}`} ${limit.of === 'ratio' ? 'x' : unit}`,
    judge(figure),
  ];
}

function show(value: number): string {
  if (Number.isInteger(value)) return String(value);
  const size = Math.abs(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 4);
}
