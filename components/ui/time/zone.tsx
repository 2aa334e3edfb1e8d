'use client';

import { createContext, useContext } from 'react';
import type { Zone } from '@/lib/words/times';
import { UTC } from '@/lib/words/times';

/** The one zone of a page: the server and the browser read it from the same cookie. */
export const ZoneContext = createContext<Zone>(UTC);

/** The zone in which this page says times. */
export function useZone(): Zone {
  return useContext(ZoneContext);
}
