import type { LookView, ReleaseDetail } from '@/lib/contract/release-rows';
import type { StandingView } from '@/lib/contract/system-rows';
import { toIso } from '@/lib/std/instant';
import { LOOP_WORD, sayRelease } from '@/lib/words/say-release';
import { asHeadline } from '../headline';
import type { Journal } from '../system/journal';
import type { SeenRelease } from './describe';
import { toReleaseRow } from './release-row';

const MOST_TIMELINE = 100;

interface ReleaseDetailDeps {
  readonly journal: Pick<Journal, 'about'>;
  readonly standing: StandingView;
}

/** Everything the page of one release shows but what stands in Helm's storage, which is read when somebody looks. */
export function toReleaseDetail(seen: SeenRelease, { journal, standing }: ReleaseDetailDeps): ReleaseDetail {
  const { object, told } = seen;
  const row = toReleaseRow(seen);
  return {
    ...row,
    uid: told.uid,
    generation: told.generation,
    apiVersion: object.apiVersion,
    standing,
    stored: told.stored,
    origin: told.origin,
    upgrade: asHeadline(sayRelease(told.upgrade)),
    conditions: [...told.conditions],
    looks: told.looks.map(toLook),
    timeline: journal
      .about(row.ns, row.name)
      .filter(({ kind }) => kind === object.kind)
      .slice(0, MOST_TIMELINE)
      .map(({ key, at, actor, action, message }) => ({ key, at, actor, action, message })),
  };
}

function toLook({ at, since, times, by, outcome, revision, rule, error }: SeenRelease['told']['looks'][number]): LookView {
  const evidence = { revision: revision ?? null, rule: rule ?? null, error: error ?? null };
  return { key: `${since} ${by} ${outcome}`, at: toIso(at), since: toIso(since), times, by: LOOP_WORD[by], outcome, ...evidence };
}
