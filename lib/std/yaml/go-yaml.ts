import type { DocumentOptions, ParseOptions, ScalarTag, SchemaOptions, Tags } from 'yaml';

const FOREIGN = /:(binary|omap|pairs|set|timestamp)$/;

/** `0o644`, which YAML 1.1 does not know, beside its own `0644`. */
const OCTAL: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  test: /^[-+]?0[oO][0-7_]+$/,
  resolve: (text: string) => (text.startsWith('-') ? -1 : 1) * Number.parseInt(text.replace(/^[-+]?0[oO]|_/g, ''), 8),
};

/** YAML as Helm and the API server read it, which is that of 1.1: `yes` is true and `0644` is 420; times and `1:30` are texts. Of a key said twice the last counts. */
export const GO_YAML = {
  version: '1.1',
  uniqueKeys: false,
  customTags: (tags: Tags): Tags => [
    OCTAL,
    ...tags.filter((tag) => typeof tag === 'string' || !(FOREIGN.test(tag.tag) || tag.format === 'TIME')),
  ],
} as const satisfies ParseOptions & DocumentOptions & SchemaOptions;
