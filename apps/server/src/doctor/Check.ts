/** The result of one check of the doctor. Decision settings-1. */
export interface Finding {
  readonly check: string
  readonly state: "ok" | "warning" | "problem"
  /** What the check found, in a sentence. It never contains a secret. */
  readonly says: string
  /** What the operator should do about the finding; absent when there is nothing to do. */
  readonly advice?: string
}

export const ok = (check: string, says: string): Finding => ({ check, state: "ok", says })
export const warning = (check: string, says: string, advice: string): Finding => ({
  check,
  state: "warning",
  says,
  advice
})
export const problem = (check: string, says: string, advice: string): Finding => ({
  check,
  state: "problem",
  says,
  advice
})

const SIGNS: Readonly<Record<Finding["state"], string>> = { ok: "ok      ", warning: "warning ", problem: "PROBLEM " }

/** The lines for a person: each finding, and below it what to do. */
export const lines = (findings: ReadonlyArray<Finding>): ReadonlyArray<string> =>
  findings.flatMap(({ advice, check, says, state }) => [
    `${SIGNS[state]}${check}: ${says}`,
    ...(advice === undefined ? [] : [`        ${advice}`])
  ])
