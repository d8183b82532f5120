import { defineConfig } from "vitest/config"

// Workspace packages resolve to their sources, so that unit tests need no build.
const conditions = ["@place-access/source"]

const special = { pg: "**/*.pg.test.ts", browser: "**/*.browser.test.ts", e2e: "**/*.e2e.test.ts" }
const everywhere = (suffix: string) => [`packages/*/test/**/*${suffix}`, `apps/*/test/**/*${suffix}`]
// Nothing is proved by how long a test takes: these only end what would never end, on a machine that is busy with others.
const slow = { testTimeout: 180_000, hookTimeout: 180_000 }

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    passWithNoTests: true,
    pool: "forks",
    // A file leaves nothing behind in its process, so the files of a project share three, and load what they import once: half of the time
    // that a run took. As many are kept as there may be: of more, the pool ends one twice when it has nothing to do, and then fails.
    poolOptions: { forks: { maxForks: 3, minForks: 3, isolate: false } },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Finds PostgreSQL and Chromium once, for `inject("pgUrl")` and `inject("chromiumPath")`.
    globalSetup: ["apps/server/test/support/services.ts"],
    setupFiles: ["packages/domain/test/support/propertySeed.ts", "packages/domain/test/support/breathe.ts"],
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: everywhere(".test.ts"),
          exclude: [...Object.values(special), "packages/domain/**"]
        }
      },
      {
        extends: true,
        test: {
          name: "domain",
          include: ["packages/domain/{test,examples}/**/*.test.ts"],
          exclude: Object.values(special)
        }
      },
      { extends: true, test: { name: "pg", include: everywhere(".pg.test.ts"), ...slow } },
      { extends: true, test: { name: "browser", include: everywhere(".browser.test.ts"), ...slow } },
      { extends: true, test: { name: "e2e", include: everywhere(".e2e.test.ts"), ...slow } }
    ]
  }
})
