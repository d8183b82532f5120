import { readFileSync } from "node:fs"

/**
 * The version of this program: `--version`, `/healthz` and telemetry show it. The version is read from the program's
 * package.json, in the folder that has `src`, `dist` and `bundle`. In a release that is not tagged, the version ends
 * with the commit: `0.1.0+3f2a91c04b7d`.
 */
export const VERSION: string = String(
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version
)
