// The configuration of the tests of `npm run mutate`: mutants.mjs rewrites the sources of some folders, and MUTANT says
// which of the planted faults is switched on. With MUTATE_NOTES, each test file notes which places it reached. With
// MUTATE_REPEAT, runner.mjs switches the faults on and off.
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { plant } from "./mutants.mjs"

const root = fileURLToPath(new URL("../..", import.meta.url))
const firstIds = JSON.parse(process.env.MUTATE_FILES ?? "{}")

export default {
  root,
  plugins: [
    {
      name: "plant",
      enforce: "pre",
      load(id) {
        const path = id.split("?")[0].replace(root, "")
        if (firstIds[path] === undefined) return undefined
        return plant(path, readFileSync(id.split("?")[0], "utf8"), firstIds[path]).text
      }
    }
  ],
  resolve: { conditions: ["@place-access/source"] },
  ssr: { resolve: { conditions: ["@place-access/source"] } },
  test: {
    include: ["packages/*/test/**/*.test.ts"],
    exclude: ["**/*.{pg,citus,browser,e2e}.test.ts"],
    pool: "forks",
    poolOptions: { forks: { isolate: false, minForks: 1, maxForks: 1 } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // These tests run without a database server and without a browser.
    provide: { pgUrl: null, pgTemplate: "", citusNodes: null, chromiumPath: null },
    setupFiles: ["packages/domain/test/support/propertySeed.ts", fileURLToPath(new URL("setup.mjs", import.meta.url))],
    ...(process.env.MUTATE_REPEAT === undefined
      ? {}
      : { runner: fileURLToPath(new URL("runner.mjs", import.meta.url)) })
  }
}
