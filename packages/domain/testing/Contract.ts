import type { Effect } from "effect"

/**
 * One rule that every adapter of a port must obey, as a program that uses the port. Run each case as a separate test.
 * If the adapter breaks the rule, the case throws `CheckFailed` or fails with an error of the port. Each case makes its
 * own users and apps, so cases can share a database, unless the contract says that it needs its own database.
 */
export interface ContractCase<R> {
  /** The rule, such as "approve: two tabs of one user and app make one connection". */
  readonly name: string
  readonly run: Effect.Effect<void, unknown, R>
}

export type Contract<R> = ReadonlyArray<ContractCase<R>>
