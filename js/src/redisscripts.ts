// The scripts of spec/redis, which is their only place: the build puts them in, with the hash that Redis knows each by.

export interface Script {
  readonly text: string;
  readonly sha: string;
}

// biome-ignore lint/suspicious/noShadowRestrictedNames: what the build puts in has no type
declare const globalThis: { readonly redisScripts: Readonly<Record<string, Script>> };

/** By its path below spec/redis, without `.lua`. */
export function scriptOf(name: string): Script {
  return (scripts ??= globalThis.redisScripts)[name]!;
}

let scripts: Readonly<Record<string, Script>> | undefined;
