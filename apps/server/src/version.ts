import { readFileSync } from "node:fs"

/** Of this program, from its package.json, which is beside both `src` and `dist`. */
export const VERSION: string = String(
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version
)
