// The pace at which workers derive stays beside the requests of the same process. Decision visits-7.
/** How fast a worker derives stays that no request waits for. */
export interface StayPace {
  /** The most fixes that a step reads at first. */
  readonly fixesAStep: number
  /** The share of the time that the derivation may take: after each step it pauses for the remaining share. */
  readonly share: number
}

/** For a worker process: its database runs in other processes, so the derivation needs no pause. */
export const QUICK: StayPace = { fixesAStep: 5_000, share: 1 }

/** For a process that also answers requests and contains the database, where nothing else runs while a step reads. */
export const POLITE: StayPace = { fixesAStep: 1_000, share: 0.5 }
