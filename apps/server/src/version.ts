import { readFileSync } from "node:fs"

/** The version of this program, from its package.json, which lies beside both `src` and `dist`. */
export const VERSION: string = String(
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version
)
