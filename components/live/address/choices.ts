'use client';

import { useCallback } from 'react';
import { changeListUrl } from './list-url';
import { useAddress } from './use-address';

type Choices = Parameters<typeof changeListUrl>[1];

/** What is chosen on a page lives in its address, so that a link shows the same; what is null is taken out. */
export function useChoices(): { readonly chosen: URLSearchParams; readonly choose: (choices: Choices) => void } {
  const { params, write } = useAddress();
  const choose = useCallback((choices: Choices) => write(changeListUrl(new URLSearchParams(globalThis.location.search), choices)), [write]);
  return { chosen: params, choose };
}
