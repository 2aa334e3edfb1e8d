/** A pair of keys: `private` in the format of OpenSSH, `public` as one line. */
export interface SshKey {
  readonly private: string;
  readonly public: string;
}

interface GitSsh extends AsyncDisposable {
  readonly port: number;
  /** The commands that were asked for. */
  readonly seen: readonly string[];
}

interface Options {
  readonly root: string;
  readonly hostKey: SshKey;
  /** The public key that may sign in. */
  readonly accepts: () => string;
  /** Hears each command before it runs. */
  readonly onExec?: () => Promise<void>;
}

export function makeSshKey(passphrase?: string): SshKey;
export function startGitSsh(options: Options): Promise<GitSsh>;
