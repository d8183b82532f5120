import { all } from "../../../testing/simulation/oracles/index.js"
import { plants } from "../plants/all.js"
import { ROWS } from "./specificationRows.js"

/** The text of packages/domain/docs/oracles.md. */
export const oracleTable = (): string => {
  const plantsOf = (name: string) =>
    plants.filter(({ oracle }) => oracle === name).map(({ what }) => `${what[0]?.toUpperCase()}${what.slice(1)}`)
  const rows = ROWS.map(({ oracles, says, section, without }) => {
    const judged = oracles.length === 0 ? `none: ${without ?? ""}` : oracles.join(", ")
    return `| ${section} | ${says} | ${judged} |`
  })
  const judges = all.map(({ name, rule }) => `| ${name} | ${rule} | ${plantsOf(name).join("; ")} |`)
  return `# Oracles

This page is for engineers who change a rule of the service. An *oracle* is a function of the
[simulation](simulation.md) that reads the *trace* (the record of everything that happened in a run)
and reports broken rules. This page says which oracle judges each row of the specification, and
which planted bugs (bugs that a test puts into the code on purpose) prove that the oracle works. A
test plants each bug and checks that the oracle reports it (\`test/simulation/plants\`). The swarm,
a set of runs with random plans, finds each bug within 500 runs, except for bugs whose test file
says why the swarm cannot find them. The [glossary](../../../docs/glossary.md) explains the words of
the rules.

\`test/simulation/oracles/table.test.ts\` generates this page. The test fails when a row has neither
an oracle nor a reason, and when an oracle has no planted bug.

## Rows of the specification

| section | says | oracles |
|---|---|---|
${rows.join("\n")}

## Oracles and the bugs planted for them

| oracle | rule | planted bugs |
|---|---|---|
${judges.join("\n")}
`
}
