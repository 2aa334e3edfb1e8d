import { z } from 'zod';
import { RELEASE_KIND_NAMES } from '@/lib/contract/release-kind';
import type { NamedRelease } from './release-storage';
import { topicOf } from './release-storage';

/** Which kind of resource declares a release. */
export const kindQuery = z.strictObject({ kind: z.enum(RELEASE_KIND_NAMES).default('helmrelease') });

/** Looking at the release that a request names. */
export const viewRelease = (named: NamedRelease) => ({ kind: 'view-topic', topic: topicOf(named) }) as const;
