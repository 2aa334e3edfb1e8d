import type { StatusPolicy } from '@/lib/contract/health';
import type { Informers } from '@/server/kube';
import type { Clock, Release } from '@/server/platform';
import type { ComputeOptions, PartialRule, RuleMap } from '../compute';
import type { ClusterFacts } from '../health/kind-facts';
import { luaRules } from '../lua/lua-rules';
import type { LuaScript } from '../lua/lua-runner';
import { LuaRunner } from '../lua/lua-runner';
import { policyRules } from '../policies';
import { BUILT_IN_RULES } from '../rules/built-in-rules';
import { compileOwnRules, compileRules } from '../rules/compile';
import type { StatusRule } from '../rules/rule';
import { parseRuleLocations, RULES, scriptsBy } from './rule-location';
import type { RuleSourceState } from './rule-source';
import { RuleSource } from './rule-source';

/** Where a team keeps what it brings along, as settings name it. */
export interface CustomRuleSettings {
  readonly statusRules?: string | undefined;
  readonly healthLua?: string | undefined;
  readonly statusPolicies?: readonly StatusPolicy[];
}

interface Brought {
  readonly clock: Clock;
  readonly runner: LuaRunner | undefined;
  readonly ours: readonly StatusRule[];
}

/** Rules whose content changes underneath whoever holds them. */
class ChangingRules implements RuleMap {
  #rules: RuleMap = new Map();
  #changes = 0;

  get changes(): number {
    return this.#changes;
  }

  replace(rules: RuleMap): void {
    this.#rules = rules;
    this.#changes++;
  }

  get(key: string): PartialRule | undefined {
    return this.#rules.get(key);
  }

  has(key: string): boolean {
    return this.#rules.has(key);
  }

  keys(): MapIterator<string> {
    return this.#rules.keys();
  }
}

/** The rules in force: a team's own, its Lua health checks, ours, and policies. They change in place when what they were read from does. */
export class StatusRules implements AsyncDisposable {
  readonly options: ComputeOptions;
  readonly #own = new ChangingRules();
  readonly #lua = new ChangingRules();
  readonly #house = new ChangingRules();
  readonly #rules: readonly RuleSource<StatusRule>[];
  readonly #scripts: readonly RuleSource<LuaScript>[];
  readonly #runner: LuaRunner | undefined;
  readonly #ours: readonly StatusRule[];
  readonly #listeners = new Set<() => void>();
  readonly #releases: Release[] = [];
  #facts: ClusterFacts | undefined;

  private constructor(settings: CustomRuleSettings, { clock, runner, ours }: Brought) {
    const { statusRules = '', healthLua = '', statusPolicies = [] } = settings;
    this.#rules = parseRuleLocations(statusRules, '--status-rules').map(
      (place) => new RuleSource({ setting: '--status-rules', place, reading: RULES }, clock),
    );
    this.#scripts = parseRuleLocations(healthLua, '--health-lua').map(
      (place) => new RuleSource({ setting: '--health-lua', place, reading: scriptsBy(runner) }, clock),
    );
    this.#runner = runner;
    this.#ours = [...BUILT_IN_RULES, ...ours];
    const cluster: ClusterFacts = {
      declaresStatus: (type) => this.#facts?.declaresStatus(type),
      statusOfKind: (type) => this.#facts?.statusOfKind(type),
    };
    const policies = statusPolicies.length === 0 ? {} : { policies: statusPolicies, policyRules: policyRules(statusPolicies) };
    this.options = { profile: 'health', cluster, layers: [this.#own, this.#lua], rules: this.#house, ...policies };
  }

  /**
   * Reads what settings name; `ours` are rules of kinds that other rooms write. Throws AppError with a sentence per mistake of a file; ConfigMaps
   * are read once they are followed.
   */
  static async open(settings: CustomRuleSettings, clock: Clock, ours: readonly StatusRule[] = []): Promise<StatusRules> {
    const runner = settings.healthLua === undefined ? undefined : await LuaRunner.start(clock);
    try {
      const rules = new StatusRules(settings, { clock, runner, ours });
      await Promise.all([...rules.#rules, ...rules.#scripts].map((source) => source.begin()));
      rules.#compile();
      return rules;
    } catch (error) {
      await runner?.[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Follows files and ConfigMaps from now on, and asks the cluster about kinds whose objects have no status. */
  follow(informers: Pick<Informers, 'open'>, facts?: ClusterFacts): void {
    this.#facts = facts;
    const hear = () => {
      this.#compile();
      for (const listener of this.#listeners) listener();
    };
    for (const source of [...this.#rules, ...this.#scripts]) this.#releases.push(source.follow(informers, hear));
  }

  /** Hears when the rules have changed, or what is wrong with them: statuses are to be computed anew. */
  onChange(listener: () => void): Release {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** What was read from where, and what is wrong there. */
  sources(): readonly RuleSourceState[] {
    return [...this.#rules, ...this.#scripts].map((source) => source.facts());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const release of this.#releases.splice(0)) release();
    await this.#runner?.[Symbol.asyncDispose]();
  }

  /** A kind that a team has a rule for is judged by that alone. */
  #compile(): void {
    const own = new Map(this.#rules.flatMap((source) => [...compileRules(source.entries, source.facts().place)]));
    this.#own.replace(own);
    this.#house.replace(compileOwnRules(this.#ours.filter(({ kind }) => !own.has(kind))));
    if (this.#runner !== undefined)
      this.#lua.replace(
        luaRules(
          this.#scripts.flatMap(({ entries }) => entries),
          this.#runner,
        ),
      );
  }
}

/** The rules of the house and those of files, read once: for whoever does not stay. Throws AppError with a sentence per mistake. */
export async function loadStatusRules(files?: string, policies: readonly StatusPolicy[] = []): Promise<ComputeOptions> {
  const rules = await Promise.all(
    parseRuleLocations(files ?? '', '--status-rules').map((place) => (place.kind === 'path' ? RULES.ofPath(place.path) : [])),
  );
  const own = compileRules(rules.flat(), files);
  const house = compileOwnRules(BUILT_IN_RULES.filter(({ kind }) => !own.has(kind)));
  return { profile: 'health', layers: [own], rules: house, policies, policyRules: policyRules(policies) };
}
