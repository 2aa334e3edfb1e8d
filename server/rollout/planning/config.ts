import { StageFault } from '../fault';

/** How a rollout is staged. The strategy keeps its letter case here. */
export interface StageConfig {
  readonly overConsumptionRatio: number;
  readonly progressiveRolloutEnabled: boolean;
  readonly stageRolloutTimeoutMinutes: number;
  readonly rolloutDuration: string;
  readonly progressiveRolloutStrategy: string;
}

export const DEFAULT_STAGE_CONFIG: StageConfig = {
  overConsumptionRatio: 10,
  progressiveRolloutEnabled: true,
  stageRolloutTimeoutMinutes: 2,
  rolloutDuration: '0',
  progressiveRolloutStrategy: 'availability',
};

const ANNOTATION_PREFIX = 'rollout.knative.dev/';
const DURATION_ANNOTATION = 'serving.knative.dev/rollout-duration';
const TRUE_WORDS = ['1', 't', 'T', 'TRUE', 'true', 'True'];
const FALSE_WORDS = ['0', 'f', 'F', 'FALSE', 'false', 'False'];

type Words = Readonly<Record<string, string | undefined>>;

export interface ConfigSources {
  readonly configMap?: Words | undefined;
  readonly networkConfigMap?: Words | undefined;
  /** Annotations of the template: everything but the duration. */
  readonly templateAnnotations?: Words | undefined;
  /** Annotations of the service itself: the duration. */
  readonly serviceAnnotations?: Words | undefined;
}

/** Reads a whole number: an optional sign and digits, no spaces, and no more of them than a number holds exactly. */
export function parseWholeNumber(text: string | undefined): number | undefined {
  if (text === undefined || !/^[+-]?\d+$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}

function parseBoolean(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (TRUE_WORDS.includes(text)) return true;
  return FALSE_WORDS.includes(text) ? false : undefined;
}

/** The configuration in force. A config map that cannot be read is a fault, an annotation that cannot be read is ignored. */
export function readStageConfig({ configMap, networkConfigMap, templateAnnotations, serviceAnnotations }: ConfigSources): StageConfig {
  const annotation = (key: string) => templateAnnotations?.[`${ANNOTATION_PREFIX}${key}`];
  const value = <T>(key: string, parse: (text: string | undefined) => T | undefined, fallback: T): T => {
    const text = configMap?.[key];
    const mapped = text === undefined ? fallback : parse(text);
    if (mapped === undefined) throw new StageFault('ConfigParse', `config map value ${key} cannot be read: "${text}"`);
    return parse(annotation(key)) ?? mapped;
  };
  const fallback = DEFAULT_STAGE_CONFIG;
  return {
    overConsumptionRatio: value('over-consumption-ratio', parseWholeNumber, fallback.overConsumptionRatio),
    progressiveRolloutEnabled: value('progressive-rollout-enabled', parseBoolean, fallback.progressiveRolloutEnabled),
    stageRolloutTimeoutMinutes: value('stage-rollout-timeout-minutes', parseWholeNumber, fallback.stageRolloutTimeoutMinutes),
    rolloutDuration:
      serviceAnnotations?.[DURATION_ANNOTATION] ?? networkConfigMap?.['rollout-duration']?.trim() ?? fallback.rolloutDuration,
    progressiveRolloutStrategy: chooseStrategy(
      configMap?.['progressive-rollout-strategy']?.trim(),
      annotation('progressive-rollout-strategy'),
    ),
  };
}

// resourceutil wins from either place, since it is what keeps a full cluster from overflowing.
function chooseStrategy(mapped = DEFAULT_STAGE_CONFIG.progressiveRolloutStrategy, annotated: string | undefined): string {
  const saving = (name: string | undefined) => name?.toLowerCase() === 'resourceutil';
  if (saving(mapped) && !saving(annotated)) return mapped;
  return annotated ?? mapped;
}
