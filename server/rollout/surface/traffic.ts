import type { Revisions, Rollout, SpaFigures, TargetRevision } from '../model';
import type { StageConfig } from '../planning/config';
import type { TrafficItem } from '../planning/targets';
import { isTrue } from '../stage/conditions';

export interface TrafficInput {
  readonly service: { readonly name: string; readonly traffic?: readonly TrafficItem[] | undefined };
  readonly ro: Pick<Rollout, 'spec' | 'status'>;
  readonly config: StageConfig;
  /** Figures of a revision's StagePodAutoscaler; undefined when it is missing or cannot be read. */
  readonly figuresOf: (revision: string) => SpaFigures | undefined;
}

/** What is written to the router. A split that people wrote themselves is left alone. */
export function stageTraffic(input: TrafficInput): readonly TrafficItem[] {
  const { service, ro, config } = input;
  if ((service.traffic?.length ?? 0) > 1) return service.traffic ?? [];
  const complete = isTrue(ro.status.conditions, 'LastStageReady');
  return routedRevisions(input).flatMap((revision) => {
    const drops = revision.percent === undefined && (complete || config.rolloutDuration !== '0');
    return drops ? [] : [toItem(revision, service.name)];
  });
}

// Zero percent keeps an old revision's pods alive; a missing item would have them stopped in mid-stage.
function toItem(revision: TargetRevision, service: string): TrafficItem {
  const { latestRevision, percent = 0, tag, url } = revision;
  const name =
    latestRevision === true ? { configurationName: revision.configurationName || service } : { revisionName: revision.revisionName };
  return { ...name, latestRevision, percent, tag, url };
}

/** The stage's list, or the last completed one while the new revision is not up yet. */
function routedRevisions({ ro, config, figuresOf }: TrafficInput): Revisions {
  const { targetRevisions: target = [], stageTargetRevisions: stage = [] } = ro.spec;
  const reached = ro.status.stageRevisionStatus ?? [];
  const [final] = target;
  const gated =
    target.length === 1 &&
    final !== undefined &&
    config.progressiveRolloutEnabled &&
    config.progressiveRolloutStrategy.toLowerCase() === 'availability' &&
    config.rolloutDuration === '0' &&
    reached.length > 0 &&
    !isUp(final, stage, figuresOf(final.revisionName));
  if (!gated) return stage;
  const held = reached.map((revision) =>
    revision.revisionName === final.revisionName ? revision : { ...revision, latestRevision: false },
  );
  const last = stage.at(-1);
  const present = held.some(({ revisionName }) => revisionName === final.revisionName);
  return present || last === undefined ? held : [...held, { ...last, percent: 0 }];
}

function isUp(final: TargetRevision, stage: Revisions, figures: SpaFigures | undefined): boolean {
  if (figures?.actualScale === undefined) return false;
  const staged = stage.find(({ revisionName }) => revisionName === final.revisionName);
  const { minScale } = final;
  const needed = staged?.targetReplicas ?? minScale;
  if (needed === undefined || minScale === undefined) return true;
  return needed > minScale || figures.actualScale >= needed;
}
