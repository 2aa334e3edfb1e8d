export { type Clock, type Release, realClock } from './clock';
export { type Config, describeSettings, readConfig } from './config';
export { createSeededIds, type Ids, systemIds } from './ids';
export { Lifetimes } from './lifetimes';
export { createLog, LOG_LEVELS, type Log, type LogLevel, silentLog } from './log';
export { ManualClock } from './manual-clock';
export { Counter, createMetrics, Gauge, Histogram, Registry } from './metrics';
export { createRandom, type Random } from './random';
export { supervise } from './supervise';
