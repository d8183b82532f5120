import type { Effect } from "effect"

/**
 * One rule that every adapter of a port must keep, as a program that uses the port. Run each case as a separate test. A
 * case fails with `CheckFailed` or with another typed error. Each case makes its own users and apps, so cases can share
 * a database.
 */
export interface ContractCase<R> {
  /** The rule, such as "approve: two tabs of one user and app make one connection". */
  readonly name: string
  readonly run: Effect.Effect<void, unknown, R>
}

export type Contract<R> = ReadonlyArray<ContractCase<R>>
