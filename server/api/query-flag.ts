import { z } from 'zod';

/** A switch in a query: there, with or without a value that says yes. */
export const flag = z
  .enum(['', 'true', '1', 'false', '0'], 'must be true or false')
  .default('false')
  .transform((text) => text !== 'false' && text !== '0');
