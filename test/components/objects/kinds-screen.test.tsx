import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { KindsScreen } from '@/components/objects/kinds-screen';
import { POD_KIND } from '@/test/support/fixture/objects';
import { answerFetch, showScreen } from '@/test/support/screen';

it.each([
  [[], 'You may not list 57 kinds in all namespaces. Choose a namespace to see what you may list in it.'],
  [[POD_KIND], 'You may not list 57 more kinds in all namespaces. Choose a namespace to see what you may list in it.'],
])('[issue 14.1] beside the kinds %j says how many may not be listed, "more" only beside some', async (kinds, said) => {
  using _log = answerFetch({ 'GET /api/v1/kinds': () => Response.json({ kinds, left: 57, incomplete: false }) });
  await showScreen(<KindsScreen />, { path: '/objects' });
  expect(await screen.findByText(said)).toBeInTheDocument();
});
