import { existsSync, readFileSync } from "node:fs"

/** The manifest of the repository or of the release, three folders above `src`, `dist` and `bundle`. */
const MANIFEST = new URL("../../../package.json", import.meta.url)

/** The names of the npm scripts that exist here. A release has only `start` and `worker`. */
const scripts = (): ReadonlySet<string> =>
  new Set(existsSync(MANIFEST) ? Object.keys(JSON.parse(readFileSync(MANIFEST, "utf8")).scripts ?? {}) : [])

/** The text without the lines that name a missing script, such as `npm run demo` in a release. */
export const onlyThere = (text: string, there: ReadonlySet<string> = scripts()): string =>
  text
    .split("\n")
    .filter((line) => Array.from(line.matchAll(/\bnpm run ([\w:]+)/g)).every(([, name = ""]) => there.has(name)))
    .join("\n")
