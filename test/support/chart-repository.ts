import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Files of a chart by their path within it. */
export type ChartFiles = Readonly<Record<string, string>>;

/** A chart of one Deployment whose replicas and greeting are values. */
export function aChart(files: ChartFiles = {}, name = 'ledger'): ChartFiles {
  return {
    'Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`,
    'values.yaml': 'replicas: 1\n',
    'templates/deployment.yaml': `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  replicas: {{ .Values.replicas }}
  selector: { matchLabels: { app: {{ .Release.Name }} } }
  template:
    metadata: { labels: { app: {{ .Release.Name }} } }
    spec: { containers: [ { name: app, image: "registry.example.com/app:1" } ] }
`,
    ...files,
  };
}

/** A bare repository on disk, and a checkout by which a test commits to it. */
export class ChartRepository implements Disposable {
  readonly folder: string;
  readonly bare: string;
  readonly #checkout: string;

  /** Lies in a folder of its own below `within`. */
  constructor(within = os.tmpdir()) {
    this.folder = mkdtempSync(path.join(within, 'slipway-charts-'));
    this.bare = path.join(this.folder, 'origin.git');
    this.#checkout = path.join(this.folder, 'checkout');
    this.#git(this.folder, 'init', '--quiet', '--bare', '--initial-branch=main', this.bare);
    this.#git(this.folder, 'clone', '--quiet', this.bare, this.#checkout);
    this.#git(this.#checkout, 'checkout', '--quiet', '-B', 'main');
  }

  /** Where the repository is, as an address. */
  get url(): string {
    return `file://${this.bare}`;
  }

  /** Writes files (null removes one), commits and pushes; answers the commit. */
  commit(files: Readonly<Record<string, string | null>>, message = 'change'): string {
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(this.#checkout, name);
      if (text === null) rmSync(file, { recursive: true, force: true });
      else {
        mkdirSync(path.dirname(file), { recursive: true });
        writeFileSync(file, text);
      }
    }
    this.#git(this.#checkout, 'add', '--all');
    this.#git(this.#checkout, 'commit', '--quiet', '--allow-empty', '-m', message);
    this.push();
    return this.#git(this.#checkout, 'rev-parse', 'HEAD').trim();
  }

  /** A chart below the folder of charts. */
  commitChart(name: string, files: ChartFiles, message?: string): string {
    return this.commit(Object.fromEntries(Object.entries(files).map(([file, text]) => [`charts/${name}/${file}`, text])), message);
  }

  /** Pushes a commit as the branch, whatever that was at. */
  push(commit = 'HEAD'): void {
    this.#git(this.#checkout, 'push', '--quiet', '--force', 'origin', `${commit}:refs/heads/main`);
  }

  /** Runs git in the checkout. */
  git(...args: readonly string[]): string {
    return this.#git(this.#checkout, ...args);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #git(cwd: string, ...args: readonly string[]): string {
    const author = {
      GIT_AUTHOR_NAME: 'Ada',
      GIT_AUTHOR_EMAIL: 'ada@example.com',
      GIT_COMMITTER_NAME: 'Ada',
      GIT_COMMITTER_EMAIL: 'ada@example.com',
    };
    const env = { ...process.env, ...author, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
    return execFileSync('git', [...args], { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  }
}

/** With `stuck` among the values, a hook before upgrades that does not end before somebody lets it. */
export const STUCK_HOOK = `{{- if .Values.stuck }}
apiVersion: batch/v1
kind: Job
metadata: { name: {{ .Release.Name }}-hook, annotations: { "helm.sh/hook": "pre-upgrade" } }
spec: { suspend: true, template: { spec: { restartPolicy: Never, containers: [ { name: a, image: "registry.example.com/a:1" } ] } } }
{{- end }}
`;
