import { existsSync } from "node:fs"
import { availableParallelism, totalmem } from "node:os"
import { fileURLToPath } from "node:url"
import { configDefaults, defineConfig, type Plugin } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/**
 * `npm test` builds first, and its tests import what was built: Node loads it without vitest's help, which takes a
 * fifth of the processor time less. A single test, and `npm run test:unit`, import the sources and need no build.
 */
const IS_BUILT = process.env["BUILT"] === "1"
const conditions = IS_BUILT ? [] : ["@place-access/source"]

/**
 * What `npm test` leaves to `npm run test:long`: the tests that start built programs, which take a second or more each
 * time, and a few files that take minutes. `.ci/run` runs both.
 */
const LONG = [
  "**/*.e2e.test.ts",
  "packages/adapters-pg/test/contracts.citus.test.ts",
  "packages/adapters-pg/test/contracts.pg.test.ts",
  "packages/adapters-http/test/pages/everyPage.browser.test.ts",
  "packages/adapters-http/test/pages/review.browser.test.ts",
  "packages/domain/test/simulation/plants/swarm.test.ts",
  "packages/domain/test/rules/referenceAgreement.test.ts"
]

/** `npm test` runs the short files and `npm run test:long` the long ones. Without `TESTS`, all files run. */
const chosen = (tests: string | undefined) =>
  tests === "short" ? { exclude: [...configDefaults.exclude, ...LONG] } : tests === "long" ? { include: LONG } : {}

/**
 * The files that take longest, the longest first, from the report of a run. A long file that begins last leaves all
 * processors but one without work. The list mixes files that compute with files that wait: they share a processor well.
 */
const LONGEST = [
  "apps/server/test/process.e2e.test.ts",
  "packages/adapters-http/test/pages/everyPage.browser.test.ts",
  "packages/adapters-pg/test/contracts.citus.test.ts",
  "apps/server/test/kit/move.e2e.test.ts",
  "packages/domain/test/simulation/plants/swarm.test.ts",
  "packages/domain/test/packed.e2e.test.ts",
  "apps/server/test/replay.e2e.test.ts",
  "apps/server/test/virtual/snapshots.e2e.test.ts",
  "apps/server/test/kit/upgrade.e2e.test.ts",
  "apps/server/test/crash-server.e2e.test.ts",
  "apps/server/test/cluster.e2e.test.ts",
  "apps/server/test/virtual/refusals.e2e.test.ts",
  "apps/server/test/crash-worker.e2e.test.ts",
  "packages/adapters-pg/test/contracts.pg.test.ts",
  "packages/adapters-pg/test/contracts.test.ts",
  "apps/server/test/install.e2e.test.ts",
  "packages/domain/test/simulation/seeds.test.ts",
  "packages/adapters-http/test/pages/review.browser.test.ts",
  "apps/server/test/listen.e2e.test.ts",
  "packages/domain/test/rules/referenceAgreement.test.ts",
  "apps/server/test/trip.e2e.test.ts",
  "apps/server/test/telemetry.e2e.test.ts",
  "apps/server/test/demo/demo.e2e.test.ts",
  "packages/adapters-http/test/pages/pages.browser.test.ts",
  "apps/server/test/simulate/simulate.e2e.test.ts",
  "apps/server/test/crash-embedded.e2e.test.ts",
  "packages/adapters-pg/test/embedded/directory.test.ts",
  "packages/adapters-pg/test/schema/migrator.test.ts",
  "packages/domain/test/rules/realLogs.test.ts",
  "packages/domain/test/mail/mailLives.test.ts",
  "packages/domain/test/limits/zoneSearch.test.ts",
  "packages/domain/test/connection/connectionModel.test.ts",
  "packages/adapters-pg/test/rules/lives.test.ts"
].map((path) => fileURLToPath(new URL(path, import.meta.url)))
const moved = LONGEST.filter((path) => !existsSync(path))
if (moved.length > 0) throw new Error(`vitest.config.ts orders files that do not exist: ${moved.join(", ")}`)

/** After these, the kinds in this order: the many short files that compute fill the gaps at the end. */
const KINDS = [".e2e.test.ts", ".browser.test.ts", ".citus.test.ts", ".pg.test.ts", ".test.ts"]
const rank = ({ moduleId }: TestSpecification): number => {
  const place = LONGEST.indexOf(moduleId)
  return place >= 0 ? place : LONGEST.length + KINDS.findIndex((suffix) => moduleId.endsWith(suffix))
}

class LongestFirst extends BaseSequencer {
  // Files of one kind stay as vitest has them: the longest of the last run first, or the largest.
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other))
  }
}

/**
 * One more than processors, because a file that starts programs, waits for a browser or for PostgreSQL leaves its
 * processor to others for most of its time. With one more still, a program that starts has a seventh of a processor,
 * and some took more than a minute. A process of the tests takes up to 1 GB, and PostgreSQL has a hundred connections.
 */
const MOST = totalmem() > 10 * 2 ** 30 ? Math.min(availableParallelism() + 1, 4) : 3
/** The files of `npm run test:unit` wait for nothing: a process more would only load the same modules once more. */
const PROCESSES = process.env["UNIT"] === "1" ? Math.min(availableParallelism(), MOST) : MOST

/** Where the build put the compiled form of a source file; undefined for other files. */
const builtFrom = (path: string): string | undefined => {
  const [, folder, top, rest] = /^(.*\/(?:packages|apps)\/[^/]+)\/(src|testing)\/(.*)\.ts$/.exec(path) ?? []
  return [`${folder}/dist/${top}/${rest}.js`, `${folder}/dist/${rest}.js`].find((built) => existsSync(built))
}

/** Tests import files of their package by path, too. All must come from the build: no module may be loaded twice. */
const fromBuild: Plugin = {
  name: "from-build",
  enforce: "pre",
  async resolveId(source, importer, options) {
    const found = await this.resolve(source, importer, { ...options, skipSelf: true })
    return found === null ? null : (builtFrom(found.id) ?? found)
  }
}

export default defineConfig({
  plugins: IS_BUILT ? [fromBuild] : [],
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["packages/*/{test,examples}/**/*.test.ts", "apps/*/test/**/*.test.ts"],
    exclude: configDefaults.exclude,
    ...chosen(process.env["TESTS"]),
    passWithNoTests: true,
    sequence: { sequencer: LongestFirst },
    pool: "forks",
    server: { deps: { external: [/\/(?:packages|apps)\/[^/]+\/dist\//] } },
    // A file leaves nothing behind in its process, so all files share a few processes, and each process loads what
    // the files import once. minForks is the same as maxForks: of more processes than minForks, the pool ends one twice
    // when it has nothing to do, and fails. Tests make many objects that live for a moment: with 64 MB for young
    // objects instead of 16, the collector copies fewer of them.
    poolOptions: {
      forks: {
        maxForks: PROCESSES,
        minForks: PROCESSES,
        isolate: false,
        execArgv: ["--max-semi-space-size=64"]
      }
    },
    // Nothing is proved by how long a test takes: these only end what would never end, on a machine that is busy.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // Finds PostgreSQL and Chromium once, for `inject("pgUrl")` and `inject("chromiumPath")`.
    globalSetup: ["apps/server/test/support/services.ts"],
    setupFiles: ["packages/domain/test/support/propertySeed.ts", "packages/domain/test/support/breathe.ts"]
  }
})
