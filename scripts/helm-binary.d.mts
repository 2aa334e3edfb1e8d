/** The Helm to use and where it came from; what is not there is fetched into .tools. */
export function obtainHelm(major?: 3 | 4): Promise<{ readonly path: string; readonly from: string }>;
/** Puts a Helm into .tools and says where from. */
export function installHelm(major?: 3 | 4): Promise<{ readonly path: string; readonly from: string }>;
