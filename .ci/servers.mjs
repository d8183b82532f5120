// Compares the tests that ran on PostgreSQL with those that ran on Citus. A suite says in its title where it runs:
//   "…, on PostgreSQL" and "…, on Citus"   the test must run on both
//   "…, on PostgreSQL alone (reason)"      the test runs on one of the two, for the reason in parentheses
const BOTH = /, on (PostgreSQL|Citus)(?! alone)/
const ALONE = /, on (PostgreSQL|Citus) alone \(([^)]*)\)/

const both = () => ({ PostgreSQL: new Set(), Citus: new Set() })

/**
 * Compares the tests (`{ fullName, status, file: { name } }`). Returns lines for people, and faults. A fault is a test
 * that ran on PostgreSQL or on Citus only, without a reason, or a test of a `.pg.test.ts` file that does not say where
 * it runs.
 */
export function compare(tests) {
  const [ran, passed] = [both(), both()]
  const alone = new Map()
  const faults = []
  for (const { fullName, status, file } of tests) {
    const [, only, reason] = ALONE.exec(fullName) ?? []
    const [, server] = BOTH.exec(fullName) ?? []
    if (only !== undefined) alone.set(`${only} alone, ${reason}`, (alone.get(`${only} alone, ${reason}`) ?? 0) + 1)
    else if (server !== undefined) {
      const name = fullName.replace(BOTH, "")
      if (status === "passed") passed[server].add(name)
      // A failed test counts as run: .ci/totals.mjs reports the failure, so it is no fault here.
      if (status === "passed" || status === "failed") ran[server].add(name)
    } else if (file.name.endsWith(".pg.test.ts")) faults.push(`does not say on which server it runs: ${fullName}`)
  }
  for (const [one, other] of [
    ["PostgreSQL", "Citus"],
    ["Citus", "PostgreSQL"]
  ]) {
    for (const name of ran[one]) if (!ran[other].has(name)) faults.push(`ran on ${one} and not on ${other}: ${name}`)
  }
  const lines = [
    `on PostgreSQL: ${passed.PostgreSQL.size} passed; the same tests on Citus: ${passed.Citus.size} passed`,
    ...[...alone].sort().map(([why, count]) => `on ${why}: ${count}`)
  ]
  return { lines, faults }
}
