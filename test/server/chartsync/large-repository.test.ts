import { expect, it } from 'vitest';
import { walkLargeRepository } from '../../support/large-repository-walk';

const COMMITS = 50_000;

it('[issue 12.3] a repository of 50,000 commits and 50 MB is mirrored, fetched, asked for the commits of a chart and exported', async () => {
  const walked = await walkLargeRepository({ commits: COMMITS, bytes: 50 * 1024 * 1024 });
  expect(walked.bytes).toBeGreaterThan(50 * 1024 * 1024);
  // Of the 20 that were added two are multiples of ten, and the last one is no multiple.
  expect(walked.found).toHaveLength(3);
  expect(walked.found[0]).toBe(walked.added);
  expect(walked.subjects.slice(0, 5)).toEqual([50_019, 50_010, 50_000, 49_999, 49_990].map((at) => `commit ${at}`));
  expect(walked.subjects).toHaveLength(50);
  expect(walked.exported).toEqual(['Chart.yaml', 'values.yaml']);
}, 180_000);
