import { readFileSync } from "node:fs"

/**
 * The version of this program: `--version`, `/healthz` and telemetry show it. It comes from the program's package.json,
 * which lies beside `src`, `dist` and `bundle`. In a release that is not tagged it ends with the commit:
 * `0.1.0+3f2a91c04b7d`.
 */
export const VERSION: string = String(
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version
)
