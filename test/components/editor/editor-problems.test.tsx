import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { EditorProblems } from '@/components/editor/editor-problems';

it.each([
  ['before it is looked at', undefined, null, 'The text is not checked yet.'],
  ['when it cannot be looked at', undefined, 'The server does not answer.', 'The text could not be checked: The server does not answer.'],
  ['when all is well', [], null, 'No problems found.'],
])('[design 1] a text is not called good %s', (_when, problems, failure, sentence) => {
  render(<EditorProblems problems={problems} failure={failure} onGo={() => {}} />);
  expect(screen.getByRole('region', { name: 'Problems' })).toHaveTextContent(new RegExp(`^${sentence}$`));
});
