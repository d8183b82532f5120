import type { Effect } from "effect"

/**
 * One rule that every adapter of a port must keep, as a program that uses the port. Run each case in a test of its own.
 * A case fails with a typed error or with `CheckFailed`. Cases make their own users and apps, so they can share a
 * database.
 */
export interface ContractCase<R> {
  /** The rule, such as "approve: two tabs of one user and app make one connection". */
  readonly name: string
  readonly run: Effect.Effect<void, unknown, R>
}

export type Contract<R> = ReadonlyArray<ContractCase<R>>
