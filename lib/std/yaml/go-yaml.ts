import type { DocumentOptions, ParseOptions, SchemaOptions, Tags } from 'yaml';
import { GO_NUMBERS } from './go-number';
import { GO_TEXTS, goTag } from './go-tags';

/** What Go reads otherwise than the parser, or not at all. */
const FOREIGN = /:(int|float|binary|omap|pairs|set|timestamp)$/;

/**
 * YAML as Helm and the API server read it, which is that of 1.1: `yes` is true and `0644` is 420; times and `1:30` are texts. Of a key said twice the last
 * counts. Whole numbers beyond 2^53 come as bigint.
 */
export const GO_YAML = {
  version: '1.1',
  uniqueKeys: false,
  customTags: (tags: Tags): Tags => [
    ...GO_NUMBERS,
    ...GO_TEXTS,
    ...tags.flatMap((tag) => (typeof tag === 'string' ? tag : FOREIGN.test(tag.tag) ? [] : tag.collection ? tag : goTag(tag))),
  ],
} as const satisfies ParseOptions & DocumentOptions & SchemaOptions;
