// The pace at which workers derive stays beside the requests of the same process. Decision visits-7.
/** How fast a worker derives stays that no request waits for. */
export interface StayPace {
  /**
   * The number of fixes that a step reads. When all of these fixes are older than the fixes that are due, the step
   * doubles the number and reads again.
   */
  readonly fixesAStep: number
  /**
   * The share of the time that the derivation may take, above 0 and at most 1. With 0.5, the derivation pauses after
   * each step for as long as the step took; with 1 there is no pause.
   */
  readonly share: number
}

/** The pace of a worker process. The database runs in other processes, so the derivation needs no pause. */
export const QUICK: StayPace = { fixesAStep: 5_000, share: 1 }

/**
 * The pace of a process that also answers requests and in which the database runs. Nothing else in the process runs
 * while a step reads.
 */
export const POLITE: StayPace = { fixesAStep: 1_000, share: 0.5 }
