import { existsSync } from "node:fs"
import { availableParallelism, totalmem } from "node:os"
import { fileURLToPath } from "node:url"
import { configDefaults, defineConfig, type Plugin } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/**
 * Whether tests import the built packages. `npm test` builds the packages first: Node loads built files without the
 * transformation by vitest, so the tests take a fifth less processor time. A single test, and `npm run test:unit`,
 * import the sources and need no build.
 */
const IS_BUILT = process.env["BUILT"] === "1"
const conditions = IS_BUILT ? [] : ["@place-access/source"]

/**
 * The test files of `npm run test:long`: tests that start a browser or built programs, where each start takes a second
 * or more, and files that run for minutes.
 */
const LONG = [
  "**/*.{browser,e2e}.test.ts",
  "packages/adapters-pg/test/contracts.{citus,pg}.test.ts",
  "packages/domain/test/simulation/{seeds,plants/*}.test.ts",
  "packages/domain/test/testing/simulation/oneHash.test.ts",
  "packages/domain/test/rules/referenceAgreement.test.ts",
  "apps/server/test/simulate/{backends,backends.pg,http}.test.ts"
]

/**
 * The test files that need PostgreSQL or Citus, for `npm run test:servers`, without the files in `LONG`. The two groups
 * run in separate processes: a process can name at most 1,000 prepared statements, and the contracts in `LONG` use most
 * of these names. Some files of this group need a few names too.
 */
const SERVERS = "**/*.{pg,citus}.test.ts"

/**
 * Which files run, by the variable TESTS. `short`: only files that are neither in `LONG` nor in `SERVERS`. Without
 * TESTS, all files run.
 */
const chosen = (tests: string | undefined) => {
  switch (tests) {
    case "short":
      return { exclude: [...configDefaults.exclude, ...LONG, SERVERS] }
    case "servers":
      return { include: [SERVERS], exclude: [...configDefaults.exclude, ...LONG] }
    case "long":
      return { include: LONG }
    default:
      return {}
  }
}

/**
 * The files that take longest, from the report of a run, the longest roughly first. They begin first: if a long file
 * began last, all processors but one would be idle at the end. The order mixes files that compute with files that wait,
 * because a file that computes and a file that waits share a processor well.
 */
const LONGEST = [
  "apps/server/test/process.e2e.test.ts",
  "packages/adapters-http/test/pages/everyPage.browser.test.ts",
  "packages/adapters-pg/test/contracts.citus.test.ts",
  "apps/server/test/kit/move.e2e.test.ts",
  "packages/domain/test/simulation/plants/swarm.test.ts",
  "packages/domain/test/packed.e2e.test.ts",
  "packages/domain/test/simulation/plants/plants.a.test.ts",
  "apps/server/test/replay.e2e.test.ts",
  "apps/server/test/virtual/snapshots.e2e.test.ts",
  "packages/domain/test/simulation/plants/plants.b.test.ts",
  "apps/server/test/kit/upgrade.e2e.test.ts",
  "apps/server/test/crash-server.e2e.test.ts",
  "apps/server/test/cluster.e2e.test.ts",
  "apps/server/test/simulate/backends.pg.test.ts",
  "apps/server/test/virtual/refusals.e2e.test.ts",
  "apps/server/test/simulate/http.test.ts",
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

/**
 * The order of the other files, by kind, after those of `LONGEST`. The last kind has many short files that compute,
 * which fill the gaps at the end.
 */
const KINDS = [".e2e.test.ts", ".browser.test.ts", ".citus.test.ts", ".pg.test.ts", ".test.ts"]
const rank = ({ moduleId }: TestSpecification): number => {
  const place = LONGEST.indexOf(moduleId)
  return place >= 0 ? place : LONGEST.length + KINDS.findIndex((suffix) => moduleId.endsWith(suffix))
}

class LongestFirst extends BaseSequencer {
  // Among files of equal `rank`, vitest's own order stays: the file that took longest in the last run comes first, or
  // the largest file when there was no run.
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other))
  }
}

/**
 * The number of test processes: one more than there are processors, because a file that starts programs, or waits for a
 * browser or for PostgreSQL, leaves its processor idle for most of its time. In a trial with two more processes than
 * processors, a program that was starting got a seventh of a processor, and some programs took more than a minute to
 * start. The number is at most 4, because a process takes up to 1 GB of memory and PostgreSQL has a hundred
 * connections. On a machine with at most 10 GiB of memory the number is 3.
 */
const MOST = totalmem() > 10 * 2 ** 30 ? Math.min(availableParallelism() + 1, 4) : 3
/**
 * The tests of `npm run test:unit` and of `npm run test:stock` do not wait for programs or servers, so they get no
 * additional process: it would only load the same modules once more.
 */
const WAITS = process.env["UNIT"] !== "1" && process.env["STOCK"] !== "1"
const PROCESSES = WAITS ? MOST : Math.min(availableParallelism(), MOST)

/**
 * When V8 compiles JavaScript. Most tests run their code for a short time, so they gain little when V8 optimizes that
 * code early. The long tests repeat the simulation hundreds of times. They take a sixth less time when V8 compiles all
 * code immediately with Sparkplug, its fastest compiler, which does not optimize, and begins to optimize as early as by
 * default.
 */
const COMPILING = process.env["TESTS"] === "long" ? "--always-sparkplug" : "--interrupt-budget=600000"

/** The path of the built file of a source file; undefined when there is no built file. */
const builtFrom = (path: string): string | undefined => {
  const [, folder, top, rest] = /^(.*\/(?:packages|apps)\/[^/]+)\/(src|testing)\/(.*)\.ts$/.exec(path) ?? []
  return [`${folder}/dist/${top}/${rest}.js`, `${folder}/dist/${rest}.js`].find((built) => existsSync(built))
}

/**
 * Replaces a source file, which tests of its package import by path, by the built file. Otherwise a module would be
 * loaded twice: as a source for the test, and as a built file for the package.
 */
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
    // A test file leaves nothing behind in its process, so all files share a few processes (`isolate: false`), and each
    // process loads an imported module once. minForks equals maxForks: with more processes than minForks, the pool may
    // end an idle process twice, and then it fails. Tests make many short-lived objects: with 64 MB for young objects
    // instead of 16, the garbage collector copies fewer of them. The processors have no idle time, in which threads of
    // the garbage collector could help. Without V8's optimizing compiler for WebAssembly (`--liftoff-only`), tests on
    // the embedded database take a sixth less.
    poolOptions: {
      forks: {
        maxForks: PROCESSES,
        minForks: PROCESSES,
        isolate: false,
        execArgv: ["--max-semi-space-size=64", "--single-threaded-gc", "--liftoff-only", COMPILING]
      }
    },
    // No test proves anything by its duration. These limits only end a test that would never end, so they are long
    // enough for a busy machine.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // Finds PostgreSQL and Chromium once, for `inject("pgUrl")` and `inject("chromiumPath")`.
    globalSetup: ["apps/server/test/support/services.ts"],
    setupFiles: ["packages/domain/test/support/propertySeed.ts", "packages/domain/test/support/breathe.ts"]
  }
})
