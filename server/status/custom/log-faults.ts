import type { Log } from '@/server/platform';
import type { StatusRules } from './status-rules';

/** Logs what is wrong with the rules of a team whenever that changes, and that it is right again. */
export function logFaults(rules: Pick<StatusRules, 'sources' | 'onChange'>, log: Pick<Log, 'warn' | 'info'>): void {
  const told = new Map<string, string>();
  rules.onChange(() => {
    for (const { setting, place, fault } of rules.sources()) {
      const source = `${setting} ${place}`;
      const now = fault?.sentences.join('\n') ?? '';
      const before = told.get(source) ?? '';
      if (now === before) continue;
      told.set(source, now);
      if (now === '') log.info({ setting, place }, 'status rules are valid again and in force');
      else log.warn({ setting, place, faults: fault?.sentences }, 'status rules are invalid; the last valid ones stay in force');
    }
  });
}
