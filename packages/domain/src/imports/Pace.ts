// How a worker shares its process and its database with other work. Decision imports-8.
/** How fast imports are read. */
export interface Pace {
  /** The most files that are read at the same time. */
  readonly atOnce: number
  /** The most entries in one commit. Uploads of the same person wait for the commit. */
  readonly stepEntries: number
  /** The most bytes that are read before other work of the process may run. */
  readonly sliceBytes: number
  /**
   * The share of the time that reading files may use, above 0 and at most 1. With 0.5, each piece of work is followed
   * by a pause as long as the work took; with 1 there is no pause.
   */
  readonly share: number
}

/** Without pauses: the pace of a process that does nothing else, such as a test. */
export const QUICK: Pace = { atOnce: 3, stepEntries: 1_000, sliceBytes: 128 * 1_024, share: 1 }

/**
 * The pace of a worker on PostgreSQL. In each import, the worker reads entries and then waits until the database has
 * stored them. Both pause for a quarter of the time, because other work may need the same processors.
 */
export const FAIR: Pace = { ...QUICK, share: 0.75 }

/**
 * The pace of a process that also answers requests and in which the database runs. Nothing else in the process runs
 * during a step or a slice. So steps and slices are short, with pauses between them.
 */
export const POLITE: Pace = { atOnce: 1, stepEntries: 100, sliceBytes: 16 * 1_024, share: 0.5 }
