// Runs every test again for each fault that it reaches, in one process: starting a process and loading the sources
// takes seconds, and most tests take milliseconds.
//
// A fault counts as seen when its test fails with it and passes again without it. The runner notes the faults that it
// cannot judge, and a separate process judges each of them:
// - a fault that runs while files are loaded or in a hook;
// - the faults of a test that fails when it runs twice;
// - the faults of a test that still fails after a fault was switched off.
import { appendFileSync, readFileSync } from "node:fs"
import { VitestTestRunner } from "vitest/runners"
import { getFn } from "vitest/suite"

const { done, notes, open, tests } = JSON.parse(readFileSync(process.env.MUTATE_REPEAT, "utf8"))
const left = new Set(open)
const ended = new Set(done)
const note = (line) => appendFileSync(notes, `${JSON.stringify(line)}\n`)

let active = -1
// marks[id] is 1 when the test has run the code in which fault `id` is planted. Some of this code runs millions of
// times in a test, so marking must be cheap: one write into an array of bytes.
const marks = new Uint8Array(100_000)
const forget = () => void marks.fill(0)
const reachedIds = () => [...marks.keys()].filter((id) => marks[id] === 1)
globalThis.__mutant = (id) => {
  marks[id] = 1
  return id === active
}

/**
 * A fault can make a test wait without end. A test counts as failed when it takes more than `PATIENCE` times its usual
 * duration, and more than `LEAST_PATIENCE_MILLIS`.
 */
const PATIENCE = 20
const LEAST_PATIENCE_MILLIS = 2_000

/** Whether the test fails, or takes longer than `limitMillis`. */
const fails = async (run, limitMillis) => {
  let timer
  const limit = new Promise((resolve) => {
    timer = setTimeout(() => resolve(true), limitMillis)
  })
  const failed = async () => {
    try {
      await run()
      return false
    } catch {
      return true
    }
  }
  const answer = await Promise.race([failed(), limit])
  clearTimeout(timer)
  return answer
}

const nameOf = (task) => (task.suite === undefined ? task.name : `${nameOf(task.suite)} ${task.name}`.trim())

export default class RepeatingRunner extends VitestTestRunner {
  async runTask(test) {
    const name = nameOf(test)
    const key = `${test.file.filepath}\n${name}`
    if (tests[test.file.filepath]?.includes(name) !== true || ended.has(key)) return
    note({ outside: reachedIds() })
    await this.judge(getFn(test), name, key)
    forget()
    note({ done: key })
  }

  async judge(run, name, key) {
    forget()
    const start = performance.now()
    const failed = await fails(run, 120_000)
    const limit = Math.max(LEAST_PATIENCE_MILLIS, PATIENCE * (performance.now() - start))
    const ids = reachedIds()
    if (failed || (await fails(run, limit))) return note({ outside: ids })
    for (const id of ids.filter((one) => left.has(one))) {
      note({ begin: id, key, limit })
      active = id
      const isSeen = await fails(run, limit)
      active = -1
      if (!isSeen) continue
      if (await fails(run, limit)) return note({ outside: ids })
      left.delete(id)
      note({ seen: id, test: name })
    }
  }

  onAfterRunFiles() {
    note({ outside: reachedIds() })
  }
}
