// How the derivation of stays shares its process with requests. Decision visits-7.
/** How fast a worker derives stays that nobody waits for. */
export interface StayPace {
  /** The most fixes that a step reads at first. */
  readonly fixesAStep: number
  /** The share of the time that the derivation may take: after each step it pauses for the rest. */
  readonly share: number
}

/** For a worker process: its database has processes of its own. */
export const QUICK: StayPace = { fixesAStep: 5_000, share: 1 }

/** For a process that also answers requests and contains the database: nothing else runs while a step reads. */
export const POLITE: StayPace = { fixesAStep: 1_000, share: 0.5 }
